/* The people who may sign in: what may stand in one, and who may become what.
 * Never looks anybody up. */
#ifndef DOMAIN_PERSON_H
#define DOMAIN_PERSON_H

#include "domain/principal.h"

#define PERSON_EMAIL_MAX 254
#define PERSON_NAME_MAX 120
#define PERSON_PASSWORD_MIN 8
#define PERSON_PASSWORD_MAX 200
#define PERSON_ZONE_MAX 64

struct person {
    struct str id, email, name;
    enum role role;
    struct str groups;     /* names, a space between; p NULL: none */
    enum severity bulk_limit; /* highest severity of a decision for many */
    struct str time_zone;  /* p NULL: UTC */
    struct str theme;      /* auto, light or dark */
    bool single_key;       /* a letter answers without a second press */
    int64_t created_at, signed_in_at, disabled_at; /* 0: not */
};

/* Each reads what somebody typed. ERR_INVALID with the field's key in .at. */

/* In lower case, as addresses are compared. */
const struct err *person_email(struct arena *a, struct str typed,
                               struct str *out) MUST;
const struct err *person_name(struct arena *a, const char *key,
                              struct str typed, struct str *out) MUST;
/* How somebody is named by an agent: without space around it, an address in
 * lower case, as the rules compare it. Blank is p NULL. */
struct str person_reference(struct arena *a, struct str sent);
/* What a key is called, and an answer by it signed with: neither a word of
 * Sayso's own nor, where the key may answer, a person's address. */
const struct err *person_key_label(struct arena *a, const char *key,
                                   enum role role, struct str typed,
                                   struct str *out) MUST;
/* A role that people have: operator, admin, auditor. */
const struct err *person_role(struct arena *a, struct str typed,
                              enum role *out) MUST;
const struct err *person_bulk_limit(struct arena *a, struct str typed,
                                    enum severity *out) MUST;
/* Names with commas or spaces between, as they are kept: sorted, each once.
 * None is p NULL. */
const struct err *person_groups(struct arena *a, struct str typed,
                                struct str *out) MUST;
const struct err *person_password(struct arena *a, struct str typed) MUST;
const struct err *person_theme(struct arena *a, struct str typed,
                               struct str *out) MUST;

/* May `by`, an admin's id, make old into new? admins: how many others are in
 * use beside old. Nobody demotes or disables themselves, nor the last admin:
 * ERR_CONFLICT person.self | person.last_admin, .at "role" where that is what
 * would change. */
const struct err *person_may_become(struct arena *a, struct str by,
                                    const struct person *old,
                                    const struct person *new,
                                    size_t admins) MUST;

#endif
