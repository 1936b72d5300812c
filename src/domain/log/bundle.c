/* Checks an export of the log. */
#include "domain/log/bundle.h"

#include "domain/intent/event.h"
#include "domain/log/log_checkpoint.h"

#define BUNDLE_BLOCK 4096 /* hashes allocated at once */
#define BUNDLE_BLOCKS 65536
#define BUNDLE_SLOTS 1024 /* of the table of intents, at first */

/* An intent, and the positions of its events. */
struct bundle_intent {
    struct str id;
    struct event_tail tail;
    int64_t *at;
    size_t n, room;
};

struct bundle {
    struct arena *arena, *line_arena;
    struct note_key key[BUNDLE_KEYS];
    size_t keys;
    struct bundle_report report;
    struct note_head old; /* size 0: none */
    int64_t line;
    bool begun;
    bool part; /* of one intent: each event has a proof */
    struct tlog_hash *block[BUNDLE_BLOCKS];
    int64_t n; /* events */
    struct tlog_edge edge;
    struct bundle_intent *slot; /* id p NULL: free */
    size_t slots, intents;
    struct bundle_sums sums;
};

static void bundle_fault(struct bundle *b, struct str what, const char *why)
{
    b->sums.faults++;
    b->report.fault(b->report.own, b->line, what, why);
}

/* ---- the events that were read -------------------------------------------
 */

static struct tlog_hash *bundle_hash(const struct bundle *b, int64_t i)
{
    return &b->block[i / BUNDLE_BLOCK][i % BUNDLE_BLOCK];
}

static bool bundle_add_hash(struct bundle *b, const struct tlog_hash *h)
{
    const int64_t block = b->n / BUNDLE_BLOCK;
    if (block >= BUNDLE_BLOCKS)
        return false;
    if (!b->block[block])
        b->block[block] = arena_many(b->arena, BUNDLE_BLOCK, struct tlog_hash);
    *bundle_hash(b, b->n++) = *h;
    return true;
}

static struct bundle_intent *bundle_slot(struct bundle_intent *v, size_t n,
                                         struct str id)
{
    size_t i = str_hash(id) & (n - 1);
    while (v[i].id.p && !str_eq(v[i].id, id))
        i = (i + 1) & (n - 1);
    return &v[i];
}

static void bundle_grow(struct bundle *b)
{
    const size_t slots = b->slots ? 2 * b->slots : BUNDLE_SLOTS;
    struct bundle_intent *v =
        arena_many(b->arena, slots, struct bundle_intent);
    for (size_t i = 0; i < b->slots; i++) {
        if (b->slot[i].id.p)
            *bundle_slot(v, slots, b->slot[i].id) = b->slot[i];
    }
    b->slot = v;
    b->slots = slots;
}

static struct bundle_intent *bundle_intent(struct bundle *b, struct str id)
{
    if (2 * b->intents >= b->slots)
        bundle_grow(b);
    struct bundle_intent *i = bundle_slot(b->slot, b->slots, id);
    if (!i->id.p) {
        i->id = arena_str(b->arena, id);
        b->intents++;
    }
    return i;
}

static void bundle_place(struct bundle *b, struct bundle_intent *i)
{
    if (i->n == i->room) {
        const size_t room = i->room ? 2 * i->room : 8;
        int64_t *at = arena_many(b->arena, room, int64_t);
        if (i->n)
            memcpy(at, i->at, i->n * sizeof *at);
        i->at = at;
        i->room = room;
    }
    i->at[i->n++] = b->n;
}

/* ---- events --------------------------------------------------------- */

static struct str bundle_event_name(struct arena *a, const struct json *o)
{
    return arena_join(a, STR("event "),
                      arena_number(a, json_int(json_get(o, "sequence"))),
                      STR(" of "), json_get_text(o, "intent_id"));
}

/* The bytes, or the place of bytes that were erased by a rule. */
static const char *bundle_event_mistake(struct bundle *b, const struct json *o,
                                        const struct bundle_intent *i)
{
    struct arena *a = b->line_arena;
    const struct event e = {.sequence = json_int(json_get(o, "sequence")),
                            .canonical = json_get_text(o, "canonical"),
                            .hash = json_get_text(o, "event_hash")};
    if (!b->part && json_int(json_get(o, "position")) != b->n)
        return "an event of the log is missing before it";
    if (e.canonical.p)
        return event_follows(a, &i->tail, i->id, &e);
    if (!json_is(json_get(o, "erased"), JSON_OBJECT))
        return "its bytes are missing, and no rule erased them";
    b->sums.erased++;
    return e.sequence == i->tail.sequence + 1
               ? NULL
               : "an event is missing before it";
}

static void bundle_full(void *own, unsigned level, int64_t number,
                        const struct tlog_hash tile[TLOG_TILE])
{
    (void)own, (void)level, (void)number, (void)tile;
}

static void bundle_check_old(struct bundle *b)
{
    if (b->n != b->old.size || b->part)
        return;
    const struct tlog_hash root = tlog_edge_root(&b->edge);
    if (!tlog_equal(&root, &b->old.root))
        bundle_fault(b, STR("the older head"),
                     "it does not begin this log: the log was rewritten");
}

static bool bundle_event(struct bundle *b, const struct json *o)
{
    struct arena *a = b->line_arena;
    const struct str id = json_get_text(o, "intent_id");
    const struct str hash = json_get_text(o, "event_hash");
    struct tlog_hash h;
    if (id.n == 0 || !log_checkpoint_hash_read(a, hash, &h))
        return false;
    struct bundle_intent *i = bundle_intent(b, id);
    const char *why = bundle_event_mistake(b, o, i);
    if (why)
        bundle_fault(b, bundle_event_name(a, o), why);
    i->tail.sequence = json_int(json_get(o, "sequence"));
    i->tail.hash = arena_str(b->arena, hash);
    bundle_place(b, i);
    if (!bundle_add_hash(b, &h) ||
        !tlog_append(&b->edge, &h, bundle_full, NULL))
        return false;
    bundle_check_old(b);
    b->sums.events++;
    return true;
}

/* ---- checkpoints ---------------------------------------------------- */

/* The root over the events that it names; false: the export lacks some. */
static bool bundle_root(struct bundle *b, const struct json *o,
                        struct tlog_hash *out)
{
    struct arena *a = b->line_arena;
    const struct str id = json_get_text(o, "intent_id");
    const int64_t first = json_int(json_get(o, "first_sequence"));
    const int64_t last = json_int(json_get(o, "last_sequence"));
    const struct bundle_intent *i = id.p ? bundle_intent(b, id) : NULL;
    const int64_t have = i ? (int64_t)i->n : b->n;
    if (first < 1 || last < first || last > have ||
        last - first >= MERKLE_EVENTS_MAX)
        return false;
    const size_t n = (size_t)(last - first + 1);
    struct tlog_hash *v = arena_many(a, n, struct tlog_hash);
    for (size_t k = 0; k < n; k++) {
        const int64_t at = first - 1 + (int64_t)k;
        v[k] = *bundle_hash(b, i ? i->at[at] : at);
    }
    *out = merkle_root(a, v, n);
    return json_int(json_get(o, "event_count")) == (int64_t)n;
}

static void bundle_checkpoint(struct bundle *b, struct json *o)
{
    struct arena *a = b->line_arena;
    const struct str what =
        arena_join(a, STR("checkpoint "), json_get_text(o, "checkpoint_id"));
    struct tlog_hash root;
    json_unset(o, STR("type"));
    b->sums.checkpoints++;
    size_t k = 0;
    while (k < b->keys && !log_checkpoint_ok(a, o, &b->key[k].key))
        k++;
    if (k == b->keys)
        bundle_fault(b, what, "it is not signed by this key");
    if (!bundle_root(b, o, &root))
        bundle_fault(b, what, "the events that it covers are not all there");
    else if (!str_eq(log_checkpoint_hash(a, &root),
                     json_get_text(o, "merkle_root")))
        bundle_fault(b, what, "its root is not that of its events");
}

/* ---- the head ------------------------------------------------------- */

/* NULL, or why it is not a head of this log by this key. */
static const char *bundle_read_head(struct bundle *b, struct str note,
                                    struct note_head *out)
{
    struct arena *a = b->arena;
    struct note *n = arena_new(a, struct note);
    int64_t at;
    const char *why = note_read(a, note, n);
    if (!why)
        why = note_head_read(a, n->text, out);
    if (why)
        return why;
    if (!str_eq(out->origin, b->key->name))
        return "it is of another log than the key";
    for (size_t i = 0; i < b->keys; i++) {
        if (note_signed(a, n, &b->key[i], &at))
            return NULL;
    }
    return "it is not signed by this key";
}

static void bundle_head(struct bundle *b, const struct json *o)
{
    const struct str note = arena_str(b->arena, json_get_text(o, "note"));
    struct note_head head;
    const char *why = bundle_read_head(b, note, &head);
    const struct tlog_hash root = tlog_edge_root(&b->edge);
    if (!why && !b->part && head.size != b->n)
        why = "it is of another number of events";
    if (!why && !b->part && !tlog_equal(&root, &head.root))
        why = "its root is not that of the events";
    if (!why && head.size < b->old.size)
        why = "it is smaller than the older head";
    if (why)
        bundle_fault(b, STR("the head"), why);
    b->sums.head = note;
}

/* ---- lines ---------------------------------------------------------- */

/* Adds the keys that trusted ones name; each may name one more. */
static void bundle_trust(struct bundle *b, const struct json *list)
{
    for (size_t i = 0; i < b->keys && b->keys < BUNDLE_KEYS; i++) {
        for (size_t k = 0; k < json_count(list) && b->keys < BUNDLE_KEYS;
             k++) {
            struct note_key next = b->key[i];
            if (signing_key_named(
                    b->line_arena,
                    json_get_text(json_at(list, k), "successor"),
                    &b->key[i].key, &next.key))
                b->key[b->keys++] = next;
        }
    }
}

static bool bundle_begin(struct bundle *b, const struct json *o)
{
    const bool fine = !b->begun &&
                      str_is(json_get_text(o, "type"), "header") &&
                      str_is(json_get_text(o, "format"), BUNDLE_FORMAT);
    b->begun = true;
    b->part = json_get_text(o, "intent_id").p != NULL;
    if (fine && !str_eq(json_get_text(o, "origin"), b->key->name))
        bundle_fault(b, STR("the header"),
                     "it is of another log than the key");
    bundle_trust(b, json_get(o, "keys"));
    return fine;
}

bool bundle_line(struct bundle *b, struct str line)
{
    struct json *o = NULL;
    b->line++;
    arena_reset(b->line_arena);
    if (json_parse(b->line_arena, line, &o) || !json_is(o, JSON_OBJECT))
        return false;
    const struct str type = json_get_text(o, "type");
    if (!b->begun)
        return bundle_begin(b, o);
    if (str_is(type, "event"))
        return bundle_event(b, o);
    if (str_is(type, "checkpoint"))
        bundle_checkpoint(b, o);
    else if (str_is(type, "head"))
        bundle_head(b, o);
    else
        return false;
    return true;
}

struct bundle *bundle_make(struct arena *a, const struct note_key *keys,
                           size_t n, struct str old,
                           const struct bundle_report *report)
{
    struct bundle *b = arena_new(a, struct bundle);
    b->arena = a;
    b->line_arena = arena_within(a);
    for (; b->keys < n && b->keys < BUNDLE_KEYS; b->keys++)
        b->key[b->keys] = keys[b->keys];
    b->report = *report;
    return !old.p || !bundle_read_head(b, old, &b->old) ? b : NULL;
}

struct bundle_sums bundle_end(struct bundle *b)
{
    b->sums.intents = (int64_t)b->intents;
    if (b->old.size > b->n && !b->part)
        bundle_fault(b, STR("the older head"),
                     "it is of more events: the log was cut");
    if (!b->sums.head.p)
        bundle_fault(b, STR("the export"), "it has no head");
    return b->sums;
}
