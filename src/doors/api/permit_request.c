/* An agent's request for a permit: the rules decide, or a person is asked in
 * the server's words. */
#include "doors/api/permit_request.h"

#include "base/id.h"
#include "domain/permit/tool_call.h"
#include "domain/question/suspension_read.h"

#define SHORT_MAX 200
#define REASONING_MAX 20000
#define VETO_SECONDS 86400 /* where the agent says nothing */
#define VETO_SECONDS_MIN 60
#define VETO_SECONDS_MAX (7 * 86400)

/* The details as they were sent, or of an action_spec. */
static const struct err *permit_request_details(struct permit_request *r)
{
    struct arena *a = r->c->a;
    const struct json *list = json_get(r->body, "authorization_details");
    const struct json *action = json_get(r->body, "action_spec");
    if ((list != NULL) == (action != NULL))
        return err_at(
            a, ERR_INVALID, permit_details_wrong, STR("authorization_details"),
            "Send either \"authorization_details\" or \"action_spec\".");
    if (action) {
        TRY(permit_details_of_action(a, action, STR("action_spec"),
                                     &r->details));
        return permit_details_text(a, r->details, &r->details_text);
    }
    TRY(permit_details_check(a, list, STR("authorization_details")));
    return json_parse(a, r->details_text, &r->details);
}

const struct err *api_permit_request_read(struct permit_request *r)
{
    struct tool_check *g = &r->gate;
    struct fields f = fields(r->c->a, r->body, STR(""));
    g->origin = ORIGIN_AUTHORIZATION;
    fields_only(&f, "goal reasoning session_id initiation initiated_by "
                    "severity requires_approval consequence "
                    "authorization_details action_spec resource dpop_jkt "
                    "max_uses use_seconds budget veto_seconds responder "
                    "retry_policy channel_hint evidence");
    fields_need(&f, "goal");
    fields_text(&f, "goal", SUSPENSION_TITLE_MAX, &g->title);
    fields_text(&f, "reasoning", REASONING_MAX, &r->reasoning);
    fields_text(&f, "session_id", SHORT_MAX, &g->session_id);
    r->veto_seconds = VETO_SECONDS;
    fields_int(&f, "veto_seconds", VETO_SECONDS_MIN, VETO_SECONDS_MAX,
               &r->veto_seconds);
    r->consequence = tool_request_read(g, &f);
    if (!f.e && str_trim(g->title).n == 0)
        fields_wrong(&f, "goal", "field.empty", "A goal is needed.");
    TRY(fields_error(&f));
    TRY(permit_request_details(r));
    g->n = json_count(r->details);
    struct str *tools = arena_many(r->c->a, g->n + 1, struct str);
    for (size_t i = 0; i < g->n; i++)
        tools[i] = json_get_text(json_at(r->details, i), "tool");
    g->tools = tools;
    TRY(tool_check_decide(g));
    return tool_request_terms(r->c, r->body, r->details,
                              g->verdict.severity == SEVERITY_CRITICAL,
                              &r->terms);
}

const struct err *api_permit_request_make(struct permit_request *r)
{
    struct tool_check *g = &r->gate;
    struct arena *a = r->c->a;
    if (g->verdict.effect == TOOL_DENY)
        return tool_check_deny(g, NULL);
    if (g->verdict.effect == TOOL_ALLOW) {
        TRY(tool_check_permit(g, r->details, &r->terms));
        tool_check_queue(g);
        return NULL;
    }
    struct suspension s = {.id = id_new(a)};
    struct fields f = fields(a, r->body, STR(""));
    suspension_read_members(&f, &s);
    TRY(fields_error(&f));
    s.kind = KIND_APPROVAL;
    s.question = g->title;
    s.title = str_trim(r->title).n > 0 ? r->title : g->title;
    s.explanation = r->reasoning;
    s.on_reject = ON_REJECT_RESUME;
    s.timeout_seconds = r->veto_seconds;
    s.subject = permit_subject(a, r->details, r->details_text, r->consequence);
    TRY(suspension_compose(a, tool_call_choices(a), NULL, &s));
    return tool_check_ask(g, &s, &r->terms);
}
