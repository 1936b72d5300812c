/* Time stamps of RFC 3161, by libcrypto. */
#include "world/stamp.h"

#include <openssl/ts.h>

#include "base/buf.h"
#include "base/clock.h"

#define STAMP_REQUEST_MAX 128
#define STAMP_SERIAL_MAX 42 /* digits of 160 bits, and a byte of zeros */

/* The objects of libcrypto for one stamp. */
struct stamp_parts {
    TS_REQ *request;
    TS_RESP *answer;
    TS_VERIFY_CTX *check;
    BIGNUM *serial;
    char *hex;
};

static void stamp_free(struct stamp_parts *p)
{
    TS_REQ_free(p->request);
    TS_RESP_free(p->answer);
    TS_VERIFY_CTX_free(p->check);
    BN_free(p->serial);
    OPENSSL_free(p->hex);
}

static bool stamp_imprint(TS_REQ *r, const struct stamp_ask *ask)
{
    uint8_t digest[CRYPT_SHA256];
    memcpy(digest, ask->digest, sizeof digest);
    TS_MSG_IMPRINT *imprint = TS_MSG_IMPRINT_new();
    X509_ALGOR *algorithm = X509_ALGOR_new();
    const bool ok =
        imprint && algorithm &&
        X509_ALGOR_set0(algorithm, OBJ_nid2obj(NID_sha256), V_ASN1_NULL,
                        NULL) == 1 &&
        TS_MSG_IMPRINT_set_algo(imprint, algorithm) == 1 &&
        TS_MSG_IMPRINT_set_msg(imprint, digest, sizeof digest) == 1 &&
        TS_REQ_set_msg_imprint(r, imprint) == 1;
    X509_ALGOR_free(algorithm);
    TS_MSG_IMPRINT_free(imprint);
    return ok;
}

static bool stamp_make(struct stamp_parts *p, const struct stamp_ask *ask)
{
    BIGNUM *number = BN_bin2bn(ask->nonce, sizeof ask->nonce, NULL);
    ASN1_INTEGER *nonce = number ? BN_to_ASN1_INTEGER(number, NULL) : NULL;
    p->request = TS_REQ_new();
    const bool ok = p->request && nonce &&
                    TS_REQ_set_version(p->request, 1) == 1 &&
                    stamp_imprint(p->request, ask) &&
                    TS_REQ_set_nonce(p->request, nonce) == 1 &&
                    TS_REQ_set_cert_req(p->request, 1) == 1;
    ASN1_INTEGER_free(nonce);
    BN_free(number);
    return ok;
}

struct str stamp_request(struct arena *a, const struct stamp_ask *ask)
{
    struct stamp_parts p = {.request = NULL};
    unsigned char der[STAMP_REQUEST_MAX], *end = der;
    int n = 0;
    if (stamp_make(&p, ask)) {
        n = i2d_TS_REQ(p.request, NULL);
        n = n > 0 && n <= STAMP_REQUEST_MAX ? i2d_TS_REQ(p.request, &end) : 0;
    }
    stamp_free(&p);
    return n > 0 ? arena_str(a, (struct str){(const char *)der, (size_t)n})
                 : STR_NONE;
}

static bool stamp_time(struct arena *a, const ASN1_GENERALIZEDTIME *t,
                       int64_t *out)
{
    struct tm tm;
    struct buf b = buf_make(a, 64);
    if (!t || ASN1_TIME_to_tm(t, &tm) != 1)
        return false;
    buf_printf(&b, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
               tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    return clock_parse(buf_text(&b), out);
}

static const char *stamp_check(struct arena *a, struct stamp_parts *p,
                               struct stamp *out)
{
    PKCS7 *token = TS_RESP_get_token(p->answer);
    TS_TST_INFO *info = TS_RESP_get_tst_info(p->answer);
    if (!token || !info)
        return "the authority did not grant a stamp";
    p->check = TS_REQ_to_TS_VERIFY_CTX(p->request, NULL);
    if (!p->check || TS_RESP_verify_response(p->check, p->answer) != 1)
        return "the stamp is not granted, or of another request";
    if (PKCS7_verify(token, NULL, NULL, NULL, NULL, PKCS7_NOVERIFY) != 1)
        return "the signature of the stamp does not hold";
    p->serial = ASN1_INTEGER_to_BN(TS_TST_INFO_get_serial(info), NULL);
    p->hex = p->serial ? BN_bn2hex(p->serial) : NULL;
    if (!p->hex || strlen(p->hex) > STAMP_SERIAL_MAX ||
        !stamp_time(a, TS_TST_INFO_get_time(info), &out->at))
        return "the stamp has no time, or no serial number of up to 160 bits";
    out->serial = arena_str(a, str_of(p->hex));
    return NULL;
}

const char *stamp_read(struct arena *a, struct str answer,
                       const struct stamp_ask *ask, struct stamp *out)
{
    struct stamp_parts p = {.request = NULL};
    const unsigned char *from = (const unsigned char *)answer.p;
    const char *why = "the answer is not one to a request for a time stamp";
    if (answer.n > 0 && answer.n <= STAMP_ANSWER_MAX && stamp_make(&p, ask))
        p.answer = d2i_TS_RESP(NULL, &from, (long)answer.n);
    if (p.answer && from == (const unsigned char *)answer.p + answer.n)
        why = stamp_check(a, &p, out);
    stamp_free(&p);
    return why;
}
