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
    static const uint32_t in[] = {
        0,      0x1B,   0x7F,   0x85,    0xAD,    0x34F,   0x61C,   0x115F,
        0x17B4, 0x180B, 0x180E, 0x200B,  0x200E,  0x2028,  0x202E,  0x2060,
        0x2066, 0x2067, 0x2800, 0x3164,  0xFE00,  0xFE0E,  0xFE0F,  0xFEFF,
        0xFFA0, 0xFFF9, 0x13430, 0x1BCA0, 0x1D173, 0xE0001, 0xE0041, 0xE0100};
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
        /* Combining marks, of which a letter bears some. */
        {"e\u0301\u0336", 0}, {"\u1EBF", 0}, {"e\u0302\u0301", 0},
        {"\u05E9\u05BC\u05B8\u05C1\u0591", 0}, /* Hebrew, to be sung */
        {"\u0645\u0651\u064E\u0670", 0},       /* Arabic */
        {"\u0E17\u0E35\u0E48", 0},             /* Thai */
        {"\u0F62\u0F92\u0FB1\u0F74\u0F51", 0}, /* Tibetan */
        {"a\u0301\u0301\u0301\u0301", 0},
        {"a\u0301\u0301\u0301\u0301\u0301", 1},
        {"a\u0301\u0301\u0301\u0301\u0301\u0301b\u0301", 2},
        {"a\u20DD\u0489\u0301\u0301\u20DD", 1},
        {"\u0301a", 1}, {"a\n\u0301", 1}, {" \u0301", 0},
        {"\u0645\u064E\u064E\u064E\u064E\u200C\u064E\u062E", 1},
    };
    for (size_t i = 0; i < countof(v); i++) {
        const struct str s = str_of(v[i].text);
        size_t n = 0;
        for (size_t at = 0; at < s.n; (void)str_rune(s, &at))
            n += text_hidden_at(s, at);
        cr_expect_eq(n, v[i].hidden, "%zu: %zu", i, n);
    }
}

Test(text, the_same_letters)
{
    static const struct {
        const char *x, *y;
        bool same;
    } rows[] = {
        {"", "", true}, {"", " \r\n", true}, {"a b", "  a\t\r\n b ", true},
        {"Zo\xC3\xAB", "Zoe\xCC\x88", true}, {"a\xC2\xA0" "b", "a b", true},
        {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "\xED\x95\x9C", true},
        {"Approve", "approve", false}, {"ab", "a b", false},
        {"Zoe", "Zo\xC3\xAB", false}, {"\xEF\xBC\xA1", "A", false},
        {"p\xD0\xB0y", "pay", false}, {"\xff", "\xff", true}};
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(text_same(a, str_of(rows[i].x), str_of(rows[i].y)),
                     rows[i].same, "row %zu", i);
}

Test(text, skeletons)
{
    static const struct {
        const char *text, *skeleton;
    } rows[] = {
        {"", ""}, {"shop.*", "shop.*"}, {"Shop.Refund", "shop.refund"},
        {"shop\xE2\x80\xA4refund", "shop.refund"},  /* one dot leader */
        {"shop\xC2\xB7refund", "shop.refund"},       /* middle dot */
        {"shop\xEF\xBC\x8Erefund", "shop.refund"},  /* full width */
        {"shop\xE3\x80\x82refund", "shop.refund"},  /* ideographic */
        {"shop\xEF\xBD\xA1refund", "shop.refund"},  /* half width of that */
        {"\xEF\xBC\xB3hop", "shop"}, {"sh\xD0\xBEp", "shop"},
        {"\xD0\xA1lear", "clear"}, {"mail\xE2\x80\x91send", "mail-send"},
        {"cafe\xCC\x81", "caf\xC3\xA9"}, {"sh\xE2\x80\x8Bop", "shop"},
        {"\xCE\x9D\xCE\x9F", "no"},                /* Greek capitals */
        {"\xD0\x9D\xD0\x95", "he"},                /* Cyrillic ones */
        {"\xCE\xAC", "\xCE\xAC"}, {"\xCE\xB1\xCC\x81", "\xCE\xAC"},
        {"DECL\xC4\xB0NE", "decline"}, {"decl\xC4\xB1ne", "decline"},
        {"don\xCA\xBCt", "don't"}, {"\xEF\xAC\x81ne", "fine"}};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str got = text_skeleton(a, str_of(rows[i].text));
        cr_assert(str_is(got, rows[i].skeleton), "%zu: %.*s", i, STR_FMT(got));
    }
}

Test(text, mixed_scripts)
{
    static const struct {
        const char *text;
        bool mixed;
    } rows[] = {
        {"refunds-agent", false}, {"\xD0\x90\xD0\xB3\xD0\xB5", false},
        {"p\xD0\xB0y", true}, {"\xCE\xB1gent", true},
        {"agent-\xD0\xB0\xD0\xB1", true}, {"\xD5\xB8gent", true},
        {"Zo\xC3\xAB", false}, {"bot-\xE6\x97\xA5\xE6\x9C\xAC", false},
        {"\xED\x95\x9C-bot", false}, {"1-2.3", false}, {"", false},
        {"\xEA\x93\xAEgent", true},               /* Lisu */
        {"\xD0\x90\xD0\xB3\xD0\xB5 (key)", false},  /* a word of each */
        {"\xD0\x90\xD0\xB3\xD0\xB5\xC2\xA0key", false},
        {"by p\xD0\xB0y", true}, {"p\xD0\xB0y, for x", true}};
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(text_mixed(str_of(rows[i].text)), rows[i].mixed, "%s",
                     rows[i].text);
}
