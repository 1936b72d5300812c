/* Frames: who hears of an event, in which words, and where a stream goes on. */
#include "domain/intent/event.h"
#include "domain/sending/frame.h"

#include "suite.h"

#define INTENT "0198a5b2-7c0e-7abc-8def-0123456789ab"
#define CURSOR "771234"

SUITE(frame);

static struct frame_event event(const char *type, const char *payload)
{
    struct buf b = buf_make(a, FRAME_MAX);
    buf_put(&b, "{\"actor\":\"refunds\",\"event_type\":\"");
    buf_put(&b, type);
    buf_put(&b, "\",\"id\":\"e1\",\"intent_id\":\"" INTENT "\",\"payload\":");
    buf_str(&b, json_of(payload));
    buf_put(&b, ",\"previous_event_hash\":null,\"sequence\":7}");
    return (struct frame_event){.cursor = STR(CURSOR),
                                .intent_id = STR(INTENT),
                                .sequence = 7,
                                .type = str_of(type),
                                .canonical = buf_text(&b),
                                .hash = STR("sha256:x"),
                                .agents = STR("[\"a\", \"b\\\"c\"]")};
}

/* ---- reading what was written --------------------------------------- */

struct frame {
    struct str type, id, data;
};
struct frames {
    struct frame v[4];
    size_t n;
};

static struct str field(struct str *rest, const char *name)
{
    const struct str line = str_cut(rest, '\n');
    cr_assert(str_starts(line, str_of(name)), "%.*s", STR_FMT(line));
    return str_sub(line, strlen(name), line.n);
}

/* The frames as a strict reader of event streams takes them. */
static struct frames read_frames(struct str text)
{
    struct frames f = {.n = 0};
    struct str rest = text;
    while (rest.p && rest.n > 0) {
        cr_assert_lt(f.n, countof(f.v));
        f.v[f.n].type = field(&rest, "event: ");
        f.v[f.n].id = field(&rest, "id: ");
        f.v[f.n++].data = field(&rest, "data: ");
        cr_assert_eq(str_cut(&rest, '\n').n, 0);
    }
    return f;
}

static struct frames written(const struct frame_event *e,
                             enum frame_audience to, size_t skip)
{
    struct buf b = buf_make(a, FRAME_MAX);
    const size_t all = frame_write(a, &b, e, to, skip);
    const struct frames f = read_frames(buf_text(&b));
    cr_assert(!b.over);
    cr_assert_eq(f.n, skip < all ? all - skip : 0);
    return f;
}

static void check_frame(const struct frame *f, const char *type,
                        const char *id)
{
    cr_assert(str_is(f->type, type), "%.*s", STR_FMT(f->type));
    cr_assert(str_is(f->id, id), "%.*s", STR_FMT(f->id));
}

static void check_equal(struct str data, const char *want)
{
    cr_assert(json_equal(tree_of(data), tree(want)), "%.*s",
              STR_FMT(data));
}

static void check_text(const struct json *o, const char *key, const char *want)
{
    const struct str s = json_get_text(o, key);
    cr_assert(str_is(s, want), "%s: %.*s", key, STR_FMT(s));
}

/* The data is the event itself with its hash, byte for byte. */
static void check_plain(const struct frame_event *e, struct str data)
{
    struct buf b = buf_make(a, FRAME_MAX);
    event_write(&b, e->canonical, e->hash);
    cr_assert(str_eq(data, buf_text(&b)), "%.*s", STR_FMT(data));
}

/* ---- the dispatcher's frames ---------------------------------------- */

Test(frame, an_assignment_comes_first_for_the_dispatcher)
{
    const struct frame_event e = event("agent_assigned", "{'agent_id':'a'}");
    const struct frames f = written(&e, FRAME_AGENT, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "AGENT_ASSIGNED", CURSOR "." INTENT ".7.1");
    check_equal(f.v[0].data, "{'intent_id':'" INTENT "','sequence':7,"
                             "'agent_id':'a','assigned_by':'refunds'}");
    check_frame(&f.v[1], "agent_assigned", CURSOR "." INTENT ".7");
    check_plain(&e, f.v[1].data);
}

Test(frame, an_intents_stream_counts_by_sequence)
{
    const struct frame_event e = event("agent_assigned", "{'agent_id':'a'}");
    const struct frames f = written(&e, FRAME_INTENT, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "AGENT_ASSIGNED", "7.1");
    check_frame(&f.v[1], "agent_assigned", "7");
}

Test(frame, one_that_was_read_is_left_out)
{
    const struct frame_event e = event("agent_assigned", "{'agent_id':'a'}");
    const struct frames f = written(&e, FRAME_INTENT, 1);
    cr_assert_eq(f.n, 1);
    check_frame(&f.v[0], "agent_assigned", "7");
    cr_assert_eq(written(&e, FRAME_INTENT, 2).n, 0);
    cr_assert_eq(written(&e, FRAME_INTENT, 9).n, 0);
}

Test(frame, a_status_is_told_as_the_sdk_reads_it)
{
    const struct frame_event e =
        event("status_changed", "{'old_status':'draft','new_status':'active',"
                                "'reason':'go'}");
    const struct frames f = written(&e, FRAME_AGENT, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "STATUS_CHANGED", CURSOR "." INTENT ".7.1");
    check_equal(f.v[0].data,
                "{'intent_id':'" INTENT "','sequence':7,"
                "'old_status':'draft','new_status':'active','reason':'go'}");
    check_frame(&f.v[1], "status_changed", CURSOR "." INTENT ".7");
    check_plain(&e, f.v[1].data);
}

/* The SDK runs @on_complete for INTENT_COMPLETED and for a STATUS_CHANGED to
 * completed: one of the two, or it would run twice. */
Test(frame, a_completion_is_told_once)
{
    const struct frame_event e =
        event("status_changed",
              "{'old_status':'active','new_status':'completed'}");
    const struct frames f = written(&e, FRAME_AGENT, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "INTENT_COMPLETED", CURSOR "." INTENT ".7.1");
    check_text(tree_of(f.v[0].data), "new_status", "completed");
    check_frame(&f.v[1], "status_changed", CURSOR "." INTENT ".7");
}

Test(frame, a_lease_names_its_scope)
{
    const struct frame_event e =
        event("lease_released", "{'lease_id':'l','agent_id':'b','scope':'s',"
                                "'expires_at':'x'}");
    const struct frames f = written(&e, FRAME_AGENT, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "LEASE_RELEASED", CURSOR "." INTENT ".7.1");
    check_equal(f.v[0].data, "{'intent_id':'" INTENT "','sequence':7,"
                             "'scope':'s','lease_id':'l','agent_id':'b'}");
    const struct frame_event taken = event("lease_acquired", "{'scope':'s'}");
    cr_assert_eq(written(&taken, FRAME_AGENT, 0).n, 1);
}

static struct json *new_state(const char *payload)
{
    const struct frame_event e = event("state_patched", payload);
    const struct frames f = written(&e, FRAME_AGENT, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "STATE_CHANGED", CURSOR "." INTENT ".7.1");
    check_plain(&e, f.v[1].data);
    const struct json *o = tree_of(f.v[0].data);
    check_text(o, "intent_id", INTENT);
    cr_assert(json_is(json_get(o, "old_state"), JSON_OBJECT));
    return json_get(o, "new_state");
}

Test(frame, a_state_tells_what_was_set)
{
    struct json *s = new_state(
        "{'patches':[{'op':'set','path':'total','value':3},"
        "{'op':'set','path':'/done/','value':true},"
        "{'op':'set','path':'deep/er','value':1},"
        "{'op':'append','path':'list','value':1},"
        "{'op':'remove','path':'old'},{'op':'set','path':'/','value':1}]}");
    same(s, "{'total':3,'done':true,'deep':null,'list':null,'old':null}");
    s = new_state("{'state':{'a':{'b':1},'c':[1]}}");
    same(s, "{'a':{'b':1},'c':[1]}");
}

Test(frame, the_record_of_a_question_is_no_state)
{
    const struct frame_event e =
        event("state_patched",
              "{'patches':[{'op':'set','path':'_suspension','value':{}},"
              "{'op':'set','path':'/_suspension/response','value':'yes'}]}");
    cr_assert_eq(written(&e, FRAME_AGENT, 0).n, 1);
    const struct json *s = new_state(
        "{'state':{'_suspension':{'response':'yes'},'kept':1}}");
    cr_assert_eq(json_count(s), 1);
    cr_assert(json_has(s, "kept"));
}

Test(frame, a_large_state_tells_the_names_only)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "{'state':{'small':1,'large':'");
    for (size_t i = 0; i < 200000; i++)
        buf_char(&b, 'x');
    buf_put(&b, "'}}");
    const struct json *s = new_state(arena_z(a, buf_text(&b)));
    cr_assert_eq(json_count(s), 2);
    cr_assert(json_has(s, "large") && json_get(s, "large") == NULL);
    cr_assert(json_has(s, "small") && json_get(s, "small") == NULL);
}

/* ---- questions ------------------------------------------------------ */

static struct json *own(const struct frame_event *e)
{
    const struct frames f = written(e, FRAME_INTENT, 0);
    cr_assert_eq(f.n, 1);
    cr_assert(str_eq(f.v[0].type, e->type));
    cr_assert(str_is(f.v[0].id, "7"));
    return tree_of(f.v[0].data);
}

/* ---- portfolios ------------------------------------------------------ */

Test(frame, a_members_event_has_the_portfolios_id)
{
    struct frame_event e = event("status_changed",
                                 "{'old_status':'active',"
                                 "'new_status':'completed'}");
    e.portfolio_id = STR("p1");
    const struct frames f = written(&e, FRAME_PORTFOLIO, 0);
    cr_assert_eq(f.n, 2);
    check_frame(&f.v[0], "INTENT_COMPLETED", CURSOR "." INTENT ".7.1");
    check_frame(&f.v[1], "status_changed", CURSOR "." INTENT ".7");
    for (size_t i = 0; i < f.n; i++) {
        check_text(tree_of(f.v[i].data), "portfolio_id", "p1");
        check_text(tree_of(f.v[i].data), "intent_id", INTENT);
    }
    cr_assert(json_has(tree_of(f.v[1].data), "event_hash"));
}

Test(frame, the_audience_of_a_portfolio)
{
    struct frame_event e = event("comment", "{'portfolio_id':'p1'}");
    e.portfolio_id = STR("p1");
    cr_assert(!frame_goes(a, &e, FRAME_PORTFOLIO, STR_NONE));
    e.watched = json_of("{'portfolios':['p0','p1'],'agents':['x','y']}");
    cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR_NONE));
    cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("y")));
    cr_assert(!frame_goes(a, &e, FRAME_PORTFOLIO, STR("z")));
    e.portfolio_id = STR("p2");
    cr_assert(!frame_goes(a, &e, FRAME_PORTFOLIO, STR_NONE));
    struct frame_event gone =
        event("removed_from_portfolio", "{'portfolio_id':'p1'}");
    gone.portfolio_id = STR("p1");
    cr_assert(frame_goes(a, &gone, FRAME_PORTFOLIO, STR_NONE));
    cr_assert(!frame_goes(a, &gone, FRAME_PORTFOLIO, STR("x")));
    gone.portfolio_id = STR("p2");
    cr_assert(!frame_goes(a, &gone, FRAME_PORTFOLIO, STR_NONE));
}

Test(frame, a_closed_intent_has_few_readers)
{
    struct frame_event e = event("comment", "{'agent_id':'z'}");
    e.portfolio_id = STR("p1");
    e.agents = json_of("['y']");
    e.watched =
        json_of("{'portfolios':['p1'],'agents':['x','y'],'closed':true}");
    for (size_t i = 0; i < 2; i++) {
        const enum frame_audience to = i ? FRAME_PORTFOLIO : FRAME_INTENT;
        cr_assert(frame_goes(a, &e, to, STR_NONE));
        cr_assert(frame_goes(a, &e, to, STR("x")));
        cr_assert(!frame_goes(a, &e, to, STR("z")));
    }
    cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("/x")));
    cr_assert(!frame_goes(a, &e, FRAME_PORTFOLIO, STR("/z")));
    e.type = STR("coordinator.stalled");
    e.canonical = json_of("{'payload':{'agent_id':'z'}}");
    cr_assert(!frame_goes(a, &e, FRAME_AGENT, STR("z")));
    e.type = STR("agent_unassigned");
    cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("z")));
    e.type = STR("coordinator.stalled");
    e.watched = json_of("{'portfolios':['p1'],'agents':[],'closed':false}");
    cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("z")));
    cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("/z")));
    cr_assert(!frame_goes(a, &e, FRAME_PORTFOLIO, STR("z")));
}

Test(frame, a_question_whose_expiry_stopped_the_task)
{
    const struct frame_event
        deadline = event("intent.suspension_expired",
                         "{'suspension_id':'s1','reason':"
                         "'portfolio_deadline'}"),
        lost = event("intent.suspension_expired",
                     "{'suspension_id':'s1','reason':'restored'}"),
        silence = event("intent.suspension_expired",
                        "{'suspension_id':'s1','reason':'timeout'}");
    check_text(own(&deadline), "resolution", "cancelled");
    check_text(own(&lost), "resolution", "cancelled");
    check_text(own(&silence), "resolution", "expired");
}

/* At the top, where the SDK reads a SuspensionRecord. */
Test(frame, a_question_stands_at_the_top)
{
    struct frame_event e =
        event("intent.suspended", "{'suspension_id':'s1','question':'Go?'}");
    e.record = json_of("{'id':'s1','question':'Go?','response_type':'choice',"
                       "'choices':[{'value':'y'}],'context':{'k':1},"
                       "'fallback_policy':'fail'}");
    const struct json *o = own(&e);
    check_text(o, "id", "s1");
    check_text(o, "event_id", "e1");
    check_text(o, "intent_id", INTENT);
    check_text(o, "question", "Go?");
    check_text(o, "response_type", "choice");
    check_text(o, "event_hash", "sha256:x");
    cr_assert_eq(json_count(json_get(o, "choices")), 1);
    cr_assert_eq(json_int(json_get(json_get(o, "context"), "k")), 1);
    cr_assert(json_is(json_get(o, "payload"), JSON_OBJECT));
    cr_assert(!json_has(o, "resolution"));
}

/* The record is the agent's: what the server says stands beside it. */
Test(frame, a_record_replaces_nothing_of_the_event)
{
    struct frame_event e =
        event("intent.suspended", "{'suspension_id':'s1'}");
    e.record = json_of("{'id':'other','intent_id':'other','actor':'admin',"
                       "'event_type':'intent.resumed','sequence':99,"
                       "'event_hash':'other','payload':1,'event_id':'other',"
                       "'previous_event_hash':'other','question':'?'}");
    const struct json *o = own(&e);
    check_text(o, "id", "s1");
    check_text(o, "event_id", "e1");
    check_text(o, "intent_id", INTENT);
    check_text(o, "actor", "refunds");
    check_text(o, "event_type", "intent.suspended");
    check_text(o, "event_hash", "sha256:x");
    check_text(o, "question", "?");
    cr_assert_eq(json_int(json_get(o, "sequence")), 7);
    cr_assert(json_get(o, "previous_event_hash") == NULL);
    cr_assert(json_is(json_get(o, "payload"), JSON_OBJECT));
}

Test(frame, an_answer_stands_at_the_top)
{
    const struct frame_event e =
        event("intent.resumed",
              "{'suspension_id':'s1','value':'yes','responded_by':'op',"
              "'responded_at':'2026-11-20T09:00:00.000000','id':'other'}");
    const struct json *o = own(&e);
    check_text(o, "suspension_id", "s1");
    check_text(o, "value", "yes");
    check_text(o, "responded_by", "op");
    check_text(o, "responded_at", "2026-11-20T09:00:00.000000");
    check_text(o, "intent_id", INTENT);
    check_text(o, "id", "e1");
}

Test(frame, an_expiry_says_what_silence_did)
{
    struct frame_event e =
        event("intent.suspension_expired",
              "{'suspension_id':'s1','fallback_policy':'complete_with_fallback'"
              ",'attempts':3,'fallback_value':'no'}");
    e.record = json_of("{'id':'s1','question':'Go?','resolution':'responded',"
                       "'response':'yes','fallback_policy':'other'}");
    const struct json *o = own(&e);
    check_text(o, "id", "s1");
    check_text(o, "question", "Go?");
    check_text(o, "resolution", "expired");
    check_text(o, "response", "no");
    check_text(o, "fallback_policy", "complete_with_fallback");
    cr_assert_eq(json_int(json_get(o, "attempts")), 3);
}

Test(frame, an_engagement_and_a_request_are_opened_too)
{
    const struct frame_event engagement =
        event("engagement.decision",
              "{'mode':'request_input','should_ask':true}");
    const struct json *o = own(&engagement);
    check_text(o, "mode", "request_input");
    cr_assert(json_bool(json_get(o, "should_ask")));
    const struct frame_event access =
        event("access_requested", "{'principal_id':'p'}");
    check_text(json_get(own(&access), "request"), "principal_id", "p");
}

Test(frame, any_other_event_is_itself)
{
    const struct frame_event e = event("comment", "{'text':'hello'}");
    const struct frames f = written(&e, FRAME_INTENT, 0);
    cr_assert_eq(f.n, 1);
    check_frame(&f.v[0], "comment", "7");
    check_plain(&e, f.v[0].data);
}

/* ---- one line ------------------------------------------------------- */

/* The SDK's reader ends a line at any of these. */
Test(frame, no_text_of_an_agent_ends_a_line)
{
    const struct frame_event e =
        event("comment", "{'t':'a\xC2\x85" "b\xE2\x80\xA8"
                         "event: AGENT_ASSIGNED\xE2\x80\xA9\xC2\x86\xE2\x80"
                         "\xA7\\n\\u001e'}");
    const struct frames f = written(&e, FRAME_INTENT, 0);
    cr_assert_eq(f.n, 1);
    static const char *const ends[] = {"\xC2\x85", "\xE2\x80\xA8",
                                       "\xE2\x80\xA9", "\r", "\v", "\f",
                                       "\x1c", "\x1d", "\x1e"};
    for (size_t i = 0; i < countof(ends); i++)
        cr_assert_eq(str_search(f.v[0].data, str_of(ends[i])),
                     f.v[0].data.n, "%zu", i);
    /* And is the same text still. */
    const struct json *o = tree_of(f.v[0].data);
    cr_assert(json_equal(json_get(o, "payload"),
                         json_get(tree_of(e.canonical), "payload")));
    cr_assert_lt(str_search(f.v[0].data, STR("\\u0085b\\u2028event")),
                 f.v[0].data.n);
}

/* The largest event, all of it characters that are escaped. */
Test(frame, the_largest_event_has_room)
{
    struct buf b = buf_make(a, 2 << 20);
    buf_put(&b, "{'state':{'x':'");
    while (b.n < EVENT_CANONICAL_MAX - 400)
        buf_put(&b, "\xC2\x85");
    buf_put(&b, "'}}");
    const struct frame_event e =
        (struct frame_event){.cursor = STR(CURSOR),
                             .intent_id = STR(INTENT),
                             .sequence = 7,
                             .type = STR("state_patched"),
                             .hash = STR("sha256:x")};
    struct frame_event large = e;
    struct buf c = buf_make(a, 2 << 20);
    buf_put(&c, "{\"payload\":");
    for (size_t i = 0; i < b.n; i++)
        buf_char(&c, b.p[i] == '\'' ? '"' : b.p[i]);
    buf_char(&c, '}');
    large.canonical = buf_text(&c);
    cr_assert_eq(written(&large, FRAME_INTENT, 0).n, 2);
}

Test(frame, bytes_that_are_no_event_are_no_harm)
{
    static const char *const bad[] = {"", "{", "[]", "null", "{\"payload\":1}"};
    static const char *const types[] = {"agent_assigned", "status_changed",
                                        "state_patched", "intent.suspended",
                                        "intent.resumed", "lease_released"};
    for (size_t i = 0; i < countof(bad); i++) {
        for (size_t k = 0; k < countof(types); k++) {
            struct frame_event e = event(types[k], "{}");
            struct buf b = buf_make(a, FRAME_MAX);
            e.canonical = str_of(bad[i]);
            e.record = str_of(bad[i]);
            e.agents = str_of(bad[i]);
            cr_assert(!frame_goes(a, &e, FRAME_AGENT, STR("a")));
            cr_assert(!frame_goes(a, &e, FRAME_INBOX, STR_NONE));
            cr_assert(!frame_decides(a, &e).p);
            cr_assert_geq(frame_write(a, &b, &e, FRAME_INTENT, 0), 1);
        }
    }
}

/* ---- who hears of it ------------------------------------------------ */

static bool goes(const char *type, const char *payload,
                 enum frame_audience to, const char *agent)
{
    const struct frame_event e = event(type, payload);
    return frame_goes(a, &e, to, str_of(agent));
}

Test(frame, an_intents_stream_has_all)
{
    cr_assert(goes("comment", "{}", FRAME_INTENT, NULL));
    cr_assert(goes("intent.suspended", "{}", FRAME_INTENT, NULL));
    cr_assert(goes("agent_assigned", "{}", FRAME_INTENT, NULL));
}

Test(frame, an_assignment_goes_to_who_it_names)
{
    static const char *const types[] = {"agent_assigned", "agent_unassigned"};
    for (size_t i = 0; i < countof(types); i++) {
        cr_assert(goes(types[i], "{'agent_id':'z'}", FRAME_AGENT, "z"));
        cr_assert(!goes(types[i], "{'agent_id':'z'}", FRAME_AGENT, "a"));
        cr_assert(!goes(types[i], "{}", FRAME_AGENT, "a"));
    }
}

Test(frame, changes_go_to_who_is_assigned)
{
    static const char *const types[] = {"status_changed", "state_patched",
                                        "lease_acquired", "lease_released"};
    for (size_t i = 0; i < countof(types); i++) {
        cr_assert(goes(types[i], "{}", FRAME_AGENT, "a"));
        cr_assert(goes(types[i], "{}", FRAME_AGENT, "b\"c"));
        cr_assert(!goes(types[i], "{}", FRAME_AGENT, "b"));
        cr_assert(!goes(types[i], "{}", FRAME_AGENT, "z"));
    }
    struct frame_event e = event("status_changed", "{}");
    e.agents = STR_NONE;
    cr_assert(!frame_goes(a, &e, FRAME_AGENT, STR("a")));
}

Test(frame, a_stalled_coordinator_hears_of_it)
{
    const struct frame_event e = event(
        "coordinator.stalled",
        "{'agent_id':'c','coordinator_id':'k','suspended_intent_id':'i',"
        "'suspension_id':'s','escalated_to':null,'more':1}");
    cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("c")));
    cr_assert(!frame_goes(a, &e, FRAME_AGENT, STR("a")));
    const struct frames f = written(&e, FRAME_AGENT, 0);
    cr_assert_eq(f.n, 2);
    cr_assert(str_is(f.v[0].type, "ESCALATION_REQUIRED"));
    const struct json *o = tree_of(f.v[0].data);
    check_text(o, "coordinator_id", "k");
    check_text(o, "suspended_intent_id", "i");
    check_text(o, "suspension_id", "s");
    cr_assert(!json_has(o, "more"));
}

/* The SDK would run its hooks a second time, hours later. */
Test(frame, questions_are_never_on_an_agents_stream)
{
    static const char *const types[] = {
        "intent.suspended", "intent.resumed", "intent.suspension_expired",
        "intent.suspension_renotified", "intent.suspension_escalated",
        "engagement.decision", "comment"};
    for (size_t i = 0; i < countof(types); i++)
        cr_assert(!goes(types[i], "{'agent_id':'a','suspension_id':'s'}",
                        FRAME_AGENT, "a"),
                  "%s", types[i]);
}

Test(frame, the_inbox_hears_of_questions)
{
    static const struct {
        const char *type, *payload, *change;
    } rows[] = {
        {"intent.suspended", "{'suspension_id':'s'}", "asked"},
        {"intent.resumed", "{'suspension_id':'s'}", "answered"},
        {"intent.suspension_expired", "{'suspension_id':'s'}", "expired"},
        {"intent.suspension_renotified", "{'suspension_id':'s'}", "reminded"},
        {"intent.suspension_escalated", "{'suspension_id':'s'}", "escalated"},
        {"status_changed", "{'suspension_id':'s','reason':'cancelled'}",
         "cancelled"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct frame_event e = event(rows[i].type, rows[i].payload);
        cr_assert(frame_goes(a, &e, FRAME_INBOX, STR_NONE), "%zu", i);
        const struct frames f = written(&e, FRAME_INBOX, 0);
        cr_assert_eq(f.n, 1);
        check_frame(&f.v[0], "suspension", CURSOR "." INTENT ".7");
        const struct json *o = tree_of(f.v[0].data);
        cr_assert_eq(json_count(o), 3);
        check_text(o, "intent_id", INTENT);
        check_text(o, "suspension_id", "s");
        check_text(o, "change", rows[i].change);
    }
}

Test(frame, the_inbox_hears_of_nothing_else)
{
    cr_assert(!goes("comment", "{'suspension_id':'s'}", FRAME_INBOX, NULL));
    /* A reason in an agent's own words is not the server's. */
    cr_assert(!goes("status_changed", "{'reason':'cancelled'}", FRAME_INBOX,
                    NULL));
    /* Told already, by the event before it. */
    cr_assert(!goes("status_changed",
                    "{'suspension_id':'s','reason':'expired'}", FRAME_INBOX,
                    NULL));
    cr_assert(!goes("status_changed",
                    "{'suspension_id':'s','reason':'rejected'}", FRAME_INBOX,
                    NULL));
}

Test(frame, which_events_end_a_question)
{
    static const struct {
        const char *type, *payload;
        bool ends;
    } rows[] = {
        {"intent.resumed", "{'suspension_id':'s'}", true},
        {"intent.suspension_expired", "{'suspension_id':'s'}", true},
        {"status_changed", "{'suspension_id':'s','reason':'cancelled'}", true},
        {"status_changed", "{'suspension_id':'s','reason':'stopped'}", false},
        {"intent.suspended", "{'suspension_id':'s'}", false},
        {"intent.suspension_renotified", "{'suspension_id':'s'}", false},
        {"comment", "{'suspension_id':'s'}", false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct frame_event e = event(rows[i].type, rows[i].payload);
        const struct str s = frame_decides(a, &e);
        cr_assert_eq(str_is(s, "s"), rows[i].ends, "%zu", i);
        cr_assert_eq(s.p != NULL, rows[i].ends, "%zu", i);
    }
}

/* ---- where a stream goes on ----------------------------------------- */

Test(frame, an_id_is_read_as_it_was_written)
{
    const struct frame_event e = event("agent_assigned", "{'agent_id':'a'}");
    for (int to = FRAME_INTENT; to <= FRAME_AGENT; to++) {
        const struct frames f = written(&e, (enum frame_audience)to, 0);
        for (size_t i = 0; i < f.n; i++) {
            struct frame_id id;
            cr_assert(frame_id_read(f.v[i].id, (enum frame_audience)to, &id));
            cr_assert_eq(id.sequence, 7);
            cr_assert_eq(id.part, i + 1 < f.n ? i + 1 : 0);
            cr_assert_eq(id.xid, to == FRAME_INTENT ? 0 : 771234);
            cr_assert(to == FRAME_INTENT ? !id.intent_id.p
                                         : str_is(id.intent_id, INTENT));
        }
    }
}

Test(frame, any_other_id_is_refused)
{
    static const char *const bad[] = {
        "", "0", "-1", "+1", "01", "1.", ".1", "1.0", "1.2", "1.1.1", "1 ",
        " 1", "1x", "9223372036854775808", "1.1x", CURSOR "." INTENT ".7"};
    static const char *const bad_over_all[] = {
        "", "0", "07", "7.", "7.1", CURSOR ".", CURSOR "." INTENT,
        CURSOR "." INTENT ".", CURSOR "." INTENT ".0",
        CURSOR "." INTENT ".7.", CURSOR "." INTENT ".7.2",
        CURSOR "." INTENT ".7.1.1", "0." INTENT ".7", "01." INTENT ".7",
        "-1." INTENT ".7", "18446744073709551615." INTENT ".7",
        CURSOR ".0198A5B2-7C0E-7ABC-8DEF-0123456789AB.7",
        CURSOR ".0198a5b2-7c0e-7abc-8def-0123456789a.7",
        CURSOR ".0198a5b2.7", CURSOR "..7"};
    struct frame_id id;
    for (size_t i = 0; i < countof(bad); i++)
        cr_assert(!frame_id_read(str_of(bad[i]), FRAME_INTENT, &id), "%s",
                  bad[i]);
    for (size_t i = 0; i < countof(bad_over_all); i++)
        cr_assert(!frame_id_read(str_of(bad_over_all[i]), FRAME_INBOX, &id),
                  "%s", bad_over_all[i]);
    cr_assert(!frame_id_read(STR_NONE, FRAME_INTENT, &id));
    cr_assert(!frame_id_read(STR_NONE, FRAME_AGENT, &id));
    cr_assert(frame_id_read(STR("9223372036854775807"), FRAME_INTENT, &id));
}

Test(frame, a_place_is_read_as_it_was_written)
{
    static const struct {
        enum frame_audience to;
        struct frame_id at;
        const char *id;
    } rows[] = {
        {FRAME_INTENT, {.intent_id = {INTENT, 36}, .sequence = 7}, "7"},
        {FRAME_INTENT, {.sequence = 7, .part = 1}, "7.1"},
        {FRAME_AGENT, {.xid = 771234}, CURSOR},
        {FRAME_INBOX,
         {.xid = 771234, .intent_id = {INTENT, 36}, .sequence = 7},
         CURSOR "." INTENT ".7"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 256);
        struct frame_id id;
        frame_id_place(&b, "keepalive", rows[i].to, &rows[i].at);
        const struct frames f = read_frames(buf_text(&b));
        cr_assert_eq(f.n, 1);
        check_frame(&f.v[0], "keepalive", rows[i].id);
        check_equal(f.v[0].data, "{}");
        cr_assert(frame_id_read(f.v[0].id, rows[i].to, &id));
        cr_assert_eq(id.xid, rows[i].at.xid);
        cr_assert_eq(id.sequence, rows[i].at.sequence);
        cr_assert_eq(id.part, rows[i].at.part);
        if (rows[i].to != FRAME_INTENT)
            cr_assert_eq(id.intent_id.p != NULL,
                         rows[i].at.intent_id.p != NULL);
    }
}

/* Tests go to test keys alone, and what is real to the others; a person who
 * listens to an agent hears both. */
Test(frame, tests_have_their_own_readers)
{
    struct frame_event e = event("agent_assigned", "{'agent_id':'x'}");
    e.portfolio_id = STR("p1");
    for (int test = 0; test < 2; test++) {
        e.watched = test ? json_of("{'portfolios':['p1'],'agents':['x'],"
                                   "'test':true}")
                         : json_of("{'portfolios':['p1'],'agents':['x']}");
        cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("x")) == !test);
        cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("test/x")) == test);
        cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("/x")));
        cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("x")) == !test);
        cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("/x")) == !test);
        cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("test/x")) == test);
        cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR("test//x")) == test);
        cr_assert(frame_goes(a, &e, FRAME_PORTFOLIO, STR_NONE));
        cr_assert(!frame_goes(a, &e, FRAME_PORTFOLIO, STR("test/y")));
    }
    e.watched = STR_NONE;
    cr_assert(frame_goes(a, &e, FRAME_AGENT, STR("x")));
    cr_assert(!frame_goes(a, &e, FRAME_AGENT, STR("test/x")));
}
