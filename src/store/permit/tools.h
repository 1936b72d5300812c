/* The tool-call door's tables: rules, the intents of tasks, the calls of a
 * question. */
#ifndef STORE_PERMIT_TOOLS_H
#define STORE_PERMIT_TOOLS_H

#include "domain/permit/tool_call.h"
#include "domain/permit/tool_rule.h"
#include "world/pg/pg.h"

#define TOOLS_RULES_MAX 1000

struct tools_rule {
    struct tool_rule rule;
    int64_t created_at;
    struct str created_by;
};
struct tools_rules {
    struct tools_rule *v;
    size_t n;
};
/* All rules by their position, at most TOOLS_RULES_MAX. */
const struct err *tools_rules(struct pg *pg, struct arena *a,
                              struct tools_rules *out) MUST;
/* ERR_CONFLICT rule.taken at "position", or rule.many: there are
 * TOOLS_RULES_MAX. */
const struct err *tools_rule_insert(struct pg *pg, struct arena *a,
                                    const struct tools_rule *r) MUST;
/* ERR_NOT_FOUND rule.unknown. */
const struct err *tools_rule_delete(struct pg *pg, struct arena *a,
                                    int64_t position) MUST;

/* The intent of an agent's task; p NULL: it has none yet. */
const struct err *tools_task(struct pg *pg, struct arena *a, struct str agent,
                             struct str task_id, struct str *intent_id) MUST;
/* Into the current batch: the task's intent. The batch fails with ERR_AGAIN
 * where another call has made one meanwhile. */
void tools_queue_task(struct pg *pg, struct arena *a, struct str agent,
                      struct str task_id, struct str intent_id);
/* Into the current batch: the calls of a question with the rules that they
 * matched (NULL: none). */
void tools_queue_calls(struct pg *pg, struct arena *a,
                       struct str suspension_id,
                       const struct tool_calls *calls,
                       const struct tool_rule **matched);
/* The calls of a question as they were sent, JSON texts in their order. */
struct tools_sent {
    struct str *v;
    size_t n;
};
const struct err *tools_calls(struct pg *pg, struct arena *a,
                              struct str suspension_id,
                              struct tools_sent *out) MUST;

/* The calls of a session about which an agent's questions are open, in the
 * order of asking; at most 100. */
struct tools_open {
    struct tools_open_call {
        struct str suspension_id, call_id;
    } *v;
    size_t n;
};
const struct err *tools_open_of_session(struct pg *pg, struct arena *a,
                                        struct str agent, struct str session,
                                        struct tools_open *out) MUST;

#endif
