/* Signatures of P-256: keys and signatures that are none. */
#include "suite.h"
#include "world/ecdsa.h"

SUITE(ecdsa);

/* RFC 6979, A.2.5: the key, and its signature of "sample" with SHA-256. */
#define X "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
#define Y "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
#define R "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
#define S "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
/* The order less S: the other half of the pair. */
#define OTHER_S                                                                \
    "0834E36AD29A83BF2BC9385E491D6099C8FDF9D1ED67AA7EA5F51F93782857A9"
#define ORDER "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
#define PRIME "FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF"
#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"

static struct str hex(const char *text)
{
    const size_t n = strlen(text) / 2;
    char *p = arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char pair[] = {text[2 * i], text[2 * i + 1], 0};
        p[i] = (char)strtol(pair, NULL, 16);
    }
    return (struct str){p, n};
}

static bool ok(const char *x, const char *y, const char *signature,
               const char *message)
{
    return ecdsa_ok(hex(x), hex(y), hex(signature), str_of(message));
}

Test(ecdsa, a_published_signature_holds)
{
    cr_assert(ok(X, Y, R S, "sample"));
    cr_assert(!ok(X, Y, R S, "sampl"));
    cr_assert(!ok(X, Y, R S, ""));
}

/* So nothing may be known again by the bytes of a signature. */
Test(ecdsa, its_other_half_holds_too)
{
    cr_assert(ok(X, Y, R OTHER_S, "sample"));
}

Test(ecdsa, what_is_no_signature_does_not_hold)
{
    static const char *const rows[] = {
        "",           R,           R S "00",   "00" R S, S R,
        ZERO ZERO,    R ZERO,      ZERO S,     ORDER S,  R ORDER,
        ORDER ORDER,  PRIME PRIME, "3045" R S,
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert(!ok(X, Y, rows[i], "sample"), "row %zu", i);
}

Test(ecdsa, what_is_no_point_of_the_curve_is_no_key)
{
    static const struct {
        const char *x, *y;
    } rows[] = {
        {ZERO, ZERO},  {X, ZERO},  {ZERO, Y},      {Y, X},
        {PRIME, Y},    {X, PRIME}, {"00" X, Y},    {X, ""},
        {"", ""},      {X, X},     {ORDER, ORDER},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert(!ok(rows[i].x, rows[i].y, R S, "sample"), "row %zu", i);
}

Test(ecdsa, a_key_of_our_own)
{
    char key[ECDSA_PRIVATE], point[ECDSA_POINT], signature[ECDSA_SIGNATURE];
    for (int i = 0; i < 20; i++) {
        cr_assert(ecdsa_make(key));
        const struct str own = {key, sizeof key};
        cr_assert(ecdsa_public(own, point) && point[0] == 4);
        cr_assert(ecdsa_sign(own, STR("sample"), signature));
        const struct str x = {point + 1, ECDSA_COORDINATE};
        const struct str y = {point + 1 + ECDSA_COORDINATE, ECDSA_COORDINATE};
        const struct str made = {signature, sizeof signature};
        cr_assert(ecdsa_ok(x, y, made, STR("sample")));
        cr_assert(!ecdsa_ok(x, y, made, STR("simple")));
    }
}

/* RFC 6979, A.2.5. */
Test(ecdsa, the_published_private_key)
{
    char point[ECDSA_POINT], signature[ECDSA_SIGNATURE];
    const struct str own = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B12"
                               "7B8A622B120F6721");
    cr_assert(ecdsa_public(own, point));
    cr_assert(str_eq((struct str){point + 1, ECDSA_COORDINATE}, hex(X)));
    static const char *const none[] = {"", "00", ZERO, ORDER ORDER};
    for (size_t i = 0; i < countof(none); i++)
        cr_expect(!ecdsa_public(hex(none[i]), point) &&
                      !ecdsa_sign(hex(none[i]), STR("x"), signature),
                  "%zu", i);
}
