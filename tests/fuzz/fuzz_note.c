/* Any bytes as a signed note, and as a key of one:
 *
 * a note that is read is its text and its lines, and no byte else; nobody
 * signed it with a key that signed nothing; a head says the bytes that its note
 * begins with, and a key has one spelling. */
#include "domain/log/note.h"
#include "fuzz.h"

static void check_head(struct arena *a, struct str text)
{
    struct note_head h;
    if (note_head_read(a, text, &h))
        return;
    must(h.size >= 0 && h.size <= TLOG_SIZE_MAX);
    must(h.origin.n > 0 && h.origin.n <= NOTE_NAME_MAX);
    must(str_starts(text, note_head_text(a, &h)));
}

static void check(struct arena *a, struct str s, const struct note *n)
{
    const struct note_key key = {.name = n->v[0].name,
                                 .algorithm = NOTE_ED25519};
    struct buf b = buf_make(a, NOTE_MAX + 1);
    int64_t at = 0;
    must(n->n > 0 && n->n <= NOTE_SIGNATURES_MAX);
    buf_str(&b, n->text);
    buf_char(&b, '\n');
    for (size_t i = 0; i < n->n; i++) {
        buf_str(&b, n->v[i].line);
        buf_char(&b, '\n');
    }
    must(str_eq(buf_text(&b), s));
    must(!note_signed(a, n, &key, &at));
    check_head(a, n->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str s = arena_str(a, (struct str){(const char *)data, size});
    struct note *n = arena_new(a, struct note);
    struct note_key key;
    must(crypt_init());
    if (!note_read(a, s, n))
        check(a, s, n);
    if (note_key_read(a, s, &key))
        must(str_eq(note_key_text(a, &key), str_trim(s)));
    return 0;
}
