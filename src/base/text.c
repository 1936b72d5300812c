/* Text compared by its look, and hidden characters. */
#include "base/text.h"

#include "base/buf.h"

#include <utf8proc.h>

#define RIGHT_QUOTE 0x2019 /* as in "don't"; NFKC keeps the two apart */

/* Controls but tab and line feed, fillers, zero width, bidirectional,
 * separators, tags and variation selectors. Sorted. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x0000, 0x0008},   {0x000B, 0x001F},   {0x007F, 0x009F},
    {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
    {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x2800, 0x2800},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0x13430, 0x13440}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
};

bool text_hidden(uint32_t rune)
{
    if (rune >= 0x20 && rune < 0x7F)
        return false;
    for (size_t i = 0; i < countof(hidden); i++) {
        if (rune <= hidden[i].last)
            return rune >= hidden[i].first;
    }
    return false;
}

/* ---- in its place --------------------------------------------------- */

#define EMOJI_STYLE 0xFE0F
#define JOINER 0x200D
#define NON_JOINER 0x200C
#define KEYCAP 0x20E3

/* The code point that ends before *at, which goes to its start; 0: none. */
static uint32_t text_before(struct str s, size_t *at)
{
    size_t from = *at;
    if (from == 0)
        return 0;
    do
        from--;
    while (from > 0 && ((unsigned char)s.p[from] & 0xC0) == 0x80);
    size_t end = from;
    *at = from;
    return str_rune(s, &end);
}

static uint32_t text_after(struct str s, size_t at)
{
    return at < s.n ? str_rune(s, &at) : 0;
}

static bool is_emoji(uint32_t rune)
{
    return rune > 0x7F &&
           utf8proc_get_property((utf8proc_int32_t)rune)->boundclass ==
               UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static bool is_skin(uint32_t rune)
{
    return rune >= 0x1F3FB && rune <= 0x1F3FF;
}

/* A letter or mark of Arabic, Syriac, N'Ko, or a script of India. */
static bool joins(uint32_t rune)
{
    const bool script = (rune >= 0x0600 && rune <= 0x08FF) ||
                        (rune >= 0x0900 && rune <= 0x0DFF);
    const utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)rune);
    return script && c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_ME;
}

/* An emoji may have a skin or a style between itself and a joiner. */
static bool emoji_before(struct str s, size_t at)
{
    uint32_t rune = text_before(s, &at);
    if (rune == EMOJI_STYLE || is_skin(rune))
        rune = text_before(s, &at);
    return is_emoji(rune);
}

bool text_hidden_at(struct str s, size_t at)
{
    size_t next = at, left = at;
    const uint32_t rune = str_rune(s, &next);
    if (!text_hidden(rune))
        return false;
    const uint32_t before = text_before(s, &left);
    const uint32_t after = text_after(s, next);
    if (rune == EMOJI_STYLE)
        return !is_emoji(before) && !(after == KEYCAP && before < 0x40);
    if (rune == JOINER && is_emoji(after))
        return !emoji_before(s, at);
    if (rune == JOINER || rune == NON_JOINER)
        return !joins(before) || !joins(after);
    return true;
}

bool text_wordy(uint32_t rune)
{
    /* The order of the categories is the standard's: letters, marks, numbers,
     * then signs. */
    const utf8proc_category_t c =
        utf8proc_category((utf8proc_int32_t)rune);
    return (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_NO) ||
           rune == '\'';
}

/* utf8proc's own buffer grows by malloc; this one belongs to the arena. NULL
 * where the text is not UTF-8. */
static struct str decomposed(struct arena *a, struct str s)
{
    const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                  UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                  UTF8PROC_IGNORE | UTF8PROC_STRIPCC;
    const utf8proc_uint8_t *text = (const utf8proc_uint8_t *)s.p;
    const utf8proc_ssize_t n = (utf8proc_ssize_t)s.n;
    const utf8proc_ssize_t room = utf8proc_decompose(text, n, NULL, 0, how);
    if (room < 0)
        return STR_NONE;
    utf8proc_int32_t *runes =
        arena_many(a, (size_t)room + 1, utf8proc_int32_t);
    utf8proc_ssize_t len = utf8proc_decompose(text, n, runes, room, how);
    if (len >= 0)
        len = utf8proc_reencode(runes, len, how);
    return len < 0 ? STR_NONE : (struct str){(char *)runes, (size_t)len};
}

static bool is_space(uint32_t rune)
{
    return rune == '\t' || rune == '\n' ||
           utf8proc_category((utf8proc_int32_t)rune) == UTF8PROC_CATEGORY_ZS;
}

struct str text_fold(struct arena *a, struct str s)
{
    const struct str whole = s.n ? decomposed(a, s) : STR("");
    bool space = false;
    if (!whole.p)
        return s;
    struct buf b = buf_make(a, whole.n + 1);
    for (size_t at = 0; at < whole.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(whole, &at);
        if (text_hidden(rune))
            continue;
        if (is_space(rune)) {
            space = b.n > 0;
            continue;
        }
        buf_put(&b, space ? " " : "");
        if (rune == RIGHT_QUOTE)
            buf_char(&b, '\'');
        else
            buf_str(&b, str_sub(whole, from, at));
        space = false;
    }
    return b.n ? buf_text(&b) : STR("");
}
