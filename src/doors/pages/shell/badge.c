/* What lists and pages say of a question in a word or two. */
#include "doors/pages/shell/badge.h"

#include "base/buf.h"

#define WORDS_MAX ((size_t)512 << 10) /* bytes of who decided */

struct json *page_badge_kind(struct arena *a, const struct suspension *s)
{
    static const char *const words[KIND__MAX][2] = {
        [KIND_NONE] = {"Question", "input"},
        [KIND_APPROVAL] = {"Approval", "approval"},
        [KIND_PERMISSION] = {"Permission", "permission"},
        [KIND_PLAN_REVIEW] = {"Plan review", "plan"},
        [KIND_ELICITATION] = {"Input", "input"},
        [KIND_CREDENTIAL_NEEDED] = {"Credential", "credential"},
        [KIND_COST_CONFIRMATION] = {"Cost", "cost"},
        [KIND_HANDOFF_ACCEPTANCE] = {"Handoff", "handoff"}};
    const enum kind k = s->kind < KIND__MAX ? s->kind : KIND_NONE;
    struct json *o = json_object(a);
    json_set_text(o, "word", str_of(words[k][0]));
    json_set_text(o, "icon", str_of(words[k][1]));
    return o;
}

struct json *page_badge_risk(struct arena *a, const struct suspension *s)
{
    const enum severity level = severity_of(s->severity);
    if (level == SEVERITY_UNSAID)
        return NULL;
    struct json *o = json_object(a);
    json_set_text(o, "level", str_of(severity_word(level)));
    json_set_text(o, "word", str_of(severity_label(level)));
    return o;
}

/* How it ended decides first, then what the answer's effect was. */
static size_t outcome_of(const struct suspension *s)
{
    static const char *const words[] = {
        "authorized", "vetoed", "changes_requested", "accepted", "declined"};
    size_t i = 0;
    if (s->state == SUSPENSION_EXPIRED)
        return countof(words) + 1;
    if (s->state == SUSPENSION_CANCELLED)
        return countof(words) + 2;
    while (i < countof(words) && !str_is(s->outcome, words[i]))
        i++;
    return i;
}

struct json *page_badge_outcome(const struct page_view *v,
                                const struct suspension *s)
{
    static const char *const edited[] = {"Approved, edited", "approved",
                                         "pencil"};
    static const char *const shown[][3] = {
        {"Approved", "approved", "check"},
        {"Rejected", "rejected", "cross"},
        {"Changes requested", "plain", "pencil"},
        {"Accepted", "plain", "check"},
        {"Declined", "plain", "minus"},
        {"Answered", "plain", "check"},
        {"Expired", "plain", "clock"},
        {"Withdrawn", "plain", "undo"},
        {"Time is up", "plain", "clock"}};
    const bool due = suspension_due(s, v->now);
    if (s->state == SUSPENSION_PENDING && !due)
        return NULL;
    struct json *o = json_object(v->a);
    const size_t i = due ? countof(shown) - 1 : outcome_of(s);
    const char *const *of =
        suspension_modified(s) && i == 0 ? edited : shown[i];
    json_set_text(o, "word", str_of(of[0]));
    json_set_text(o, "tone", str_of(of[1]));
    json_set_text(o, "icon", str_of(of[2]));
    return o;
}

bool page_badge_own(const struct suspension *s, const struct principal *reader)
{
    return s->state == SUSPENSION_RESOLVED && reader->person &&
           str_eq(s->responded_by, reader->name);
}

struct str page_badge_who(struct arena *a, const struct suspension *s,
                          const struct principal *reader)
{
    struct buf b = buf_make(a, WORDS_MAX);
    if (s->state == SUSPENSION_EXPIRED)
        return STR("Clock");
    if (page_badge_own(s, reader))
        return reader->title;
    if (!s->responded_by_claimed.p)
        return s->responded_by;
    buf_str(&b, s->responded_by);
    buf_put(&b, ", who names “");
    buf_str(&b, s->responded_by_claimed);
    buf_put(&b, "”");
    return buf_text(&b);
}

struct str page_badge_door(const struct suspension *s)
{
    return str_is(s->responded_via, "browser")      ? STR("in the browser")
           : str_is(s->responded_via, "openintent") ? STR("through OpenIntent")
           : str_is(s->responded_via, "clock")      ? STR("by itself")
                                                    : STR("through the API");
}
