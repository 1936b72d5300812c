/* The event of the log that ended a question. */
#include "domain/question/ending.h"

#include "domain/question/side_question.h"

enum { RESOLVED = 1, EXPIRED = 2, CANCELLED = 4 };
enum { YES = 1, NO = 2, FALLBACK = 4, ANY = 7 };

/* The types, the member of the payload that names the question, and the ends
 * that the type reports. */
static const struct {
    const char *type, *member;
    unsigned states, outcomes;
} ending_types[] = {
    {"intent.resumed", "suspension_id", RESOLVED, ANY},
    {"intent.suspension_expired", "suspension_id", EXPIRED, NO | FALLBACK},
    {"status_changed", "suspension_id", CANCELLED, NO},
    {"governance.approval_granted", "approval_id", RESOLVED, YES},
    {"governance.approval_denied", "approval_id", RESOLVED, NO},
    {"access_request_approved", "request_id", RESOLVED, YES},
    {"access_request_denied", "request_id", RESOLVED | CANCELLED, NO},
    {"coordinator.escalation_resolved", "escalation_id", RESOLVED, NO},
    {"decision_recorded", "arbitration_id", RESOLVED, NO},
    {"decision_recorded", "request_id", CANCELLED, NO},
    {"plan.activated", "suspension_id", RESOLVED | EXPIRED, YES | FALLBACK},
    {"plan.resumed", "suspension_id", RESOLVED | EXPIRED, YES | FALLBACK},
    {"plan.checkpoint_approved", "suspension_id", RESOLVED | EXPIRED,
     YES | FALLBACK},
    {"plan.checkpoint_rejected", "suspension_id", RESOLVED | EXPIRED,
     NO | FALLBACK}};

struct str ending_abandons(struct str reason)
{
    if (str_is(reason, "portfolio_deadline"))
        return STR("portfolio_deadline_exceeded");
    return str_is(reason, "restored") ? reason : STR_NONE;
}

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

static unsigned ending_state(const struct suspension *s)
{
    return s->state == SUSPENSION_RESOLVED    ? RESOLVED
           : s->state == SUSPENSION_EXPIRED   ? EXPIRED
           : s->state == SUSPENSION_CANCELLED ? CANCELLED
                                              : 0;
}

static unsigned ending_outcome(const struct suspension *s)
{
    return s->outcome == OUTCOME_FALLBACK ? FALLBACK
           : s->outcome == OUTCOME_AUTHORIZED || s->outcome == OUTCOME_ACCEPTED
               ? YES
               : NO;
}

/* side: the end of the intent ends it too. */
static enum ending ending_find(struct arena *a, const struct suspension *s,
                               bool side, const struct event *e)
{
    enum ending found = ENDING_NONE;
    for (size_t i = 0; i < countof(ending_types); i++) {
        if (!str_is(e->type, ending_types[i].type) ||
            !ending_says(a, e, ending_types[i].member, s->id))
            continue;
        if (ending_types[i].states & ending_state(s) &&
            ending_types[i].outcomes & ending_outcome(s))
            return ENDING_THIS;
        found = ENDING_OTHER;
    }
    if (side && s->state == SUSPENSION_CANCELLED &&
        str_is(e->type, "status_changed") &&
        suspension_end(s, e->created_at) == s->responded_at &&
        (ending_says(a, e, "new_status",
                     vocabulary_intent_status(INTENT_COMPLETED)->wire) ||
         ending_says(a, e, "new_status",
                     vocabulary_intent_status(INTENT_ABANDONED)->wire)))
        return ENDING_THIS;
    return found;
}

enum ending ending_of(struct arena *a, const struct suspension *s,
                      const struct event *e)
{
    return ending_find(a, s, side_question(s), e);
}

enum ending ending_of_receipt(struct arena *a, const struct suspension *s,
                              const struct event *e)
{
    return ending_find(a, s, true, e);
}
