/* Settings that are lists of endpoints: the parts that the agents' endpoints
 * and the channels to people share (the list, the form, the page of one, its
 * pause, secret and removal), and the shell of all settings pages. */
#ifndef DOORS_PAGES_SETTINGS_DESTINATIONS_H
#define DOORS_PAGES_SETTINGS_DESTINATIONS_H

#include "doors/call/call.h"
#include "doors/pages/settings/form.h"
#include "store/endpoints.h"

#define SETTINGS_DESTINATIONS_COLUMNS 4

/* One of the two lists. */
struct settings_destinations_kind {
    bool channels;
    const char *path, *noun, *heading, *about;
    const char *empty_heading, *empty_sentence;
    const char *form_heading, *form_note, *submit;
    const char *unique; /* the field whose value has to be unique */
    const char *heads[SETTINGS_DESTINATIONS_COLUMNS];
    const struct settings_form_field *fields;
    size_t fields_n;
    /* The cells of a row, one for each head. */
    void (*cells)(struct page_view *v, const struct endpoint *e,
                  struct json *cells);
    /* The values of the fields, {key: value}; kept: {key: help} of those whose
     * value is not shown and is kept. e NULL: of a new one. */
    struct json *(*values)(struct arena *a, const struct endpoint *e);
    /* Checks valid field values together, and writes them into *e. ERR_INVALID
     * with the field's key in .at. */
    const struct err *(*read)(struct arena *a, const struct json *values,
                              struct endpoint *e);
};

/* A form of one while its page is built. */
struct settings_destinations_form {
    const struct settings_destinations_kind *kind;
    const struct endpoint *old; /* to be changed; NULL: a new one */
    const struct pairs *typed;  /* NULL: none */
    struct json *errors;        /* {key: sentence}; NULL: none */
    const struct err *problem;  /* of no single field; or NULL */
};
/* Moves the error of a whole endpoint to the field that it names. NULL, or e
 * where no typed value can have caused it. */
const struct err *
settings_destinations_form_wrong(struct arena *a,
                                 struct settings_destinations_form *f,
                                 const struct err *e) MUST;

/* Of its deliveries: "2 waiting", "none waiting" */
struct str settings_destinations_waiting(struct arena *a,
                                         const struct endpoint *e);
/* {word, tone, icon}: in use, paused, gone. */
struct json *settings_destinations_state(struct arena *a,
                                         const struct endpoint *e);
/* The log of an endpoint's deliveries. */
struct str settings_destinations_log(struct arena *a, struct str id);
/* The list with its form; and creating one from posted values. */
const struct err *
settings_destinations_list(struct call *c,
                           const struct settings_destinations_kind *k) MUST;
const struct err *
settings_destinations_make(struct call *c,
                           const struct settings_destinations_kind *k) MUST;

/* The page of one, with its actions. */
const struct err *
settings_destinations_one(struct call *c,
                          const struct settings_destinations_kind *k) MUST;
const struct err *
settings_destinations_act(struct call *c,
                          const struct settings_destinations_kind *k) MUST;

#endif
