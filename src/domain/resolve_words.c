/* What stays on record of a decision, in one paragraph. A part of resolve.h:
 * decides nothing. */
#include "base/clock.h"
#include "domain/label.h"
#include "domain/resolve.h"

#define CHANGE_CHARS 500 /* of the limits, in the summary */

static void put_duration(struct buf *b, int64_t us)
{
    const int64_t s = us / CLOCK_SECOND;
    if (s < 120)
        buf_printf(b, "%lld s", (long long)s);
    else if (s < 7200)
        buf_printf(b, "%lld min", (long long)(s / 60));
    else if (s < 172800)
        buf_printf(b, "%lld h", (long long)(s / 3600));
    else
        buf_printf(b, "%lld days", (long long)(s / 86400));
}

static const char *via_words(const char *via)
{
    const struct str v = str_of(via);
    return str_is(v, "browser")      ? " in the browser"
           : str_is(v, "openintent") ? " through the OpenIntent endpoint"
                                     : " through the API";
}

/* What came of it first, before what the choice is called. */
static const char *outcome_words(struct str outcome)
{
    return str_is(outcome, "authorized") ? "Approved by answering "
           : str_is(outcome, "vetoed")   ? "Rejected by answering "
           : str_is(outcome, "changes_requested")
               ? "Changes asked for by answering "
           : str_is(outcome, "declined") ? "Declined by answering "
           : str_is(outcome, "accepted") ? "Accepted by answering "
                                         : "Answered ";
}

/* What was allowed, where that is not what was asked for. */
static void put_change(struct buf *b, const struct suspension *s)
{
    if (s->constraints.p) {
        buf_put(b, " Allowed within ");
        buf_str(b, str_head(s->constraints, CHANGE_CHARS));
        buf_put(b, str_runes(s->constraints) > CHANGE_CHARS ? " ...." : ".");
    }
    if (s->approved_subject.p) {
        buf_put(b, " What was approved is not what was asked for: its SHA-256 "
                   "is ");
        buf_str(b, s->approved_sha256);
        buf_char(b, '.');
    }
}

struct str resolve_summary(struct arena *a, const struct suspension *s,
                           const struct json *choice, const char *via)
{
    struct buf b = buf_make(a, 8192);
    const bool worded = s->response_type == ANSWER_TEXT ||
                        s->response_type == ANSWER_FORM;
    const bool declined = str_is(json_get_text(choice, "effect"), "decline");
    if (choice && (!worded || declined)) {
        buf_put(&b, outcome_words(s->outcome));
        json_write_string(&b, label_line(a, choice));
    } else {
        buf_put(&b, s->response_type == ANSWER_FORM ? "Form filled in"
                                                    : "Answered in words");
    }
    /* An agent may be called what a person is called. */
    buf_put(&b, s->responder.mode == RESPONDER_AGENT ? " by the agent "
                                                     : " by ");
    buf_str(&b, s->responded_by);
    buf_put(&b, via_words(via));
    buf_put(&b, ", ");
    put_duration(&b, s->responded_at - s->suspended_at);
    buf_put(&b, " after ");
    buf_str(&b, s->asked_by);
    buf_put(&b, " asked.");
    put_change(&b, s);
    return buf_text(&b);
}
