/* The lists of what was decided, newest decision first, narrowed by filters,
 * in pages by key. Decides nothing. */
#ifndef STORE_DECIDED_H
#define STORE_DECIDED_H

#include "store/suspensions.h"

/* Answers of one person or agent that are looked through for one page. */
#define DECIDED_LOOK_MAX 2000
#define DECIDED_COUNT_MAX 200 /* counts are told up to here; decided.sql */
#define DECIDED_OUTCOMES 10
#define DECIDED_DOORS 5

struct decided_wish {
    enum kind kind;     /* KIND__MAX: any */
    struct str outcome; /* the column's words, expired or withdrawn; p NULL */
    struct str door;    /* p NULL: any */
    struct str who, agent;   /* p NULL: any */
    int64_t from, until;     /* when it was decided; 0: any */
    int64_t limit;
    int64_t after_at; /* 0: from the start */
    struct str after_id;
};

struct decided_rows {
    struct suspension_rows rows;
    bool further; /* not all was looked through: it goes on behind at, id */
    int64_t at;
    struct str id;
};

/* Is it one of the outcomes that the list can be narrowed to? */
bool decided_outcome(struct str word);
bool decided_door(struct str word);
const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_wish *w,
                               struct decided_rows *out) MUST;

/* How many there are of each kind with the outcome and the door that are
 * wished for, of each outcome with the kind and the door, and so on; from the
 * start of the list, each at most DECIDED_COUNT_MAX + 1. part: they are of the
 * newest answers of one person or agent, and there are more. */
struct decided_counts {
    int64_t kinds[KIND__MAX];
    int64_t outcomes[DECIDED_OUTCOMES], doors[DECIDED_DOORS];
    bool part;
};
const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_wish *w,
                                struct decided_counts *out) MUST;
/* Of one kind (KIND__MAX: all), outcome or door (p NULL: all); more than
 * DECIDED_COUNT_MAX stands for as many or more. */
int64_t decided_of_kind(const struct decided_counts *n, enum kind kind);
int64_t decided_of_outcome(const struct decided_counts *n, struct str word);
int64_t decided_of_door(const struct decided_counts *n, struct str word);

#endif
