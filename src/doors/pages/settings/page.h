/* The settings pages: a list, the form of a new one at ?do=new, and the page of
 * one thing with its actions. A page is described by a struct settings_page.
 * The code here reads requests, asks for confirmation, shows errors, and builds
 * the views for the templates `settings`, `settings/new` and `setting`. */
#ifndef DOORS_PAGES_SETTINGS_PAGE_H
#define DOORS_PAGES_SETTINGS_PAGE_H

#include "base/log.h"
#include "doors/call/call.h"
#include "doors/pages/settings/form.h"
#include "doors/pages/shell/badge.h"
#include "store/sending/endpoints.h"

#define SETTINGS_PAGE_COLUMNS 8

struct settings_view;

/* A button, or a link to a step that confirms: what it says and does. */
struct settings_action {
    const char *what;  /* the value of `do` */
    const char *label; /* of its button, or of its link in a list */
    /* On the page of one thing: its section. */
    const char *heading, *about;
    bool warns; /* its link has the colour of a rejection */
    /* The step that confirms; verb NULL: it is done at once. */
    const char *verb;     /* before the name: "Disable" */
    const char *sentence; /* the effect */
    const char *none;     /* NULL: "Nothing is changed yet." */
    const char *act;      /* on the button, after "Confirm: " */
    bool comment;         /* offers a field for a comment, `reason` */
    /* Does it to v->thing, or in a list to v->key, for a caller whom the route
     * allows. Leads to v->next unless it sets another place, a secret, errors
     * or a status. */
    const struct err *(*run)(struct settings_view *v);
};

/* The description of a settings page. */
struct settings_page {
    const char *path, *heading;
    const char *about;
    const char *reference; /* address of a page of the documentation about it;
                            * NULL: none */
    const char *empty_heading, *empty_sentence;
    const char *noun; /* of a row, for the summary; NULL: it has none */
    const char *heads[SETTINGS_PAGE_COLUMNS]; /* of the columns */
    const char *by; /* the one of them whose values the rows are in the order
                     * of; NULL: none, or there are no rows */
    bool falls;     /* from the last to the first, as from the newest */
    const struct settings_action *row; /* the action of a row, and the head of
                                        * its column; NULL: none */
    struct err gone; /* the row to confirm is not in the list; code NULL: the
                      * list is shown */
    const struct settings_action *actions; /* of the page of one; of the list
                                            * where there is none */
    size_t actions_n;
    unsigned writers; /* the roles that may change something here */
    const char *template, *one_template; /* NULL: settings, setting */

    /* The form of a new one, and of a change where a page of one has it. */
    const char *form_heading, *form_note, *form_submit;
    const struct settings_form_field *fields;
    size_t fields_n;
    bool fixed; /* one cannot be changed */
    /* The values of the fields, {key: value}, of v->thing, or of a page that
     * has no page of one; kept: {key: help} of those whose value is not shown
     * and is kept. NULL: those of new ones. */
    struct json *(*values)(struct settings_view *v);
    /* Makes or changes one by the valid values. ERR_INVALID and ERR_CONFLICT
     * are shown at the form, after the transaction is rolled back. */
    const struct err *(*save)(struct settings_view *v,
                              const struct json *values);

    /* Adds the rows of the list, and further members of the view. A page
     * without heads has no list. */
    const struct err *(*list)(struct settings_view *v);
    /* The page of one thing: reads the one with id c->param[0] into v->thing
     * and its name; and adds its own members of the view, and its actions. */
    const struct err *(*load)(struct settings_view *v);
    const struct err *(*one)(struct settings_view *v);
    const void *own; /* for the file that describes the page */
};

/* A new secret, which a page of its own shows until its reader confirms that it
 * is stored, for some minutes at most: a reload neither sends the form again
 * nor loses the secret. */
struct settings_secret {
    const char *what, *sentence; /* "The secret" */
    struct str name, secret;
    struct str back; /* the next page */
};

/* A page while it is built, or a posted form while it is done. */
struct settings_view {
    struct call *c;
    const struct settings_page *of;
    struct page_view page;
    struct json *view;         /* for the template */
    struct settings_form form; /* form.errors: what is wrong with it */
    struct pairs typed;        /* the posted form */
    struct str what, key;      /* `do` and `key`; p NULL: absent */
    void *thing;               /* of the page of one; NULL: a list */
    struct str name;           /* of it */
    struct str url;            /* of this page */
    struct str back;           /* from the step that confirms: url */
    struct str summary;        /* of the list; p NULL: by the page's noun */
    struct str next;           /* the page after the form: the list after
                                * `save`, else url */
    struct settings_secret once; /* is shown before it, where it has a secret */
    bool fresh;                /* the page is the form of a new one */
    struct endpoints_failing failing; /* for admins */
    int status;                /* of this page, shown again in place of next */
    struct json *rows, *acts, *confirm;
};

/* Answers a GET or POST of the list at of->path, or of one where the route has
 * a parameter. ERR_BAD_REQUEST request.query | request.form. */
const struct err *settings_page_run(struct call *c,
                                    const struct settings_page *of) MUST;

/* One cell. A moment is shown in place of the text. */
struct settings_cell {
    struct str text, second; /* second p NULL: it has no second line */
    struct str url;          /* of the text; p NULL: no link */
    struct str label; /* of the link, for readers who cannot see the row; p
                       * NULL: the text */
    int64_t day, ago; /* a day, or the time since; 0: the text */
    const struct vocabulary_word *state; /* in a chip, after the time */
};
struct settings_row {
    const struct settings_cell *cells; /* at least one for each head */
    struct str id;    /* `key` of its action; p NULL: it has no action */
    struct str name;  /* of the thing, in the step that confirms */
    struct str about; /* the action and its object, for readers who cannot see
                       * the row; p NULL: the label and the name */
    struct str url;   /* where its action leads; p NULL: to that step */
};
/* Adds a row to the list. */
void settings_page_row(struct settings_view *v, const struct settings_row *row);
/* Adds the pager of a list that has pages. older: the last row's position; p
 * NULL: there is no further page. */
void settings_page_pager(struct settings_view *v, bool first,
                         struct str older);
/* Adds an action to the page of one thing. sentence: the effect where the
 * action's own words do not say it; else p NULL. */
void settings_page_act(struct settings_view *v,
                       const struct settings_action *act, struct str sentence);
/* Asks to confirm an action on the thing of that name (p NULL: only the verb);
 * sentence as above. */
void settings_page_ask(struct settings_view *v,
                       const struct settings_action *act, struct str name,
                       struct str sentence);
/* Does the address ask to confirm an action that has not been found yet? */
bool settings_page_asked(const struct settings_view *v);
/* The posted form is none of this page's. ERR_BAD_REQUEST request.form */
const struct err *settings_page_bad(void) MUST;
/* Keeps a secret, and answers with a redirect to its page. */
const struct err *settings_secret_keep(struct call *c,
                                       const struct settings_secret *s) MUST;
/* A typed time zone, as it is stored; p NULL: none was typed. ERR_INVALID at
 * time_zone. */
const struct err *settings_profile_zone(struct call *c, struct str typed,
                                        struct str *out) MUST;
/* The line in the log of a change by the caller c: "token.make key=%.*s". */
#define SETTINGS_PAGE_LOG(c, what, ...)                                        \
    log_line(LOG_NOTICE, "settings by=%.*s did=" what, STR_FMT((c)->who.name), \
             __VA_ARGS__)

/* The state of an account, a key or an endpoint that works. */
extern const struct vocabulary_word settings_page_active;
/* A list of texts in JSON as one text, with sep between. */
struct str settings_page_joined(struct arena *a, struct str list,
                                const char *sep);
/* "12", or "more than 1,000" above the ceiling of the count. */
struct str settings_page_count(struct arena *a, int64_t n, int64_t max);
/* "Operator" */
struct str settings_page_role(struct arena *a, enum role role);
/* Names that are separated by spaces, with commas between. */
struct str settings_page_groups(struct arena *a, struct str groups);

#endif
