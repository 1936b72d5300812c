/* The declarations shared by world/template*.c; private to them.
 *
 * template.c loads, template_parse.c turns a text into nodes, template_html.c
 * follows the HTML, template_judge.c checks each node's place in it,
 * template_format.c has the formats, and template_render.c prints. Nodes never
 * change after loading. */
#ifndef WORLD_TEMPLATE_TEMPLATE_PARTS_H
#define WORLD_TEMPLATE_TEMPLATE_PARTS_H

#include "world/template/template.h"

enum template_kind {
    TEMPLATE_TEXT,     /* printed as it is */
    TEMPLATE_VALUE,    /* {{name}} */
    TEMPLATE_SECTION,  /* {{#name}} */
    TEMPLATE_INVERTED, /* {{^name}} */
    TEMPLATE_ONCE,     /* {{?name}} */
    TEMPLATE_END,      /* {{/name}} */
    TEMPLATE_PART,     /* {{>name}} */
    TEMPLATE__MAX
};

/* The form of hidden characters in a printed value. */
enum template_hidden {
    TEMPLATE_MARKED, /* each in an element of its own */
    TEMPLATE_SPELT,  /* as [U+200B] */
    TEMPLATE_KEPT    /* as they are: a program reads it */
};

/* A value to be formatted. */
struct template_value {
    struct arena *a;
    const struct template_page *page;
    const struct json *v;
    struct str words; /* "is:are" of {{n|verb:is:are}}; p NULL: none */
};

/* A format that a value may have after a bar. */
struct template_format {
    const char *name;
    enum {
        TEMPLATE_MOMENT, /* a number, or a text that clock_parse reads */
        TEMPLATE_NUMBER,
        TEMPLATE_AMOUNT, /* a number, or a list, which has one */
        TEMPLATE_WORDS   /* a text */
    } takes;
    /* n: the moment, number or amount. */
    struct str (*print)(const struct template_value *v, int64_t n);
    int words; /* that follow its name, each after a colon */
};

struct template_node {
    enum template_kind kind;
    int line;
    struct str text;  /* TEXT: the printed text; else the name as written */
    const char *const *keys; /* the name's parts between its dots */
    size_t keys_n;           /* 0: the name is "." */
    const struct template_format *format; /* NULL: none */
    struct str words;                     /* of the format */
    /* SECTION, INVERTED, ONCE: index of their END. PART: index of the
     * template. */
    size_t jump;
    /* VALUE in an attribute that holds an address: its quote, else 0. */
    char url_quote;
    /* VALUE: it continues an address, and is percent-encoded. */
    bool encoded;
    enum template_hidden hidden; /* of a VALUE */
};

struct template {
    struct str name; /* without ".html", with its folder */
    struct str source;
    struct template_node *nodes;
    size_t n;
};

struct templates {
    struct template *list;
    size_t n;
    bool strict;
};

/* Names of tags and attributes are kept up to this length, which is above every
 * name that the checks compare. */
#define TEMPLATE_NAME_MAX 16

/* The HTML context of a byte of the template. */
enum template_state {
    HTML_TEXT,
    HTML_OPEN,        /* after < */
    HTML_OPEN_END,    /* after </ */
    HTML_TAG,         /* in a tag's name */
    HTML_SPACE,       /* in a tag, before an attribute */
    HTML_ATTRIBUTE,   /* in an attribute's name */
    HTML_EQUALS,      /* after the = of an attribute */
    HTML_DOUBLE,      /* in "..." */
    HTML_SINGLE,      /* in '...' */
    HTML_UNQUOTED,    /* in an attribute's value without quotes */
    HTML_GAP,         /* in a tag, where a space or its end must follow */
    HTML_BANG,        /* after <! */
    HTML_BANG_DASH,   /* after <!- */
    HTML_DECLARATION, /* in <!doctype */
    HTML_COMMENT,
    HTML_RAW,         /* in an element that holds no HTML */
    HTML_RAW_OPEN,    /* after < in there */
    HTML_RAW_END,     /* after </ in there */
    HTML__MAX
};

struct template_name {
    char p[TEMPLATE_NAME_MAX]; /* lower case, cut off at the end */
    uint8_t n;
};

struct template_place {
    enum template_state state;
    struct template_name tag; /* in TEXT that of an <option>, or none */
    struct template_name word; /* of the attribute; in RAW of an end tag */
    bool closing;              /* the tag is an end tag */
    uint8_t dashes;            /* in a comment: the last characters, see
                                * template_html_bang */
    bool begun;                /* in an address: part of it stands before; set
                                * by the judge */
};

/* The template of that name, or NULL. */
const struct template *template_find(const struct templates *t,
                                     struct str name);
/* ERR_INVALID code at "<name>.html:<line>". */
const struct err *template_refuse(struct arena *a, const struct template *t,
                                  int line, const char *code,
                                  const char *why) MUST;
/* Fills t->nodes from t->source; partials are not yet resolved. */
const struct err *template_nodes(struct arena *a, struct template *t) MUST;
/* The format of that name, or NULL. */
const struct template_format *template_format_find(struct str name);
/* false: a value of this type has no such format. */
bool template_format_print(const struct template_format *f,
                           const struct template_value *v, struct str *out);
/* Refuses a template with a value that could become markup or code, and sets
 * url_quote, encoded and hidden. t must have its nodes. */
const struct err *template_judge(struct arena *a, struct template *t) MUST;
/* Takes one byte; returns why the HTML is refused there, or NULL. */
const char *template_html_step(struct template_place *h, char c);
/* Is this an element with text that a browser decodes, so that an escaped
 * value may stand there although no tag may? */
bool template_html_escaped(const struct template_name *tag);
bool template_html_among(const struct template_name *name,
                      const char *const *list);
bool template_html_same(const struct template_name *x,
                        const struct template_name *y);
/* Does the template, or one of its parts, name every member of the view, in
 * lists and objects too? ERR_INTERNAL template.unused, with the member in .at.
 * The view's "page" and the members of a "suspension", which many pages share,
 * are not checked. */
const struct err *template_names(struct arena *a, const struct templates *all,
                                 const struct template *main,
                                 const struct json *view) MUST;
/* May value be printed after before, the address as it is printed so far? */
bool template_url_ok(struct str before, struct str value);

#endif
