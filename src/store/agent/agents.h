/* Agents, as their questions show them: who has asked, how it ended, how long
 * people took. Each read is bounded. Decides nothing. */
#ifndef STORE_AGENT_AGENTS_H
#define STORE_AGENT_AGENTS_H

#include "store/question/suspensions.h"

#define AGENTS_PAGE 50
#define AGENTS_COUNT_MAX 200 /* counts of the list go up to here; agent.sql */
#define AGENTS_LOOK_MAX 2000 /* decisions that figures are made of */
#define AGENTS_TARGET_LOOK 500 /* those that are searched for a target */

/* The steps of a new server that are done. */
struct agents_first {
    bool asked; /* an agent has asked, not only for a try */
    bool keys;  /* an agent's key is valid */
    bool told;  /* there is a channel to people */
};
const struct err *agents_first(struct pg *pg, struct arena *a, int64_t now,
                               struct agents_first *out) MUST;

/* The answers of a person since a moment, the newest AGENTS_LOOK_MAX + 1 at
 * most, and the median of the time from question to answer. */
struct agents_answered {
    int64_t n, median;
};
const struct err *agents_answered(struct pg *pg, struct arena *a,
                                  struct str name, int64_t since,
                                  struct agents_answered *out) MUST;

/* One that has asked; open and ended count up to AGENTS_COUNT_MAX + 1. */
struct agent {
    struct str name;
    int64_t open, ended; /* ended: since the moment of the list */
    int64_t asked_at;    /* of the newest open question; 0: none is open */
    int64_t ended_at;    /* of the newest decision; 0: none */
};
struct agent_rows {
    struct agent *v;
    size_t n;
    bool more;
};
/* A page in the order of their names, after a name (n 0: from the start). */
const struct err *agents_list(struct pg *pg, struct arena *a,
                              struct str after, int64_t since,
                              struct agent_rows *out) MUST;

/* How the questions of an agent ended since a moment: at most AGENTS_LOOK_MAX,
 * the newest. */
struct agents_figures {
    int64_t ended;
    bool more; /* there are older ones since that moment */
    int64_t endings[OUTCOME__MAX];
    int64_t changed; /* of those approved: with changes */
    int64_t median;  /* from question to answer; 0: no answer */
    int64_t open;    /* now, up to AGENTS_COUNT_MAX + 1 */
};
const struct err *agents_figures(struct pg *pg, struct arena *a,
                                 struct str name, int64_t since,
                                 struct agents_figures *out) MUST;

/* The newest open questions of an agent, then those that ended last, at most
 * limit of each. */
const struct err *agents_newest(struct pg *pg, struct arena *a,
                                struct str name, int64_t limit,
                                struct suspension_rows *out) MUST;

/* The questions of an agent that ended, other than s, whose facts have that
 * text somewhere: at most 20, of the newest AGENTS_TARGET_LOOK. */
const struct err *agents_on_target(struct pg *pg, struct arena *a,
                                   const struct suspension *s,
                                   struct str text,
                                   struct suspension_rows *out) MUST;

#endif
