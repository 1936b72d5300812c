/* Suspensions: one question to a person about one intent.
 *
 * Its structure, its OpenIntent record, and the effect of silence. Deciding it
 * is in domain/answer/resolve.h. */
#ifndef DOMAIN_QUESTION_SUSPENSION_H
#define DOMAIN_QUESTION_SUSPENSION_H

#include "domain/intent/intent.h"
#include "domain/kind/kind.h"
#include "domain/kind/responder.h"
#include "domain/record.h"

#define SUSPENSION_QUESTION_MAX 4000
#define SUSPENSION_TITLE_MAX 200
#define SUSPENSION_EXPLANATION_MAX 20000
#define SUSPENSION_CHOICES_MAX 20
/* Bytes of all choices: a list of questions reads those of every row. */
#define SUSPENSION_CHOICES_TEXT ((size_t)64 << 10)
#define SUSPENSION_RECORD_MAX ((size_t)256 << 10) /* bytes of JSON text */
#define SUSPENSION_RESPONSE_MAX ((size_t)128 << 10) /* bytes of JSON text */
#define SUSPENSION_TIMEOUT_MAX (INT64_C(366) * 24 * 3600) /* seconds */
#define SUSPENSION_ATTEMPTS_MAX 100
#define SUSPENSION_REASON_MAX 4000
#define SUSPENSION_REFS_MAX 20 /* pieces of evidence, and artifacts */
#define SUSPENSION_CALLBACK_MAX 2000 /* characters: those of an endpoint */

struct suspension_trees;

struct suspension {
    struct str id;
    struct str intent_id;
    int64_t seq;
    struct str record; /* JSON text: the OpenIntent record as mirrored */
    enum kind kind;
    enum answer_type response_type;
    struct str title; /* p NULL: none */
    struct str question;
    struct str explanation; /* p NULL: none */
    enum severity severity; /* the one that counts (domain/question/risk.h) */
    enum severity severity_said; /* as the agent gave it; a kind's facts follow
                                  * it */
    struct str subject;     /* the bytes that were sent, JSON */
    struct str subject_sha256;
    struct str context; /* the bytes that were sent, JSON object */
    struct str choices; /* JSON text, a list with effects filled in */
    struct str form;    /* JSON text, a field list; p NULL: none */
    struct str evidence;   /* JSON text, a list of {title, ref} */
    struct str artifacts;  /* JSON text, a list of {title, kind, ref} */
    struct str supersedes; /* the id of an earlier one; p NULL: none */
    struct responder responder;
    bool allow_edit;
    struct str channel_hint;
    struct str callback; /* where the answer is sent too; p NULL: nowhere */
    enum callback_body callback_body;
    struct str callback_endpoint; /* id of the one that it is below */
    bool test; /* of a test intent: the script of the test key that asked
                * answers, and no permit is made */
    struct str asked_by;
    struct str asked_by_key; /* id; p NULL: none */
    struct str traceparent; /* of the request that asked, while the question is
                             * open (W3C Trace Context); p NULL: none */
    struct str initiated_by;
    struct str initiator_id; /* of a proven initiator; p NULL: none */
    enum origin origin;
    int64_t suspended_at;
    int64_t timeout_seconds;  /* 0: none */
    struct str retry_policy;  /* JSON text; p NULL: none */
    int64_t expires_at;       /* 0: never */
    enum fallback_policy fallback_policy;
    struct str fallback_value; /* JSON text; p NULL: none */
    /* From the reading; not stored. */
    bool said_fallback; /* fallback_policy was given */
    bool strict;        /* it came through the native API */
    bool closed;        /* when it was read alone: its intent is closed */
    struct str task_id; /* the agent's own, of its intent; p NULL: none, or
                         * not read */
    int64_t restored_from; /* it was open in a backup of that time, and may have
                            * been answered since; 0: it was not */
    /* From the decision; not stored: its expiry stopped the task
     * (ending_abandons). p NULL: it did not. */
    struct str abandonment_reason;
    bool open_end;      /* it has attempts, and no end after them */
    enum on_reject on_reject;
    struct str confidence; /* JSON text, a number 0..1; p NULL: not given */
    int64_t asked_sequence;
    int64_t attempt;         /* from 1 */
    int64_t next_attempt_at; /* of the next reminder; 0: none */
    enum suspension_state state;
    enum outcome outcome;
    struct str response, reason, metadata;
    /* The changes by the answer (domain/question/amend.h); p NULL: none. */
    struct str constraints;      /* JSON text */
    struct str approved_subject; /* the bytes that were approved, JSON */
    struct str approved_sha256;
    struct str responded_by, responded_by_claimed;
    enum via responded_via;
    int64_t responded_at;
    struct str audit_summary;
    struct str erased_rule; /* that erased its contents; p NULL: none did */
    int64_t erased_at;
    struct suspension_trees *trees; /* suspension_keep; NULL: none are kept */
};

/* The columns of a question are those of the view suspension_row. {asked} are
 * IN_INSERT, those of its decision IN_PART. The OpenIntent mirror, messages and
 * the export have members of their own. */
extern const struct record suspension_record;

/* Sets the record as it will be mirrored: its text, and its tree, which from
 * then on belongs to s. suspension_too_large over SUSPENSION_RECORD_MAX. */
const struct err *suspension_set_record(struct arena *a, struct suspension *s,
                                        struct json *record) MUST;
/* The record's tree, to be changed and set again: that one, else the parsed
 * text. Errors of json_parse. */
const struct err *suspension_parse_record(struct arena *a,
                                          const struct suspension *s,
                                          struct json **out) MUST;
/* ERR_TOO_LARGE suspension.too_large, of a question as a whole. */
const struct err *suspension_too_large(void);
/* The mirror that stands in intent.state._suspension: the record with the
 * decision on it, once there is one. */
struct json *suspension_mirror(struct arena *a, const struct suspension *s);
/* Takes the question out of the intent's state: a new one is on its way, or the
 * reader may not see it. */
const struct err *suspension_drop_mirror(struct arena *a,
                                         struct intent *i) MUST;
/* Puts the mirror into the intent's state. */
const struct err *suspension_put_mirror(struct arena *a,
                                        const struct suspension *s,
                                        struct intent *i) MUST;
/* The effect of silence, as a sentence: "If nobody answers by ..., ...". end:
 * the end of its time, in the reader's words. */
struct str suspension_silence(struct arena *a, const struct suspension *s,
                              struct str end);
/* The same in UTC, for the record. */
struct str suspension_on_expiry(struct arena *a, const struct suspension *s);
/* How the initiator is known: "proven" by a ticket, "claimed" by the agent; p
 * NULL: there is none. */
struct str suspension_initiator(const struct suspension *s);
/* Has the time to answer passed at now? */
bool suspension_due(const struct suspension *s, int64_t now);
/* The time at which it ends where it is ended now: not before it was asked, on
 * a host whose clock is behind. */
int64_t suspension_end(const struct suspension *s, int64_t now);
/* Lets s keep the trees of its subject, its approved subject and its choices:
 * each is parsed at its first use, in a, and found there by later ones that
 * name a. Without it, and where another arena is named, each use parses. The
 * trees stay right where s gets another text, and copies of s share them.
 * Everybody reads them, nobody changes them. */
void suspension_keep(struct arena *a, struct suspension *s);
/* Sets the subject: its bytes, and their tree, which has to live as long as
 * the arena of suspension_keep. tree NULL: it is parsed at its first use. */
void suspension_set_subject(struct suspension *s, struct str text,
                            const struct json *tree);
/* The subject; NULL where its bytes cannot be parsed. */
const struct json *suspension_subject(struct arena *a,
                                      const struct suspension *s);
/* The same with the errors of json_parse. */
const struct err *suspension_parse_subject(struct arena *a,
                                           const struct suspension *s,
                                           const struct json **out) MUST;
/* The subject that the answer approved in place of that one; NULL: none. */
const struct json *suspension_approved(struct arena *a,
                                       const struct suspension *s);
/* The subject that counts: as it was approved, else as it was asked. */
const struct json *suspension_final(struct arena *a,
                                    const struct suspension *s);
/* Sets the choices: the list, as for suspension_set_subject, and its text; p
 * NULL: it has more than max bytes. */
void suspension_offer(struct arena *a, struct suspension *s,
                      const struct json *list, size_t max);
/* The yes and no of a confirm, with these effects. */
struct json *suspension_yes_and_no(struct arena *a, enum effect yes,
                                   enum effect no);
/* The choices as they are offered: those sent, or yes and no for a confirm. */
const struct json *suspension_choices(struct arena *a,
                                      const struct suspension *s);
/* Adds a choice of a question that the server words. */
void suspension_add_choice(struct arena *a, struct json *list,
                           const char *value, const char *label,
                           enum effect effect);
/* Is it answered in words, by a text or a form? Its choices, if it has any, are
 * other ways to end it. */
bool suspension_worded(const struct suspension *s);
/* The choice with that value, or NULL. */
const struct json *suspension_choice(const struct json *choices,
                                     struct str value);
/* The choice that an answer with this value is; NULL: none is, as where it is
 * worded. */
const struct json *suspension_chosen(struct arena *a,
                                     const struct suspension *s,
                                     const struct json *value);
/* choice_label and choice_description of that choice, where it has them
 * (OpenIntent RFC-0025); choice: may be NULL. */
void suspension_set_choice(struct json *o, const struct json *choice);
/* The facts of the question for domain/kind/responder.h. */
struct responder_case suspension_case(const struct suspension *s);
/* Is it a test request, which no agent waits for? A person asked for it on a
 * page, so no key did; its answer completes its task. */
bool suspension_trial(const struct suspension *s);
/* How it ended: its outcome, or OUTCOME_EXPIRED or OUTCOME_WITHDRAWN. */
enum outcome suspension_ending(const struct suspension *s);
/* Did the answer approve less, or something else, than was asked for? */
bool suspension_modified(const struct suspension *s);
/* The payload of the intent.suspended event. */
struct json *suspension_payload(struct arena *a, const struct suspension *s);

#endif
