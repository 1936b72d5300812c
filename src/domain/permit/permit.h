/* Permits: the calls that an answer allows, how often and for how long.
 *
 * A permit exists from the question on. Its terms and details are sealed when
 * it is asked for, an answer may narrow them once, and no later request changes
 * them. Silence grants none. Pure. */
#ifndef DOMAIN_PERMIT_PERMIT_H
#define DOMAIN_PERMIT_PERMIT_H

#include "domain/permit/permit_covers.h"
#include "domain/question/amend.h"
#include "domain/record.h"

#define PERMIT_USES_MAX 1000
#define PERMIT_SECONDS 900                     /* after the answer */
/* Of a question without terms, and of calls that a hook or a package asks
 * about, since whoever asks may be away for days. */
#define PERMIT_SECONDS_CALL (7 * 24 * 3600)
#define PERMIT_SECONDS_AGAIN 300 /* in which a repeat is the same use */
#define PERMIT_SECONDS_ASKED_MAX (24 * 3600)   /* that a door takes */
#define PERMIT_RESOURCE_MAX 500 /* characters of an address */
#define PERMIT_JKT 43           /* characters of a key's thumbprint */
#define PERMIT_POLL 5           /* seconds between two looks */

struct permit_terms {
    struct str resource; /* address of the gateway; p NULL: the agent itself */
    struct str dpop_jkt; /* thumbprint of the bound key; p NULL: none */
    int64_t max_uses, use_seconds;
    struct permit_covers_budget budget;
};

struct permit {
    struct str id, intent_id, suspension_id, auth_req_id, agent;
    struct permit_terms terms;
    struct str asked, asked_sha256;     /* details, JSON text */
    struct str granted, granted_sha256; /* p NULL: not granted */
    int64_t used;
    struct decimal spent;
    enum permit_state state;
    struct str reason, ended_by; /* p NULL: none */
    int64_t created_at, granted_at, not_after, ended_at, poll_after; /* 0 */
};

/* The columns are those of permit and of permit_row; terms.resource comes from
 * the resource that resource_id names. Its object has more members, which come
 * from its question and its uses; its event is grant.created. */
extern const struct record permit_record;

/* Codes that callers compare: permit.asked and so on. */
extern const char permit_asked_still[];
extern const char permit_refused[];
extern const char permit_revoked[];
extern const char permit_spent[];
extern const char permit_lapsed[];
extern const char permit_paused[];
extern const char permit_intent_ended[];
extern const char permit_used[];
extern const char permit_rule[];
extern const char permit_jkt[];
extern const char permit_resource[]; /* resource.unknown */

/* ---- asking --------------------------------------------------------- */

/* Reads resource, dpop_jkt, max_uses, use_seconds and budget of a body, for
 * these details. The default of max_uses is the number of details. ERR_INVALID
 * field.*; permit.jkt for a malformed thumbprint, or a missing one where
 * jkt_needed (at the severity critical); resource.unknown for an address that
 * no resource can have; permit.details at budget.*. */
const struct err *permit_terms_read(struct arena *a, const struct json *body,
                                    const struct json *details,
                                    bool jkt_needed,
                                    struct permit_terms *out) MUST;
/* Can a resource have this address? It is absolute, http or https, and has no
 * query and no fragment (RFC 8707 2). */
bool permit_resource_ok(struct str s);
/* A permit that can become a token is bound to a key where its question is
 * critical: the severity that counts. ERR_INVALID permit.jkt at dpop_jkt. */
const struct err *permit_bound(struct arena *a, const struct permit_terms *t,
                               enum severity severity) MUST;
/* The terms where none are set. */
struct permit_terms permit_terms_default(const struct json *details);
/* The details that a question of this kind asks for; *out NULL where its
 * answer makes no permit. Those of an approval are its authorization_details
 * of the type tool_call, which have to agree with the constraints next to
 * them, or are made of its calls. ERR_INVALID permit.details, .at begins with
 * "subject". */
const struct err *permit_asked(struct arena *a, enum kind kind,
                               const struct json *subject,
                               struct json **out) MUST;
/* The subject of an approval of these details, a JSON text. text: the details'
 * bytes as they were sent; consequence: p NULL: none. */
struct str permit_subject(struct arena *a, const struct json *details,
                          struct str text, struct str consequence);

/* ---- granting and ending -------------------------------------------- */

/* Grants the permit of a question that permit_follows: it becomes active with
 * the confirmed details, for its time from now on. It becomes refused where
 * the approved version names no call of a tool. ERR_INVALID
 * permit.details, amend.wider, amend.unknown where the answer cannot be
 * granted; ERR_TOO_LARGE. */
const struct err *permit_grant(struct arena *a, struct permit *p,
                               const struct suspension *s, int64_t now) MUST;
/* Is it granted as it was asked, and not used yet? Its row then says what it
 * said before the answer, and permit_row in sql/ has the same rule. */
bool permit_as_asked(const struct permit *p, const struct suspension *s);
/* Grants what was asked for. */
void permit_allow(struct permit *p, int64_t now);
/* Does the answered question grant its permit? Only a person's approval
 * does. */
bool permit_follows(const struct suspension *s);
/* Ends a permit that was not granted. */
void permit_refuse(struct permit *p, struct str reason, struct str by,
                   int64_t now);
/* Ends an active permit: a late veto, or given up by the agent. *late: all uses
 * were made, and the state stays; a repeat of one is refused from then on.
 * ERR_CONFLICT permit.asked, permit.refused, permit.revoked. */
const struct err *permit_revoke(struct permit *p, struct str reason,
                                struct str by, int64_t now, bool *late) MUST;

/* ---- using ---------------------------------------------------------- */

/* The facts besides the permit that decide about its use. */
struct permit_case {
    int64_t now;
    enum intent_status intent;
    bool question_open;     /* of its intent; or a dependency */
    bool key_ended;         /* the agent's key was revoked, or has expired */
    bool resource_removed;
    enum access access;     /* of its agent to its intent */
    enum tool_effect rule;  /* of the rules for its call as they are now */
};
/* Is it the calling agent's own? A test key has none: each permit is real. */
bool permit_own(const struct permit *p, const struct principal *who);
/* May its agent use it without a gateway? ERR_FORBIDDEN permit.not_yours for
 * one of a resource. */
const struct err *permit_check_direct(const struct permit *p) MUST;
/* May it be used? ERR_CONFLICT permit.asked, refused, revoked, spent, lapsed,
 * paused, intent_ended, rule. */
const struct err *permit_usable(const struct permit *p,
                                const struct permit_case *c) MUST;
/* Is the same operation again the same use, which was made at `at`? For
 * PERMIT_SECONDS_AGAIN it is, where nothing but its count and its time has
 * ended it. ERR_CONFLICT as permit_usable, and permit.used. */
const struct err *permit_again(const struct permit *p,
                               const struct permit_case *c, int64_t at) MUST;
/* An answer without a permit, as the permit that would be the same: one use
 * within PERMIT_SECONDS_CALL, made at used_at; 0: not yet. Refused where the
 * answer is not a yes: by its effect; where no choice has one, by a word for a
 * no. */
struct permit permit_of_answer(struct arena *a, const struct suspension *s,
                               int64_t used_at);
/* The seconds for which a yes to s that changes nothing lets it be used; a
 * permission may be given for less. */
int64_t permit_seconds(struct arena *a, const struct permit *p,
                       const struct suspension *s);
/* The seconds of a permission that was asked for longer and is given once; 0
 * where no choice gives it so. */
int64_t permit_once_seconds(struct arena *a, const struct suspension *s);
/* Can its uses be counted: does it name calls of tools? One that does not
 * holds for its time. */
bool permit_counted(struct arena *a, const struct permit *p);
/* Is each of the calls that were asked about one use, as they were shown? Then
 * none is made in the place of another (permit_covers_each). */
bool permit_each_once(struct arena *a, const struct permit *p);
/* How many uses it has in all: those that were asked for, or of several calls
 * those that were granted. */
int64_t permit_uses(struct arena *a, const struct permit *p);
/* The one call that it can be used for: {tool, arguments}, JSON text; p NULL:
 * it allows more than one, or leaves a value open. */
struct str permit_only_call(struct arena *a, const struct permit *p);
/* Counts one use of a usable permit by a call: used, spent, and the state.
 * *amount: the part of the budget that it took. Errors of permit_covers and
 * permit_covers_spend, which change nothing. */
const struct err *permit_use(struct arena *a, struct permit *p,
                             struct str tool, const struct json *arguments,
                             int64_t now, struct decimal *amount) MUST;
/* Its state, time and uses in one word. ending: of its question
 * (suspension_ending); last: of the newest use. */
enum permit_view permit_view(const struct permit *p, enum outcome ending,
                             enum redemption_result last, int64_t now);

#endif
