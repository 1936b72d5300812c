/* The tool-call door's tables: struct in, struct out. Decides nothing. */
#include "store/permit/tools.h"

#include "store/rows.h"

/* ---- rules ---------------------------------------------------------- */

static const struct record_field tools_rule_fields[] = {
    {RECORD_NUMBER(tools_rule, rule.position, IN_TABLE), .column = "position"},
    {RECORD_TEXT(tools_rule, rule.agent, IN_TABLE), .column = "agent"},
    {RECORD_TEXT(tools_rule, rule.tool, IN_TABLE), .column = "tool"},
    {RECORD_WORD(tools_rule, rule.effect, IN_TABLE,
                 vocabulary_tool_effect_all),
     .column = "effect"},
    {RECORD_WORD(tools_rule, rule.severity, IN_TABLE, vocabulary_severity_all),
     .column = "severity"},
    {RECORD_TEXT(tools_rule, rule.reason, IN_TABLE), .column = "reason"},
    {RECORD_TIME(tools_rule, created_at, IN_TABLE)},
    {RECORD_TEXT(tools_rule, created_by, IN_TABLE)},
    {RECORD_OWN(tools_rule, rule.by, IN_TABLE, principal_by_column,
                principal_by_take),
     .column = "decides"},
};
static const struct record tools_rule_record =
    RECORD(tools_rule, "rule", "tool_rule");

const struct err *tools_rules(struct pg *pg, struct arena *a,
                              struct tools_rules *out)
{
    return rows_list(pg, a, SQL_TOOL_RULES, PG(pg_number(TOOLS_RULES_MAX)),
                     &tools_rule_record, &out->v, &out->n);
}

const struct err *tools_rule_insert(struct pg *pg, struct arena *a,
                                    const struct tools_rule *r)
{
    struct pg_rows *rows = NULL;
    struct tools_rules all;
    rows_queue(pg, a, SQL_TOOL_RULE_INSERT, PG(pg_number(TOOLS_RULES_MAX)),
               &tools_rule_record, IN_INSERT, r);
    TRY(pg_run(pg, a, &rows));
    if (pg_affected(rows) > 0)
        return NULL;
    TRY(tools_rules(pg, a, &all));
    for (size_t i = 0; i < all.n; i++) {
        if (all.v[i].rule.position == r->rule.position)
            return err_at(a, ERR_CONFLICT, "rule.taken", STR("position"),
                          "Another rule has this position.");
    }
    return ERROR(ERR_CONFLICT, "rule.many",
                 "There are 1,000 rules, which is the most.");
}

const struct err *tools_rule_delete(struct pg *pg, struct arena *a,
                                    int64_t position)
{
    return rows_must_change(pg, a, SQL_TOOL_RULE_DELETE,
                            PG(pg_number(position)),
                            ERROR(ERR_NOT_FOUND, "rule.unknown",
                                  "There is no rule at this position."));
}

/* ---- tasks ---------------------------------------------------------- */

const struct err *tools_task(struct pg *pg, struct arena *a, struct str agent,
                             struct str task_id, struct str *intent_id)
{
    return rows_text(pg, a, SQL_TOOL_TASK,
                     PG(pg_text(agent), pg_text(task_id)), intent_id);
}

void tools_queue_task(struct pg *pg, struct arena *a, struct str agent,
                      struct str task_id, struct str intent_id)
{
    pg_queue(pg, a, SQL_TOOL_TASK_INSERT,
             PG(pg_text(agent), pg_text(task_id), pg_text(intent_id)));
}

/* ---- calls ---------------------------------------------------------- */

void tools_queue_calls(struct pg *pg, struct arena *a,
                       struct str suspension_id,
                       const struct tool_calls *calls,
                       const struct tool_rule **matched)
{
    enum { ORDINAL, CALL_ID, TOOL, SENT, ARGUMENTS, SHA256, RULE, COLUMNS };
    struct pg_list args = {0};
    struct str *v[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        v[i] = arena_many(a, calls->n + 1, struct str);
    for (size_t i = 0; i < calls->n; i++) {
        const struct tool_call *c = &calls->v[i];
        v[ORDINAL][i] = arena_number(a, (int64_t)i + 1);
        v[CALL_ID][i] = c->id;
        v[TOOL][i] = c->tool;
        v[SENT][i] = c->sent;
        v[ARGUMENTS][i] = c->arguments;
        v[SHA256][i] = c->arguments_sha256;
        v[RULE][i] = arena_number(a, matched[i] ? matched[i]->position : 0);
    }
    pg_add(&args, pg_text(suspension_id));
    for (int i = 0; i < COLUMNS; i++)
        pg_add(&args, pg_texts(v[i], calls->n));
    pg_queue(pg, a, SQL_TOOL_CALLS_INSERT, PG_ALL(&args));
}

const struct err *tools_calls(struct pg *pg, struct arena *a,
                              struct str suspension_id,
                              struct tools_sent *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TOOL_CALLS, PG(pg_text(suspension_id)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct str);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = pg_str(r, i, 0);
    return NULL;
}

const struct err *tools_open_of_session(struct pg *pg, struct arena *a,
                                        struct str agent, struct str session,
                                        struct tools_open *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TOOL_OPEN_OF_SESSION,
                 PG(pg_text(agent), pg_text(session)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct tools_open_call);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct tools_open_call){
            .suspension_id = pg_str(r, i, 0), .call_id = pg_str(r, i, 1)};
    return NULL;
}
