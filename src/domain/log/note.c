/* Signed notes, and the heads that are signed in them. */
#include "domain/log/note.h"

#define NOTE_ID 4                 /* bytes of a key's id */
#define NOTE_MOMENT 8             /* bytes of a cosignature's time */
#define NOTE_DASH "\xe2\x80\x94 " /* begins a signature */

static struct str note_raw(const void *p, size_t n)
{
    return (struct str){p, n};
}

/* ---- keys -----------------------------------------------------------------
 */

static bool note_name_ok(struct str name)
{
    if (name.n == 0 || name.n > NOTE_NAME_MAX || !str_utf8(name))
        return false;
    for (size_t i = 0; i < name.n; i++) {
        if ((unsigned char)name.p[i] <= ' ' || name.p[i] == '+' ||
            name.p[i] == 0x7f)
            return false;
    }
    return true;
}

/* The algorithm's byte and the key. */
static struct str note_key_bytes(struct arena *a, const struct note_key *k)
{
    const char first = (char)k->algorithm;
    return arena_join(a, note_raw(&first, 1),
                      note_raw(k->key.b, sizeof k->key.b));
}

static void note_key_id(struct arena *a, const struct note_key *k,
                        uint8_t out[NOTE_ID])
{
    uint8_t digest[CRYPT_SHA256];
    crypt_sha256(arena_join(a, k->name, STR("\n"), note_key_bytes(a, k)),
                 digest);
    memcpy(out, digest, NOTE_ID);
}

struct str note_key_text(struct arena *a, const struct note_key *k)
{
    uint8_t id[NOTE_ID];
    struct buf b = buf_make(a, 1024);
    note_key_id(a, k, id);
    buf_str(&b, k->name);
    buf_printf(&b, "+%02x%02x%02x%02x+", id[0], id[1], id[2], id[3]);
    buf_str(&b, crypt_base64(a, note_key_bytes(a, k)));
    return buf_text(&b);
}

bool note_key_read(struct arena *a, struct str text, struct note_key *out)
{
    const struct str whole = str_trim(text);
    struct str rest = whole;
    *out = (struct note_key){.name = str_cut(&rest, '+')};
    str_cut(&rest, '+');
    const struct str bytes = crypt_base64_read(a, rest);
    if (!note_name_ok(out->name) || !rest.p ||
        bytes.n != 1 + sizeof out->key.b ||
        (bytes.p[0] != NOTE_ED25519 && bytes.p[0] != NOTE_COSIGNATURE))
        return false;
    out->algorithm = (enum note_algorithm)bytes.p[0];
    memcpy(out->key.b, bytes.p + 1, sizeof out->key.b);
    return str_eq(note_key_text(a, out), whole);
}

/* ---- notes ----------------------------------------------------------------
 */

static bool note_signature_read(struct arena *a, struct str line,
                                struct note_signature *out)
{
    const struct str dash = STR(NOTE_DASH);
    struct str rest = str_sub(line, dash.n, line.n);
    if (!str_starts(line, dash))
        return false;
    out->line = line;
    out->name = str_cut(&rest, ' ');
    const struct str bytes = crypt_base64_read(a, rest);
    if (!note_name_ok(out->name) || bytes.n <= NOTE_ID)
        return false;
    memcpy(out->id, bytes.p, NOTE_ID);
    out->bytes = str_sub(bytes, NOTE_ID, bytes.n);
    return true;
}

const char *note_read(struct arena *a, struct str s, struct note *out)
{
    size_t end = s.n;
    *out = (struct note){.n = 0};
    if (s.n > NOTE_MAX)
        return "it is larger than a note may be";
    if (!str_utf8(s) || !str_ends(s, STR("\n")))
        return "it is no text that ends with a line feed";
    /* The signatures follow the last empty line. */
    while (end > 1 && !(s.p[end - 1] == '\n' && s.p[end - 2] == '\n'))
        end--;
    if (end < 2)
        return "it has no signature";
    out->text = str_sub(s, 0, end - 1);
    struct str rest = str_sub(s, end, s.n - 1);
    while (rest.p) {
        if (out->n == NOTE_SIGNATURES_MAX)
            return "it has too many signatures";
        if (!note_signature_read(a, str_cut(&rest, '\n'), &out->v[out->n]))
            return "one of its signatures is malformed";
        out->n++;
    }
    return NULL;
}

static int64_t note_moment(struct str bytes)
{
    uint64_t at = 0;
    for (size_t i = 0; i < NOTE_MOMENT; i++)
        at = at << 8 | (uint8_t)bytes.p[i];
    return at > INT64_MAX ? -1 : (int64_t)at;
}

/* The signature alone and what it is over. */
static bool note_signature_ok(struct arena *a, const struct note *n,
                              const struct note_signature *s,
                              const struct note_key *key, int64_t *at)
{
    const struct str pub = note_raw(key->key.b, sizeof key->key.b);
    *at = 0;
    if (key->algorithm == NOTE_ED25519)
        return crypt_ed25519_ok(pub, s->bytes, n->text);
    if (s->bytes.n != NOTE_MOMENT + CRYPT_ED25519_SIGNATURE)
        return false;
    *at = note_moment(s->bytes);
    return *at > 0 &&
           crypt_ed25519_ok(pub, str_sub(s->bytes, NOTE_MOMENT, s->bytes.n),
                            arena_join(a, STR("cosignature/v1\ntime "),
                                       arena_number(a, *at), STR("\n"),
                                       n->text));
}

const struct note_signature *note_signed(struct arena *a, const struct note *n,
                                         const struct note_key *key,
                                         int64_t *at)
{
    uint8_t id[NOTE_ID];
    note_key_id(a, key, id);
    for (size_t i = 0; i < n->n; i++) {
        const struct note_signature *s = &n->v[i];
        if (str_eq(s->name, key->name) && memcmp(s->id, id, NOTE_ID) == 0 &&
            note_signature_ok(a, n, s, key, at))
            return s;
    }
    return NULL;
}

static struct str note_signature(struct arena *a, struct str text,
                                 struct str name, const struct signer *k)
{
    uint8_t id[NOTE_ID];
    const struct note_key key = {
        .name = name, .algorithm = NOTE_ED25519, .key = k->key};
    note_key_id(a, &key, id);
    const struct str bytes =
        arena_join(a, note_raw(id, NOTE_ID), signer_sign(a, k, text));
    return arena_join(a, STR(NOTE_DASH), name, STR(" "),
                      crypt_base64(a, bytes), STR("\n"));
}

struct str note_sign(struct arena *a, struct str text, struct str name,
                     const struct signer *keys, size_t n)
{
    struct str note = arena_join(a, text, STR("\n"));
    for (size_t i = 0; i < n; i++)
        note = arena_join(a, note, note_signature(a, text, name, &keys[i]));
    return note;
}

/* ---- heads ----------------------------------------------------------------
 */

struct str note_head_text(struct arena *a, const struct note_head *h)
{
    return arena_join(
        a, h->origin, STR("\n"), arena_number(a, h->size), STR("\n"),
        crypt_base64(a, note_raw(h->root.b, sizeof h->root.b)), STR("\n"));
}

const char *note_head_read(struct arena *a, struct str text,
                           struct note_head *out)
{
    struct str rest = text;
    *out = (struct note_head){.origin = str_cut(&rest, '\n')};
    const struct str size = str_cut(&rest, '\n');
    const struct str root = str_cut(&rest, '\n');
    const struct str bytes = crypt_base64_read(a, root);
    if (!note_name_ok(out->origin))
        return "it has no origin";
    if (!str_int(size, 0, TLOG_SIZE_MAX, &out->size) ||
        !str_eq(arena_number(a, out->size), size))
        return "it has no size";
    if (!rest.p || bytes.n != sizeof out->root.b ||
        !str_eq(crypt_base64(a, bytes), root))
        return "it has no root";
    memcpy(out->root.b, bytes.p, sizeof out->root.b);
    return NULL;
}

struct str note_proof(struct arena *a, int64_t index,
                      const struct tlog_proof *p, struct str note)
{
    struct str hashes = STR("");
    for (size_t i = 0; i < p->n; i++)
        hashes = arena_join(
            a, hashes, crypt_base64(a, note_raw(p->v[i].b, sizeof p->v[i].b)),
            STR("\n"));
    return arena_join(a, STR("c2sp.org/tlog-proof@v1\nindex "),
                      arena_number(a, index), STR("\n"), hashes, STR("\n"),
                      note);
}
