/* Any bytes as a receipt with its proofs:
 *
 * each step is reported once; nothing holds of a statement that is not signed,
 * and a bundle that is changed keeps the statement that was. */
#include "base/crypt.h"
#include "domain/log/receipt_check.h"
#include "fuzz.h"

/* The key of the receipts in the corpus: RFC 8032, 7.1, test 1. */
#define KEY                                                                   \
    "sayso.example/log+dd0e8583+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"

struct steps {
    size_t n;
    bool broken; /* the signature */
};

static void step(void *own, const char *name, const char *why)
{
    struct steps *s = own;
    if (s->n++ == 0) {
        must(str_is(STR("signature"), name));
        s->broken = why != NULL;
    }
    must(!why || *why);
}

static void erased(void *own, const char *name, struct str rule,
                   struct str at)
{
    struct steps *s = own;
    s->n++;
    must(*name && rule.n > 0 && at.n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str s = arena_str(a, (struct str){(const char *)data, size});
    struct note_key key;
    struct steps steps = {.n = 0};
    const struct receipt_check_report report = {
        .step = step, .erased = erased, .own = &steps};
    must(crypt_init() && note_key_read(a, STR(KEY), &key));
    const bool read = receipt_check(a, s, &key, 1, &report);
    must(read == (steps.n > 0) && steps.n <= 8);
    /* A statement that is not signed is not read any further. */
    must(!steps.broken || steps.n == 1);
    return 0;
}
