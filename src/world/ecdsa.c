/* The one door to libcrypto. */
#include "world/ecdsa.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>

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

/* ---- the server's own key -------------------------------------------- */

bool ecdsa_make(char out[static ECDSA_PRIVATE])
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIGNUM *d = NULL;
    const bool ok =
        key && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &d) == 1 &&
        BN_bn2binpad(d, (unsigned char *)out, ECDSA_PRIVATE) == ECDSA_PRIVATE;
    BN_clear_free(d);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return ok;
}

bool ecdsa_public(struct str private_key, char out[static ECDSA_POINT])
{
    if (private_key.n != ECDSA_PRIVATE)
        return false;
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *d =
        BN_bin2bn((const unsigned char *)private_key.p, ECDSA_PRIVATE, NULL);
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    const bool ok =
        d && point && !BN_is_zero(d) &&
        EC_POINT_mul(group, point, d, NULL, NULL, NULL) == 1 &&
        EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED,
                           (unsigned char *)out, ECDSA_POINT,
                           NULL) == ECDSA_POINT;
    EC_POINT_free(point);
    BN_clear_free(d);
    EC_GROUP_free(group);
    ERR_clear_error();
    return ok;
}

/* The objects of libcrypto for a signature of one's own. */
struct signing {
    BIGNUM *d;
    OSSL_PARAM_BLD *builder;
    OSSL_PARAM *params;
    EVP_PKEY_CTX *maker;
    EVP_PKEY *key;
    EVP_MD_CTX *digest;
    ECDSA_SIG *pair;
};

static bool ecdsa_private(struct signing *s, struct str private_key)
{
    char point[ECDSA_POINT];
    s->d =
        BN_bin2bn((const unsigned char *)private_key.p, ECDSA_PRIVATE, NULL);
    s->builder = OSSL_PARAM_BLD_new();
    if (!s->d || !s->builder || !ecdsa_public(private_key, point) ||
        !OSSL_PARAM_BLD_push_utf8_string(
            s->builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) ||
        !OSSL_PARAM_BLD_push_octet_string(s->builder, OSSL_PKEY_PARAM_PUB_KEY,
                                          point, sizeof point) ||
        !OSSL_PARAM_BLD_push_BN(s->builder, OSSL_PKEY_PARAM_PRIV_KEY, s->d))
        return false;
    s->params = OSSL_PARAM_BLD_to_param(s->builder);
    s->maker = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    return s->params && s->maker && EVP_PKEY_fromdata_init(s->maker) == 1 &&
           EVP_PKEY_fromdata(s->maker, &s->key, EVP_PKEY_KEYPAIR, s->params) ==
               1;
}

static bool ecdsa_pair(struct signing *s, struct str message,
                       char out[static ECDSA_SIGNATURE])
{
    unsigned char der[DER_MAX];
    const unsigned char *p = der;
    size_t n = sizeof der;
    s->digest = EVP_MD_CTX_new();
    if (!s->digest ||
        EVP_DigestSignInit_ex(s->digest, NULL, "SHA256", NULL, NULL, s->key,
                              NULL) != 1 ||
        EVP_DigestSign(s->digest, der, &n, (const unsigned char *)message.p,
                       message.n) != 1)
        return false;
    s->pair = d2i_ECDSA_SIG(NULL, &p, (long)n);
    unsigned char *to = (unsigned char *)out;
    return s->pair &&
           BN_bn2binpad(ECDSA_SIG_get0_r(s->pair), to, ECDSA_COORDINATE) ==
               ECDSA_COORDINATE &&
           BN_bn2binpad(ECDSA_SIG_get0_s(s->pair), to + ECDSA_COORDINATE,
                        ECDSA_COORDINATE) == ECDSA_COORDINATE;
}

bool ecdsa_sign(struct str private_key, struct str message,
                char out[static ECDSA_SIGNATURE])
{
    struct signing s = {.d = NULL};
    const bool ok = private_key.n == ECDSA_PRIVATE &&
                    ecdsa_private(&s, private_key) &&
                    ecdsa_pair(&s, message, out);
    ECDSA_SIG_free(s.pair);
    EVP_MD_CTX_free(s.digest);
    EVP_PKEY_free(s.key);
    EVP_PKEY_CTX_free(s.maker);
    OSSL_PARAM_free(s.params);
    OSSL_PARAM_BLD_free(s.builder);
    BN_clear_free(s.d);
    ERR_clear_error();
    return ok;
}
