/* Settings that are lists of endpoints: the parts that the agents' endpoints
 * and the channels to people share. */
#ifndef DOORS_PAGES_SETTINGS_DESTINATIONS_H
#define DOORS_PAGES_SETTINGS_DESTINATIONS_H

#include "doors/pages/settings/page.h"
#include "store/sending/endpoints.h"

/* One of the two lists: `own` of its page. */
struct settings_destinations {
    bool channels;
    const char *unique; /* the field whose value has to be unique */
    /* The first three cells of a row, before its state and its deliveries. */
    void (*cells)(struct arena *a, const struct endpoint *e,
                  struct settings_cell *cells);
    /* Checks valid field values together, and writes them into *e. ERR_INVALID
     * with the field's key in .at. */
    const struct err *(*read)(struct arena *a, const struct json *values,
                              struct endpoint *e);
};

/* The members of a page of endpoints that are not its words and fields. */
#define SETTINGS_DESTINATIONS_ACTIONS 7
extern const struct settings_action
    settings_destinations_actions[SETTINGS_DESTINATIONS_ACTIONS];
const struct err *settings_destinations_save(struct settings_view *v,
                                             const struct json *values) MUST;
const struct err *settings_destinations_rows(struct settings_view *v) MUST;
const struct err *settings_destinations_load(struct settings_view *v) MUST;
const struct err *settings_destinations_one(struct settings_view *v) MUST;

/* Of its deliveries: "2 pending", "none pending" */
struct str settings_destinations_waiting(struct arena *a,
                                         const struct endpoint *e);
/* "since 21 Nov 2026 23:39:02 CET; last success ..."; p NULL: it does not
 * fail. */
struct str settings_destinations_failing(const struct page_view *v,
                                         const struct endpoint *e);
/* The word for a type of delivery: "Approved", "Reminder"; the type where it
 * has none. */
struct str settings_destinations_event(struct str type);
/* In use, failing, paused, or gone. */
const struct vocabulary_word *
settings_destinations_state(const struct endpoint *e);

#endif
