/* Events: their closed list of types, and the hash chain.
 *
 * As in OpenIntent RFC-0019, an event's canonical bytes are the RFC 8785 form
 * of the object with every field but event_hash; event_hash is "sha256:" and
 * the base64url digest of these bytes; each event has its predecessor's hash
 * and the next sequence, from 1, for each intent. "actor_type" and "salt" are
 * Sayso's own members: without a salt, an event whose bytes were erased could
 * be guessed from its hash. Events written by older releases lack them: the
 * stored bytes are hashed as they are, and no member is required. */
#ifndef DOMAIN_INTENT_EVENT_H
#define DOMAIN_INTENT_EVENT_H

#include "base/json/json.h"
#include "domain/intent/principal.h"

#define EVENT_CANONICAL_MAX ((size_t)1 << 20) /* bytes of a whole event */
#define EVENT_SALT 16 /* random bytes */
#define EVENTS_OF_INTENT_MAX 10000
#define EVENTS_AT_ONCE 32 /* of one transaction on one intent */
/* The last sequence of a chain. The room above EVENTS_OF_INTENT_MAX lets a
 * question end even when its agent has filled the log. */
#define EVENT_SEQUENCE_MAX (EVENTS_OF_INTENT_MAX + EVENTS_AT_ONCE)

struct event {
    struct str id;
    int64_t sequence;
    struct str type;
    int64_t created_at;
    struct str canonical; /* n 0: the bytes were erased */
    struct str hash;
    struct str previous; /* p NULL on the first */
    struct str rule;     /* that erased the bytes; p NULL: none did */
    int64_t erased_at;
};

/* The events that one transaction appends to one intent. */
struct event_list {
    struct event v[EVENTS_AT_ONCE];
    size_t n;
};

/* The end of an intent's chain. */
struct event_tail {
    int64_t sequence; /* 0: no event yet */
    struct str hash;  /* p NULL: no event yet */
    bool test;        /* of a test: the payloads of its events say so */
};

/* The type of an actor; the name alone does not say. */
enum event_actor {
    EVENT_ACTOR_AGENT,
    EVENT_ACTOR_PERSON, /* a person who signed in */
    EVENT_ACTOR_KEY,    /* a key of an operator or admin, without a person */
    EVENT_ACTOR_CLOCK,  /* the server, when time is up */
    EVENT_ACTOR_SAYSO,  /* the server, for what follows from another event */
    EVENT_ACTOR__MAX
};

struct event_by {
    struct str name;
    enum event_actor type;
};

struct event_draft {
    const char *type;
    struct event_by by;
    const struct json *payload; /* an object */
    struct str trace_id;        /* p NULL: absent */
    struct str parent_event_id; /* p NULL: absent */
    bool decides;  /* ends a question: allowed even in a full log */
    bool optional; /* a full log leaves it out, which is not an error */
};

/* Is it one of the types of the OpenIntent client? */
bool event_type_known(struct str type);
/* May a caller of this role post it? Types that report an act of the server or
 * a person's decision are reserved for the server: posted by others they would
 * be forgeries. */
bool event_type_postable(struct str type, enum role role);
/* Does a posted payload of this type pass for the server's own record of a
 * permit? A client's own tool.invoked names no permit of the server. */
bool event_payload_reserved(struct str type, const struct json *payload);
/* The intent.suspended and reminder types that the SDK posts in addition to
 * the server's own; they are accepted and not stored again. */
bool event_type_echoed(struct str type);

/* The calling principal as an actor. */
struct event_by event_by(const struct principal *p);
/* The server's clock as an actor. */
struct event_by event_by_clock(void);
struct event_by event_by_server(void);
/* "agent", "person", "key", "clock" or "sayso". */
const char *event_actor_word(enum event_actor type);

/* A code that callers compare (base/err.h): event.log_full. */
extern const char event_log_full[];

/* Seals a draft as the next event of the chain and moves the tail.
 * ERR_INVALID event.too_large; ERR_CONFLICT event.log_full. */
const struct err *event_append(struct arena *a, struct str intent_id,
                               const struct event_draft *d, int64_t now,
                               struct event_tail *tail,
                               struct event_list *out) MUST;
/* The event as clients read it: the canonical object with event_hash, written
 * without changing one of the hashed bytes; of one that was erased the hash
 * alone. */
void event_write(struct buf *b, struct str canonical, struct str hash);
/* An event that a rule erased, as clients read it: the columns, no payload, and
 * the rule. */
struct json *event_erased(struct arena *a, struct str intent_id,
                          const struct event *e);
/* {"rule", "at"}. */
struct json *event_rule(struct arena *a, const struct event *e);

/* NULL, or why these bytes (sequence, canonical and hash of e) are not the next
 * event of the chain of this intent, in words. */
const char *event_follows(struct arena *a, const struct event_tail *tail,
                          struct str intent_id, const struct event *e);
/* Checking a chain, event by event, from the first. */
struct event_check {
    struct event_tail tail;
    int64_t broken;     /* sequence of the first broken event; 0: none */
    const char *reason; /* of the break, in words */
};
/* Checks the next stored event and returns whether it is intact: the digest is
 * over these bytes, the bytes name this intent, sequence and predecessor, and
 * nothing is missing before it. Of an event that a rule erased, its columns
 * count. */
bool event_check(struct arena *a, struct event_check *c, struct str intent_id,
                 const struct event *e);
/* After the last event: does the chain end where its intent says? before and
 * after: the intent's tail as it was read before and after the events, between
 * which some may have been added. */
void event_check_end(struct event_check *c, const struct event_tail *before,
                     const struct event_tail *after);

#endif
