/* Checkpoints of plans: reached when their task is done, a question to people
 * where they need an approval, and the effect of its answer on the plan
 * (OpenIntent RFC-0012). Pure. */
#ifndef DOMAIN_PLAN_CHECKPOINT_H
#define DOMAIN_PLAN_CHECKPOINT_H

#include "domain/plan/intent_plans.h"

/* An active plan: its checkpoints whose task is done are reached, and the first
 * that needs an approval pauses the plan and asks for it. A plan whose tasks
 * have ended, with no approval to come, is completed. ERR_CONFLICT
 * question.too_many. */
const struct err *checkpoint_settle(struct intent_plans *all,
                                    struct plan *p) MUST;
/* Makes a plan active, or active again, with the event, which has these members
 * too, and settles its checkpoints. */
const struct err *checkpoint_activate(struct intent_plans *all, struct plan *p,
                                      struct json *payload) MUST;
/* Pauses a plan, with the event; reason: for the event, where the server has
 * no word for it. */
const struct err *checkpoint_pause(struct intent_plans *all, struct plan *p,
                                   enum plan_pause why,
                                   struct str checkpoint_id) MUST;
/* The effect of a rejection of this question. */
enum checkpoint_reject checkpoint_rejects(struct arena *a,
                                          const struct suspension *s);
/* An agent's own question, before it is sealed. Where its context names a
 * checkpoint that waits for an approval ("checkpoint_id", and "plan_id" where
 * several plans have one), it takes the place of the server's: it goes to the
 * same approvers, with at least the checkpoint's severity. Any other question
 * is left as it is. ERR_INVALID checkpoint.choices where nothing of it
 * authorizes or vetoes; checkpoint.ambiguous; of label_check. In OpenIntent the
 * values approve and yes, and reject, deny and no, have these effects; one
 * without them is left as it is. */
const struct err *checkpoint_take(struct intent_plans *all,
                                  struct suspension *s) MUST;
/* Where several people are named as approvers, one of them: else ERR_FORBIDDEN
 * suspension.not_yours. Every other question: NULL, all too. */
const struct err *checkpoint_may(const struct intent_plans *all,
                                 const struct suspension *s,
                                 const struct principal *who) MUST;
/* Its question has been answered or withdrawn, or its time is over: by this
 * one. An agent's own question that ended without a yes or a no decides
 * nothing: the server asks again. */
const struct err *checkpoint_decided(struct intent_plans *all,
                                     struct suspension *s,
                                     struct event_by by) MUST;

#endif
