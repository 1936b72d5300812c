/* A question as a request of the Agent Approval Protocol. */
#include "base/clock_text.h"
#include "doors/aap/aap.h"

bool aap_approved(const struct aap_request *r)
{
    const struct suspension *s = &r->suspension;
    return s->state == SUSPENSION_RESOLVED &&
           s->outcome == OUTCOME_AUTHORIZED && !suspension_modified(s) &&
           r->permit.granted.p && !r->ended;
}

/* Silence and a withdrawal are not a denial. A yes that the client cannot
 * carry out as it was submitted is one, and so is one that was revoked. */
static const char *aap_status(const struct aap_request *r)
{
    switch (r->suspension.state) {
    case SUSPENSION_PENDING:
        return "pending";
    case SUSPENSION_EXPIRED:
        return "expired";
    case SUSPENSION_CANCELLED:
        return "cancelled";
    case SUSPENSION_RESOLVED:
    case SUSPENSION_STATE__MAX:
    default:
        return aap_approved(r) ? "approved" : "denied";
    }
}

static void aap_put_time(struct buf *b, const char *before, int64_t at)
{
    json_write_text(b, before, clock_rfc3339(b->arena, at));
}

static void aap_put_use(struct buf *b, const struct redemption *use)
{
    aap_put_time(b, ",\"consumption\":{\"consumed_at\":", use->at);
    if (use->result != REDEMPTION_OPEN) {
        json_write_text(b, ",\"outcome\":{\"status\":",
                        use->result == REDEMPTION_COMPLETED
                            ? STR("succeeded")
                            : vocabulary_redemption_result(use->result)->wire);
        aap_put_time(b, ",\"reported_at\":", use->result_at);
        if (use->result_ref.n > 0)
            json_write_text(b, ",\"note\":", use->result_ref);
        buf_char(b, '}');
    }
    buf_char(b, '}');
}

/* The submission stands in it byte for byte. */
struct str aap_view(struct arena *a, const struct aap_request *r)
{
    const struct suspension *s = &r->suspension;
    const char *status = aap_status(r);
    struct buf b = buf_make(a, RESPONSE_BODY_MAX);
    const struct str kept = str_trim(s->context);
    const struct str calls = json_raw_member(a, s->subject, STR("calls"));
    const struct str call = str_trim(str_sub(calls, 1, calls.n - 1));
    json_write_text(&b, "{\"id\":", s->id);
    buf_put(&b, ",\"tool\":");
    buf_str(&b, json_raw_member(a, call, STR("tool")));
    buf_put(&b, ",\"arguments\":");
    buf_str(&b, json_raw_member(a, call, STR("args")));
    buf_char(&b, ',');
    buf_str(&b, str_sub(kept, 1, kept.n - 1));
    if (s->explanation.n > 0)
        json_write_text(&b, ",\"agent_reasoning\":", s->explanation);
    json_write_text(&b, ",\"status\":", str_of(status));
    aap_put_time(&b, ",\"created_at\":", s->suspended_at);
    aap_put_time(&b, ",\"deadline_at\":", s->expires_at);
    if (s->state != SUSPENSION_PENDING) {
        json_write_text(&b, ",\"decision\":{\"status\":", str_of(status));
        aap_put_time(&b, ",\"decided_at\":", s->responded_at);
        if (s->reason.n > 0)
            json_write_text(&b, ",\"note\":", s->reason);
        if (aap_approved(r))
            aap_put_time(&b, ",\"expires_at\":", r->permit.not_after);
        buf_char(&b, '}');
    }
    if (r->use.id.p)
        aap_put_use(&b, &r->use);
    buf_char(&b, '}');
    return buf_text(&b);
}
