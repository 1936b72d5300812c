/* Texts as they compare, and what prints nothing. */
#include "base/text.h"

#include "suite.h"

SUITE(text);

Test(text, folds)
{
    static const struct {
        const char *text, *folded;
    } rows[] = {
        {"", ""},
        {"Approve", "approve"},
        {"  Approve \t\n now ", "approve now"},
        {"\xC3\x84pfel", "\xC3\xA4pfel"},       /* composed */
        {"A\xCC\x88pfel", "\xC3\xA4pfel"},      /* decomposed */
        {"Stra\xC3\x9F" "e", "strasse"},
        {"\xE1\xBA\x9E", "ss"},                 /* capital sharp s */
        {"\xEF\xBC\xB9\xEF\xBD\x85s", "yes"},   /* full width Y and e */
        {"\xF0\x9D\x90\x98" "es", "yes"},       /* bold Y */
        {"\xEF\xAC\x81ne", "fine"},             /* ligature fi */
        {"Don\xE2\x80\x99t", "don't"},          /* typographic */
        {"no\xC2\xA0" "way", "no way"},         /* no-break space */
        {"no\xE3\x80\x80" "way", "no way"},     /* ideographic space */
        {"no\xE2\x80\x8Bway", "noway"},         /* zero width space */
        {"\xE2\x80\xAE" "ab\xE2\x80\xAC", "ab"},  /* right to left override */
        {"\xC2\xAD" "a\xE2\x80\x8D" "b", "ab"},   /* soft hyphen, joiner */
        {"\xEF\xBB\xBF" "ab", "ab"},            /* byte order mark */
        {"\xE2\xA0\x80" "ab", "ab"},            /* braille blank */
        {"\xEF\xBE\xA0" "ab", "ab"},            /* half width filler */
        {"ab\xEF\xB8\x8F", "ab"},               /* variation selector */
        {"a\xF3\xA0\x81\x81" "b", "ab"},        /* tag letter */
        {"\xE2\x80\x8B\xE2\x81\xA0", ""},
        {"R\xD0\xB5ject", "r\xD0\xB5ject"},     /* Cyrillic: another letter */
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str got = text_fold(a, str_of(rows[i].text));
        cr_assert(str_is(got, rows[i].folded), "%zu: \"%.*s\"", i,
                  STR_FMT(got));
        cr_assert(str_eq(text_fold(a, got), got), "%zu: twice", i);
    }
}

/* Texts are checked where they come in; one that was not stays as it is. */
Test(text, what_is_no_utf8_stays)
{
    const struct str s = STR("ab\xFF");
    cr_assert(str_eq(text_fold(a, s), s));
    cr_assert_eq(text_fold(a, STR_NONE).n, 0);
}

/* U+FDFA becomes 18 characters. */
Test(text, a_long_one_folds_whole)
{
    struct buf b = buf_make(a, 4096);
    for (int i = 0; i < 1000; i++)
        buf_put(&b, "\xEF\xB7\xBA");
    cr_assert_eq(str_runes(text_fold(a, buf_text(&b))), 18000);
}

Test(text, words_end_at_signs)
{
    static const uint32_t in[] = {'a', 'Z', '0', '\'', 0xE4, 0x301, 0x5D0,
                                  0x4E00, 0xB2};
    static const uint32_t out[] = {' ', ',', '(', '-', '/', ':', 0x2014,
                                   0x274C, 0x200B, '\n', '_'};
    for (size_t i = 0; i < countof(in); i++)
        cr_assert(text_wordy(in[i]), "U+%04X", (unsigned)in[i]);
    for (size_t i = 0; i < countof(out); i++)
        cr_assert_not(text_wordy(out[i]), "U+%04X", (unsigned)out[i]);
}

Test(text, hidden)
{
    static const uint32_t in[] = {0, 0x1B, 0x7F, 0xAD, 0x200B, 0x202E,
                                  0x2066, 0x2800, 0xFE0F, 0xFEFF, 0xE0041};
    static const uint32_t out[] = {'\t', '\n', ' ', 'a', 0x7E, 0xA0, 0xE4,
                                   0x2010, 0x2801, 0x1F600};
    for (size_t i = 0; i < countof(in); i++)
        cr_assert(text_hidden(in[i]), "U+%04X", (unsigned)in[i]);
    for (size_t i = 0; i < countof(out); i++)
        cr_assert_not(text_hidden(out[i]), "U+%04X", (unsigned)out[i]);
}

/* Characters that are hidden elsewhere and have a meaning between these. */
Test(text, hidden_in_its_place)
{
    static const struct {
        const char *text;
        size_t hidden;
    } v[] = {
        {"\u26A0\uFE0F", 0},             /* a warning sign as an emoji */
        {"\u2764\uFE0F\u200D\U0001F525", 0}, /* a heart on fire */
        {"\U0001F468\u200D\U0001F469\u200D\U0001F467", 0}, /* a family */
        {"\U0001F469\U0001F3FD\u200D\U0001F4BB", 0}, /* with a skin */
        {"1\uFE0F\u20E3", 0},            /* a keycap */
        {"\u0645\u06CC\u200C\u062E\u0648", 0}, /* Persian */
        {"\u0915\u094D\u200D\u0937", 0}, /* Devanagari */
        {"a\u200Db", 1},
        {"a\u200Cb", 1},
        {"a\uFE0F", 1},
        {"\uFE0Fa", 1},
        {"1\uFE0F", 1},
        {"\u26A0\uFE0F\uFE0F", 1},
        {"\u26A0\uFE0E", 1},
        {"\u26A0\uFE01", 1},
        {"\U0001F468\u200D", 1},
        {"\u200D\U0001F468", 1},
        {"\U0001F468\u200Da", 1},
        {"a\u200D\U0001F468", 1},
        {"\U0001F468\u200D\u200D\U0001F468", 2},
        {"\u0645\u200C", 1},
        {"\u0645\u200Ca", 1},
        {"\u0645\u200C\u200C\u062E", 2},
        {"\u0645\u200B\u062E", 1},
        {"\u0645\u202E\u062E", 1},
    };
    for (size_t i = 0; i < countof(v); i++) {
        const struct str s = str_of(v[i].text);
        size_t n = 0;
        for (size_t at = 0; at < s.n; (void)str_rune(s, &at))
            n += text_hidden_at(s, at);
        cr_expect_eq(n, v[i].hidden, "%zu: %zu", i, n);
    }
}
