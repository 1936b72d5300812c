/* Settings that are lists of endpoints: what the agents' endpoints and the
 * channels to people do the same way (the list, the form, the page of one,
 * its pause, secret and removal), and the shell of all settings pages. */
#ifndef DOORS_PAGE_SETTINGS_H
#define DOORS_PAGE_SETTINGS_H

#include "doors/call/call.h"
#include "doors/page_sheet.h"
#include "store/endpoints.h"

#define PAGE_SETTINGS_COLUMNS 4

/* One of the two lists. */
struct page_settings_kind {
    bool channels;
    const char *path, *noun, *heading, *about;
    const char *empty_heading, *empty_sentence;
    const char *form_heading, *form_note, *submit;
    const char *unique; /* the field of which no two may be alike */
    const char *heads[PAGE_SETTINGS_COLUMNS];
    const struct page_sheet_field *fields;
    size_t fields_n;
    /* The cells of a row, one for each head. */
    void (*cells)(struct page_view *v, const struct endpoint *e,
                  struct json *cells);
    /* What stands in the fields, {key: value}; kept: {key: help} of those
     * whose value is not shown and stays. e NULL: of a new one. */
    struct json *(*values)(struct arena *a, const struct endpoint *e);
    /* Judges values that fit their fields, and writes them into *e.
     * ERR_INVALID with the field's key in .at. */
    const struct err *(*read)(struct arena *a, const struct json *values,
                              struct endpoint *e);
};

/* ---- page_settings.c ------------------------------------------------- */

/* Adds the tabs that the reader may open; path is the page's own. */
void page_settings_tabs(const struct call *c, struct json *view,
                        const char *path);
/* One more cell of a row; second p NULL: it has no second line. */
void page_settings_cell(struct page_view *v, struct json *cells,
                        struct str text, struct str second);
/* A list of texts in JSON as one text, with sep between. */
struct str page_settings_joined(struct arena *a, struct str list,
                                const char *sep);
/* "Agent", "Mail", "Slack", "Webhook" for an endpoint's kind. */
struct str page_settings_word(struct str kind);
/* "12", or "more than 1,000" beyond what is counted. */
struct str page_settings_count(struct arena *a, int64_t n, int64_t max);
/* Of its deliveries: "2 waiting", "none waiting" */
struct str page_settings_waiting(struct arena *a, const struct endpoint *e);
/* {word, tone, icon}: in use, paused, gone. */
struct json *page_settings_state(struct arena *a, const struct endpoint *e);
/* The page of one. */
struct str page_settings_url(struct arena *a,
                             const struct page_settings_kind *k,
                             struct str id, const char *after);
/* The log of an endpoint's deliveries. */
struct str page_settings_log(struct arena *a, struct str id);
/* Something to be done on the page of one, by a form of its own. name: what
 * its `do` says. */
struct page_settings_act {
    const char *name, *heading, *sentence, *label;
};
void page_settings_act(struct arena *a, struct json *acts,
                       const struct page_settings_act *act);
/* The list with its form; and making one from what was posted. */
const struct err *page_settings_list(struct call *c,
                                     const struct page_settings_kind *k) MUST;
const struct err *page_settings_make(struct call *c,
                                     const struct page_settings_kind *k) MUST;

/* ---- page_settings_form.c -------------------------------------------- */

struct page_settings_form {
    const struct page_settings_kind *kind;
    const struct endpoint *old; /* that is changed; NULL: one is made */
    const struct pairs *typed;  /* NULL: nothing was posted */
    struct json *errors;        /* {key: sentence}; NULL: nothing is wrong */
    const struct err *problem;  /* with no single field; or NULL */
};
/* Reads and judges what was posted into *e. false: f has what is wrong. */
bool page_settings_form_read(struct arena *a, struct page_settings_form *f,
                             struct endpoint *e);
/* Takes the refusal of a whole endpoint to the field that it speaks of. NULL,
 * or e where it is nothing that somebody could have typed. */
const struct err *page_settings_form_wrong(struct arena *a,
                                           struct page_settings_form *f,
                                           const struct err *e);
/* Adds `form`, and `errors` where something was wrong. */
void page_settings_form_view(struct page_view *v, struct json *view,
                             const struct page_settings_form *f);

/* ---- page_setting.c -------------------------------------------------- */

/* The page of one, and what can be done with it there. */
const struct err *page_setting(struct call *c,
                               const struct page_settings_kind *k) MUST;
const struct err *page_setting_act(struct call *c,
                                   const struct page_settings_kind *k) MUST;

#endif
