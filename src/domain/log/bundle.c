/* Checks an export of the log. */
#include "domain/log/bundle.h"

#include "base/clock.h"
#include "domain/intent/event.h"
#include "domain/log/log_checkpoint.h"

#define BUNDLE_BLOCK 4096 /* hashes allocated at once */
#define BUNDLE_BLOCKS 8192 /* 33 million events */
#define BUNDLE_SLOTS 1024 /* of the table of intents, at first */

/* An intent, and the places of its events among all. */
struct bundle_intent {
    struct str id;
    struct event_tail tail;
    bool doubt; /* the last one had a fault: what follows it is not known */
    int64_t covered; /* by checkpoints, up to this sequence */
    int64_t *at;
    size_t n, room;
};

/* The proof of an event that it is in the head, which comes later. */
struct bundle_proof {
    int64_t line, sequence;
    struct tlog_hash root; /* to which it leads */
};

struct bundle {
    struct arena *arena, *line_arena;
    struct note_key key[BUNDLE_KEYS];
    size_t keys;
    struct bundle_report report;
    struct note_head old; /* size 0: none */
    int64_t line;
    bool begun;
    struct str part; /* the intent of an export of one: each event has a proof;
                      * p NULL: of all */
    int64_t size;    /* of the head, of a part */
    const struct json *key_rows; /* of the header: the times of the keys */
    struct bundle_proof *proof; /* of a part: EVENT_SEQUENCE_MAX of them */
    size_t proofs;
    struct tlog_proof consistency;
    int64_t consistent_from; /* 0: there is none */
    int64_t next;            /* position */
    int64_t missing; /* events before it, of intents that are not known yet */
    bool doubt;      /* a fault is known for which roots differ: they are not
                 * compared */
    int64_t covered; /* by checkpoints of the server, up to position + 1 */
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

/* Reads base64 digests. */
static bool bundle_hashes(struct bundle *b, const struct json *list,
                          struct tlog_proof *out)
{
    out->n = json_count(list);
    for (size_t i = 0; i < out->n && out->n <= TLOG_PROOF_MAX; i++) {
        const struct str bytes =
            crypt_base64_read(b->line_arena, json_text(json_at(list, i)));
        if (bytes.n != sizeof out->v[i].b)
            return false;
        memcpy(out->v[i].b, bytes.p, sizeof out->v[i].b);
    }
    return out->n <= TLOG_PROOF_MAX;
}

/* Positions follow each other; in a part the proofs hold them. */
static const char *bundle_position_mistake(struct bundle *b,
                                           const struct json *o)
{
    const int64_t position = json_int(json_get(o, "position"));
    const int64_t before = position - b->next;
    b->next = position + 1;
    if (before == 0 || b->part.p)
        return NULL;
    if (before < 0 && b->missing > 0) {
        b->missing = 0; /* it was one wrong position */
        return NULL;
    }
    b->missing += before > 0 ? before : 0;
    return before > 0 ? "an event of the log is missing before it"
                      : "it is not in the order of the log";
}

/* Of bytes that were erased: there is no more to check than the place. */
static const char *bundle_erased_mistake(struct bundle *b,
                                         const struct json *o,
                                         const struct bundle_intent *i,
                                         int64_t sequence)
{
    const struct json *erased = json_get(o, "erased");
    const struct str rule = json_get_text(erased, "rule"),
                     at = json_get_text(erased, "at");
    if (rule.n == 0 || at.n == 0)
        return "its bytes are missing, and no rule erased them";
    b->sums.erased++;
    b->report.erased(b->report.own, b->line,
                     bundle_event_name(b->line_arena, o), rule, at);
    return sequence == i->tail.sequence + 1 ? NULL
                                            : "an event is missing before it";
}

/* The bytes, and the link to the event before. */
static const char *bundle_event_mistake(struct bundle *b, const struct json *o,
                                        struct bundle_intent *i)
{
    struct arena *a = b->line_arena;
    const struct event e = {.sequence = json_int(json_get(o, "sequence")),
                            .canonical = json_get_text(o, "canonical"),
                            .hash = json_get_text(o, "event_hash")};
    const int64_t gap = e.sequence - i->tail.sequence - 1;
    const char *why = bundle_position_mistake(b, o);
    if (gap > 0 && gap <= b->missing) {
        /* Its own events are those that were missed by their positions. */
        b->missing -= gap;
        i->doubt = true;
    }
    if (i->doubt)
        i->tail = (struct event_tail){
            .sequence = e.sequence - 1,
            .hash = json_get_text(json_read(a, e.canonical),
                                  "previous_event_hash")};
    i->doubt = false;
    if (why)
        return why;
    return e.canonical.p ? event_follows(a, &i->tail, i->id, &e)
                         : bundle_erased_mistake(b, o, i, e.sequence);
}

/* The root to which the proof of an event leads. */
static const char *bundle_proof_mistake(struct bundle *b, const struct json *o,
                                        int64_t sequence,
                                        const struct tlog_hash *entry)
{
    struct tlog_proof p;
    const struct tlog_hash leaf = tlog_leaf(entry);
    struct bundle_proof *out = &b->proof[b->proofs];
    if (b->proofs == EVENT_SEQUENCE_MAX ||
        !bundle_hashes(b, json_get(o, "proof"), &p) ||
        !tlog_climb(&p, json_int(json_get(o, "position")), b->size, &leaf,
                    &out->root))
        return "it has no proof that the log has it";
    out->line = b->line;
    out->sequence = sequence;
    b->proofs++;
    return NULL;
}

static void bundle_check_old(struct bundle *b)
{
    if (b->n != b->old.size || b->part.p || b->doubt)
        return;
    const struct tlog_hash root = tlog_edge_root(&b->edge);
    if (!tlog_equal(&root, &b->old.root)) {
        bundle_fault(b, STR("the older head"),
                     "it does not begin this log: the log was rewritten");
        b->doubt = true;
    }
}

static bool bundle_event(struct bundle *b, const struct json *o)
{
    struct arena *a = b->line_arena;
    const struct str id = json_get_text(o, "intent_id");
    const struct str hash = json_get_text(o, "event_hash");
    const int64_t sequence = json_int(json_get(o, "sequence"));
    struct tlog_hash h;
    if (id.n == 0 || !log_checkpoint_hash_read(a, hash, &h) ||
        (b->part.p && !str_eq(id, b->part)))
        return false;
    struct bundle_intent *i = bundle_intent(b, id);
    const char *why = bundle_event_mistake(b, o, i);
    if (!why && b->part.p)
        why = bundle_proof_mistake(b, o, sequence, &h);
    if (why) {
        bundle_fault(b, bundle_event_name(a, o), why);
        i->doubt = b->doubt = true;
    }
    i->tail.sequence = sequence;
    i->tail.hash = arena_str(b->arena, hash);
    bundle_place(b, i);
    if (!bundle_add_hash(b, &h) || !tlog_append(&b->edge, &h, NULL, NULL))
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

/* Was the key the current one then, by the times of the header? */
static bool bundle_key_valid(struct bundle *b, const struct signer_public *key,
                             const struct json *o)
{
    const struct str did = signer_did(b->line_arena, key);
    int64_t at, from, until;
    struct signing_key row = {.created_at = 0};
    for (size_t i = 0; i < json_count(b->key_rows); i++) {
        const struct json *k = json_at(b->key_rows, i);
        if (!str_eq(json_get_text(k, "did"), did))
            continue;
        if (clock_parse(json_get_text(k, "not_before"), &from))
            row.current_from = from;
        if (clock_parse(json_get_text(k, "not_after"), &until))
            row.current_until = until;
        return clock_parse(json_get_text(o, "created_at"), &at) &&
               signing_key_valid(&row, at, 0);
    }
    return true; /* the header does not say */
}

static const char *bundle_checkpoint_mistake(struct bundle *b,
                                             const struct json *o)
{
    struct arena *a = b->line_arena;
    const struct str id = json_get_text(o, "intent_id");
    int64_t *covered = id.p ? &bundle_intent(b, id)->covered : &b->covered;
    const int64_t before = *covered;
    struct tlog_hash root;
    size_t k = 0;
    *covered = json_int(json_get(o, "last_sequence"));
    while (k < b->keys && !log_checkpoint_ok(a, o, &b->key[k].key))
        k++;
    if (k == b->keys)
        return "it is not signed by this key";
    if (!bundle_key_valid(b, &b->key[k].key, o))
        return "its key was not the current one at that time";
    if (json_int(json_get(o, "first_sequence")) != before + 1)
        return "it does not follow the one before it";
    if (b->doubt)
        return NULL;
    b->doubt = true;
    if (!bundle_root(b, o, &root))
        return "the events that it covers are not all there";
    if (!str_eq(log_checkpoint_hash(a, &root),
                json_get_text(o, "merkle_root")))
        return "its root is not that of its events";
    b->doubt = false;
    return NULL;
}

static void bundle_checkpoint(struct bundle *b, struct json *o)
{
    json_unset(o, STR("type"));
    b->sums.checkpoints++;
    const char *why = bundle_checkpoint_mistake(b, o);
    if (why)
        bundle_fault(b,
                     arena_join(b->line_arena, STR("checkpoint "),
                                json_get_text(o, "checkpoint_id")),
                     why);
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

/* Of a part: the proofs lead to the root of the head, and the older head begins
 * its tree. */
static void bundle_check_proofs(struct bundle *b, const struct note_head *head)
{
    for (size_t i = 0; i < b->proofs; i++) {
        const struct bundle_proof *p = &b->proof[i];
        if (tlog_equal(&p->root, &head->root))
            continue;
        b->sums.faults++;
        b->report.fault(b->report.own, p->line,
                        arena_join(b->line_arena, STR("event "),
                                   arena_number(b->line_arena, p->sequence),
                                   STR(" of "), b->part),
                        "its proof does not lead to the head");
    }
    if (b->old.size == 0 || b->old.size > head->size)
        return;
    if (b->consistent_from != b->old.size)
        bundle_fault(b, STR("the older head"),
                     "the export has no proof from it: export with --head");
    else if (!tlog_consistent(&b->consistency, b->old.size, head->size,
                              &b->old.root, &head->root))
        bundle_fault(b, STR("the older head"),
                     "it does not begin this log: the log was rewritten");
}

static const char *bundle_head_mistake(struct bundle *b, struct str note,
                                       struct note_head *head)
{
    const char *why = bundle_read_head(b, note, head);
    const struct tlog_hash root = tlog_edge_root(&b->edge);
    if (why)
        return why;
    if (head->size < b->old.size)
        return "it is smaller than the older head: the log was cut";
    if (b->part.p)
        return head->size == b->size
                   ? NULL
                   : "it has another size than the header says";
    if (b->doubt)
        return NULL;
    if (head->size != b->n)
        return "it is of another number of events";
    return tlog_equal(&root, &head->root)
               ? NULL
               : "its root is not that of the events";
}

static void bundle_head(struct bundle *b, const struct json *o)
{
    const struct str note = arena_str(b->arena, json_get_text(o, "note"));
    struct note_head head;
    const char *why = bundle_head_mistake(b, note, &head);
    if (why)
        bundle_fault(b, STR("the head"), why);
    else if (b->part.p)
        bundle_check_proofs(b, &head);
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

static bool bundle_consistency(struct bundle *b, const struct json *o)
{
    b->consistent_from = json_int(json_get(o, "from_size"));
    return bundle_hashes(b, json_get(o, "hashes"), &b->consistency);
}

static bool bundle_begin(struct bundle *b, const struct json *o)
{
    const bool fine = !b->begun &&
                      str_is(json_get_text(o, "type"), "header") &&
                      str_is(json_get_text(o, "format"), BUNDLE_FORMAT);
    b->begun = true;
    b->part = arena_str(b->arena, json_get_text(o, "intent_id"));
    b->size = json_int(json_get(o, "size"));
    if (b->part.p)
        b->proof =
            arena_many(b->arena, EVENT_SEQUENCE_MAX, struct bundle_proof);
    b->key_rows = json_copy(b->arena, json_get(o, "keys"));
    if (fine && !str_eq(json_get_text(o, "origin"), b->key->name))
        bundle_fault(b, STR("the header"),
                     "it is of another log than the key");
    bundle_trust(b, json_get(o, "keys"));
    return fine;
}

/* Is each number of the line one that a log can have? Sums and differences of
 * such numbers cannot overflow. */
static bool bundle_numbers_ok(const struct json *o)
{
    static const char *const members[] = {
        "position",       "sequence",      "size",       "from_size",
        "first_sequence", "last_sequence", "event_count"};
    for (size_t i = 0; i < countof(members); i++) {
        const int64_t n = json_int(json_get(o, members[i]));
        if (n < 0 || n > TLOG_SIZE_MAX)
            return false;
    }
    return true;
}

bool bundle_line(struct bundle *b, struct str line)
{
    struct json *o = NULL;
    b->line++;
    arena_reset(b->line_arena);
    if (json_parse(b->line_arena, line, &o) || !json_is(o, JSON_OBJECT) ||
        !bundle_numbers_ok(o))
        return false;
    const struct str type = json_get_text(o, "type");
    if (!b->begun)
        return bundle_begin(b, o);
    if (b->sums.head.p)
        return false; /* nothing follows the head */
    if (str_is(type, "event"))
        return bundle_event(b, o);
    if (str_is(type, "checkpoint"))
        bundle_checkpoint(b, o);
    else if (str_is(type, "head"))
        bundle_head(b, o);
    else if (str_is(type, "consistency"))
        return bundle_consistency(b, o);
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
    if (!b->sums.head.p)
        bundle_fault(b, STR("the export"), "it has no head");
    return b->sums;
}
