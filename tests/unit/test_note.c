/* Signed notes, heads and the names of keys: the vectors of docs/log.md, what
 * the public formats say, and rubbish. */
#include "domain/log/log_checkpoint.h"
#include "domain/log/note.h"
#include "domain/log/signing_key.h"
#include "suite.h"

SUITE(note);

/* RFC 8032, 7.1, test 1. */
static struct signer key(void)
{
    static const uint8_t seed[CRYPT_ED25519_SEED] = {
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a,
        0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32,
        0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};
    struct signer k;
    memcpy(k.seed, seed, sizeof seed);
    crypt_ed25519_public(seed, k.key.b);
    return k;
}

static const char DID[] =
    "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
static const char VKEY[] = "sayso.example/log+dd0e8583+"
                           "AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";
static const char HEAD[] =
    "sayso.example/log\n3\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ=\n";
static const char SIGNED[] =
    "\n\xe2\x80\x94 sayso.example/log "
    "3Q6Fg3ttx3RzpeQkaGJq6VR8UerPrOTBboQKPzasQXyGrfG0/"
    "ycAH2dvRiZzwIldiwmKCuhbjVXlTNMb7jYcmp9qpgE=\n";

static struct str whole(void)
{
    return arena_join(a, str_of(HEAD), str_of(SIGNED));
}

Test(note, names_of_a_key)
{
    const struct signer k = key();
    struct signer_public other;
    cr_assert(str_is(signer_did(a, &k.key), DID));
    cr_assert(signer_did_read(str_of(DID), &other));
    cr_assert_eq(memcmp(other.b, k.key.b, sizeof other.b), 0);
    /* RFC 8037, appendix A.3. */
    cr_assert(str_is(signer_kid(a, &k.key),
                     "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"));
    const struct note_key n = {
        .name = STR("sayso.example/log"), .algorithm = 1, .key = k.key};
    cr_assert(str_is(note_key_text(a, &n), VKEY));
}

Test(note, names_that_are_none)
{
    static const char *const dids[] = {
        "", "did:key:z", "did:key:z6Mk", "did:web:sayso.example",
        "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMs0",
        "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsww",
        "did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc",
        ("did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMswzzzzzzzzzzz"
         "zzzzzzzzzzzzzzz")};
    static const char *const keys[] = {
        "", "+", "sayso.example/log", "sayso.example/log+dd0e8583",
        "sayso.example/log+dd0e8584+"
        "AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
        "sayso.example/log+dd0e8583+"
        "AtdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
        "a b+dd0e8583+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
        "+dd0e8583+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"};
    struct signer_public k;
    struct note_key n;
    for (size_t i = 0; i < countof(dids); i++)
        cr_assert_not(signer_did_read(str_of(dids[i]), &k), "%s", dids[i]);
    for (size_t i = 0; i < countof(keys); i++)
        cr_assert_not(note_key_read(a, str_of(keys[i]), &n), "%s", keys[i]);
}

Test(note, secret_keys)
{
    /* RFC 8410, 10.3. */
    static const char PEM[] =
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
        "-----END PRIVATE KEY-----\n";
    static const char PUBLIC[] =
        "-----BEGIN PUBLIC KEY-----\n"
        "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
        "-----END PUBLIC KEY-----\n";
    static const char *const none[] = {
        "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY----------"
        "END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEINTuctv5E1hK1bbY8f"
        "dp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n"};
    struct signer k, other;
    cr_assert(signer_read(a, str_of(PEM), &k));
    cr_assert(str_is(signer_pem(a, &k.key), PUBLIC));
    for (size_t i = 0; i < countof(none); i++)
        cr_assert_not(signer_read(a, str_of(none[i]), &k), "%s", none[i]);
    cr_assert(signer_read(a, signer_new(a), &k));
    cr_assert(signer_read(a, signer_new(a), &other));
    cr_assert_neq(memcmp(k.seed, other.seed, sizeof k.seed), 0);
}

Test(note, keys_of_a_file)
{
    const struct str one = signer_new(a), two = signer_new(a);
    struct signer v[2];
    size_t n = 9;
    cr_assert(signer_read_all(a, STR(" \n"), v, 2, &n));
    cr_assert_eq(n, 0);
    cr_assert(signer_read_all(a, arena_join(a, one, STR("\n"), two), v, 2, &n));
    cr_assert_eq(n, 2);
    cr_assert_not(signer_read_all(a, arena_join(a, one, two, one), v, 2, &n));
    cr_assert_eq(n, 2, "no more than there is room for");
    cr_assert_not(signer_read_all(a, arena_join(a, one, STR("x")), v, 2, &n));
    cr_assert_eq(n, 1, "those before rubbish count");
    cr_assert_not(signer_read_all(a, arena_join(a, STR("x"), one), v, 2, &n));
    cr_assert_eq(n, 0);
    for (size_t to = 1; to + 1 < one.n; to++)
        cr_assert_not(signer_read_all(a, str_sub(one, 0, to), v, 2, &n));
}

Test(note, the_key_that_a_key_names)
{
    struct signer old, next, other;
    cr_assert(signer_read(a, signer_new(a), &old));
    cr_assert(signer_read(a, signer_new(a), &next));
    cr_assert(signer_read(a, signer_new(a), &other));
    struct signing_key row =
        signing_key_make(a, &old.key, SIGNING_KEY_CURRENT, 1);
    const struct signing_key
        second = signing_key_make(a, &next.key, SIGNING_KEY_NEXT, 1),
        third = signing_key_make(a, &other.key, SIGNING_KEY_NEXT, 1);
    cr_assert_not(signing_key_names(a, &row, &second));
    row.successor = signing_key_successor(a, &old, &next.key, 1);
    cr_assert(signing_key_names(a, &row, &second));
    cr_assert_not(signing_key_names(a, &row, &third));
    row.successor = signing_key_successor(a, &other, &next.key, 1);
    cr_assert_not(signing_key_names(a, &row, &second), "by another key");
    row.successor = STR("a.b.c");
    cr_assert_not(signing_key_names(a, &row, &second));
}

Test(note, a_head_is_signed)
{
    const struct signer k = key();
    const struct str text =
        note_sign(a, str_of(HEAD), STR("sayso.example/log"), &k, 1);
    cr_assert(str_eq(text, whole()), "%.*s", STR_FMT(text));
}

Test(note, a_head_is_read)
{
    struct note n;
    struct note_key k;
    struct note_head h;
    int64_t at = -1;
    const char *why = note_read(a, whole(), &n);
    cr_assert_null(why, "%s", why);
    cr_assert_eq(n.n, 1);
    cr_assert(note_key_read(a, str_of(VKEY), &k));
    cr_assert(note_signed(a, &n, &k, &at));
    cr_assert_eq(at, 0);
    cr_assert_null(note_head_read(a, n.text, &h));
    cr_assert(str_is(h.origin, "sayso.example/log"));
    cr_assert_eq(h.size, 3);
    cr_assert(str_is(note_head_text(a, &h), HEAD));
}

Test(note, another_text_is_not_signed)
{
    struct note_key k;
    struct note n;
    int64_t at;
    cr_assert(note_key_read(a, str_of(VKEY), &k));
    const struct str text = arena_join(
        a, STR("sayso.example/log\n4\n"), str_sub(whole(), 20, SIZE_MAX));
    cr_assert_null(note_read(a, text, &n));
    cr_assert_not(note_signed(a, &n, &k, &at));
    cr_assert_null(note_read(a, whole(), &n));
    k.key.b[0] ^= 1;
    cr_assert_not(note_signed(a, &n, &k, &at));
    k.key.b[0] ^= 1;
    k.name = STR("sayso.example/other");
    cr_assert_not(note_signed(a, &n, &k, &at));
}

/* A witness signs its time with the head. */
Test(note, a_cosignature)
{
    const struct signer k = key();
    const struct note_key witness = {.name = STR("witness.example/w"),
                                     .algorithm = NOTE_COSIGNATURE,
                                     .key = k.key};
    static const uint8_t moment[8] = {0, 0, 0, 0, 0x69, 0x1d, 0x2a, 0x80};
    const struct str signature = signer_sign(
        a, &k,
        arena_join(a, STR("cosignature/v1\ntime 1763519104\n"), str_of(HEAD)));
    struct note_key read;
    struct note n;
    int64_t at = 0;
    cr_assert(note_key_read(a, note_key_text(a, &witness), &read));
    cr_assert_eq(read.algorithm, NOTE_COSIGNATURE);
    const struct str vkey = note_key_text(a, &witness);
    uint8_t id[4];
    for (size_t i = 0; i < 4; i++)
        id[i] = (uint8_t)(str_hex(vkey.p[18 + 2 * i]) * 16 +
                          str_hex(vkey.p[19 + 2 * i]));
    const struct str line = arena_join(
        a, STR("\xe2\x80\x94 witness.example/w "),
        crypt_base64(a, arena_join(a, (struct str){(const char *)id, 4},
                                   (struct str){(const char *)moment, 8},
                                   signature)),
        STR("\n"));
    cr_assert_null(note_read(a, arena_join(a, whole(), line), &n));
    cr_assert_eq(n.n, 2);
    cr_assert(note_signed(a, &n, &read, &at));
    cr_assert_eq(at, 1763519104);
}

Test(note, rubbish)
{
    static const char *const notes[] = {
        "", "\n", "\n\n", "text\n", "text\n\n", "text\n\nsignature\n",
        "text\n\n\xe2\x80\x94 name\n", "text\n\n\xe2\x80\x94 name AAAA\n",
        "text\n\n\xe2\x80\x94 name !!!!!!!!\n",
        "text\n\n\xe2\x80\x94  AAAAAAAA\n", "t\xff\n\n\xe2\x80\x94 n AAAAAAAA\n",
        "text\n\n\xe2\x80\x94 n AAAAAAAA"};
    static const char *const heads[] = {
        "", "o\n", "o\n1\n", "o\n1\nAAAA\n", "o\n01\n",
        "\n3\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ=\n",
        "o\n-1\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ=\n",
        "o\n03\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ=\n",
        "o\n3\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ\n",
        "o\n3\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ=",
        ("o\n9223372036854775808\nAHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ="
         "\n")};
    struct note n;
    struct note_head h;
    for (size_t i = 0; i < countof(notes); i++)
        cr_assert(note_read(a, str_of(notes[i]), &n), "%zu", i);
    for (size_t i = 0; i < countof(heads); i++)
        cr_assert(note_head_read(a, str_of(heads[i]), &h), "%zu", i);
    struct buf b = buf_make(a, NOTE_MAX + 1024);
    buf_str(&b, whole());
    while (b.n <= NOTE_MAX)
        buf_put(&b, "\xe2\x80\x94 n AAAAAAAA\n");
    cr_assert(note_read(a, buf_text(&b), &n));
    cr_assert(note_read(a, str_sub(buf_text(&b), 0, b.n / 2 * 0 + whole().n +
                                   65 * 15), &n));
}

/* ---- checkpoints ---------------------------------------------------- */

static const char CHECKPOINT[] =
    "{\"anchor\":null,\"checkpoint_id\":\"chk_1\",\"created_at\":"
    "\"2026-11-20T09:31:44.120931\",\"event_count\":3,\"first_sequence\":1,"
    "\"intent_id\":\"00000000-0000-0000-0000-000000000001\","
    "\"last_sequence\":3,\"merkle_root\":"
    "\"sha256:-YFmKx3NkbJWmlb86MWQsEvAYu4i1Fnkm8UHY4yAmaI\","
    "\"scope\":\"intent\",\"signed_by\":"
    "\"did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw\"}";

Test(note, a_checkpoint_is_signed)
{
    const struct signer k = key();
    const struct str signature = crypt_base64url(
        a, signer_sign(a, &k, str_of(CHECKPOINT)));
    cr_assert(str_is(signature,
                     "iSYFvFzSFCscWlGvGYBBauKwF_kAfAtqvHsddb0K0s9zDPcRfSS8BNkx"
                     "4B9TSqLIxkD8vIVvr5KX_ORgBzpCCQ"));
    struct json *o = NULL;
    cr_assert_null(json_parse(a, str_of(CHECKPOINT), &o));
    json_set_text(o, "signature", signature);
    cr_assert(log_checkpoint_ok(a, o, &k.key));
    cr_assert(str_is(log_checkpoint_signed(a, o), CHECKPOINT));
    json_set_text(o, "anchor", STR("filled in later"));
    cr_assert(log_checkpoint_ok(a, o, &k.key));
    json_set_int(o, "last_sequence", 4);
    cr_assert_not(log_checkpoint_ok(a, o, &k.key));
}

Test(note, a_checkpoint_has_eleven_members)
{
    struct tlog_hash v[3];
    for (int i = 0; i < 3; i++)
        crypt_sha256(arena_number(a, i + 1), v[i].b);
    const struct log_batch batch = {
        .intent_id = STR("00000000-0000-0000-0000-000000000001"),
        .first = 1,
        .last = 3,
        .v = v};
    const struct signer k = key();
    const struct log_checkpoint c =
        log_checkpoint_make(a, &batch, &k, 1795253504120931);
    const struct json *o = record_object(a, &log_checkpoint_record, &c);
    cr_assert_eq(json_count(o), 11);
    cr_assert_eq(c.id.n, 26);
    cr_assert(str_is(c.merkle_root,
                     "sha256:-YFmKx3NkbJWmlb86MWQsEvAYu4i1Fnkm8UHY4yAmaI"));
    cr_assert(log_checkpoint_ok(a, o, &k.key));
}
