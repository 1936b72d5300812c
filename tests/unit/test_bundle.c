/* An export of the log, checked without a database: a sound one, and one change
 * of each kind. */
#include <stdio.h>

#include "domain/intent/event.h"
#include "domain/log/bundle.h"
#include "domain/log/log_checkpoint.h"
#include "suite.h"

SUITE(bundle);

#define ORIGIN "sayso.example/log"
#define ONE "0190c2a4-7e1f-7abc-8def-000000000001"
#define TWO "0190c2a4-7e1f-7abc-8def-000000000002"
#define NOW INT64_C(1795253504120931)

static struct signer key(void)
{
    struct signer k;
    cr_assert(signer_read(
        a,
        STR("-----BEGIN PRIVATE KEY-----\n"
            "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
            "-----END PRIVATE KEY-----\n"),
        &k));
    return k;
}

static struct note_key public_key(void)
{
    return (struct note_key){
        .name = STR(ORIGIN), .algorithm = NOTE_ED25519, .key = key().key};
}

/* ---- making one ----------------------------------------------------- */

#define LINES 32

struct export {
    struct json *line[LINES];
    size_t n;
    struct tlog_hash hash[LINES];
    int64_t size;
    struct tlog_edge *edge;
};

static void ignore(void *own, unsigned level, int64_t number,
                   const struct tlog_hash tile[TLOG_TILE])
{
    (void)own, (void)level, (void)number, (void)tile;
}

static struct json *line(struct export *x, const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "type", str_of(type));
    x->line[x->n++] = o;
    return o;
}

static void event(struct export *x, const char *intent,
                  struct event_tail *tail)
{
    struct event_list list = {.n = 0};
    const struct event_draft d = {.type = "comment",
                                  .by = event_by_server(),
                                  .payload = json_object(a)};
    cr_assert_null(event_append(a, str_of(intent), &d, NOW, tail, &list));
    const struct event *e = &list.v[0];
    const struct str digest =
        crypt_base64url_read(a, str_sub(e->hash, 7, e->hash.n));
    memcpy(x->hash[x->size].b, digest.p, CRYPT_SHA256);
    cr_assert(tlog_append(x->edge, &x->hash[x->size], ignore, NULL));
    struct json *o = line(x, "event");
    json_set_int(o, "position", x->size++);
    json_set_text(o, "intent_id", str_of(intent));
    json_set_int(o, "sequence", e->sequence);
    json_set_text(o, "event_hash", e->hash);
    json_set_text(o, "canonical", e->canonical);
}

static void checkpoint(struct export *x, const struct log_batch *batch)
{
    const struct signer k = key();
    const struct log_checkpoint c = log_checkpoint_make(a, batch, &k, NOW);
    x->line[x->n] = record_object(a, &log_checkpoint_record, &c);
    json_set_text(x->line[x->n++], "type", STR("checkpoint"));
}

static struct str head_note(const struct export *x)
{
    const struct signer k = key();
    const struct note_head h = {.origin = STR(ORIGIN),
                                .size = x->size,
                                .root = tlog_edge_root(x->edge)};
    return note_sign(a, note_head_text(a, &h), h.origin, &k, 1);
}

/* Three events of one intent, two of another in between, a checkpoint of the
 * first and one of the server, and the head. */
static struct export *sound(void)
{
    struct export *x = arena_new(a, struct export);
    struct event_tail one = {.sequence = 0}, two = {.sequence = 0};
    x->edge = arena_new(a, struct tlog_edge);
    struct json *header = line(x, "header");
    json_set_text(header, "format", STR(BUNDLE_FORMAT));
    json_set_text(header, "origin", STR(ORIGIN));
    event(x, ONE, &one);
    event(x, TWO, &two);
    event(x, ONE, &one);
    event(x, TWO, &two);
    event(x, ONE, &one);
    const struct tlog_hash of_one[] = {x->hash[0], x->hash[2], x->hash[4]};
    checkpoint(x, &(struct log_batch){
                      .intent_id = STR(ONE), .first = 1, .last = 3,
                      .v = of_one});
    checkpoint(x, &(struct log_batch){.first = 2, .last = 5, .v = x->hash + 1});
    json_set_text(line(x, "head"), "note", head_note(x));
    return x;
}

/* ---- checking it ---------------------------------------------------- */

struct said {
    char text[4096];
    size_t n;
};

static void say(void *own, int64_t at, struct str what, const char *why)
{
    struct said *s = own;
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n,
                             "%lld %.*s: %s\n", (long long)at, STR_FMT(what),
                             why);
}

static struct bundle_sums check(const struct export *x, struct str old,
                                struct said *s)
{
    const struct bundle_report report = {.fault = say, .own = s};
    const struct note_key k = public_key();
    struct bundle *b = bundle_make(a, &k, 1, old, &report);
    s->n = 0;
    s->text[0] = '\0';
    cr_assert_not_null(b);
    for (size_t i = 0; i < x->n; i++)
        cr_assert(bundle_line(b, json_dump(a, x->line[i], BUNDLE_LINE_MAX)));
    return bundle_end(b);
}

Test(bundle, a_sound_one)
{
    struct export *x = sound();
    struct said s;
    const struct bundle_sums sums = check(x, STR_NONE, &s);
    cr_assert_str_eq(s.text, "");
    cr_assert(sums.events == 5 && sums.intents == 2 && sums.checkpoints == 2);
    cr_assert(sums.erased == 0 && sums.faults == 0);
    cr_assert(str_eq(sums.head, head_note(x)));
}

static void replace_hash(struct json *o)
{
    json_set_text(o, "event_hash",
                  arena_join(a, STR("sha256:"),
                             crypt_sha256_b64(a, STR("another"))));
}

/* One change of a line each, and the fault that is reported. */
Test(bundle, one_change_of_each_kind)
{
    static const struct {
        size_t line;
        const char *member, *text, *wanted;
    } cases[] = {
        {0, "origin", "other.example/log",
         "1 the header: it is of another log than the key\n"},
        {2, "position", NULL,
         "3 event 1 of " TWO ": an event of the log is missing before it\n"},
        {3, "canonical", "{}", "its bytes do not match its hash\n"},
        {3, "sequence", NULL, "an event is missing before it\n"},
        {4, "canonical", "null", "no rule erased them\n"},
        {6, "merkle_root", "sha256:x", "it is not signed by this key\n"},
        {6, "checkpoint_id", "chk_x", "it is not signed by this key\n"},
        {7, "signature", "x", "it is not signed by this key\n"},
        {8, "note", "", "8 the head: "},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct export *x = sound();
        struct json *o = x->line[cases[i].line];
        struct said s;
        if (!cases[i].text)
            json_set_int(o, cases[i].member, 7);
        else if (str_is(str_of(cases[i].text), "null"))
            json_set_text_or_null(o, cases[i].member, STR_NONE);
        else
            json_set_text(o, cases[i].member, str_of(cases[i].text));
        cr_assert(check(x, STR_NONE, &s).faults > 0, "case %zu", i);
        cr_assert(strstr(s.text, cases[i].wanted + (i == 8)), "case %zu: %s",
                  i, s.text);
    }
}

/* Somebody has the database and not the key: an event and all that follows
 * from it are made again. */
Test(bundle, a_chain_that_was_made_again)
{
    struct export *x = sound();
    struct said s;
    replace_hash(x->line[5]);
    cr_assert(check(x, STR_NONE, &s).faults >= 3);
    cr_assert(strstr(s.text, "event 3 of " ONE
                             ": its bytes do not match its hash"));
    cr_assert(strstr(s.text, "the head: its root is not that of the events"));
}

/* Somebody has the key too: only an older head shows it. */
Test(bundle, a_log_that_was_written_again_with_the_key)
{
    struct export *before = sound(), *again = sound();
    struct said s;
    cr_assert_eq(check(again, STR_NONE, &s).faults, 0);
    cr_assert_eq(check(before, head_note(before), &s).faults, 0);
    cr_assert_eq(check(again, head_note(before), &s).faults, 1);
    cr_assert(strstr(s.text, "the older head: it does not begin this log"));
}

Test(bundle, a_log_that_was_cut)
{
    struct export *x = sound();
    struct said s;
    const struct str old = head_note(x);
    struct export *cut = sound();
    cut->n = 1;
    json_set_text(line(cut, "head"), "note", old);
    cr_assert(check(cut, old, &s).faults >= 2);
    cr_assert(strstr(s.text, "it is of another number of events"));
    cr_assert(strstr(s.text, "the log was cut"));
    cut->n = 1;
    cr_assert_eq(check(cut, STR_NONE, &s).faults, 1);
    cr_assert(strstr(s.text, "the export: it has no head"));
}

/* An event that a rule erased keeps its place and its hash. */
Test(bundle, an_erased_event)
{
    struct export *x = sound();
    struct said s;
    struct json *rule = json_object(a);
    json_set_text(rule, "rule", STR("R1"));
    json_set_text_or_null(x->line[3], "canonical", STR_NONE);
    json_set_json(x->line[3], "erased", rule);
    const struct bundle_sums sums = check(x, STR_NONE, &s);
    cr_assert_str_eq(s.text, "");
    cr_assert(sums.erased == 1 && sums.events == 5);
}

Test(bundle, rubbish)
{
    static const char *const lines[] = {
        "", "x", "[]", "{}", "{\"type\":\"event\"}",
        "{\"type\":\"header\",\"format\":\"sayso-log/2\"}"};
    struct said s;
    const struct bundle_report report = {.fault = say, .own = &s};
    const struct note_key k = public_key();
    for (size_t i = 0; i < countof(lines); i++) {
        struct bundle *b = bundle_make(a, &k, 1, STR_NONE, &report);
        cr_assert_not(bundle_line(b, str_of(lines[i])), "%s", lines[i]);
    }
    struct bundle *b = bundle_make(a, &k, 1, STR_NONE, &report);
    cr_assert(bundle_line(b, STR("{\"type\":\"header\",\"format\":"
                                 "\"sayso-log/1\",\"origin\":\"" ORIGIN
                                 "\"}")));
    cr_assert_not(bundle_line(b, STR("{\"type\":\"other\"}")));
    cr_assert_not(bundle_line(
        b, STR("{\"type\":\"event\",\"intent_id\":\"x\",\"event_hash\":1}")));
    cr_assert_null(bundle_make(a, &k, 1, STR("no head"), &report));
}

/* From the first key to the third, by what each says of the next. */
Test(bundle, keys_that_name_the_next)
{
    struct export *x = sound();
    struct said s;
    struct signer first, second;
    const struct signer third = key();
    struct note_key k = public_key();
    struct json *keys = json_array(a);
    cr_assert(signer_read(a, signer_new(a), &first));
    cr_assert(signer_read(a, signer_new(a), &second));
    const struct str said[] = {
        signing_key_successor(a, &second, &third.key, NOW),
        signing_key_successor(a, &first, &second.key, NOW)};
    for (size_t i = 0; i < countof(said); i++) {
        struct json *o = json_object(a);
        json_set_text(o, "successor", said[i]);
        json_add_json(keys, o);
    }
    k.key = first.key;
    const struct bundle_report report = {.fault = say, .own = &s};
    for (int with = 0; with < 2; with++) {
        if (with)
            json_set_json(x->line[0], "keys", keys);
        struct bundle *b = bundle_make(a, &k, 1, STR_NONE, &report);
        s.n = 0;
        for (size_t i = 0; i < x->n; i++)
            cr_assert(
                bundle_line(b, json_dump(a, x->line[i], BUNDLE_LINE_MAX)));
        cr_assert_eq(bundle_end(b).faults, with ? 0 : 3);
    }
}
