/* Signatures against the published example of Standard Webhooks. */
#include "base/crypt.h"
#include "domain/sending/signature.h"

#include "suite.h"

#define SECRET "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define SIGNED "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

SUITE(signature);

static struct signature example(const char *secret, const char *previous)
{
    return (struct signature){.id = STR("msg_p5jXN8AQM9LWM0D4loKWxJek"),
                              .timestamp = 1614265330,
                              .body = STR("{\"test\": 2432232314}"),
                              .secret = str_of(secret),
                              .previous_secret = str_of(previous)};
}

static bool makes(const struct signature *s, const char *text)
{
    return str_is(signature_make(a, s), text);
}

Test(signature, the_published_example)
{
    const struct signature plain = example(SECRET, NULL);
    const struct signature prefixed = example("whsec_" SECRET, NULL);
    cr_expect(makes(&plain, SIGNED));
    cr_expect(makes(&prefixed, SIGNED));
}

Test(signature, two_while_a_previous_secret_signs)
{
    const struct signature s = example("whsec_AAECAw==", "whsec_" SECRET);
    const struct str two = signature_make(a, &s);
    const size_t space = str_find(two, ' ', 0);
    const struct signature one = example("whsec_AAECAw==", NULL);
    cr_assert(space < two.n);
    cr_expect(str_is(str_sub(two, space + 1, two.n), SIGNED));
    cr_expect(str_eq(str_sub(two, 0, space), signature_make(a, &one)));
}

Test(signature, each_part_counts)
{
    struct signature s = example(SECRET, NULL);
    s.timestamp++;
    cr_expect(!makes(&s, SIGNED));
    s = example(SECRET, NULL);
    s.id = STR("msg_p5jXN8AQM9LWM0D4loKWxJel");
    cr_expect(!makes(&s, SIGNED));
    s = example(SECRET, NULL);
    s.body = STR("{\"test\": 2432232315}");
    cr_expect(!makes(&s, SIGNED));
}

Test(signature, no_secret_no_signature)
{
    static const char *const secrets[] = {NULL, "", "whsec_", "not base64!"};
    for (size_t i = 0; i < countof(secrets); i++) {
        const struct signature s = example(secrets[i], NULL);
        cr_expect(!signature_make(a, &s).p, "%zu", i);
    }
}
