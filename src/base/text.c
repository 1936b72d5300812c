/* Text compared by its look, and hidden characters. */
#include "base/text.h"

#include "base/buf.h"

#include <string.h>
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
#define FIRST_MARK 0x0300

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

static bool text_is_emoji(uint32_t rune)
{
    return rune > 0x7F &&
           utf8proc_get_property((utf8proc_int32_t)rune)->boundclass ==
               UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* A letter or mark of Arabic, Syriac, N'Ko, or a script of India. */
static bool text_joins(uint32_t rune)
{
    const bool script = (rune >= 0x0600 && rune <= 0x08FF) ||
                        (rune >= 0x0900 && rune <= 0x0DFF);
    const utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)rune);
    return script && c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_ME;
}

/* An emoji may have a skin or a style between itself and a joiner. */
static bool text_emoji_before(struct str s, size_t at)
{
    uint32_t rune = text_before(s, &at);
    if (rune == EMOJI_STYLE || (rune >= 0x1F3FB && rune <= 0x1F3FF))
        rune = text_before(s, &at);
    return text_is_emoji(rune);
}

/* Is it drawn on the letter before it? */
static bool text_is_mark(uint32_t rune)
{
    const utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)rune);
    return c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_ME;
}

/* Do fewer marks stand between the letter and this one? A joiner between them
 * does not begin another letter. */
static bool text_is_borne(struct str s, size_t at)
{
    size_t marks = 0;
    for (size_t seen = 0; seen < 2 * TEXT_MARKS_MAX; seen++) {
        const uint32_t rune = text_before(s, &at);
        if (rune < ' ')
            return false;
        if (rune == JOINER || rune == NON_JOINER)
            continue;
        if (!text_is_mark(rune))
            return true;
        if (++marks == TEXT_MARKS_MAX)
            return false;
    }
    return false;
}

bool text_hidden_at(struct str s, size_t at)
{
    size_t next = at, left = at;
    const uint32_t rune = str_rune(s, &next);
    if (!text_hidden(rune))
        return rune >= FIRST_MARK && text_is_mark(rune) &&
               !text_is_borne(s, at);
    const uint32_t before = text_before(s, &left);
    const uint32_t after = next < s.n ? str_rune(s, &next) : 0;
    if (rune == EMOJI_STYLE)
        return !text_is_emoji(before) && !(after == KEYCAP && before < 0x40);
    if (rune == JOINER && text_is_emoji(after))
        return !text_emoji_before(s, at);
    if (rune == JOINER || rune == NON_JOINER)
        return !text_joins(before) || !text_joins(after);
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

bool text_combines(uint32_t rune)
{
    const utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)rune);
    return (c >= UTF8PROC_CATEGORY_MN && c <= UTF8PROC_CATEGORY_ME) ||
           (rune >= 0x1160 && rune <= 0x11FF) || rune == 0xFF9E ||
           rune == 0xFF9F || (rune >= 0xFFC2 && rune <= 0xFFDC);
}

/* utf8proc's own buffer grows by malloc; this one belongs to the arena. NULL
 * where the text is not UTF-8. */
static struct str text_mapped(struct arena *a, struct str s,
                              utf8proc_option_t how)
{
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

/* s where it is not UTF-8. */
static struct str text_form(struct arena *a, struct str s,
                            utf8proc_option_t how)
{
    const struct str out = s.n ? text_mapped(a, s, how) : s;
    return out.p ? out : s;
}

struct str text_nfc(struct arena *a, struct str s)
{
    return text_form(a, s, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

struct str text_nfd(struct arena *a, struct str s)
{
    return text_form(a, s, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
}

static bool text_is_space(uint32_t rune)
{
    return rune == '\t' || rune == '\n' ||
           utf8proc_category((utf8proc_int32_t)rune) == UTF8PROC_CATEGORY_ZS;
}

/* Spaces and line ends as single spaces within the text. */
static struct str text_spaced(struct arena *a, struct str s)
{
    struct buf b = buf_make(a, s.n + 1);
    bool space = false;
    for (size_t at = 0; at < s.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(s, &at);
        if (text_is_space(rune) || rune == '\r') {
            space = b.n > 0;
            continue;
        }
        buf_put(&b, space ? " " : "");
        buf_str(&b, str_sub(s, from, at));
        space = false;
    }
    return b.n ? buf_text(&b) : STR("");
}

bool text_same(struct arena *a, struct str x, struct str y)
{
    return str_eq(text_spaced(a, text_nfc(a, x)),
                  text_spaced(a, text_nfc(a, y)));
}

static bool text_is_ascii(struct str s)
{
    bool plain = true;
    for (size_t i = 0; i < s.n; i++)
        plain = plain && s.p[i] > ' ' && s.p[i] < 0x7F;
    return plain;
}

struct str text_fold(struct arena *a, struct str s)
{
    struct buf lower = buf_make(a, s.n + 1);
    if (s.n > 0 && text_is_ascii(s)) {
        buf_lower(&lower, s);
        return buf_text(&lower);
    }
    const struct str whole =
        s.n ? text_mapped(a, s,
                          UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                              UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                              UTF8PROC_IGNORE | UTF8PROC_STRIPCC)
            : STR("");
    bool space = false;
    if (!whole.p)
        return s;
    struct buf b = buf_make(a, whole.n + 1);
    for (size_t at = 0; at < whole.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(whole, &at);
        if (text_hidden(rune))
            continue;
        if (text_is_space(rune)) {
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

/* ---- without accents --------------------------------------------------- */

/* The accents of Latin, Greek and Cyrillic letters, and the points of Hebrew
 * and Arabic ones. The marks of other scripts are letters to their readers. */
static bool text_is_accent(uint32_t rune)
{
    return (rune >= 0x0300 && rune <= 0x036F) ||
           (rune >= 0x0483 && rune <= 0x0489) ||
           (rune >= 0x0591 && rune <= 0x05C7) ||
           (rune >= 0x064B && rune <= 0x065F) || rune == 0x0640 ||
           rune == 0x0670;
}

/* Small letters that Unicode does not take apart; NULL: it is none of them. */
static const char *text_plain_letter(uint32_t rune)
{
    static const struct {
        uint32_t rune;
        const char *as;
    } letters[] = {{0x00E6, "ae"}, {0x00F0, "d"}, {0x00F8, "o"},
                   {0x00FE, "th"}, {0x0111, "d"}, {0x0127, "h"},
                   {0x0131, "i"},  {0x0142, "l"}, {0x0153, "oe"},
                   {0x0167, "t"}};
    for (size_t i = 0; i < countof(letters); i++) {
        if (letters[i].rune == rune)
            return letters[i].as;
    }
    return NULL;
}

struct str text_plain(struct arena *a, struct str s)
{
    const struct str parts = text_nfd(a, text_fold(a, s));
    struct buf b = buf_make(a, parts.n + 1);
    for (size_t at = 0; at < parts.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(parts, &at);
        const char *as = text_plain_letter(rune);
        if (as)
            buf_put(&b, as);
        else if (!text_is_accent(rune))
            buf_str(&b, str_sub(parts, from, at));
    }
    return b.n ? text_nfc(a, buf_text(&b)) : STR("");
}

/* ---- look-alikes ------------------------------------------------------- */

/* Letters and signs of other scripts that are drawn as these: small ones, and
 * capitals, which may be drawn as another letter than their small form. */
static const struct {
    uint32_t rune;
    char as;
} alike[] = {
    {0x00B7, '.'}, {0x0131, 'i'}, {0x0251, 'a'}, {0x0261, 'g'},
    {0x0269, 'i'}, {0x02BC, '\''}, {0x0391, 'a'}, {0x0392, 'b'},
    {0x0395, 'e'}, {0x0396, 'z'}, {0x0397, 'h'}, {0x0399, 'i'},
    {0x039A, 'k'}, {0x039C, 'm'}, {0x039D, 'n'}, {0x039F, 'o'},
    {0x03A1, 'p'}, {0x03A4, 't'}, {0x03A5, 'y'}, {0x03A7, 'x'},
    {0x03B1, 'a'}, {0x03B9, 'i'}, {0x03BA, 'k'}, {0x03BD, 'v'},
    {0x03BF, 'o'}, {0x03C1, 'p'}, {0x03C4, 't'}, {0x03C5, 'u'},
    {0x03C7, 'x'}, {0x03F2, 'c'}, {0x0405, 's'}, {0x0406, 'i'},
    {0x0408, 'j'}, {0x0410, 'a'}, {0x0412, 'b'}, {0x0415, 'e'},
    {0x041A, 'k'}, {0x041C, 'm'}, {0x041D, 'h'}, {0x041E, 'o'},
    {0x0420, 'p'}, {0x0421, 'c'}, {0x0422, 't'}, {0x0423, 'y'},
    {0x0425, 'x'}, {0x0430, 'a'}, {0x0433, 'r'}, {0x0435, 'e'},
    {0x043A, 'k'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'},
    {0x0442, 't'}, {0x0443, 'y'}, {0x0445, 'x'}, {0x0455, 's'},
    {0x0456, 'i'}, {0x0458, 'j'}, {0x0475, 'v'}, {0x04BB, 'h'},
    {0x04CF, 'l'}, {0x0501, 'd'}, {0x051B, 'q'}, {0x051D, 'w'},
    {0x0570, 'h'}, {0x0578, 'n'}, {0x057D, 'u'}, {0x0585, 'o'},
    {0x06D4, '.'}, {0x0701, '.'}, {0x0702, '.'}, {0x1D04, 'c'},
    {0x1D0F, 'o'}, {0x2010, '-'}, {0x2012, '-'}, {0x2013, '-'},
    {0x2014, '-'}, {0x2015, '-'}, {0x2022, '.'}, {0x2027, '.'},
    {0x2043, '-'}, {0x2044, '/'}, {0x2212, '-'}, {0x2215, '/'},
    {0x2219, '.'}, {0x2236, ':'}, {0x22C5, '.'}, {0x2E31, '.'},
    {0x3002, '.'}, {0x30FB, '.'}, {0xA4F8, '.'}, {0xA60E, '.'},
    {0xA789, ':'},
};
#define DOT_ABOVE 0x0307 /* on an i it is not seen */

/* The Latin letter or sign; 0: none, or it is one. */
static char text_alike(uint32_t rune)
{
    for (size_t i = 0; rune >= 0x80 && i < countof(alike); i++) {
        if (alike[i].rune == rune)
            return alike[i].as;
    }
    return 0;
}

static struct str text_drawn(struct arena *a, struct str s, bool signs)
{
    struct buf b = buf_make(a, s.n + 1);
    for (size_t at = 0; at < s.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(s, &at);
        const char as = text_alike(rune), last = b.n ? b.p[b.n - 1] : 0;
        if (rune == DOT_ABOVE && (last == 'i' || last == 'j'))
            continue;
        if (as && (signs || text_wordy((unsigned char)as)))
            buf_char(&b, as);
        else
            buf_str(&b, str_sub(s, from, at));
    }
    return b.n ? buf_text(&b) : STR("");
}

struct str text_letters(struct arena *a, struct str s)
{
    if (text_is_ascii(s))
        return text_fold(a, s);
    const struct str nfkc = text_form(a, s, UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                                UTF8PROC_COMPAT);
    return text_drawn(a, text_fold(a, text_drawn(a, nfkc, false)), false);
}

struct str text_skeleton(struct arena *a, struct str s)
{
    const struct str letters = text_letters(a, s);
    return text_is_ascii(letters) ? letters : text_drawn(a, letters, true);
}

/* ---- names ------------------------------------------------------------- */

/* Of a name, decomposed: one character becomes at most 18. */
#define NAME_ROOM (TEXT_NAME_MAX * 18 + 1)

/* -1 where it is longer than a name, or not UTF-8. */
static utf8proc_ssize_t name_runes(struct str s, utf8proc_option_t how,
                                   utf8proc_int32_t runes[static NAME_ROOM])
{
    if (s.n == 0 || str_runes(s) > TEXT_NAME_MAX)
        return -1;
    const utf8proc_ssize_t n =
        utf8proc_decompose((const utf8proc_uint8_t *)s.p,
                           (utf8proc_ssize_t)s.n, runes, NAME_ROOM - 1, how);
    return n < NAME_ROOM ? n : -1;
}

bool text_name(struct str s)
{
    const utf8proc_option_t nfkc =
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    utf8proc_int32_t runes[NAME_ROOM];
    for (size_t at = 0; at < s.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(s, &at);
        const utf8proc_category_t c =
            utf8proc_category((utf8proc_int32_t)rune);
        if (text_hidden(rune) || text_hidden_at(s, from) ||
            c == UTF8PROC_CATEGORY_CN || c >= UTF8PROC_CATEGORY_ZS ||
            rune == 0xFFFC || rune == 0xFFFD)
            return false;
    }
    utf8proc_ssize_t n = name_runes(s, nfkc, runes);
    n = n < 0 ? n : utf8proc_reencode(runes, n, nfkc);
    return n >= 0 &&
           str_eq(s, (struct str){(const char *)runes, (size_t)n});
}

bool text_looks(struct str s, const char *word)
{
    const utf8proc_option_t fold = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                   UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                   UTF8PROC_IGNORE;
    utf8proc_int32_t runes[NAME_ROOM];
    const utf8proc_ssize_t n = name_runes(s, fold, runes);
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        const char as = text_alike((uint32_t)runes[i]);
        if (!*word || (as ? as : runes[i]) != *word++)
            return false;
    }
    return n > 0 && !*word;
}

/* ---- scripts ----------------------------------------------------------- */

/* Scripts whose letters are taken for those of another. The rest is one. */
enum script {
    SCRIPT_NONE, SCRIPT_LATIN, SCRIPT_GREEK, SCRIPT_CYRILLIC, SCRIPT_ARMENIAN,
    SCRIPT_CHEROKEE, SCRIPT_LISU, SCRIPT_OTHER
};

static enum script text_script(uint32_t rune)
{
    static const struct {
        uint32_t first, last;
        enum script script;
    } ranges[] = {
        {0x0041, 0x024F, SCRIPT_LATIN}, {0x0250, 0x02AF, SCRIPT_LATIN},
        {0x0370, 0x03FF, SCRIPT_GREEK}, {0x0400, 0x052F, SCRIPT_CYRILLIC},
        {0x0531, 0x058A, SCRIPT_ARMENIAN}, {0x13A0, 0x13FF, SCRIPT_CHEROKEE},
        {0x1C80, 0x1C8F, SCRIPT_CYRILLIC}, {0x1D00, 0x1DBF, SCRIPT_LATIN},
        {0x1E00, 0x1EFF, SCRIPT_LATIN}, {0x1F00, 0x1FFF, SCRIPT_GREEK},
        {0x2C60, 0x2C7F, SCRIPT_LATIN}, {0x2C80, 0x2CFF, SCRIPT_GREEK},
        {0x2DE0, 0x2DFF, SCRIPT_CYRILLIC}, {0xA4D0, 0xA4FD, SCRIPT_LISU},
        {0xA640, 0xA69F, SCRIPT_CYRILLIC},
        {0xA720, 0xA7FF, SCRIPT_LATIN}, {0xAB30, 0xAB6F, SCRIPT_LATIN},
        {0xAB70, 0xABBF, SCRIPT_CHEROKEE}, {0xFF21, 0xFF5A, SCRIPT_LATIN}};
    const utf8proc_category_t c =
        utf8proc_category((utf8proc_int32_t)rune);
    if (c < UTF8PROC_CATEGORY_LU || c > UTF8PROC_CATEGORY_LO)
        return SCRIPT_NONE;
    for (size_t i = 0; i < countof(ranges); i++) {
        if (rune >= ranges[i].first && rune <= ranges[i].last)
            return ranges[i].script;
    }
    return SCRIPT_OTHER;
}

/* Latin letters next to those of, say, Japanese are ordinary. */
bool text_mixed(struct str s)
{
    enum script first = SCRIPT_NONE;
    for (size_t at = 0; at < s.n;) {
        const uint32_t rune = str_rune(s, &at);
        const enum script now = text_script(rune);
        if (text_is_space(rune))
            first = SCRIPT_NONE;
        if (now == SCRIPT_NONE || now == SCRIPT_OTHER)
            continue;
        if (first != SCRIPT_NONE && now != first)
            return true;
        first = now;
    }
    return false;
}

/* ---- paths ---------------------------------------------------------- */

#define ACTIVE "/\\.;%" /* read as a step of the path, or decoded again */

/* The path with its escapes decoded; false where it has another character than
 * an unreserved one (RFC 3986 2.3), a slash, or the escape of a byte that has
 * no meaning in a path. */
static bool text_decode(struct str path, struct buf *out)
{
    for (size_t i = 0; i < path.n; i++) {
        const char c = path.p[i];
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
            (c >= 'A' && c <= 'Z') || (c && strchr("-._~/", c))) {
            buf_char(out, c);
            continue;
        }
        const bool escape = c == '%' && i + 2 < path.n;
        const int high = escape ? str_hex(path.p[i + 1]) : -1;
        const int low = escape ? str_hex(path.p[i + 2]) : -1;
        const int byte = high * 16 + low;
        if (high < 0 || low < 0 || byte < ' ' || byte == 0x7f ||
            strchr(ACTIVE, byte))
            return false;
        buf_char(out, (char)byte);
        i += 2;
    }
    return true;
}

static size_t text_active(struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] && strchr(ACTIVE, s.p[i]);
    return n;
}

static bool text_steps(struct str path)
{
    struct str rest = path;
    while (rest.p) {
        const struct str part = str_trim(str_cut(&rest, '/'));
        if (str_is(part, ".") || str_is(part, ".."))
            return true;
    }
    return false;
}

/* Some receivers fold what they decoded: a full-width dot is a dot there. */
bool text_path(struct arena *a, struct str path)
{
    struct buf b = buf_make(a, path.n + 1);
    if (!text_decode(path, &b))
        return false;
    const struct str text = b.n ? buf_text(&b) : STR("");
    if (!str_utf8(text))
        return false;
    for (size_t at = 0; at < text.n;) {
        const uint32_t rune = str_rune(text, &at);
        if (text_hidden(rune) || (rune >= 0x7f && rune < 0xa0))
            return false;
    }
    const struct str folded = text_fold(a, text);
    return !text_steps(text) && !text_steps(folded) &&
           text_active(folded) == text_active(text);
}
