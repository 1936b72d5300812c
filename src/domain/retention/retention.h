/* Rules of retention: which questions lose their contents, and how long after
 * they have ended. Pure. The erasing itself is a function of the database
 * (sql/0062_retention.sql), the only way to it. */
#ifndef DOMAIN_RETENTION_RETENTION_H
#define DOMAIN_RETENTION_RETENTION_H

#include "domain/kind/kind.h"
#include "domain/record.h"

#define RETENTION_NAME_MAX 60
#define RETENTION_DAYS_MIN 7 /* answers are remembered so long for a repeat */
#define RETENTION_DAYS_MAX 36500

struct retention {
    struct str name; /* events that it erased name it */
    int64_t days;    /* since the end of a question */
    struct str kind; /* of questions, "none" without one; p NULL: any */
    struct str outcome; /* as enum outcome; p NULL: any */
    int64_t created_at;
    struct str created_by;
    int64_t started_at; /* 0: it erases nothing yet */
    struct str started_by;
    int64_t removed_at; /* 0: it was not */
    struct str removed_by;
    int64_t erased;    /* questions */
    int64_t passed_at; /* when it had last looked at all; 0: it has not yet */
};
extern const struct record retention_record;

/* ERR_INVALID at name, days, kind or outcome. */
const struct err *retention_check(struct arena *a,
                                  const struct retention *r) MUST;
/* Its kind and outcome, for people: "Approval, Rejected". */
struct str retention_text(struct arena *a, const struct retention *r);

#endif
