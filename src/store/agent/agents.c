/* Agents in the database: struct in, struct out. */
#include "store/agent/agents.h"

#include "domain/intent/principal.h"
#include "store/sql.gen.h"

const struct err *agents_first(struct pg *pg, struct arena *a, int64_t now,
                               struct agents_first *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_FIRST_RUN,
                 PG(pg_text(STR(PRINCIPAL_TRIAL_AGENT)), pg_moment(now)), &r));
    *out = (struct agents_first){.asked = pg_bool(r, 0, 0),
                                 .keys = pg_bool(r, 0, 1),
                                 .told = pg_bool(r, 0, 2)};
    return NULL;
}

const struct err *agents_answered(struct pg *pg, struct arena *a,
                                  struct str name, int64_t since,
                                  struct agents_answered *out)
{
    struct pg_rows *r = NULL;
    TRY(suspensions_in_order(pg, a, SQL_ANSWERED_SINCE,
                             PG(pg_text(name), pg_moment(since),
                                pg_number(AGENTS_LOOK_MAX + 1)),
                             &r));
    *out = (struct agents_answered){.n = pg_int(r, 0, 0),
                                    .median = pg_int(r, 0, 1)};
    return NULL;
}

const struct err *agents_list(struct pg *pg, struct arena *a,
                              struct str after, int64_t since,
                              struct agent_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(suspensions_in_order(pg, a, SQL_AGENT_LIST,
                             PG(pg_text(after), pg_number(AGENTS_PAGE + 1),
                                pg_moment(since)),
                             &r));
    const size_t n = pg_count(r);
    *out = (struct agent_rows){.v = arena_many(a, n + 1, struct agent),
                               .more = n > AGENTS_PAGE};
    for (size_t i = 0; i < n && i < AGENTS_PAGE; i++)
        out->v[out->n++] = (struct agent){.name = pg_str(r, i, 0),
                                          .open = pg_int(r, i, 1),
                                          .ended = pg_int(r, i, 2),
                                          .asked_at = pg_int(r, i, 3),
                                          .ended_at = pg_int(r, i, 4)};
    return NULL;
}

const struct err *agents_figures(struct pg *pg, struct arena *a,
                                 struct str name, int64_t since,
                                 struct agents_figures *out)
{
    struct pg_rows *r = NULL, *open = NULL;
    *out = (struct agents_figures){.ended = 0};
    TRY(suspensions_in_order(pg, a, SQL_AGENT_FIGURES,
                             PG(pg_text(name), pg_moment(since),
                                pg_number(AGENTS_LOOK_MAX + 1)),
                             &r));
    for (size_t i = 0; i < pg_count(r); i++) {
        const struct str word = pg_str(r, i, 0);
        if (!word.p) {
            out->ended = pg_int(r, i, 1);
            out->median = pg_int(r, i, 2);
            continue;
        }
        const enum outcome ending = vocabulary_outcome_of(word);
        if (ending == OUTCOME__MAX)
            continue;
        out->endings[ending] = pg_int(r, i, 1);
        out->changed += ending == OUTCOME_AUTHORIZED ? pg_int(r, i, 2) : 0;
    }
    out->more = out->ended > AGENTS_LOOK_MAX;
    TRY(suspensions_in_order(
        pg, a, SQL_AGENT_OPEN,
        PG(pg_text(name), pg_number(AGENTS_COUNT_MAX + 1)), &open));
    out->open = pg_int(open, 0, 0);
    return NULL;
}

const struct err *agents_newest(struct pg *pg, struct arena *a,
                                struct str name, int64_t limit,
                                struct suspension_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(suspensions_in_order(pg, a, SQL_AGENT_NEWEST,
                             PG(pg_text(name), pg_number(limit)), &r));
    *out = suspensions_rows(a, r);
    return NULL;
}

const struct err *agents_on_target(struct pg *pg, struct arena *a,
                                   const struct suspension *s,
                                   struct str text,
                                   struct suspension_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(suspensions_in_order(pg, a, SQL_AGENT_ON_TARGET,
                             PG(pg_text(s->asked_by), pg_text(s->id),
                                pg_number(AGENTS_TARGET_LOOK), pg_text(text)),
                             &r));
    *out = suspensions_rows(a, r);
    return NULL;
}
