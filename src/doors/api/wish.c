/* An agent's wish for a permit: the rules decide, or a person is asked in the
 * server's words. */
#include "doors/api/wish.h"

#include "base/id.h"
#include "domain/permit/tool_call.h"
#include "domain/question/suspension_read.h"

#define SHORT_MAX 200
#define REASONING_MAX 20000
#define VETO_SECONDS 86400 /* where the agent says nothing */
#define VETO_SECONDS_MIN 60
#define VETO_SECONDS_MAX (7 * 86400)

/* ---- reading -------------------------------------------------------- */

static const struct err *read_details(struct wish *k)
{
    struct arena *a = k->c->a;
    const struct json *body = k->body;
    const struct json *list = json_get(body, "authorization_details");
    const struct json *action = json_get(body, "action_spec");
    if ((list != NULL) == (action != NULL))
        return err_at(
            a, ERR_INVALID, permit_details_wrong, STR("authorization_details"),
            "Send either \"authorization_details\" or \"action_spec\".");
    if (action) {
        TRY(permit_details_of_action(a, action, STR("action_spec"),
                                     &k->details));
        return permit_details_text(a, k->details, &k->details_text);
    }
    TRY(permit_details_check(a, list, STR("authorization_details")));
    return json_parse(a, k->details_text, &k->details);
}

static void set_tools(struct wish *k)
{
    const size_t n = json_count(k->details);
    struct str *tools = arena_many(k->c->a, n + 1, struct str);
    for (size_t i = 0; i < n; i++)
        tools[i] = json_get_text(json_at(k->details, i), "tool");
    k->gate.tools = tools;
    k->gate.n = n;
}

const struct err *api_wish_read(struct wish *k)
{
    const struct json *body = k->body;
    struct tool_check *g = &k->gate;
    struct fields f = fields(k->c->a, body, STR(""));
    g->origin = ORIGIN_AUTHORIZATION;
    fields_only(&f, "goal reasoning session_id initiation initiated_by "
                    "severity requires_approval consequence "
                    "authorization_details action_spec resource dpop_jkt "
                    "max_uses use_seconds budget veto_seconds responder "
                    "retry_policy channel_hint evidence");
    fields_need(&f, "goal");
    fields_text(&f, "goal", SUSPENSION_TITLE_MAX, &g->title);
    fields_text(&f, "reasoning", REASONING_MAX, &k->reasoning);
    fields_text(&f, "session_id", SHORT_MAX, &g->session_id);
    k->veto_seconds = VETO_SECONDS;
    fields_int(&f, "veto_seconds", VETO_SECONDS_MIN, VETO_SECONDS_MAX,
               &k->veto_seconds);
    k->consequence = tool_request_read(g, &f);
    if (!f.e && str_trim(g->title).n == 0)
        fields_wrong(&f, "goal", "field.empty", "A goal is needed.");
    TRY(fields_error(&f));
    TRY(read_details(k));
    set_tools(k);
    TRY(tool_check_decide(g));
    return tool_request_terms(k->c, body, k->details,
                              g->verdict.severity == SEVERITY_CRITICAL,
                              &k->terms);
}

/* ---- asking --------------------------------------------------------- */

static const struct err *wish_ask(struct wish *k)
{
    struct tool_check *g = &k->gate;
    struct arena *a = k->c->a;
    struct fields f = fields(a, k->body, STR(""));
    struct suspension s = {.id = id_new(a)};
    suspension_read_members(&f, &s);
    TRY(fields_error(&f));
    s.kind = KIND_APPROVAL;
    s.question = g->title;
    s.title = str_trim(k->title).n > 0 ? k->title : g->title;
    s.explanation = k->reasoning;
    s.on_reject = ON_REJECT_RESUME;
    s.timeout_seconds = k->veto_seconds;
    s.subject = permit_subject(a, k->details, k->details_text, k->consequence);
    TRY(suspension_compose(a, tool_call_choices(a), &s));
    return tool_check_ask(g, &s, &k->terms);
}

/* ---- the verdict ---------------------------------------------------- */

static const struct err *allow(struct wish *k)
{
    TRY(tool_check_permit(&k->gate, k->details, &k->terms));
    tool_check_queue(&k->gate);
    return NULL;
}

const struct err *api_wish_make(struct wish *k)
{
    switch (k->gate.verdict.effect) {
    case TOOL_ALLOW:
        return allow(k);
    case TOOL_DENY:
        return tool_check_deny(&k->gate, NULL);
    case TOOL_ASK:
    case TOOL_EFFECT__MAX:
    default:
        return wish_ask(k);
    }
}
