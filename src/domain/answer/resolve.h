/* The one way in which a question ends (docs/design.md, "How a question ends").
 *
 * Every caller (the OpenIntent endpoint, the native API, the pages, the clock,
 * a withdrawing agent) uses these functions. They change the intent and the
 * suspension in memory and append the events; the caller stores all of it in
 * one transaction under the intent's lock. Pure. */
#ifndef DOMAIN_ANSWER_RESOLVE_H
#define DOMAIN_ANSWER_RESOLVE_H

#include "domain/permit/permit.h"
#include "domain/plan/checkpoint.h"
#include "domain/question/suspension.h"

struct answer {
    const struct json *value;
    bool pressed; /* value and choice are a choice's own; else they may be words
                   * (domain/question/meant.h) */
    struct str choice; /* of a form's or text's choices; p NULL: not sent */
    struct str reason;       /* p NULL: none */
    struct str seen;         /* subject_sha256 that was shown; p NULL: not
                              * sent */
    struct str claimed;      /* responded_by of the body; p NULL: none */
    const struct json *metadata; /* an object or NULL */
    struct amend_sent amend; /* changes to what is allowed */
    int64_t access_until; /* of the access that it gives; 0: without end */
    bool restored; /* knows that it was open in a backup */
    struct str typed; /* the text typed to confirm it; p NULL: nothing */
    enum via via;
};

/* The deadline of a portfolio that is over. */
struct resolve_deadline {
    struct str portfolio_id; /* p NULL: none is */
    int64_t at;
};

/* The objects that a decision changes. */
struct decision {
    struct intent *intent;
    struct suspension *suspension;
    struct permit *permit;  /* of the question; NULL: it has none */
    struct intent_plans *plans; /* where side_question_or_plan; else NULL */
    bool dependencies_done; /* a resumed intent may go on */
    bool silence_lost; /* its fallback does not count: retry_silence_lost */
    struct resolve_deadline deadline;
    struct event_list *events;
    int64_t now;
};

/* Codes that callers compare (base/err.h): of the question, */
extern const char resolve_already_decided[];
extern const char resolve_expired[];
extern const char resolve_changed[];
extern const char resolve_restored[];
/* of the reason, */
extern const char resolve_reason_missing[];
extern const char resolve_reason_too_long[];
/* and of the value. */
extern const char resolve_invalid_choice[];
extern const char resolve_empty[];
extern const char resolve_too_large[];
extern const char resolve_too_long[];
extern const char resolve_unused[];

/* A person's answer. Errors, in the order of docs/design.md: ERR_FORBIDDEN of
 * responder_check; ERR_CONFLICT suspension.already_decided (more: who, when,
 * what) | suspension.expired | suspension.changed |
 * suspension.restored (more: restored_from); ERR_INVALID response.* with
 * valid_choices or fields in more, and of amend_check; then, when the
 * suspension already has the changed subject and limits, for display:
 * reason.missing where an edit goes beyond what was asked for, and
 * typed.differs of risk_typed_check. An accepted handoff makes the responder
 * the intent's owner. Does not run an expiry: call resolve_expire first where
 * suspension_due. */
const struct err *resolve_respond(struct arena *a, struct decision *d,
                                  const struct answer *answer,
                                  const struct principal *who) MUST;
/* Is the answer acceptable for this question? NULL or ERR_INVALID. *choice is
 * the chosen one, or NULL. Decides nothing. */
const struct err *resolve_check(struct arena *a, const struct suspension *s,
                                const struct answer *answer,
                                const struct json **choice) MUST;
/* Does this answer end the intent? */
bool resolve_ends(const struct suspension *s, const struct json *choice);
/* The time to answer is over: applies the fallback policy; or abandons the
 * intent, where a portfolio's deadline came first, or at the same moment. The
 * suspension must be pending. */
const struct err *resolve_expire(struct arena *a, struct decision *d) MUST;
/* Withdraws the question for the asking agent or an admin; to is the intent's
 * next status (INTENT_ACTIVE, or a terminal status that the caller sets).
 * ERR_FORBIDDEN for other callers, ERR_CONFLICT when it is decided. */
const struct err *resolve_cancel(struct arena *a, struct decision *d,
                                 const struct principal *who,
                                 struct str reason,
                                 enum intent_status to) MUST;
/* The conflict with who decided, when and what; naive: the time without a zone,
 * as OpenIntent clients read it. */
const struct err *resolve_decided(struct arena *a, const struct suspension *s,
                                  bool naive) MUST;

#endif
