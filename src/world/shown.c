/* A stranger's text for a template.
 *
 * Nothing in it stays invisible: zero width, bidirectional and control
 * characters are cut out and shown by their number. */
#include "world/shown.h"

#include "base/text.h"
#include "world/words.h"

static void add_segment(struct json *list, struct arena *a, const char *key,
                        struct str s)
{
    struct json *o = json_object(a);
    json_set_json(o, "text", NULL);
    json_set_json(o, "code", NULL);
    json_set_text(o, key, s);
    json_add_json(list, o);
}

static struct str code(struct arena *a, uint32_t rune)
{
    struct buf b = buf_make(a, 16);
    buf_printf(&b, "U+%04X", (unsigned)rune);
    return buf_text(&b);
}

static struct json *segments(struct arena *a, size_t *codes, struct str s)
{
    struct json *list = json_array(a);
    /* The longest spelling, "[U+0001]", stands for one byte. */
    struct buf run = buf_make(a, s.n * 8 + 1);
    for (size_t at = 0, from = 0; at < s.n;) {
        const size_t here = at;
        const uint32_t rune = str_rune(s, &at);
        const bool plain = !text_hidden(rune);
        if (plain && at < s.n)
            continue;
        buf_str(&run, str_sub(s, from, plain ? at : here));
        from = at;
        if (!plain && *codes == 0)
            buf_printf(&run, "[U+%04X]", (unsigned)rune);
        if (run.n > 0 && (at == s.n || (!plain && *codes > 0))) {
            add_segment(list, a, "text", buf_text(&run));
            run.n = 0;
        }
        if (!plain && *codes > 0) {
            add_segment(list, a, "code", code(a, rune));
            (*codes)--;
        }
    }
    return list;
}

struct json *shown_text(struct arena *a, size_t *codes, struct str s)
{
    struct json *o = json_object(a), *list = json_array(a);
    struct buf note = buf_make(a, 64);
    const int64_t n = (int64_t)words_hidden(s);
    if (!s.p)
        return NULL;
    if (n > 0) {
        buf_str(&note, words_many(a, n, "hidden character"));
        buf_put(&note, " shown");
        list = segments(a, codes, s);
    } else if (s.n > 0) {
        add_segment(list, a, "text", s);
    }
    json_set_text(o, "text", s);
    json_set_json(o, "segments", list);
    json_set_text(o, "hidden", buf_text(&note));
    return o;
}
