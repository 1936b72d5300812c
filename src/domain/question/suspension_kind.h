/* Reading the members of a question that depend on its kind. Called by
 * suspension_read.c alone. */
#ifndef DOMAIN_QUESTION_SUSPENSION_KIND_H
#define DOMAIN_QUESTION_SUSPENSION_KIND_H

#include "base/json/fields.h"
#include "domain/question/suspension.h"

/* The names of the members below, for fields_only. */
#define SUSPENSION_KIND_MEMBERS                                                \
    "kind evidence artifacts supersedes responder allow_edit"

/* Reads these members; the first mistake is in f. Sets kind, evidence,
 * artifacts, supersedes, responder and allow_edit. */
void suspension_kind_read(struct fields *f, struct suspension *s);
/* The default response type of a question: by its choices, its form, or its
 * kind. */
enum answer_type suspension_kind_answer(enum kind k, bool choices, bool form);
/* Applies the rules of its kind to a question: its facts, its form, and its
 * choices (own: the agent's), which it sets. Does nothing for KIND_NONE. */
struct suspension_kind_parts {
    const struct json *subject, *form, *own; /* NULL: not there */
    bool bare; /* the form is a schema without properties */
};
const struct err *suspension_kind_settle(
    struct arena *a, struct suspension *s,
    const struct suspension_kind_parts *parts) MUST;
/* Puts these members into an OpenIntent record. */
void suspension_kind_record(struct arena *a, const struct suspension *s,
                            struct json *record);

#endif
