/* Intents: the goal that an agent works on, its status, its state document.
 *
 * OpenIntent RFC-0001 and RFC-0002. */
#ifndef DOMAIN_INTENT_INTENT_H
#define DOMAIN_INTENT_INTENT_H

#include "base/json/json.h"
#include "domain/intent/event.h"
#include "domain/vocabulary.h"

#define INTENT_TITLE_MAX 500
#define INTENT_DESCRIPTION_MAX 20000
#define INTENT_STATE_MAX ((size_t)512 << 10) /* bytes of JSON text */
#define INTENT_DEPENDENCIES_MAX 100
#define INTENT_PATCHES_MAX 100

/* The sorts of containers that an intent is in or has; bits. */
enum { INTENT_IN_PORTFOLIO = 1, INTENT_HAS_TASKS = 2, INTENT_COORDINATED = 4 };

struct intent {
    struct str id;
    struct str title;
    struct str description; /* p NULL: none */
    struct str created_by;
    struct str owner; /* the agent that works on it since a handoff; p NULL:
                       * created_by */
    enum intent_status status;
    struct str constraints; /* JSON text, an object or a list */
    struct str state;       /* JSON text, an object */
    int64_t confidence;
    int64_t version;
    int64_t created_at;
    int64_t updated_at;
    struct str parent_intent_id;  /* p NULL: none */
    struct str governance_policy; /* JSON text; p NULL: none */
    struct str session_id, task_id, turn_id, initiated_by; /* p NULL: none */
    struct str initiator_id; /* of a proven initiator; p NULL: none */
    struct str depends_on; /* JSON text, a list of ids */
    struct event_tail tail;
    int containers; /* the bits above */
    bool closed; /* to agents without access to it (reach.h) */
    bool test;   /* a test key made it: only test keys reach it (reach.h) */
    enum access access; /* of its reader */
};

/* The facts that a change of status depends on. */
struct intent_move {
    enum intent_status from, to;
    enum role role;
    bool question_open;      /* a suspension is pending */
    bool dependencies_done;  /* all dependencies are completed */
    bool children_done;      /* all children are completed or abandoned */
};
/* May the status be set by a call? *to is the resulting status: active becomes
 * blocked while dependencies are open. Setting a terminal status again changes
 * nothing (*to == from). ERR_CONFLICT intent.transition; intent.question_open
 * while a question is pending; intent.dependencies_open, also for a blocked one
 * that would become active, and intent.children_open. ERR_FORBIDDEN
 * intent.resume_forbidden where an agent would resume a suspended intent
 * itself. */
const struct err *intent_move(const struct intent_move *m,
                              enum intent_status *to) MUST;
/* Is it completed or abandoned? Then it stays so. */
bool intent_ended(enum intent_status status);
/* ERR_CONFLICT intent.ended for one that is: nothing is begun there. */
const struct err *intent_check_open(enum intent_status status) MUST;
/* The payload of the event status_changed: old_status, new_status, and reason
 * where there is one. */
struct json *intent_status_changed(struct arena *a, enum intent_status from,
                                   enum intent_status to, struct str reason);

/* One operation of a state patch. */
enum intent_op { INTENT_SET, INTENT_APPEND, INTENT_REMOVE };
struct intent_patch {
    enum intent_op op;
    struct str path; /* as sent */
    const struct json *value;
};
struct intent_patches {
    struct intent_patch v[INTENT_PATCHES_MAX];
    size_t n;
};
/* Reads {"patches": [{op, path, value}]}, or the merge form {"state": {...}}
 * whose members become one set each. ERR_INVALID names the place. */
const struct err *intent_patches_read(struct arena *a, const struct json *body,
                                      struct intent_patches *out) MUST;
/* Does any operation touch _suspension? *whole: a set of the whole record,
 * given in *record. */
bool intent_patches_suspension(const struct intent_patches *p, bool *whole,
                               const struct json **record);
/* Takes the operations on _suspension out. */
void intent_patches_drop_suspension(struct intent_patches *p);
/* Applies the operations to state, in order, in place. Paths are split on '/',
 * empty parts dropped, nothing unescaped; set makes missing parents. */
const struct err *intent_patch(struct arena *a, struct json *state,
                               const struct intent_patches *p) MUST;
/* The state as text again; ERR_TOO_LARGE intent.state_too_large; ERR_INVALID
 * intent.state_too_deep, also for an object of too many members. */
const struct err *intent_state_text(struct arena *a, const struct json *state,
                                    struct str *out) MUST;

/* The digest of a state, for the events that change it: SHA-256, as
 * hexadecimal text, of its RFC 8785 form without what the server keeps in it:
 * the record of the question, and why the intent was abandoned. NULL: {}. */
struct str intent_state_sha256(struct arena *a, const struct json *state);

/* Reads a new intent from a body: title, description, constraints, state,
 * parent_intent_id, depends_on, governance_policy; depends gets the ids.
 * created_by is the authenticated agent, whatever the body says. Unknown
 * members are ignored, because newer OpenIntent clients send more. */
struct intent_ids {
    struct str v[INTENT_DEPENDENCIES_MAX];
    size_t n;
};
const struct err *intent_read(struct arena *a, const struct json *body,
                              struct intent *out,
                              struct intent_ids *depends) MUST;
/* {"open": [ids]}: those that are in the way, for the body of an error. */
struct json *intent_ids_open(struct arena *a, const struct intent_ids *ids);

#endif
