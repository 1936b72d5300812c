/* The meaning of an answer for a client that can only run a call or not.
 * Pure. */
#include "domain/answer/verdict.h"

static struct verdict verdict_resolved(struct arena *a,
                                       const struct suspension *s)
{
    switch (s->outcome) {
    case OUTCOME_AUTHORIZED:
        if (s->approved_subject.p)
            return (struct verdict){
                .way = VERDICT_ALLOW,
                .text = STR("Approved with changes. Do what approved_subject "
                            "says, and nothing else.")};
        if (s->constraints.p)
            return (struct verdict){
                .way = VERDICT_DENY,
                .text = arena_join(
                    a, STR("Approved only within limits: "), s->constraints,
                    STR(". Ask again for a call within them."))};
        return (struct verdict){.way = VERDICT_ALLOW,
                                .text = s->audit_summary};
    case OUTCOME_VETOED:
    case OUTCOME_CHANGES_REQUESTED:
    case OUTCOME_DECLINED:
    case OUTCOME_FALLBACK:
        return (struct verdict){.way = VERDICT_DENY,
                                .text = s->reason.n ? s->reason
                                                    : s->audit_summary};
    case OUTCOME_ANSWERED:
    case OUTCOME_ACCEPTED:
    case OUTCOME_NONE:
    case OUTCOME_UNDECIDED:
    case OUTCOME_EXPIRED:
    case OUTCOME_WITHDRAWN:
    case OUTCOME__MAX:
    default:
        return (struct verdict){.way = VERDICT_ANSWER,
                                .text = s->audit_summary};
    }
}

struct verdict verdict_of(struct arena *a, const struct suspension *s)
{
    switch (s->state) {
    case SUSPENSION_PENDING:
        return (struct verdict){.way = VERDICT_WAIT,
                                .text = STR("Nobody has answered yet.")};
    case SUSPENSION_RESOLVED:
        return verdict_resolved(a, s);
    case SUSPENSION_EXPIRED:
        return (struct verdict){.way = VERDICT_DENY,
                                .text = STR("Nobody answered in time. That is "
                                            "not a yes.")};
    case SUSPENSION_CANCELLED:
    case SUSPENSION_STATE__MAX:
    default:
        return (struct verdict){.way = VERDICT_DENY,
                                .text = STR("The question was withdrawn.")};
    }
}
