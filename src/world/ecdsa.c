/* The one door to libcrypto. */
#include "world/ecdsa.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#define POINT (1 + 2 * ECDSA_COORDINATE)
#define DER_MAX 80 /* two integers of at most 33 bytes, and their heads */

/* The objects of libcrypto for one signature. */
struct check {
    EVP_PKEY_CTX *maker;
    EVP_PKEY *key;
    ECDSA_SIG *pair;
    EVP_MD_CTX *digest;
};

static bool ecdsa_key(struct check *c, struct str x, struct str y)
{
    char group[] = "prime256v1";
    unsigned char point[POINT] = {POINT_CONVERSION_UNCOMPRESSED};
    memcpy(point + 1, x.p, ECDSA_COORDINATE);
    memcpy(point + 1 + ECDSA_COORDINATE, y.p, ECDSA_COORDINATE);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point,
                                          sizeof point),
        OSSL_PARAM_construct_end()};
    c->maker = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    return c->maker && EVP_PKEY_fromdata_init(c->maker) == 1 &&
           EVP_PKEY_fromdata(c->maker, &c->key, EVP_PKEY_PUBLIC_KEY,
                             params) == 1;
}

/* Writes R and S as DER, which libcrypto needs. Returns the length; 0 for an
 * error. */
static size_t ecdsa_der(struct check *c, struct str signature,
                        unsigned char der[static DER_MAX])
{
    const unsigned char *p = (const unsigned char *)signature.p;
    BIGNUM *r = BN_bin2bn(p, ECDSA_COORDINATE, NULL);
    BIGNUM *s =
        BN_bin2bn(p + ECDSA_COORDINATE, ECDSA_COORDINATE, NULL);
    c->pair = ECDSA_SIG_new();
    if (!r || !s || !c->pair || ECDSA_SIG_set0(c->pair, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        return 0;
    }
    const int n = i2d_ECDSA_SIG(c->pair, NULL);
    if (n <= 0 || n > DER_MAX)
        return 0;
    return i2d_ECDSA_SIG(c->pair, &der) == n ? (size_t)n : 0;
}

bool ecdsa_ok(struct str x, struct str y, struct str signature,
              struct str message)
{
    struct check c = {NULL, NULL, NULL, NULL};
    unsigned char der[DER_MAX];
    if (x.n != ECDSA_COORDINATE || y.n != ECDSA_COORDINATE ||
        signature.n != ECDSA_SIGNATURE)
        return false;
    const size_t n = ecdsa_der(&c, signature, der);
    const struct str text = message.p ? message : STR("");
    c.digest = EVP_MD_CTX_new();
    const bool ok =
        n > 0 && ecdsa_key(&c, x, y) && c.digest &&
        EVP_DigestVerifyInit_ex(c.digest, NULL, "SHA256", NULL, NULL, c.key,
                                NULL) == 1 &&
        EVP_DigestVerify(c.digest, der, n, (const unsigned char *)text.p,
                         text.n) == 1;
    EVP_MD_CTX_free(c.digest);
    ECDSA_SIG_free(c.pair);
    EVP_PKEY_free(c.key);
    EVP_PKEY_CTX_free(c.maker);
    ERR_clear_error();
    return ok;
}
