/* An agent's wish for a permit: the rules decide, or a person is asked in the
 * server's words. */
#include "doors/api/wish.h"

#include "base/json/fields.h"
#include "work/ask.h"

#define SHORT_MAX 200
#define REASONING_MAX 20000
#define QUESTION_ROOM ((size_t)1 << 20)
#define VETO_SECONDS 86400 /* where the agent says nothing */
#define VETO_SECONDS_MIN 60
#define VETO_SECONDS_MAX (7 * 86400)

/* ---- reading -------------------------------------------------------- */

static const struct err *read_details(struct wish *k, const struct json *body)
{
    struct arena *a = k->c->a;
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
    k->details_text =
        json_raw_member(a, k->text, STR("authorization_details"));
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

const struct err *api_wish_read(struct wish *k, const struct json *body)
{
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
    TRY(read_details(k, body));
    set_tools(k);
    TRY(tool_check_decide(g));
    return tool_request_terms(k->c, body, k->details,
                              g->verdict.severity == SEVERITY_CRITICAL,
                              &k->terms);
}

/* ---- asking --------------------------------------------------------- */

/* The question as the native API takes it: one reader checks both. */
static struct str native(const struct wish *k)
{
    static const char *const sent[] = {"severity", "evidence", "retry_policy",
                                       "channel_hint", "responder"};
    const struct tool_check *g = &k->gate;
    struct buf b = buf_make(k->c->a, QUESTION_ROOM);
    buf_put(&b, "{\"fallback_policy\":\"fail\"");
    tool_request_put_text(&b, "kind", kind_words(KIND_APPROVAL)->wire);
    tool_request_put_text(&b, "question", g->title);
    tool_request_put_text(&b, "title", k->title.p ? k->title : g->title);
    if (k->reasoning.p)
        tool_request_put_text(&b, "explanation", k->reasoning);
    buf_put(&b, tool_request_choices);
    for (size_t i = 0; i < countof(sent); i++)
        tool_request_put_sent(&b, k->text, sent[i], STR_NONE);
    buf_printf(&b, ",\"timeout_seconds\":%lld", (long long)k->veto_seconds);
    buf_put(&b, ",\"subject\":");
    buf_str(&b, permit_subject(k->c->a, k->details, k->details_text,
                               k->consequence));
    buf_char(&b, '}');
    return buf_text(&b);
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
        return tool_request_ask(&k->gate, native(k), &k->terms);
    }
}
