/* Tool calls before a person: the part that the tool-call API and the
 * authorization API share. The rules decide about the tools; where they ask,
 * the server words the question. */
#ifndef WORK_PERMIT_TOOL_CHECK_H
#define WORK_PERMIT_TOOL_CHECK_H

#include "domain/permit/tool_rule.h"
#include "store/permit/initiations.h"
#include "work/work.h"

/* A request about tools, and what became of it. */
struct tool_check {
    struct work w; /* of the caller */
    /* As the agent sent it; p NULL: absent. */
    struct str intent_id, task_id, session_id, turn_id, title;
    struct str initiation, initiated_by;
    enum severity severity; /* SEVERITY_UNSAID: absent */
    bool requires_approval;
    const struct str *tools; /* of the calls */
    size_t n;
    enum origin origin;
    /* The result. */
    struct tool_rule_verdict verdict;
    int64_t opened; /* pg_opened when the rules were read */
    struct initiations_person initiator; /* of a ticket; id p NULL: none */
};

/* The decision of the rules, as they are now, about calls of tools. */
const struct err *tool_check_rules(const struct work *w,
                                   const struct tool_rule_case *about,
                                   struct tool_rule_verdict *out) MUST;
/* The same for several cases: the first one reads the rules into the set, which
 * begins empty. */
struct tool_check_rules {
    struct tool_rule *v; /* NULL: not read yet */
    size_t n;
};
const struct err *tool_check_rules_once(const struct work *w,
                                        struct tool_check_rules *set,
                                        const struct tool_rule_case *about,
                                        struct tool_rule_verdict *out) MUST;
/* Adds the terms that the rules set for the calls of a question, for which no
 * check was made, to those of the work, before it is asked. ERR_INVALID
 * rule.torn. */
const struct err *tool_check_add_terms(struct work *w,
                                       const struct suspension *s) MUST;
/* Decides by the rules; without tools a person is asked. ERR_INVALID
 * rule.torn. */
const struct err *tool_check_decide(struct tool_check *g) MUST;
/* Begins the work on the intent: the given one, the task's, or a new one. An
 * intent whose question is to be asked is suspended. ERR_AGAIN where another
 * connection read the rules; ERR_CONFLICT task.ended; ERR_INVALID
 * initiation.unknown, initiation.other; those of work_begin. */
const struct err *tool_check_begin(struct tool_check *g,
                                   const struct work_once *once) MUST;
/* The rules allowed the same call then, as its answer says that
 * tool_check_begin found. Where they want a person asked by now it begins once
 * more, under a key that follows from the first: so a repeat finds its
 * question. */
const struct err *tool_check_begin_since(struct tool_check *g,
                                         const struct work_once *once) MUST;
/* Into the batch of the commit: the task and the used ticket. */
void tool_check_queue(struct tool_check *g);
/* Asks the question, of which the words were read, at the severity of the
 * verdict. Queues the rest of tool_check_queue too. */
const struct err *tool_check_ask(struct tool_check *g, struct suspension *s,
                                 const struct permit_terms *terms) MUST;
/* The rules forbid the calls: records it. calls: of the event; NULL: none. */
const struct err *tool_check_deny(struct tool_check *g,
                                  struct json *calls) MUST;
/* A rule allows the calls: makes an active permit, with its event. */
const struct err *tool_check_permit(struct tool_check *g,
                                    const struct json *details,
                                    const struct permit_terms *terms) MUST;

#endif
