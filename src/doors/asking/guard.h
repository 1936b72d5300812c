/* Tool calls before a person: the part that the tool-call API and the
 * authorization API share. The rules decide about the tools; where they ask,
 * the server words the question. */
#ifndef DOORS_ASKING_GUARD_H
#define DOORS_ASKING_GUARD_H

#include "domain/permit/tool_rule.h"
#include "doors/call/call.h"
#include "store/permit/initiations.h"

/* A request about tools, and what became of it. */
struct guard {
    struct call *c;
    struct str text; /* the request, JSON text as it was sent */
    /* As the agent sent it; p NULL: absent. */
    struct str intent_id, task_id, session_id, turn_id, title;
    struct str initiation, initiated_by;
    struct str consequence; /* the server's words where the agent has none */
    enum severity severity; /* SEVERITY_UNSAID: absent */
    bool requires_approval;
    const struct str *tools; /* of the calls */
    size_t n;
    enum origin origin;
    /* The result. */
    struct tool_rule_verdict verdict;
    struct initiations_person initiator; /* of a ticket; id p NULL: none */
    struct work w;
};

/* The choices of an approval, as a member of such a question. A comment is
 * never required, since a chat may have no place for one. */
extern const char guard_choices[];

/* Reads severity, requires_approval, consequence, initiation and
 * initiated_by. */
void guard_read(struct guard *g, struct fields *f);
/* The decision of the rules, as they are now, about calls of tools. */
const struct err *guard_rules(struct call *c,
                              const struct tool_rule_case *about,
                              struct tool_rule_verdict *out) MUST;
/* The same for several cases: the first one reads the rules into the set, which
 * begins empty. */
struct guard_rule_set {
    struct tool_rule *v; /* NULL: not read yet */
    size_t n;
};
const struct err *guard_rules_once(struct call *c, struct guard_rule_set *set,
                                   const struct tool_rule_case *about,
                                   struct tool_rule_verdict *out) MUST;
/* The terms that the rules set for the calls of a question, for which no check
 * was made: added to the caller's, before it is asked. ERR_INVALID
 * rule.torn. */
const struct err *guard_terms_of(struct call *c,
                                 const struct suspension *s) MUST;
/* Decides by the rules; without tools a person is asked. ERR_INVALID
 * rule.torn. */
const struct err *guard_decide(struct guard *g) MUST;
/* Begins the work on the intent: the given one, the task's, or a new one. An
 * intent whose question is to be asked is suspended. ERR_CONFLICT task.ended;
 * ERR_INVALID initiation.unknown, initiation.other; those of call_begin. */
const struct err *guard_begin(struct guard *g,
                              const struct work_once *once) MUST;
/* The rules allowed the same call then, as its answer says that guard_begin
 * found. Where they want a person asked by now it begins once more, under a key
 * that follows from the first: so a repeat finds its question. */
const struct err *guard_begin_since(struct guard *g,
                                    const struct work_once *once) MUST;
/* Into the batch of the commit: the task and the used ticket. */
void guard_queue(struct guard *g);
/* Asks the question that stands in text, in the form that the native API takes,
 * at the severity of the verdict. Queues the rest of guard_queue too. */
const struct err *guard_ask(struct guard *g, struct str text,
                            const struct permit_terms *terms) MUST;
/* The rules forbid the calls: records it. calls: of the event; NULL: none. */
const struct err *guard_deny(struct guard *g, struct json *calls) MUST;
/* Reads the terms of a permit for these details (permit_terms_read), and checks
 * that the resource is in use. ERR_INVALID as there, and resource.unknown. */
const struct err *guard_terms(const struct guard *g, const struct json *body,
                              const struct json *details, bool jkt_needed,
                              struct permit_terms *out) MUST;
/* A rule allows the calls: makes an active permit, with its event. */
const struct err *guard_permit(struct guard *g, const struct json *details,
                               const struct permit_terms *terms) MUST;
/* permit_id, auth_req_id and interval of the permit in the work. */
void guard_set_permit(const struct guard *g, struct json *o);
/* The text of a member of such a question: ,"key":"value". */
void guard_put_text(struct buf *b, const char *key, struct str value);
/* A member as the agent sent it, or the given text; none where both are p
 * NULL. */
void guard_put_sent(const struct guard *g, struct buf *b, const char *key,
                    struct str otherwise);

#endif
