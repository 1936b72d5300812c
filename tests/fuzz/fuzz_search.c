/* Fuzzes the words of the search: each is a word of itself, typed words find
 * the text that they are in, no query is more than what PostgreSQL reads, and
 * what is found in a text is whole characters of it. */
#include "domain/search/search.h"
#include "domain/search/search_found.h"
#include "domain/search/search_text.h"
#include "fuzz.h"

/* Each place is whole characters, and lies behind the one before it. */
static void found(struct arena *a, const struct search_query *q,
                  struct str text)
{
    struct search_found f[SEARCH_FOUND_MAX];
    const size_t n = search_found(a, q, text, f);
    size_t end = 0;
    for (size_t i = 0; i < n; i++) {
        const struct str part = str_sub(text, f[i].from, f[i].to);
        must(f[i].from < f[i].to && f[i].to <= text.n && str_utf8(part));
        must(i == 0 || f[i].from > end);
        end = f[i].to;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str text = {(const char *)data, size};
    struct search_query q = {.n = 0};
    size_t words = 0;
    if (!str_utf8(text))
        return 0;
    for (struct search_text t = search_text(a, text); search_text_next(&t);) {
        must(t.letters > 0 && t.letters <= SEARCH_TEXT_LETTERS);
        must(str_runes(t.word) == t.letters);
        must(str_utf8(t.word) && str_find(t.word, ' ', 0) == t.word.n);
        struct search_text again = search_text(a, t.word);
        must(search_text_next(&again) && str_eq(again.word, t.word));
        words++;
    }
    search_type(a, &q, text);
    must(q.n > 0 && q.n <= SEARCH_TERMS_MAX && q.marks <= SEARCH_MARKS_MAX);
    must(words > 0 || q.terms[0].n == 1);
    must(search_text_of(a, &q).n > 0);
    must(search_places(a, &q).n <= SEARCH_PLACES_MAX);
    found(a, &q, text);
    return 0;
}
