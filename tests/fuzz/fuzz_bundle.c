/* Any bytes as an export of the log:
 *
 * each fault is reported and counted; an export without one has a head that the
 * key signed, of as many events as there are. */
#include "base/crypt.h"
#include "domain/log/bundle.h"
#include "fuzz.h"

/* The key of the exports in the corpus: RFC 8032, 7.1, test 1. */
#define KEY                                                                   \
    "sayso.example/log+dd0e8583+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"

static void fault(void *own, int64_t line, struct str what, const char *why)
{
    int64_t *faults = own;
    must(line >= 0 && what.n > 0 && why != NULL);
    ++*faults;
}

static void erased(void *own, int64_t line, struct str what, struct str rule,
                   struct str at)
{
    (void)own;
    must(line > 0 && what.n > 0 && rule.n > 0 && at.n > 0);
}

static void check_sound(struct arena *a, const struct bundle_sums *sums,
                        const struct note_key *key)
{
    struct note *n = arena_new(a, struct note);
    struct note_head h;
    int64_t at = 0;
    must(!note_read(a, sums->head, n) && note_signed(a, n, key, &at));
    must(!note_head_read(a, n->text, &h) && h.size >= sums->events);
    must(sums->erased <= sums->events && sums->intents <= sums->events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = {(const char *)data, size};
    struct note_key key;
    int64_t faults = 0;
    const struct bundle_report report = {
        .fault = fault, .erased = erased, .own = &faults};
    must(crypt_init() && note_key_read(a, STR(KEY), &key));
    struct bundle *b = bundle_make(a, &key, 1, STR_NONE, &report);
    while (rest.n > 0) {
        if (!bundle_line(b, str_cut(&rest, '\n')))
            return 0;
    }
    const struct bundle_sums sums = bundle_end(b);
    must(sums.faults == faults);
    if (faults == 0)
        check_sound(a, &sums, &key);
    return 0;
}
