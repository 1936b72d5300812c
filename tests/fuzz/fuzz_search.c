/* Fuzzes the words of the search: each is a word of itself, typed words find
 * the text that they are in, and no query is more than what PostgreSQL reads. */
#include "domain/search/search.h"
#include "domain/search/search_text.h"
#include "fuzz.h"

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
    return 0;
}
