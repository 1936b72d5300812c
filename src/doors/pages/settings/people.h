/* The form that the list of people and the page of one person share. */
#ifndef DOORS_PAGES_SETTINGS_PEOPLE_H
#define DOORS_PAGES_SETTINGS_PEOPLE_H

#include "domain/intent/person.h"
#include "doors/pages/settings/destinations.h"

/* The form of a person: old, that is changed, or NULL for a new one; typed: the
 * posted values, or NULL. */
struct settings_form settings_people_form(struct arena *a,
                                          const struct person *old,
                                          const struct pairs *typed);
/* Reads the posted values into *p. false: s has the errors. */
bool settings_people_read(struct arena *a, struct settings_form *s,
                          struct person *p);
/* Names separated by commas. */
struct str settings_people_group_names(struct arena *a, struct str groups);
/* Whether the account can be used, as a badge says it. */
const struct vocabulary_word *settings_people_state(const struct person *p);
/* /settings/people/{id} */
struct str settings_people_url(struct arena *a, struct str id);
/* A line in the log: the caller, the change and the person. */
void settings_people_note(const struct call *c, const char *what,
                          const struct person *p);
/* Answers with a redirect to the one page that shows the new password. */
const struct err *settings_people_once(struct call *c, const struct person *p,
                                       struct str password) MUST;
/* A generated password, and its hash. ERR_BUSY where memory is short. */
const struct err *settings_people_password(struct call *c,
                                           struct str *password,
                                           struct str *hash) MUST;

#endif
