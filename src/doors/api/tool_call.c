/* The tool-call API: POST /api/v1/tool-calls/check. */
#include "doors/api/api.h"
#include "doors/asking/check.h"

const struct err *api_tool_call_check(struct call *c)
{
    struct check_result done;
    struct work_once once;
    struct json *body = NULL;
    TRY(call_body_once(c, &body, &once));
    const struct check_sent sent = {
        .text = c->rq->body, .body = body, .once = &once};
    return check_calls(c, &sent, &done);
}
