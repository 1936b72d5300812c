/* What the list of people and the page of one share: their form. */
#ifndef DOORS_PAGE_PEOPLE_H
#define DOORS_PAGE_PEOPLE_H

#include "doors/page_settings.h"
#include "domain/person.h"

/* The form of a person: old, that is changed, or NULL for one that is added;
 * typed: what was posted, or NULL. */
struct page_sheet page_people_sheet(struct arena *a, const struct person *old,
                                    const struct pairs *typed);
/* Reads what was posted into *p. false: s has what is wrong. */
bool page_people_read(struct arena *a, struct page_sheet *s,
                      struct person *p);
/* Names with commas between. */
struct str page_people_groups(struct arena *a, struct str groups);
/* /settings/people/{id} */
struct str page_people_url(struct arena *a, struct str id);
/* A line in the log: who changed what of whom. */
void page_people_note(const struct call *c, const char *what,
                      const struct person *p);
/* Answers with a redirect to the one page that shows the new password. */
const struct err *page_people_once(struct call *c, const struct person *p,
                                   struct str password) MUST;
/* One that nobody typed, and its hash. ERR_BUSY where memory is short. */
const struct err *page_people_password(struct call *c, struct str *password,
                                       struct str *hash) MUST;

#endif
