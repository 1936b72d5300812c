/* An export of the log, checked without a database: a sound one, and one change
 * of each kind. */
#include <stdio.h>

#include "base/clock.h"
#include "domain/intent/event.h"
#include "domain/log/bundle.h"
#include "domain/log/log_checkpoint.h"
#include "keys.h"

SUITE(bundle);

#define ONE "0190c2a4-7e1f-7abc-8def-000000000001"
#define TWO "0190c2a4-7e1f-7abc-8def-000000000002"
#define NOW INT64_C(1795253504120931)

/* ---- making one ----------------------------------------------------- */

#define LINES 32

struct export {
    struct json *line[LINES];
    size_t n;
    struct tlog_hash hash[LINES];
    int64_t size;
    struct tlog_edge *edge;
};

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
    cr_assert(tlog_append(x->edge, &x->hash[x->size], NULL, NULL));
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
    checkpoint(x, &(struct log_batch){.first = 1, .last = 4, .v = x->hash});
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

static void say_erased(void *own, int64_t at, struct str what, struct str rule,
                       struct str when)
{
    struct said *s = own;
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n,
                             "%lld %.*s: by %.*s on %.*s\n", (long long)at,
                             STR_FMT(what), STR_FMT(rule), STR_FMT(when));
}

static struct bundle_sums check(const struct export *x, struct str old,
                                struct said *s)
{
    const struct bundle_report report = {
        .fault = say, .erased = say_erased, .own = s};
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
        cr_assert_eq(check(x, STR_NONE, &s).faults, 1, "case %zu: %s", i,
                     s.text);
        cr_assert(strstr(s.text, cases[i].wanted + (i == 8)), "case %zu: %s",
                  i, s.text);
    }
}

/* Numbers that no log has cannot be read, and the largest ones do no harm. */
Test(bundle, numbers_of_another_size)
{
    static const struct {
        size_t line;
        const char *member;
    } cases[] = {{0, "size"},           {1, "position"},
                 {3, "position"},       {3, "sequence"},
                 {6, "first_sequence"}, {6, "last_sequence"},
                 {6, "event_count"},    {7, "first_sequence"},
                 {7, "last_sequence"},  {7, "event_count"}};
    /* JSON has the numbers of a double above 2^53. */
    static const int64_t most = INT64_C(9223372036854775000),
                         fine = INT64_C(72000000000000000);
    const int64_t beyond[] = {
        INT64_MIN, -most, -1, INT64_C(73000000000000000), most, INT64_MAX};
    const struct note_key k = public_key();
    struct said s;
    const struct bundle_report report = {.fault = say, .own = &s};
    for (size_t i = 0; i < countof(cases); i++) {
        struct export *x = sound();
        struct json *o = x->line[cases[i].line];
        for (size_t n = 0; n < countof(beyond); n++) {
            struct bundle *b = bundle_make(a, &k, 1, STR_NONE, &report);
            json_set_int(o, cases[i].member, beyond[n]);
            for (size_t at = 0; at <= cases[i].line; at++)
                cr_assert_eq(
                    bundle_line(b, json_dump(a, x->line[at], BUNDLE_LINE_MAX)),
                    at < cases[i].line, "case %zu, %zu", i, n);
        }
        json_set_int(o, cases[i].member, fine);
        cr_assert_eq(check(x, STR_NONE, &s).faults, i > 0, "case %zu: %s", i,
                     s.text);
    }
    struct bundle *b = bundle_make(a, &k, 1, STR_NONE, &report);
    struct json *o = json_object(a);
    json_set_text(o, "type", STR("consistency"));
    json_set_int(o, "from_size", -most);
    cr_assert(bundle_line(b, json_dump(a, sound()->line[0], BUNDLE_LINE_MAX)));
    cr_assert_not(bundle_line(b, json_dump(a, o, BUNDLE_LINE_MAX)));
}

/* Somebody has the database and not the key: an event and all that follows
 * from it are made again. */
Test(bundle, a_chain_that_was_made_again)
{
    struct export *x = sound();
    struct said s;
    replace_hash(x->line[5]);
    cr_assert_eq(check(x, STR_NONE, &s).faults, 1);
    cr_assert_str_eq(s.text, "6 event 3 of " ONE
                             ": its bytes do not match its hash\n");
    x = sound();
    const struct json *other = x->line[2];
    json_set_text(x->line[5], "event_hash",
                  json_get_text(other, "event_hash"));
    json_set_text(x->line[5], "canonical", json_get_text(other, "canonical"));
    cr_assert_eq(check(x, STR_NONE, &s).faults, 1);
    cr_assert_str_eq(s.text, "6 event 3 of " ONE
                             ": its bytes are another event's\n");
}

static void drop(struct export *x, size_t at)
{
    memmove(&x->line[at], &x->line[at + 1],
            (x->n - at - 1) * sizeof x->line[0]);
    x->n--;
}

/* One line that is missing is one fault, whatever rests on it. */
Test(bundle, a_line_that_is_missing)
{
    static const char *const wanted[] = {
        [1] = "2 event 1 of " TWO ": an event of the log is missing before "
              "it\n",
        [2] = "3 event 2 of " ONE ": an event of the log is missing before "
              "it\n",
        [3] = "4 event 2 of " TWO ": an event of the log is missing before "
              "it\n",
        [5] = "6 checkpoint ",
        [8] = "8 the export: it has no head\n"};
    for (size_t i = 0; i < countof(wanted); i++) {
        struct export *x = sound();
        struct said s;
        if (!wanted[i])
            continue;
        drop(x, i);
        cr_assert_eq(check(x, STR_NONE, &s).faults, 1, "line %zu: %s", i,
                     s.text);
        cr_assert(strstr(s.text, wanted[i]) == s.text, "line %zu: %s", i,
                  s.text);
    }
}

/* The batches of checkpoints follow each other. */
Test(bundle, a_checkpoint_that_is_missing)
{
    struct export *x = sound();
    struct said s;
    struct json *end = x->line[--x->n];
    checkpoint(x, &(struct log_batch){.first = 5, .last = 5, .v = x->hash + 4});
    x->line[x->n++] = end;
    cr_assert_eq(check(x, STR_NONE, &s).faults, 0, "%s", s.text);
    drop(x, 7);
    cr_assert_eq(check(x, STR_NONE, &s).faults, 1);
    cr_assert(strstr(s.text, "it does not follow the one before it"));
}

/* The times of the keys are in the header. */
Test(bundle, a_key_of_another_time)
{
    static const struct {
        int64_t from, until, faults;
    } cases[] = {{NOW, 0, 0},
                 {NOW - CLOCK_SECOND, NOW + CLOCK_SECOND, 0},
                 {NOW + 3600 * CLOCK_SECOND, 0, 2},
                 {NOW - 7200 * CLOCK_SECOND, NOW - 3600 * CLOCK_SECOND, 2}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct export *x = sound();
        struct said s;
        struct json *keys = json_array(a);
        const struct note_key k = public_key();
        struct signing_key row =
            signing_key_make(a, &k.key, SIGNING_KEY_RETIRED, NOW);
        row.current_from = cases[i].from;
        row.current_until = cases[i].until;
        json_add_json(keys, record_object(a, &signing_key_record, &row));
        json_set_json(x->line[0], "keys", keys);
        cr_assert_eq(check(x, STR_NONE, &s).faults, cases[i].faults, "%zu: %s",
                     i, s.text);
    }
}

/* ---- of one intent -------------------------------------------------- */

static struct str base64(const struct tlog_hash *h)
{
    return crypt_base64(a, (struct str){(const char *)h->b, sizeof h->b});
}

/* The first intent of the sound one: positions 0, 2 and 4 of 5. */
static struct export *part(void)
{
    struct export *x = sound(), *p = arena_new(a, struct export);
    struct tlog_hash leaf[5];
    for (size_t i = 0; i < countof(leaf); i++)
        leaf[i] = tlog_leaf(&x->hash[i]);
    const struct tlog_hash l01 = tlog_node(&leaf[0], &leaf[1]),
                           l23 = tlog_node(&leaf[2], &leaf[3]),
                           l03 = tlog_node(&l01, &l23);
    const struct tlog_hash proof[3][3] = {
        {leaf[1], l23, leaf[4]}, {leaf[3], l01, leaf[4]}, {l03}};
    *p = *x;
    p->n = 0;
    p->line[p->n++] = x->line[0];
    json_set_text(x->line[0], "intent_id", STR(ONE));
    json_set_int(x->line[0], "size", x->size);
    for (size_t i = 0; i < 3; i++) {
        struct json *o = x->line[1 + 2 * i], *list = json_array(a);
        for (size_t k = 0; k < (i < 2 ? 3 : 1); k++)
            json_add_text(list, base64(&proof[i][k]));
        json_set_json(o, "proof", list);
        p->line[p->n++] = o;
    }
    p->line[p->n++] = x->line[6];
    p->line[p->n++] = x->line[8];
    return p;
}

Test(bundle, of_one_intent)
{
    struct said s;
    struct export *x = part();
    const struct bundle_sums sums = check(x, STR_NONE, &s);
    cr_assert_str_eq(s.text, "");
    cr_assert(sums.events == 3 && sums.intents == 1 && sums.checkpoints == 1);
    /* A proof of another length, of another event, and none. */
    for (int i = 0; i < 3; i++) {
        x = part();
        struct json *list = json_get(x->line[2], "proof");
        if (i == 0)
            json_drop(list, 0);
        if (i == 1)
            json_set_json(x->line[2], "proof", json_get(x->line[1], "proof"));
        if (i == 2)
            json_unset(x->line[2], STR("proof"));
        cr_assert_eq(check(x, STR_NONE, &s).faults, 1, "%d: %s", i, s.text);
        cr_assert(strstr(s.text, "3 event 2 of " ONE) == s.text, "%s", s.text);
    }
    x = part();
    drop(x, 2);
    cr_assert_eq(check(x, STR_NONE, &s).faults, 1);
    cr_assert(strstr(s.text, "event 3 of " ONE ": an event is missing"));
}

/* An older head of 4 events, whose proof is the last leaf. */
Test(bundle, an_older_head_of_one_intent)
{
    struct export *x = part();
    struct said s;
    struct tlog_edge *edge = arena_new(a, struct tlog_edge);
    struct json *end = x->line[--x->n], *list = json_array(a);
    for (size_t i = 0; i < 4; i++)
        cr_assert(tlog_append(edge, &x->hash[i], NULL, NULL));
    const struct export old = {.edge = edge, .size = 4};
    const struct str note = head_note(&old);
    x->line[x->n++] = end;
    cr_assert_eq(check(x, note, &s).faults, 1);
    cr_assert(strstr(s.text, "the export has no proof from it"));
    x->n--;
    const struct tlog_hash last = tlog_leaf(&x->hash[4]);
    struct json *o = line(x, "consistency");
    struct tlog_hash l01 = tlog_leaf(&x->hash[0]), l1 = tlog_leaf(&x->hash[1]);
    l01 = tlog_node(&l01, &l1);
    json_set_int(o, "from_size", 4);
    json_add_text(list, base64(&last));
    json_set_json(o, "hashes", list);
    x->line[x->n++] = end;
    cr_assert_eq(check(x, note, &s).faults, 0, "%s", s.text);
    json_drop(list, 0);
    json_add_text(list, base64(&l01));
    cr_assert_eq(check(x, note, &s).faults, 1);
    cr_assert(strstr(s.text, "the log was rewritten"));
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
    cr_assert_eq(check(cut, old, &s).faults, 1);
    cr_assert(strstr(s.text, "it is of another number of events"));
    cut = sound();
    const struct tlog_hash *h = cut->hash;
    cut->edge = arena_new(a, struct tlog_edge);
    cr_assert(tlog_append(cut->edge, h, NULL, NULL));
    cut->size = 1;
    cut->n = 2;
    json_set_text(line(cut, "head"), "note", head_note(cut));
    cr_assert_eq(check(cut, old, &s).faults, 1);
    cr_assert(strstr(s.text, "the log was cut"));
    cut->n = 2;
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
    cr_assert_eq(check(x, STR_NONE, &s).faults, 1); /* it has no time */
    json_set_text(rule, "at", STR("2026-11-27T00:00:00Z"));
    const struct bundle_sums sums = check(x, STR_NONE, &s);
    cr_assert_str_eq(s.text, "4 event 2 of " ONE
                             ": by R1 on 2026-11-27T00:00:00Z\n");
    cr_assert(sums.erased == 1 && sums.events == 5 && sums.faults == 0);
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
