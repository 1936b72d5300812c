/* The least severity of a question, the people who decide it, and the
 * confirmation of a grave yes.
 *
 * The agent gives a severity; the server may only raise it: by the floor of the
 * question's kind, by that of the asking key, and for an action that cannot be
 * undone. The rules hold at every door. Pure. */
#ifndef DOMAIN_QUESTION_RISK_H
#define DOMAIN_QUESTION_RISK_H

#include "base/conf.h"
#include "domain/question/suspension.h"

/* The server's own terms for questions of this kind. */
struct terms risk_terms(const struct conf *conf, enum kind kind);
/* Does the subject say that it cannot be undone ("reversible": false)? */
bool risk_irreversible(struct arena *a, const struct suspension *s);
/* The one place where an admin's terms are applied, for every question, whoever
 * makes it: an agent, a plan, a guardrail or the clock. Raises the severity to
 * the floor, and to high where it cannot be undone; severity_said is then the
 * agent's value. Sets the responder where the terms say who decides. Where they
 * say the initiator and nobody is proven to be it, operators decide; a question
 * of an agent is refused before (risk_unproven). Called again it changes
 * nothing. */
void risk_settle(struct arena *a, struct suspension *s,
                 const struct terms *t);
/* Do the terms demand a proven initiator, where there is none? */
bool risk_unproven(const struct suspension *s, const struct terms *t);
/* Would an initiator of role user, who is only claimed, decide at a higher risk
 * than such a person may? */
bool risk_claimed(const struct conf *conf, const struct suspension *s);
/* Would these terms have asked others than s did, or at a higher risk? */
bool risk_stricter(struct arena *a, const struct suspension *s,
                   const struct terms *t);
/* Does an answer need two steps: above low, or without a severity where a
 * choice authorizes or accepts? */
bool risk_two_step(struct arena *a, const struct suspension *s);
/* The text that has to be typed to confirm this choice; p NULL: none. A yes has
 * to be typed where it is critical, where it cannot be undone, where it is a
 * grave permission, and where the approved subject exceeds a limit, a tool or a
 * target of the question. It is the target of the approved subject; where a
 * keyboard cannot type the target, the first eight digits of the facts' digest;
 * where there is none, the server's word of the effect. */
struct str risk_typed(struct arena *a, const struct suspension *s,
                      const struct json *choice);
/* A code that callers compare: typed.differs. */
extern const char risk_typed_differs[];

/* ERR_INVALID typed.differs where typed is another text; more.wanted is the
 * wanted text. */
const struct err *risk_typed_check(struct arena *a,
                                   const struct suspension *s,
                                   const struct json *choice,
                                   struct str typed) MUST;

#endif
