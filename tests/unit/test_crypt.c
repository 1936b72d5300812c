/* Digests against published vectors; tokens, comparing, passwords. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/crypt.h"

#include "suite.h"

SUITE(crypt);

Test(crypt, it_may_be_started_twice)
{
    cr_expect(crypt_init());
}

/* FIPS 180-2, appendix B; the second spelling is the same as base64url. */
Test(crypt, sha256)
{
    static const struct {
        const char *s, *hex, *b64;
    } rows[] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"},
        {NULL,
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
         "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
         "JI1qYdIGOLjlwCaTDD5gOaM85Flk_yFn9uzt1BnbBsE"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = str_of(rows[i].s);
        const struct str hex = crypt_sha256_hex(a, s);
        const struct str b64 = crypt_sha256_b64(a, s);
        cr_expect(str_is(hex, rows[i].hex), "row %zu: %.*s", i, STR_FMT(hex));
        cr_expect(str_is(b64, rows[i].b64), "row %zu: %.*s", i, STR_FMT(b64));
    }
    uint8_t raw[CRYPT_SHA256];
    crypt_sha256(STR("abc"), raw);
    cr_expect(eq(u8, raw[0], 0xBA));
    cr_expect(eq(u8, raw[31], 0xAD));
}

/* The first vectors of SipHash's reference with 128 bits (vectors_sip128): the
 * key is 0 to 15, the texts are empty and one byte 0. */
Test(crypt, tag)
{
    static const uint8_t tags[][CRYPT_TAG] = {
        {0xA3, 0x81, 0x7F, 0x04, 0xBA, 0x25, 0xA8, 0xE6, 0x6D, 0xF6, 0x72, 0x14,
         0xC7, 0x55, 0x02, 0x93},
        {0xDA, 0x87, 0xC1, 0xD8, 0x6B, 0x99, 0xAF, 0x44, 0x34, 0x76, 0x59, 0x11,
         0x9B, 0x22, 0xFC, 0x45},
    };
    uint8_t secret[CRYPT_TAG], tag[CRYPT_TAG];
    for (size_t i = 0; i < CRYPT_TAG; i++)
        secret[i] = (uint8_t)i;
    for (size_t i = 0; i < countof(tags); i++) {
        crypt_tag(secret, (struct str){"", i}, tag);
        cr_expect(memcmp(tag, tags[i], CRYPT_TAG) == 0, "%zu bytes", i);
    }
    crypt_tag(secret, STR_NONE, tag);
    cr_expect(memcmp(tag, tags[0], CRYPT_TAG) == 0, "no text");
    secret[0] = 1;
    crypt_tag(secret, STR(""), tag);
    cr_expect(memcmp(tag, tags[0], CRYPT_TAG) != 0, "another secret");
}

Test(crypt, sha256_of_a_million_letters)
{
    char *p = arena_alloc(a, 1000000);
    memset(p, 'a', 1000000);
    const struct str hex =
        crypt_sha256_hex(a, (struct str){p, 1000000});
    cr_expect(str_is(hex, "cdc76e5c9914fb9281a1c7e284d73e67"
                          "f1809a48a497200e046d39ccc7112cd0"));
}

Test(crypt, base64url_has_one_spelling)
{
    static const struct {
        const char *text, *bytes;
    } rows[] = {
        {"", ""},          {"YQ", "a"},       {"YWI", "ab"},
        {"YWJj", "abc"},   {"_-8", "\xFF\xEF"}, {"YQ==", NULL},
        {"YR", NULL},      {"YWJ", NULL},     {"Y", NULL},
        {"YW Jj", NULL},   {"YWJj\n", NULL},  {"/+8", NULL},
        {"YQ=", NULL},     {"=", NULL},       {"YQYQ=", NULL},
        {"YQ\x94Q", NULL}, {"\xC1\xC1\xC1\xC1", NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str b = crypt_base64url_read(a, str_of(rows[i].text));
        cr_expect(eq(int, b.p == NULL, rows[i].bytes == NULL), "%s",
                  rows[i].text);
        cr_expect(str_is(b, rows[i].bytes ? rows[i].bytes : ""), "%s",
                  rows[i].text);
    }
}

/* RFC 4231, test case 2. */
Test(crypt, hmac_in_both_spellings)
{
    const struct str key = STR("Jefe");
    const struct str text = STR("what do ya want for nothing?");
    cr_expect(str_is(crypt_hmac(a, key, text),
                     "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM="));
    cr_expect(str_is(crypt_hmac_b64(a, key, text),
                     "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM"));
}

/* A key of small order: other libraries hold one fixed signature for that of
 * every message. */
Test(crypt, ed25519_of_a_point_of_small_order_never_holds)
{
    uint8_t key[32] = {1}, signature[64] = {1};
    const struct str k = {(const char *)key, sizeof key};
    const struct str s = {(const char *)signature, sizeof signature};
    cr_expect(not(crypt_ed25519_ok(k, s, STR("any message"))));
    cr_expect(not(crypt_ed25519_ok(str_sub(k, 0, 31), s, STR("a"))));
    cr_expect(not(crypt_ed25519_ok(k, str_sub(s, 0, 63), STR("a"))));
    cr_expect(not(crypt_ed25519_ok(STR_NONE, STR_NONE, STR_NONE)));
}

Test(crypt, tokens)
{
    static const struct {
        size_t n, length;
    } rows[] = {{0, 0}, {1, 2}, {2, 3}, {3, 4}, {16, 22}, {32, 43}, {64, 86}};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str t = crypt_token(a, rows[i].n);
        cr_expect(eq(sz, t.n, rows[i].length), "row %zu", i);
        for (size_t j = 0; j < t.n; j++)
            cr_expect(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz0123456789-_",
                             t.p[j]) != NULL, "row %zu: %.*s", i, STR_FMT(t));
    }
    cr_expect(not(str_eq(crypt_token(a, 32), crypt_token(a, 32))));
}

Test(crypt, random_fills_it_all_and_not_more)
{
    uint8_t p[66];
    bool moved[64] = {false};
    for (int round = 0; round < 50; round++) {
        memset(p, 0xA5, sizeof(p));
        crypt_random(p + 1, 64);
        cr_expect(eq(u8, p[0], 0xA5));
        cr_expect(eq(u8, p[65], 0xA5));
        for (size_t i = 0; i < 64; i++)
            moved[i] = moved[i] || p[i + 1] != 0xA5;
    }
    for (size_t i = 0; i < 64; i++)
        cr_expect(moved[i], "byte %zu", i);
}

Test(crypt, equal)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"", "", true},       {NULL, "", true},     {NULL, NULL, true},
        {"abc", "abc", true}, {"abc", "abd", false}, {"bbc", "abc", false},
        {"abc", "ab", false}, {"", "a", false},     {"abc", "ABC", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(crypt_equal(str_of(rows[i].a), str_of(rows[i].b)) ==
                      rows[i].same, "row %zu", i);
    cr_expect(not(crypt_equal(STR("a\0b"), STR("a\0c"))));
}

Test(crypt, passwords)
{
    static const char *const rows[] = {"", "correct horse", "p\xC3\xA4ss",
        "a password longer than one block of 64 bytes, all of it counted"};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str pw = str_of(rows[i]);
        const struct str h = crypt_password(a, pw, CRYPT_MIN);
        cr_assert(str_starts(h, STR("$argon2id$v=19$")), "row %zu", i);
        cr_expect(crypt_password_ok(a, h, pw), "row %zu", i);
        struct buf other = buf_make(a, 200);
        buf_str(&other, pw);
        buf_char(&other, 'x');
        cr_expect(not(crypt_password_ok(a, h, buf_text(&other))),
                  "row %zu", i);
        cr_expect(not(str_eq(h, crypt_password(a, pw, CRYPT_MIN))),
                  "each hash has its own salt");
    }
}

Test(crypt, passwords_count_what_is_behind_a_nul)
{
    const struct str h = crypt_password(a, STR("a\0b"), CRYPT_MIN);
    cr_expect(crypt_password_ok(a, h, STR("a\0b")));
    cr_expect(not(crypt_password_ok(a, h, STR("a\0c"))));
    cr_expect(not(crypt_password_ok(a, h, STR("a"))));
}

Test(crypt, the_costs_are_what_they_are_called)
{
    const struct str pw = STR("secret");
    const struct str low = crypt_password(a, pw, CRYPT_MIN);
    const struct str high = crypt_password(a, pw, CRYPT_INTERACTIVE);
    cr_expect(lt(sz, str_search(low, STR("$m=8,t=1,p=1$")), low.n));
    cr_expect(lt(sz, str_search(high, STR("$m=65536,t=2,p=1$")), high.n));
    cr_expect(crypt_password_ok(a, high, pw));
    crypt_password_pretend(a, pw, CRYPT_MIN);
}

Test(crypt, what_is_no_hash_matches_nothing)
{
    static const char *const rows[] = {
        "", "secret", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1$$",
        "$2b$12$abcdefghijklmnopqrstuuu",
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(not(crypt_password_ok(a, str_of(rows[i]),
                                        STR("secret"))), "row %zu", i);
    cr_expect(not(crypt_password_ok(a, STR_NONE, STR(""))));
    char *p = arena_alloc(a, 5000);
    memset(p, '$', 5000);
    cr_expect(not(crypt_password_ok(a, (struct str){p, 5000}, STR(""))));
}

/* RFC 4648 10. */
Test(crypt, base64)
{
    static const char *const rows[][2] = {
        {"", ""},         {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"},  {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"}, {"\xFB\xFF\xBF", "+/+/"}};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str bytes = str_of(rows[i][0]), text = str_of(rows[i][1]);
        struct str bare = text;
        cr_expect(str_eq(crypt_base64(a, bytes), text), "%s", text.p);
        cr_expect(str_eq(crypt_base64_read(a, text), bytes), "%s", text.p);
        while (bare.n > 0 && bare.p[bare.n - 1] == '=')
            bare.n--;
        cr_expect(str_eq(crypt_base64_read(a, bare), bytes), "%s", text.p);
    }
    static const char *const wrong[] = {"Z", "Zm9v!", "-_-_", "Zm 9v", "Zh",
                                        "Zg==Zg==", "=Zg"};
    for (size_t i = 0; i < countof(wrong); i++)
        cr_expect(crypt_base64_read(a, str_of(wrong[i])).p == NULL, "%s",
                  wrong[i]);
}

/* RFC 4231 4.2, 4.3 and 4.7 (a key longer than a block). */
Test(crypt, hmac)
{
    static char key[131];
    memset(key, 0xAA, sizeof key);
    const struct {
        struct str key, s, mac;
    } rows[] = {
        {STR("\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
             "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"),
         STR("Hi There"), STR("sDRMYdjbOFNcqK/OrwvxK4gdwgDJgz2nJuk3bC4yz/c=")},
        {STR("Jefe"), STR("what do ya want for nothing?"),
         STR("W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=")},
        {{key, sizeof key},
         STR("Test Using Larger Than Block-Size Key - Hash Key First"),
         STR("YOQxWR7gtn8Niiaqy/W3f44LxiE3KMUUBUYEDw7jf1Q=")}};
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(str_eq(crypt_hmac(a, rows[i].key, rows[i].s),
                         rows[i].mac),
                  "%zu: %s", i, crypt_hmac(a, rows[i].key, rows[i].s).p);
    cr_expect(crypt_hmac(a, STR_NONE, STR_NONE).n == 44);
}

Test(crypt, no_byte_beyond_ascii_is_base64)
{
    for (int c = 0x80; c < 0x100; c++) {
        const char text[] = {'Y', 'W', (char)c, 'j', 0};
        cr_expect(str_is(crypt_base64url_read(a, str_of(text)), ""), "%d", c);
        cr_expect(str_is(crypt_base64_read(a, str_of(text)), ""), "%d", c);
    }
}

/* Two keyboards write the same letters in two ways. */
Test(crypt, a_password_is_the_same_in_both_forms)
{
    static const char *const composed = "Zo\xC3\xAB ist lang";
    static const char *const decomposed = "Zoe\xCC\x88 ist lang";
    /* Hashes of before, of the text as it was typed. */
    static const char *const old[] = {
        "$argon2id$v=19$m=8,t=1,p=1$hEaACgLpdpyIUKOPdFsMZ"
        "A$E4UESbztn0xHfoU6TWe4oIcfcKQi33l3AbS0oK4VBJM",
        "$argon2id$v=19$m=8,t=1,p=1$PJWVr0nOAah8FUDCDcNSK"
        "g$38ju2DD0aT9gptnfX2GT8UYLbMY/ocyBY1YFWaGjNBs"};
    const struct str one = crypt_password(a, str_of(composed), CRYPT_MIN);
    const struct str two = crypt_password(a, str_of(decomposed), CRYPT_MIN);
    const struct str hashes[] = {one, two, str_of(old[0]), str_of(old[1])};
    for (size_t i = 0; i < countof(hashes); i++) {
        cr_assert(crypt_password_ok(a, hashes[i], str_of(composed)), "%zu", i);
        cr_assert(crypt_password_ok(a, hashes[i], str_of(decomposed)), "%zu",
                  i);
        cr_assert_not(crypt_password_ok(a, hashes[i], STR("Zoe ist lang")));
    }
    const struct str raw = crypt_password(a, STR("\xff\xfe 12345"), CRYPT_MIN);
    cr_assert(crypt_password_ok(a, raw, STR("\xff\xfe 12345")));
}
