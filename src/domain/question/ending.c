/* The event of the log that ended a question. */
#include "domain/question/ending.h"

#include "domain/question/side_question.h"

#define RESOLVED (1u << SUSPENSION_RESOLVED)
#define EXPIRED (1u << SUSPENSION_EXPIRED)
#define CANCELLED (1u << SUSPENSION_CANCELLED)

/* The types, the member of the payload that names the question, and the ends
 * that the type reports. */
static const struct {
    const char *type, *member;
    unsigned states;
} ending_types[] = {
    {"intent.resumed", "suspension_id", RESOLVED},
    {"intent.suspension_expired", "suspension_id", EXPIRED},
    {"status_changed", "suspension_id", CANCELLED},
    {"governance.approval_granted", "approval_id", RESOLVED},
    {"governance.approval_denied", "approval_id", RESOLVED},
    {"access_request_approved", "request_id", RESOLVED},
    {"access_request_denied", "request_id", RESOLVED | CANCELLED},
    {"coordinator.escalation_resolved", "escalation_id", RESOLVED},
    {"decision_recorded", "arbitration_id", RESOLVED},
    {"decision_recorded", "request_id", CANCELLED},
    {"plan.activated", "suspension_id", RESOLVED | EXPIRED},
    {"plan.resumed", "suspension_id", RESOLVED | EXPIRED},
    {"plan.checkpoint_approved", "suspension_id", RESOLVED | EXPIRED},
    {"plan.checkpoint_rejected", "suspension_id", RESOLVED | EXPIRED}};

size_t ending_list_types(struct arena *a, struct str **out)
{
    *out = arena_many(a, countof(ending_types), struct str);
    for (size_t i = 0; i < countof(ending_types); i++)
        (*out)[i] = str_of(ending_types[i].type);
    return countof(ending_types);
}

/* Is this member of the event's payload this text? A large answer makes the
 * payload large, so it is not parsed. The text needs no escape in JSON. */
static bool ending_says(struct arena *a, const struct event *e,
                        const char *member, struct str text)
{
    const struct str payload =
        json_raw_member(a, e->canonical, STR("payload"));
    const struct str raw = json_raw_member(a, payload, str_of(member));
    return raw.n == text.n + 2 && raw.p[0] == '"' &&
           str_eq(str_sub(raw, 1, raw.n - 1), text);
}

bool ending_is(struct arena *a, const struct suspension *s,
               const struct event *e)
{
    for (size_t i = 0; i < countof(ending_types); i++) {
        if (ending_types[i].states & 1u << s->state &&
            str_is(e->type, ending_types[i].type) &&
            ending_says(a, e, ending_types[i].member, s->id))
            return true;
    }
    return side_question(s) && s->state == SUSPENSION_CANCELLED &&
           str_is(e->type, "status_changed") &&
           (ending_says(a, e, "new_status",
                        vocabulary_intent_status(INTENT_COMPLETED)->wire) ||
            ending_says(a, e, "new_status",
                        vocabulary_intent_status(INTENT_ABANDONED)->wire));
}
