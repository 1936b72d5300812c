/* Reading a question from an agent, on the native API and on OpenIntent's. */
#ifndef DOMAIN_QUESTION_SUSPENSION_READ_H
#define DOMAIN_QUESTION_SUSPENSION_READ_H

#include "base/json/fields.h"
#include "domain/question/suspension.h"

/* Reads the native API's body (docs/openapi.yaml) strictly: unknown members
 * are refused, and a kind's facts and choices have to follow
 * domain/kind/kind.h. text is the body's bytes, for members that are stored as
 * they were sent. retry_policy is the question's own until retry_apply
 * replaces it by the whole cascade. The caller has set intent_id, asked_by and
 * so on. */
const struct err *suspension_read(struct arena *a, const struct json *body,
                                  struct str text,
                                  struct suspension *out) MUST;
/* For a question that the server words, about a request of another form. Reads
 * those members of the request that are a question's: severity, explanation,
 * evidence, responder, timeout_seconds, retry_policy and channel_hint. The
 * caller has refused all other members of a question. */
void suspension_read_members(struct fields *f, struct suspension *s);
/* Finishes such a question: s has its kind, words and subject, and the members
 * that were read. choices: NULL: those of the kind; form: a list of fields, or
 * NULL. Silence is a failure,
 * unless the question's retry_policy says otherwise. Errors of suspension_read
 * about the subject, the choices and the size. */
const struct err *suspension_compose(struct arena *a,
                                     const struct json *choices,
                                     const struct json *form,
                                     struct suspension *s) MUST;
/* Reads an OpenIntent SuspensionRecord leniently: the SDK's forms are accepted,
 * unknown members are kept in the mirror, and members that only the server sets
 * (response, responded_at, responded_by, resolution, times) are ignored. One of
 * the seven kinds in "kind" is held to its rules, with the native API's members
 * for it, and its choices are in the mirror; any other word there belongs to
 * the agent. text is the record's bytes. */
const struct err *suspension_read_record(struct arena *a,
                                         const struct json *record,
                                         struct str text,
                                         struct suspension *out) MUST;

#endif
