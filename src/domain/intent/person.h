/* People who may sign in: validation of their fields and of changes to them.
 * Looks nobody up. */
#ifndef DOMAIN_INTENT_PERSON_H
#define DOMAIN_INTENT_PERSON_H

#include "base/err.h"
#include "domain/intent/role.h"
#include "domain/vocabulary.h"

struct record;

#define PERSON_EMAIL_MAX 254
#define PERSON_NAME_MAX 120
#define PERSON_PASSWORD_MIN 8
#define PERSON_PASSWORD_MAX 200
#define PERSON_ZONE_MAX 64
#define PERSON_GROUPS_MAX 20
#define PERSON_GROUP_NAME_MAX 60

struct person {
    struct str id, email, name;
    enum role role;
    struct str groups;     /* names, a space between; p NULL: none */
    enum severity bulk_limit; /* highest severity of a decision for many */
    struct str time_zone;  /* p NULL: UTC */
    struct str theme;      /* auto, light or dark */
    bool single_key;       /* a letter key answers without a second press */
    struct str after_answer; /* next, list or stay: what follows an answer */
    int64_t created_at, signed_in_at, disabled_at; /* 0: not */
    struct str password_hash; /* of a new one; else p NULL */
};
extern const struct record person_record; /* domain/record.h */

/* Each reads typed text. ERR_INVALID with the field's key in .at. */

/* The address in lower case, as addresses are compared. */
const struct err *person_email(struct arena *a, struct str typed,
                               struct str *out) MUST;
const struct err *person_name(struct arena *a, const char *key,
                              struct str typed, struct str *out) MUST;
/* The name of a person as an agent sent it: trimmed, an address in lower case,
 * as the rules compare it. Blank is p NULL. */
struct str person_reference(struct arena *a, struct str sent);
/* The label of a key, which also signs its answers: neither a word reserved for
 * the server nor, where the key may answer, a person's address. */
const struct err *person_key_label(struct arena *a, const char *key,
                                   enum role role, struct str typed,
                                   struct str *out) MUST;
/* A role that people have: operator, admin, auditor, user. */
const struct err *person_role(struct arena *a, struct str typed,
                              enum role *out) MUST;
const struct err *person_bulk_limit(struct arena *a, struct str typed,
                                    enum severity *out) MUST;
/* May a group have this name? 1..60 of a-z, 0-9, '.', '_' and '-'. */
bool person_group_name(struct str name);
/* Names separated by commas or spaces, in stored form: sorted, each once. None
 * is p NULL. */
const struct err *person_groups(struct arena *a, struct str typed,
                                struct str *out) MUST;
const struct err *person_password(struct arena *a, struct str typed) MUST;
const struct err *person_theme(struct arena *a, struct str typed,
                               struct str *out) MUST;
const struct err *person_after_answer(struct arena *a, struct str typed,
                                      struct str *out) MUST;

/* May `by`, an admin's id, change old to new? admins: the number of other
 * active admins. Nobody demotes or disables themselves, nor the last admin:
 * ERR_CONFLICT person.self | person.last_admin, .at "role" where that is the
 * changed field. */
const struct err *person_may_become(struct arena *a, struct str by,
                                    const struct person *old,
                                    const struct person *new,
                                    size_t admins) MUST;

#endif
