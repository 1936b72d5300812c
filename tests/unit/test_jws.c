/* JSON Web Signatures: the vectors of the RFCs, and what is none. */
#include "base/json/jws.h"
#include "suite.h"
#include "world/ecdsa.h"

SUITE(jws);

static const char ES256[] =
    "eyJhbGciOiJFUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
    "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
    "pmWQxfKTUJqPP3-Kg6NU1Q";
static const char EDDSA[] =
    "eyJhbGciOiJFZERTQSJ9."
    "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5B"
    "hVsPt9g7sVvpAr_MuM0KAg";

static struct jws read(const char *token)
{
    struct jws jws;
    const char *why = NULL;
    cr_assert(jws_read(a, str_of(token), 4096, &jws, &why), "%s", why);
    return jws;
}

static struct str bytes(const char *text)
{
    return crypt_base64url_read(a, str_of(text));
}

/* RFC 7515, appendix A.3. */
Test(jws, a_signature_of_p_256)
{
    const struct jws jws = read(ES256);
    const struct str x = bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU");
    const struct str y = bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
    cr_assert(str_is(json_get_text(jws.header, "alg"), "ES256"));
    cr_assert(str_is(json_get_text(jws_claims(a, &jws), "iss"), "joe"));
    cr_assert(ecdsa_ok(x, y, jws.signature, jws.input));
    cr_assert(!ecdsa_ok(y, x, jws.signature, jws.input));
    cr_assert(!ecdsa_ok(x, y, jws.signature, jws.payload));
}

/* RFC 8037, appendix A.4 and A.5. */
Test(jws, a_signature_of_ed25519)
{
    const struct jws jws = read(EDDSA);
    const struct str x = bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    cr_assert(str_is(jws.payload, "Example of Ed25519 signing"));
    cr_assert(crypt_ed25519_ok(x, jws.signature, jws.input));
    cr_assert(!crypt_ed25519_ok(x, jws.signature, jws.payload));
    cr_assert_null(jws_claims(a, &jws));
}

/* RFC 7638, 3.1; RFC 8037, appendix A.3. */
Test(jws, thumbprints)
{
    const struct json *rsa = tree(
        "{'kty':'RSA','n':'0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4"
        "cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_"
        "2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMic"
        "AtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhA"
        "I4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awa"
        "pJzKnqDKgw','e':'AQAB'}");
    const struct json *edwards =
        tree("{'kty':'OKP','crv':'Ed25519',"
             "'x':'11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'}");
    cr_assert(str_is(jws_thumbprint(a, rsa),
                     "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"));
    cr_assert(str_is(jws_thumbprint(a, edwards),
                     "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"));
}

/* eyJhbGciOiJFUzI1NiJ9 is {"alg":"ES256"}, e30 is {}, YQ is a. */
Test(jws, what_is_no_token_in_its_one_spelling)
{
#define HEAD "eyJhbGciOiJFUzI1NiJ9"
    static const char *const rows[] = {
        "", ".", "..", "...", "e30", "e30.e30", "e30.e30.", "e30..YQ",
        ".e30.YQ", "e30.e30.YQ.YQ", "e30.e30.YQ.", "e30.e30.YQ==",
        "e30=.e30.YQ", "e30.e30.YQ ", " e30.e30.YQ", "e30.e30.YQ\n",
        "e30.e 30.YQ", "e30.e30.YR" /* stray last bits */,
        "e30.e30.Y", "e31.e30.YQ", "e30.e30.Y+", "e30.e30.Y/",
        "e30.e30.YQ, e30.e30.YQ" /* two headers that a server joined */,
        "W10.e30.YQ" /* [] */, "bnVsbA.e30.YQ" /* null */,
        "eyJhIjoxLCJhIjoxfQ.e30.YQ" /* {"a":1,"a":1} */,
        "eyJjcml0IjpbImI2NCJdfQ.e30.YQ" /* {"crit":["b64"]} */,
        "eyJjcml0IjpudWxsfQ.e30.YQ" /* {"crit":null} */,
        "eyJiNjQiOmZhbHNlfQ.e30.YQ" /* {"b64":false} */,
        "e30.e30.\xC3\xA9", "%65%33%30.e30.YQ",
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct jws jws;
        const char *why = NULL;
        cr_assert(!jws_read(a, str_of(rows[i]), 4096, &jws, &why), "%s",
                  rows[i]);
        cr_assert(why && strlen(why) > 10);
    }
    (void)read("e30.e30.YQ");
    (void)read(HEAD ".e30.YQ");
}

Test(jws, a_token_has_a_ceiling)
{
    struct jws jws;
    const char *why = NULL;
    const struct str token = STR("e30.e30.YQ");
    cr_assert(jws_read(a, token, token.n, &jws, &why));
    cr_assert(!jws_read(a, token, token.n - 1, &jws, &why));
}

Test(jws, a_claim_that_stands_twice_is_none)
{
    /* {"a":1,"a":1}; [] */
    const struct jws twice = read("e30.eyJhIjoxLCJhIjoxfQ.YQ");
    const struct jws list = read("e30.W10.YQ");
    cr_assert_null(jws_claims(a, &twice));
    cr_assert_null(jws_claims(a, &list));
}
