/* Words for the search. */
#include "domain/search/search_text.h"

#include "base/text.h"

#define TEXT_MAX ((size_t)16 << 10) /* bytes; what is behind them is left out */

/* Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese: without spaces. */
static bool search_text_apart(uint32_t c)
{
    static const struct {
        uint32_t from, to;
    } ranges[] = {{0xE00, 0x109F},   {0x1780, 0x17FF}, {0x3005, 0x3007},
                  {0x3041, 0x31FF},  {0x3400, 0x9FFF}, {0xF900, 0xFAFF},
                  {0x20000, 0x3FFFF}};
    for (size_t i = 0; i < countof(ranges) && c >= ranges[i].from; i++) {
        if (c <= ranges[i].to)
            return true;
    }
    return false;
}

static bool search_text_letter(uint32_t c)
{
    return c < 0x80 ? (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
                    : text_wordy(c);
}

/* Its start, up to a character that ends there. */
static struct str search_text_start(struct str s)
{
    size_t n = s.n < TEXT_MAX ? s.n : TEXT_MAX;
    while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xC0) == 0x80)
        n--;
    return str_sub(s, 0, n);
}

struct search_text search_text(struct arena *a, struct str s)
{
    size_t ascii = 0;
    s = search_text_start(s);
    while (ascii < s.n && (unsigned char)s.p[ascii] < 0x80)
        ascii++;
    if (ascii < s.n)
        return (struct search_text){.text = text_plain(a, s)};
    struct buf lower = buf_make(a, s.n + 1);
    buf_lower(&lower, s);
    return (struct search_text){.text = buf_text(&lower)};
}

bool search_text_next(struct search_text *t)
{
    size_t from = 0, end = 0; /* of the word; end 0: there is none yet */
    bool apart = false;
    t->letters = 0;
    for (size_t at = t->at, next = at; at < t->text.n; at = next) {
        const uint32_t c = str_rune(t->text, &next);
        const bool letter = search_text_letter(c);
        if (t->letters == 0) {
            from = at;
            apart = search_text_apart(c);
        }
        if (t->letters > 0 && (!letter || search_text_apart(c) != apart))
            break;
        if (t->letters < SEARCH_TEXT_LETTERS && letter) {
            t->letters++;
            end = next;
        }
        if (!apart || t->letters < 2)
            t->at = next;
        if (apart && t->letters == 2)
            break;
    }
    t->word = str_sub(t->text, from, end);
    return t->letters > 0;
}
