/* Where a text has what is searched for. */
#include "domain/search/search_found.h"

#include "base/text.h"
#include "domain/search/search_text.h"

/* A text as the search reads it, and where each of its bytes comes from. */
struct found_plain {
    struct buf text;
    size_t *from; /* in the text as it was written: the character of each byte,
                   * then the end */
};

/* The word that begins here: the bytes of the longest term that is its start;
 * 0: none is. */
static size_t found_term(const struct search_query *q, struct str word)
{
    size_t n = 0;
    for (size_t i = 0; i < q->n; i++) {
        const struct str term = q->terms[i].word;
        if (term.n > n && str_starts(word, term))
            n = term.n;
    }
    return n;
}

static bool found_any(struct arena *a, const struct search_query *q,
                      struct str text)
{
    bool any = false;
    for (struct search_text t = search_text(a, text);
         !any && search_text_next(&t);)
        any = found_term(q, t.word) > 0;
    return any;
}

/* Kana, Chinese characters and Korean syllables: the search reads them as they
 * are. */
static bool found_same(uint32_t c)
{
    return (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FA) ||
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);
}

/* One character with those that combine with it. Spaces and hidden ones at the
 * ends of a text are left out, so that it stands between two letters. */
static struct str found_letter(struct arena *a, struct str c, uint32_t rune,
                               bool alone)
{
    if (alone && rune < 0x80) {
        struct buf lower = buf_make(a, 2);
        buf_lower(&lower, c);
        return buf_text(&lower);
    }
    if (alone && found_same(rune))
        return c;
    const struct str s = text_plain(a, arena_join(a, STR("x"), c, STR("x")));
    return s.n > 2 ? str_sub(s, 1, s.n - 1) : STR("");
}

static struct found_plain found_plain(struct arena *a, struct str text)
{
    const size_t room = text.n * 12 + 16; /* one may be written as many */
    struct found_plain p = {.text = buf_make(a, room),
                            .from = arena_many(a, room + 1, size_t)};
    for (size_t at = 0; at < text.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(text, &at);
        const size_t own = at;
        for (size_t next = at;
             next < text.n && text_combines(str_rune(text, &next));)
            at = next;
        const struct str s =
            found_letter(a, str_sub(text, from, at), rune, at == own);
        for (size_t i = 0; i < s.n && p.text.n + i < room; i++)
            p.from[p.text.n + i] = from;
        buf_str(&p.text, s);
    }
    p.from[p.text.n] = text.n;
    return p;
}

size_t search_found(struct arena *a, const struct search_query *q,
                    struct str text,
                    struct search_found out[static SEARCH_FOUND_MAX])
{
    struct arena *own = arena_within(a);
    size_t n = 0;
    if (str_utf8(text) && found_any(own, q, text)) {
        const struct found_plain p = found_plain(own, text);
        struct search_text t = {.text = buf_text(&p.text)};
        while (n < SEARCH_FOUND_MAX && search_text_next(&t)) {
            const size_t at = (size_t)(t.word.p - t.text.p);
            size_t end = at + found_term(q, t.word);
            if (end == at)
                continue;
            /* A character may be more than one letter there. */
            while (end < t.text.n && p.from[end] == p.from[end - 1])
                end++;
            const struct search_found f = {p.from[at], p.from[end]};
            if (n > 0 && f.from <= out[n - 1].to)
                out[n - 1].to = f.to > out[n - 1].to ? f.to : out[n - 1].to;
            else
                out[n++] = f;
        }
    }
    arena_free(own);
    return n;
}
