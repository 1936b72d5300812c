/* Views of the lists that people saved under a name. Decides nothing. */
#ifndef STORE_VIEWS_H
#define STORE_VIEWS_H

#include "world/pg/pg.h"

#define VIEWS_MAX 50      /* of one person */
#define VIEWS_SHOWN 30    /* in the list, the reader's own first */
#define VIEWS_NAME_MAX 60 /* characters */
#define VIEWS_QUERY_MAX 2000

struct view {
    struct str id, name, path, query;
    bool shared, own;
    struct str by; /* the owner's name */
    struct str person_id; /* the owner, and the time, of a new one */
    int64_t created_at;
};
struct view_rows {
    struct view *v;
    size_t n;
};

/* A person's own and those that others share, at most VIEWS_SHOWN. */
const struct err *views_list(struct pg *pg, struct arena *a, struct str person,
                             struct view_rows *out) MUST;
/* Saves it; one of that name is replaced. ERR_CONFLICT view.many at the limit
 * of VIEWS_MAX. */
const struct err *views_save(struct pg *pg, struct arena *a,
                             const struct view *v, struct str person,
                             int64_t now) MUST;
/* Removes a person's own; does nothing for another one. */
const struct err *views_remove(struct pg *pg, struct arena *a, struct str id,
                               struct str person) MUST;

#endif
