/* Words for the search. */
#include "domain/search/search_text.h"

/* ---- folding ---------------------------------------------------------- */

/* Letters from..to become letters from to's first on, or all the one letter.
 * In ascending order. */
enum fold {
    FOLD_ONE,   /* all of them are the letter */
    FOLD_SHIFT, /* the first is the letter, the others follow */
    FOLD_EVEN,  /* pairs: an even one is the upper case of the next */
    FOLD_ODD,   /* the same with an odd one */
    FOLD_DROP   /* nothing is left of them */
};

static const struct {
    uint32_t from, to;
    enum fold how;
    uint32_t letter;
} folds[] = {
    {0xAD, 0xAD, FOLD_DROP, 0},
    {0xC0, 0xC5, FOLD_ONE, 'a'},
    {0xC7, 0xC7, FOLD_ONE, 'c'},
    {0xC8, 0xCB, FOLD_ONE, 'e'},
    {0xCC, 0xCF, FOLD_ONE, 'i'},
    {0xD0, 0xD0, FOLD_ONE, 'd'},
    {0xD1, 0xD1, FOLD_ONE, 'n'},
    {0xD2, 0xD6, FOLD_ONE, 'o'},
    {0xD8, 0xD8, FOLD_ONE, 'o'},
    {0xD9, 0xDC, FOLD_ONE, 'u'},
    {0xDD, 0xDD, FOLD_ONE, 'y'},
    {0xE0, 0xE5, FOLD_ONE, 'a'},
    {0xE7, 0xE7, FOLD_ONE, 'c'},
    {0xE8, 0xEB, FOLD_ONE, 'e'},
    {0xEC, 0xEF, FOLD_ONE, 'i'},
    {0xF0, 0xF0, FOLD_ONE, 'd'},
    {0xF1, 0xF1, FOLD_ONE, 'n'},
    {0xF2, 0xF6, FOLD_ONE, 'o'},
    {0xF8, 0xF8, FOLD_ONE, 'o'},
    {0xF9, 0xFC, FOLD_ONE, 'u'},
    {0xFD, 0xFD, FOLD_ONE, 'y'},
    {0xFF, 0xFF, FOLD_ONE, 'y'},
    {0x100, 0x105, FOLD_ONE, 'a'},
    {0x106, 0x10D, FOLD_ONE, 'c'},
    {0x10E, 0x111, FOLD_ONE, 'd'},
    {0x112, 0x11B, FOLD_ONE, 'e'},
    {0x11C, 0x123, FOLD_ONE, 'g'},
    {0x124, 0x127, FOLD_ONE, 'h'},
    {0x128, 0x131, FOLD_ONE, 'i'},
    {0x134, 0x135, FOLD_ONE, 'j'},
    {0x136, 0x138, FOLD_ONE, 'k'},
    {0x139, 0x142, FOLD_ONE, 'l'},
    {0x143, 0x14B, FOLD_ONE, 'n'},
    {0x14C, 0x151, FOLD_ONE, 'o'},
    {0x154, 0x159, FOLD_ONE, 'r'},
    {0x15A, 0x161, FOLD_ONE, 's'},
    {0x162, 0x167, FOLD_ONE, 't'},
    {0x168, 0x173, FOLD_ONE, 'u'},
    {0x174, 0x175, FOLD_ONE, 'w'},
    {0x176, 0x178, FOLD_ONE, 'y'},
    {0x179, 0x17E, FOLD_ONE, 'z'},
    {0x17F, 0x17F, FOLD_ONE, 's'},
    {0x1A0, 0x1A1, FOLD_ONE, 'o'},
    {0x1AF, 0x1B0, FOLD_ONE, 'u'},
    {0x1CD, 0x1CE, FOLD_ONE, 'a'},
    {0x1CF, 0x1D0, FOLD_ONE, 'i'},
    {0x1D1, 0x1D2, FOLD_ONE, 'o'},
    {0x1D3, 0x1DC, FOLD_ONE, 'u'},
    {0x1E6, 0x1E7, FOLD_ONE, 'g'},
    {0x1F4, 0x1F5, FOLD_ONE, 'g'},
    {0x218, 0x219, FOLD_ONE, 's'},
    {0x21A, 0x21B, FOLD_ONE, 't'},
    {0x300, 0x36F, FOLD_DROP, 0},
    {0x386, 0x386, FOLD_ONE, 0x3B1},
    {0x388, 0x388, FOLD_ONE, 0x3B5},
    {0x389, 0x389, FOLD_ONE, 0x3B7},
    {0x38A, 0x38A, FOLD_ONE, 0x3B9},
    {0x38C, 0x38C, FOLD_ONE, 0x3BF},
    {0x38E, 0x38E, FOLD_ONE, 0x3C5},
    {0x38F, 0x38F, FOLD_ONE, 0x3C9},
    {0x390, 0x390, FOLD_ONE, 0x3B9},
    {0x391, 0x3A9, FOLD_SHIFT, 0x3B1},
    {0x3AA, 0x3AA, FOLD_ONE, 0x3B9},
    {0x3AB, 0x3AB, FOLD_ONE, 0x3C5},
    {0x3AC, 0x3AC, FOLD_ONE, 0x3B1},
    {0x3AD, 0x3AD, FOLD_ONE, 0x3B5},
    {0x3AE, 0x3AE, FOLD_ONE, 0x3B7},
    {0x3AF, 0x3AF, FOLD_ONE, 0x3B9},
    {0x3B0, 0x3B0, FOLD_ONE, 0x3C5},
    {0x3C2, 0x3C2, FOLD_ONE, 0x3C3},
    {0x3CA, 0x3CA, FOLD_ONE, 0x3B9},
    {0x3CB, 0x3CB, FOLD_ONE, 0x3C5},
    {0x3CC, 0x3CC, FOLD_ONE, 0x3BF},
    {0x3CD, 0x3CD, FOLD_ONE, 0x3C5},
    {0x3CE, 0x3CE, FOLD_ONE, 0x3C9},
    {0x400, 0x400, FOLD_ONE, 0x435},
    {0x401, 0x401, FOLD_ONE, 0x435},
    {0x402, 0x40F, FOLD_SHIFT, 0x452},
    {0x410, 0x42F, FOLD_SHIFT, 0x430},
    {0x450, 0x451, FOLD_ONE, 0x435},
    {0x460, 0x481, FOLD_EVEN, 0},
    {0x483, 0x489, FOLD_DROP, 0},
    {0x48A, 0x4BF, FOLD_EVEN, 0},
    {0x4C1, 0x4CE, FOLD_ODD, 0},
    {0x4D0, 0x52F, FOLD_EVEN, 0},
    {0x531, 0x556, FOLD_SHIFT, 0x561},
    {0x591, 0x5C7, FOLD_DROP, 0},
    {0x640, 0x640, FOLD_DROP, 0},
    {0x64B, 0x65F, FOLD_DROP, 0},
    {0x670, 0x670, FOLD_DROP, 0},
    {0x1E00, 0x1E01, FOLD_ONE, 'a'},
    {0x1E02, 0x1E07, FOLD_ONE, 'b'},
    {0x1E08, 0x1E09, FOLD_ONE, 'c'},
    {0x1E0A, 0x1E13, FOLD_ONE, 'd'},
    {0x1E14, 0x1E1D, FOLD_ONE, 'e'},
    {0x1E1E, 0x1E1F, FOLD_ONE, 'f'},
    {0x1E20, 0x1E21, FOLD_ONE, 'g'},
    {0x1E22, 0x1E2B, FOLD_ONE, 'h'},
    {0x1E2C, 0x1E2F, FOLD_ONE, 'i'},
    {0x1E30, 0x1E35, FOLD_ONE, 'k'},
    {0x1E36, 0x1E3D, FOLD_ONE, 'l'},
    {0x1E3E, 0x1E43, FOLD_ONE, 'm'},
    {0x1E44, 0x1E4B, FOLD_ONE, 'n'},
    {0x1E4C, 0x1E53, FOLD_ONE, 'o'},
    {0x1E54, 0x1E57, FOLD_ONE, 'p'},
    {0x1E58, 0x1E5F, FOLD_ONE, 'r'},
    {0x1E60, 0x1E69, FOLD_ONE, 's'},
    {0x1E6A, 0x1E71, FOLD_ONE, 't'},
    {0x1E72, 0x1E7B, FOLD_ONE, 'u'},
    {0x1E7C, 0x1E7F, FOLD_ONE, 'v'},
    {0x1E80, 0x1E89, FOLD_ONE, 'w'},
    {0x1E8A, 0x1E8D, FOLD_ONE, 'x'},
    {0x1E8E, 0x1E8F, FOLD_ONE, 'y'},
    {0x1E90, 0x1E95, FOLD_ONE, 'z'},
    {0x1EA0, 0x1EB7, FOLD_ONE, 'a'},
    {0x1EB8, 0x1EC7, FOLD_ONE, 'e'},
    {0x1EC8, 0x1ECB, FOLD_ONE, 'i'},
    {0x1ECC, 0x1EE3, FOLD_ONE, 'o'},
    {0x1EE4, 0x1EF1, FOLD_ONE, 'u'},
    {0x1EF2, 0x1EF9, FOLD_ONE, 'y'},
    {0x200B, 0x200F, FOLD_DROP, 0},
    {0x202A, 0x202E, FOLD_DROP, 0},
    {0x2060, 0x206F, FOLD_DROP, 0},
    {0xFE00, 0xFE0F, FOLD_DROP, 0},
    {0xFEFF, 0xFEFF, FOLD_DROP, 0},
    {0xFF10, 0xFF19, FOLD_SHIFT, '0'},
    {0xFF21, 0xFF3A, FOLD_SHIFT, 'a'},
    {0xFF41, 0xFF5A, FOLD_SHIFT, 'a'}};

/* Letters that are two. */
static const struct {
    uint32_t from, first, second;
} doubles[] = {{0xC6, 'a', 'e'},  {0xDE, 't', 'h'},   {0xDF, 's', 's'},
               {0xE6, 'a', 'e'},  {0xFE, 't', 'h'},   {0x132, 'i', 'j'},
               {0x133, 'i', 'j'}, {0x152, 'o', 'e'},  {0x153, 'o', 'e'},
               {0x1E9E, 's', 's'}};

/* The narrow forms of Katakana, from U+FF66 on. */
static const uint16_t narrow[] = {
    0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7,
    0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6, 0x30A8, 0x30AA, 0x30AB, 0x30AD,
    0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF,
    0x30C1, 0x30C4, 0x30C6, 0x30C8, 0x30CA, 0x30CB, 0x30CC, 0x30CD, 0x30CE,
    0x30CF, 0x30D2, 0x30D5, 0x30D8, 0x30DB, 0x30DE, 0x30DF, 0x30E0, 0x30E1,
    0x30E2, 0x30E4, 0x30E6, 0x30E8, 0x30E9, 0x30EA, 0x30EB, 0x30EC, 0x30ED,
    0x30EF, 0x30F3};

/* The letter; 0: nothing is left of it. */
static uint32_t search_text_fold(uint32_t c)
{
    size_t low = 0, high = countof(folds);
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    if (c >= 0xFF66 && c < 0xFF66 + countof(narrow))
        return narrow[c - 0xFF66];
    while (low < high) {
        const size_t i = (low + high) / 2;
        if (c < folds[i].from) {
            high = i;
            continue;
        }
        if (c > folds[i].to) {
            low = i + 1;
            continue;
        }
        switch (folds[i].how) {
        case FOLD_ONE:
            return folds[i].letter;
        case FOLD_SHIFT:
            return folds[i].letter + (c - folds[i].from);
        case FOLD_EVEN:
            return c | 1;
        case FOLD_ODD:
            return c + (c & 1);
        case FOLD_DROP:
            return 0;
        }
    }
    return c;
}

/* ---- letters ---------------------------------------------------------- */

struct range {
    uint32_t from, to;
};

/* Beyond ASCII: what is neither a letter nor a digit. */
static const struct range others[] = {
    {0x80, 0xA9},       {0xAB, 0xB1},       {0xB4, 0xB4},
    {0xB6, 0xB8},       {0xBB, 0xBF},       {0xD7, 0xD7},
    {0xF7, 0xF7},       {0x2B9, 0x2FF},     {0x37E, 0x37E},
    {0x387, 0x387},     {0x55A, 0x55F},     {0x589, 0x58F},
    {0x600, 0x61F},     {0x66A, 0x66D},     {0x6D4, 0x6D4},
    {0x964, 0x965},     {0xE3F, 0xE3F},     {0xE4F, 0xE4F},
    {0xE5A, 0xE5B},     {0x17D4, 0x17DB},   {0x2000, 0x20CF},
    {0x2190, 0x2BFF},   {0x2E00, 0x3004},   {0x3008, 0x3020},
    {0x3030, 0x3030},   {0x303D, 0x3040},   {0x30A0, 0x30A0},
    {0x30FB, 0x30FB},   {0xD800, 0xF8FF},   {0xFE10, 0xFE6F},
    {0xFF00, 0xFF65},   {0xFFE0, 0xFFFF},   {0x1F000, 0x1FAFF},
    {0xE0000, 0x10FFFF}};

/* Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese. */
static const struct range spaceless[] = {
    {0xE00, 0x109F},   {0x1780, 0x17FF}, {0x3005, 0x3007},
    {0x3041, 0x31FF},  {0x3400, 0x9FFF}, {0xF900, 0xFAFF},
    {0x20000, 0x3FFFF}};

static bool search_text_in(const struct range *r, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n && c >= r[i].from; i++) {
        if (c <= r[i].to)
            return true;
    }
    return false;
}

static bool search_text_letter(uint32_t c)
{
    return c < 0x80 ? (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
                    : !search_text_in(others, countof(others), c);
}

/* ---- words ------------------------------------------------------------ */

struct search_text search_text(struct str s)
{
    return (struct search_text){.text = s};
}

static void search_text_add(struct search_text *t, uint32_t c)
{
    if (t->n < SEARCH_TEXT_LETTERS)
        t->run[t->n++] = c;
}

/* The marks that make か to が and は to ぱ are letters of their own in some
 * texts. */
static bool search_text_voiced(struct search_text *t, uint32_t c)
{
    const uint32_t by = c == 0x3099 || c == 0xFF9E   ? 1
                        : c == 0x309A || c == 0xFF9F ? 2
                                                     : 0;
    const uint32_t last = t->n > 0 ? t->run[t->n - 1] : 0;
    if (by && last >= 0x3041 && last < 0x30FE)
        t->run[t->n - 1] = last + by;
    return by > 0;
}

/* The letters as they stand, as the word. */
static void search_text_put(struct search_text *t, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = t->run[i];
        if (c < 0x80) {
            t->room[at++] = (char)c;
        } else if (c < 0x800) {
            t->room[at++] = (char)(0xC0 | c >> 6);
            t->room[at++] = (char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            t->room[at++] = (char)(0xE0 | c >> 12);
            t->room[at++] = (char)(0x80 | (c >> 6 & 0x3F));
            t->room[at++] = (char)(0x80 | (c & 0x3F));
        } else {
            t->room[at++] = (char)(0xF0 | c >> 18);
            t->room[at++] = (char)(0x80 | (c >> 12 & 0x3F));
            t->room[at++] = (char)(0x80 | (c >> 6 & 0x3F));
            t->room[at++] = (char)(0x80 | (c & 0x3F));
        }
    }
    t->word = (struct str){t->room, at};
    t->letters = n;
}

/* Gives out the letters that were read: all of a word, or the first two of a
 * script without spaces. A word that begins with the second may follow. */
static bool search_text_give(struct search_text *t)
{
    if (!t->spaceless || t->n < 2) {
        search_text_put(t, t->n);
        t->n = 0;
        return true;
    }
    search_text_put(t, 2);
    t->n--;
    memmove(t->run, t->run + 1, t->n * sizeof t->run[0]);
    return true;
}

static void search_text_letters(struct search_text *t, uint32_t c,
                                uint32_t folded)
{
    for (size_t i = 0; c >= 0x80 && i < countof(doubles); i++) {
        if (doubles[i].from == c) {
            search_text_add(t, doubles[i].first);
            search_text_add(t, doubles[i].second);
            return;
        }
    }
    search_text_add(t, folded);
}

bool search_text_next(struct search_text *t)
{
    while (t->at < t->text.n) {
        size_t next = t->at;
        const uint32_t c = str_rune(t->text, &next);
        const uint32_t folded = search_text_fold(c);
        const bool apart =
            search_text_in(spaceless, countof(spaceless), folded);
        if (folded == 0 || search_text_voiced(t, c)) {
            t->at = next;
            continue;
        }
        const bool letter = search_text_letter(folded);
        /* A letter of the other sort begins a word. Three letters of a script
         * without spaces are two words: the mark behind the third, if there is
         * one, has been read. */
        if (t->n > 0 &&
            (!letter || apart != t->spaceless || (apart && t->n == 3)))
            return search_text_give(t);
        t->at = next;
        if (!letter)
            continue;
        t->spaceless = apart;
        search_text_letters(t, c, folded);
    }
    return t->n > 0 && search_text_give(t);
}
