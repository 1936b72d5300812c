/* How grave a question is at the least, and what a grave yes asks for.
 *
 * The agent says a severity; that word may only be raised: by the floor of the
 * question's kind, by that of the key that asks, and by what cannot be undone.
 * What follows from it binds every door. Pure. */
#ifndef DOMAIN_RISK_H
#define DOMAIN_RISK_H

#include "domain/suspension.h"

/* Does the subject say that it cannot be undone ("reversible": false)? */
bool risk_irreversible(struct arena *a, const struct suspension *s);
/* Raises the severity to the highest floor, and to high where it cannot be
 * undone; severity_said is then what the agent said. For a question as it was
 * read. */
void risk_raise(struct arena *a, struct suspension *s,
                const enum severity *floors, size_t n);
/* May no single press answer it: above low, or not said where a choice
 * authorizes or accepts? */
bool risk_two_step(struct arena *a, const struct suspension *s);
/* The text that has to be typed for this choice to count; p NULL: none. A yes
 * is typed where it is critical, where it cannot be undone, where it is a grave
 * permission, and where what is allowed instead (approved_subject) exceeds a
 * limit, a tool or a target of what was asked. It is the target of what is
 * allowed; where no keyboard has the target, the first eight digits of the
 * facts' digest; where there is none, the server's word of the effect. */
struct str risk_typed(struct arena *a, const struct suspension *s,
                      const struct json *choice);
/* A code that others ask about: typed.differs. */
extern const char risk_typed_differs[];

/* ERR_INVALID typed.differs where typed is another text; more.wanted is the
 * one. */
const struct err *risk_typed_check(struct arena *a,
                                   const struct suspension *s,
                                   const struct json *choice,
                                   struct str typed) MUST;

#endif
