/* The table of every route: the site map.
 *
 * A row has everything in which routes differ: how the caller authenticates,
 * which roles are allowed, the query keys with their types, the largest body,
 * the style of errors, and the function that answers. serve.c does the rest. */
#include "doors/route.h"

#include "base/clock.h"
#include "base/id.h"
#include "doors/api/api.h"
#include "doors/openintent/openintent.h"
#include "doors/pages/access/access.h"
#include "doors/pages/answer/page.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/login/login.h"
#include "doors/pages/question/intent.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"

#define KB ((size_t)1024)

enum {
    AGENT = ROLE_AGENT,
    OPERATOR = ROLE_OPERATOR,
    ADMIN = ROLE_ADMIN,
    AUDITOR = ROLE_AUDITOR,
    USER = ROLE_USER,
    RESOURCE = ROLE_RESOURCE,
    ANY = AGENT | OPERATOR | ADMIN | AUDITOR,
    WRITER = AGENT | OPERATOR | ADMIN,
    RUNNER = AGENT | RESOURCE,
    DECIDER = OPERATOR | ADMIN,
    READER = OPERATOR | ADMIN | AUDITOR,
    PERSON = READER | USER,
    ANSWERER = DECIDER | USER,
    OVERSEER = ADMIN | AUDITOR
};

#define GET METHOD_GET
#define POST METHOD_POST
#define PATCH METHOD_PATCH
#define DELETE METHOD_DELETE
#define OPEN ROUTE_OPEN
#define KEY ROUTE_KEY
#define COOKIE ROUTE_COOKIE
#define CLIENT ROUTE_CLIENT
#define DETAIL RESPONSE_DETAIL
#define PROBLEM RESPONSE_PROBLEM
#define HTML RESPONSE_HTML
#define OAUTH RESPONSE_OAUTH
#define API "/api/v1"
#define INTENT API "/intents/{id}"
/* An address of OpenIntent's SDK that answers 501, whatever the query. */
#define OUT(method, pattern)                                                   \
    {(method), pattern,   KEY,   ANY, NULL,                                    \
     64 * KB,  DETAIL, openintent_unsupported}

const struct route routes[] = {
    /* OpenIntent */
    {GET, "/.well-known/openintent.json", OPEN, 0, "", 0, DETAIL,
     openintent_discovery},
    {GET, API "/server/config", OPEN, 0, "", 0, DETAIL,
     openintent_config},
    {GET, API "/intents", KEY, ANY,
     "status limit:1-1000 offset:0-10000 after", 0, DETAIL, api_intent_list},
    {POST, API "/intents", KEY, WRITER, "", 1024 * KB, DETAIL,
     api_intent_create},
    {GET, INTENT, KEY, ANY, "wait:0-55 since:0-", 0, DETAIL, api_intent_get},
    {GET, INTENT "/children", KEY, ANY, "limit:1-1000 after", 0, DETAIL,
     openintent_graph_children},
    {POST, INTENT "/children", KEY, WRITER, "", 1024 * KB, DETAIL,
     api_intent_create_child},
    {GET, INTENT "/dependencies", KEY, ANY, "limit:1-1000 after", 0, DETAIL,
     openintent_graph_dependencies},
    {POST, INTENT "/dependencies", KEY, WRITER, "", 4 * KB, DETAIL,
     openintent_graph_add},
    {DELETE, INTENT "/dependencies/{dependency_id}", KEY, WRITER, "", 4 * KB,
     DETAIL, openintent_graph_remove},
    {GET, INTENT "/dependents", KEY, ANY, "limit:1-1000 after", 0, DETAIL,
     openintent_graph_dependents},
    {GET, INTENT "/descendants", KEY, ANY, "", 0, DETAIL,
     openintent_graph_descendants},
    {GET, INTENT "/ancestors", KEY, ANY, "", 0, DETAIL,
     openintent_graph_ancestors},
    {GET, INTENT "/ready", KEY, ANY, "limit:1-1000 after", 0, DETAIL,
     openintent_graph_ready},
    {GET, INTENT "/blocked", KEY, ANY, "limit:1-1000 after", 0, DETAIL,
     openintent_graph_blocked},
    {GET, INTENT "/graph", KEY, ANY, "", 0, DETAIL, openintent_graph_whole},
    {POST, INTENT "/status", KEY, WRITER, "", 16 * KB, DETAIL,
     api_intent_status},
    {POST, INTENT "/state", KEY, WRITER, "", 1024 * KB, DETAIL,
     api_intent_state},
    {GET, INTENT "/events", KEY, ANY,
     "limit:1-1000 offset:0-10012 event_type since:time before:1-", 0, DETAIL,
     api_event_list},
    {POST, INTENT "/events", KEY, WRITER, "", 256 * KB, DETAIL,
     api_event_post},
    {GET, INTENT "/events/verify", KEY, ANY, "", 0, DETAIL, api_event_verify},
    {GET, INTENT "/leases", KEY, ANY, "", 0, DETAIL, api_lease_list},
    {POST, INTENT "/leases", KEY, AGENT, "", 4 * KB, DETAIL,
     api_lease_acquire},
    {PATCH, INTENT "/leases/{lease_id}", KEY, AGENT, "", 4 * KB, DETAIL,
     api_lease_renew},
    {DELETE, INTENT "/leases/{lease_id}", KEY, AGENT | ADMIN, "", 4 * KB,
     DETAIL, api_lease_release},
    {GET, INTENT "/agents", KEY, ANY, "", 0, DETAIL, api_agent_list},
    {POST, INTENT "/agents", KEY, WRITER, "", 4 * KB, DETAIL,
     api_agent_assign},
    {DELETE, INTENT "/agents/{agent_id}", KEY, WRITER, "", 4 * KB, DETAIL,
     api_agent_unassign},
    {GET, INTENT "/subscribe", KEY, ANY, "after", 0, DETAIL,
     api_stream_intent},
    {GET, API "/subscribe/intents/{id}", KEY, ANY, "after", 0, DETAIL,
     api_stream_intent},
    {GET, API "/agents/{agent_id}/subscribe", KEY, ANY, "after", 0, DETAIL,
     api_stream_agent},
    {GET, API "/subscribe/agents/{agent_id}", KEY, ANY, "after", 0, DETAIL,
     api_stream_agent},
    {POST, INTENT "/suspend/respond", KEY, DECIDER, "", 256 * KB, DETAIL,
     openintent_respond},
    {POST, API "/subscriptions", KEY, AGENT | ADMIN, "", 64 * KB, DETAIL,
     api_subscription_make},
    {GET, API "/subscriptions", KEY, AGENT | ADMIN,
     "intent_id:uuid portfolio_id:uuid after:uuid", 0, DETAIL,
     api_subscription_list},
    {DELETE, API "/subscriptions/{id}", KEY, AGENT | ADMIN, "", 0, DETAIL,
     api_subscription_remove},

    /* OpenIntent, not a part of this server */
    OUT(POST, API "/vaults"),
    OUT(GET, API "/vaults/{id}"),
    OUT(POST, API "/credentials"),
    OUT(GET, API "/credentials/{id}"),
    OUT(POST, API "/grants"),
    OUT(GET, API "/grants/{id}"),
    OUT(DELETE, API "/grants/{id}"),
    OUT(GET, API "/agents/{agent_id}/grants"),
    OUT(POST, API "/invocations"),
    OUT(GET, API "/grants/{id}/invocations"),
    OUT(POST, API "/tools/invoke"),
    OUT(POST, API "/memory"),
    OUT(GET, API "/memory/{id}"),
    OUT(PATCH, API "/memory/{id}"),
    OUT(DELETE, API "/memory/{id}"),
    OUT(GET, API "/agents/{agent_id}/memory"),
    OUT(GET, API "/agents"),
    OUT(POST, API "/agents/register"),
    OUT(GET, API "/agents/{agent_id}/record"),
    OUT(POST, API "/agents/{agent_id}/heartbeat"),
    OUT(PATCH, API "/agents/{agent_id}/status"),
    OUT(GET, API "/triggers"),
    OUT(POST, API "/triggers"),
    OUT(GET, API "/triggers/{id}"),
    OUT(PATCH, API "/triggers/{id}"),
    OUT(DELETE, API "/triggers/{id}"),
    OUT(POST, API "/triggers/{id}/fire"),
    OUT(GET, API "/agents/{agent_id}/identity"),
    OUT(POST, API "/agents/{agent_id}/identity"),
    OUT(POST, API "/agents/{agent_id}/identity/challenge"),
    OUT(POST, API "/agents/{agent_id}/identity/rotate"),
    OUT(POST, API "/agents/{agent_id}/identity/verify"),
    OUT(GET, INTENT "/channels"),
    OUT(POST, INTENT "/channels"),
    OUT(GET, API "/channels/{id}"),
    OUT(DELETE, API "/channels/{id}"),
    OUT(GET, API "/channels/{id}/messages"),
    OUT(POST, API "/channels/{id}/messages"),
    OUT(GET, API "/channels/{id}/messages/{message_id}"),
    OUT(PATCH, API "/channels/{id}/messages/{message_id}"),
    OUT(POST, API "/channels/{id}/messages/{message_id}/reply"),
    OUT(GET, API "/federation/status"),
    OUT(GET, API "/federation/agents"),
    OUT(POST, API "/federation/dispatch"),
    OUT(POST, API "/federation/receive"),
    OUT(GET, "/.well-known/openintent-federation.json"),
    OUT(GET, API "/checkpoints"),
    OUT(GET, API "/checkpoints/{id}"),
    OUT(GET, API "/checkpoints/{id}/proof/{event_id}"),
    OUT(GET, API "/verify/consistency"),

    /* native */
    {POST, API "/suspensions", KEY, AGENT, "", 256 * KB, PROBLEM,
     api_suspension_ask},
    {GET, API "/suspensions", KEY, ANY, "state limit:1-100 after", 0, PROBLEM,
     api_suspension_list},
    {GET, API "/suspensions/{id}", KEY, ANY | USER, "wait:0-55", 0, PROBLEM,
     api_suspension_get},
    {GET, API "/suspensions/{id}/action", KEY, ANY, "", 0, PROBLEM,
     api_suspension_action},
    {POST, API "/suspensions/{id}/respond", KEY, WRITER | USER, "", 512 * KB,
     PROBLEM, api_suspension_respond},
    {POST, API "/suspensions/{id}/cancel", KEY, AGENT | ADMIN, "", 16 * KB,
     PROBLEM, api_suspension_cancel},
    {POST, API "/endpoints", KEY, AGENT | ADMIN, "", 64 * KB, PROBLEM,
     api_endpoint_register},
    {GET, API "/endpoints", KEY, AGENT | ADMIN, "", 0, PROBLEM,
     api_endpoint_list},
    {GET, API "/endpoints/{id}", KEY, AGENT | ADMIN, "", 0, PROBLEM,
     api_endpoint_get},
    {PATCH, API "/endpoints/{id}", KEY, AGENT | ADMIN, "", 64 * KB, PROBLEM,
     api_endpoint_change},
    {DELETE, API "/endpoints/{id}", KEY, AGENT | ADMIN, "", 0, PROBLEM,
     api_endpoint_remove},
    {POST, API "/endpoints/{id}/rotate", KEY, AGENT | ADMIN, "", 4 * KB,
     PROBLEM, api_endpoint_rotate},

    /* tool calls */
    {POST, API "/tool-calls/check", KEY, AGENT, "", 256 * KB, PROBLEM,
     api_tool_call_check},
    {POST, API "/initiations", KEY, PERSON, "", 4 * KB, PROBLEM,
     api_initiation_make},
    {POST, API "/resume/{id}", KEY, ANSWERER, "action", 64 * KB,
     PROBLEM, api_resume},
    {GET, API "/resume/{id}", OPEN, 0, "action", 0, PROBLEM,
     api_resume_page},

    {POST, API "/authorizations", KEY, AGENT, "", 256 * KB, PROBLEM,
     api_authorization},
    {GET, API "/permits/{id}", KEY, ANY | RESOURCE, "", 0, PROBLEM,
     api_permit_get},
    {POST, API "/permits/{id}/revoke", KEY, WRITER | USER, "", 16 * KB,
     PROBLEM, api_permit_revoke},
    {POST, API "/redemptions", KEY, RUNNER, "", 128 * KB, PROBLEM,
     api_redemption},
    {POST, API "/redemptions/{id}/result", KEY, RUNNER, "", 4 * KB,
     PROBLEM, api_permit_result},

    /* OAuth */
    {GET, "/.well-known/oauth-authorization-server", OPEN, 0, "", 0, DETAIL,
     api_oauth_metadata},
    {POST, "/oauth/bc-authorize", CLIENT, AGENT, "", 512 * KB, OAUTH,
     api_oauth_ask},
    {POST, "/oauth/token", CLIENT, AGENT, "", 16 * KB, OAUTH,
     api_oauth_token},
    {POST, "/oauth/introspect", CLIENT, RESOURCE, "", 16 * KB, OAUTH,
     api_oauth_introspect},
    {POST, "/oauth/revoke", CLIENT, AGENT, "", 16 * KB, OAUTH,
     api_oauth_revoke},

    /* browser */
    {GET, "/", OPEN, 0, "", 0, HTML, login_home},
    {GET, "/login", OPEN, 0, "next", 0, HTML, login_page},
    {POST, "/login", OPEN, 0, "", 128 * KB, HTML, login_page_post},
    {POST, "/logout", COOKIE, PERSON, "", 8 * KB, HTML, login_out},
    {GET, "/inbox", COOKIE, PERSON,
     "view q kind risk agent due sort group after", 0, HTML, inbox_page},
    {POST, "/inbox/confirm", COOKIE, DECIDER, "", 32 * KB, HTML,
     inbox_bulk_confirm},
    {POST, "/inbox/decide", COOKIE, DECIDER, "", 32 * KB, HTML,
     inbox_bulk_decide},
    {GET, "/inbox/stream", COOKIE, READER, "after", 0, PROBLEM,
     api_stream_inbox},
    {GET, "/suspensions/{id}", COOKIE, PERSON, "choice", 0, HTML,
     answer_page},
    {POST, "/suspensions/{id}/respond", COOKIE, ANSWERER, "", 512 * KB, HTML,
     answer_page_respond},
    {GET, "/decided", COOKIE, READER,
     "outcome kind door who agent from until after", 0, HTML, inbox_decided},
    {GET, "/decided.csv", COOKIE, READER,
     "outcome kind door who agent from until", 0, HTML, inbox_export_csv},
    {GET, "/decided.jsonl", COOKIE, READER,
     "outcome kind door who agent from until", 0, HTML, inbox_export_jsonl},
    {GET, "/views", COOKIE, READER, "path query", 0, HTML, inbox_saved},
    {POST, "/views", COOKIE, READER, "", 8 * KB, HTML, inbox_saved_post},
    {GET, "/keys", COOKIE, READER, "", 0, HTML, page_keyboard},
    {GET, "/intents/{id}", COOKIE, READER, "verify", 0, HTML, question_intent},
    {GET, "/settings", COOKIE, READER, "", 0, HTML, settings_page},
    {GET, "/settings/profile", COOKIE, PERSON, "", 0, HTML, settings_profile},
    {POST, "/settings/profile", COOKIE, PERSON, "", 8 * KB, HTML,
     settings_profile_post},
    {GET, "/settings/tokens", COOKIE, PERSON, "do key", 0, HTML,
     settings_tokens},
    {POST, "/settings/tokens", COOKIE, PERSON, "", 8 * KB, HTML,
     settings_tokens_post},
    {GET, "/settings/sessions", COOKIE, READER, "do key", 0, HTML,
     settings_sessions},
    {POST, "/settings/sessions", COOKIE, READER, "", 8 * KB, HTML,
     settings_sessions_post},
    {GET, "/settings/people", COOKIE, OVERSEER, "after", 0, HTML,
     settings_people},
    {POST, "/settings/people", COOKIE, ADMIN, "", 16 * KB, HTML,
     settings_people_post},
    {GET, "/settings/people/{id}", COOKIE, ADMIN, "do", 0, HTML,
     settings_person},
    {POST, "/settings/people/{id}", COOKIE, ADMIN, "", 16 * KB, HTML,
     settings_person_act},
    {GET, "/settings/groups", COOKIE, OVERSEER, "", 0, HTML,
     settings_people_groups},
    {GET, "/settings/keys", COOKIE, OVERSEER, "after", 0, HTML, settings_keys},
    {POST, "/settings/keys", COOKIE, ADMIN, "", 16 * KB, HTML,
     settings_keys_post},
    {GET, "/settings/keys/{id}", COOKIE, ADMIN, "", 0, HTML,
     settings_keys_one},
    {POST, "/settings/keys/{id}", COOKIE, ADMIN, "", 8 * KB, HTML,
     settings_keys_act},
    {POST, "/settings/keys/{id}/floor", COOKIE, ADMIN, "", 8 * KB, HTML,
     settings_keys_floor_post},
    {GET, "/settings/secrets/{id}", COOKIE, PERSON, "", 0, HTML,
     settings_secret},
    {POST, "/settings/secrets/{id}", COOKIE, PERSON, "", 8 * KB, HTML,
     settings_secret_post},
    {GET, "/settings/rules", COOKIE, OVERSEER, "do key", 0, HTML,
     access_rules},
    {POST, "/settings/rules", COOKIE, ADMIN, "", 8 * KB, HTML,
     access_rules_post},
    {GET, "/settings/permits", COOKIE, PERSON, "do key after", 0, HTML,
     access_permits},
    {POST, "/settings/permits", COOKIE, ANSWERER, "", 16 * KB, HTML,
     access_permits_post},
    {GET, "/settings/resources", COOKIE, OVERSEER, "do key", 0, HTML,
     access_resources},
    {POST, "/settings/resources", COOKIE, ADMIN, "", 8 * KB, HTML,
     access_resources_post},
    {GET, "/settings/endpoints", COOKIE, OVERSEER, "", 0, HTML,
     settings_endpoints},
    {POST, "/settings/endpoints", COOKIE, ADMIN, "", 64 * KB, HTML,
     settings_endpoints_post},
    {GET, "/settings/endpoints/{id}", COOKIE, ADMIN, "do", 0, HTML,
     settings_endpoints_one},
    {POST, "/settings/endpoints/{id}", COOKIE, ADMIN, "", 64 * KB, HTML,
     settings_endpoints_act},
    {GET, "/settings/channels", COOKIE, OVERSEER, "", 0, HTML,
     settings_channels},
    {POST, "/settings/channels", COOKIE, ADMIN, "", 64 * KB, HTML,
     settings_channels_post},
    {GET, "/settings/channels/{id}", COOKIE, ADMIN, "do", 0, HTML,
     settings_channels_one},
    {POST, "/settings/channels/{id}", COOKIE, ADMIN, "", 64 * KB, HTML,
     settings_channels_act},
    {GET, "/settings/deliveries", COOKIE, OVERSEER, "state endpoint after", 0,
     HTML, settings_deliveries},
    {GET, "/settings/deliveries/{id}", COOKIE, OVERSEER, "", 0, HTML,
     settings_deliveries_one},
    {POST, "/settings/deliveries/{id}", COOKIE, ADMIN, "", 8 * KB, HTML,
     settings_deliveries_again},

    /* operations */
    {GET, "/healthz", OPEN, 0, "", 0, PROBLEM, api_health},
    {GET, "/readyz", OPEN, 0, "", 0, PROBLEM, api_ready},
    {GET, "/metrics", OPEN, 0, "", 0, PROBLEM, api_metrics},
};

const size_t route_count = countof(routes);

/* ---- finding -------------------------------------------------------- */

static bool matches(const char *pattern, struct str path,
                    struct str param[static CALL_PARAMS_MAX])
{
    struct str want = str_of(pattern), have = path;
    size_t n = 0;
    while (want.p && have.p) {
        const struct str w = str_cut(&want, '/');
        const struct str h = str_cut(&have, '/');
        if (w.n > 0 && w.p[0] == '{' && h.n > 0 && n < CALL_PARAMS_MAX)
            param[n++] = h;
        else if (!str_eq(w, h))
            return false;
    }
    return !want.p && !have.p;
}

const char *route_method_word(enum method m)
{
    static const char *const words[METHOD__MAX] = {
        [METHOD_GET] = "GET",     [METHOD_HEAD] = "HEAD",
        [METHOD_POST] = "POST",   [METHOD_PATCH] = "PATCH",
        [METHOD_PUT] = "PUT",     [METHOD_DELETE] = "DELETE"};
    return m < METHOD__MAX ? words[m] : "?";
}

const struct err *route_find(struct arena *a, enum method method,
                             struct str path, const struct route **out,
                             struct str param[static CALL_PARAMS_MAX],
                             struct str *allow)
{
    struct buf b = buf_make(a, 64);
    if (method == METHOD_HEAD)
        method = METHOD_GET;
    for (size_t i = 0; i < countof(routes); i++) {
        if (!matches(routes[i].pattern, path, param))
            continue;
        if (routes[i].method == method) {
            *out = &routes[i];
            return NULL;
        }
        buf_put(&b, b.n > 0 ? ", " : "");
        buf_put(&b, route_method_word(routes[i].method));
    }
    *allow = buf_text(&b);
    if (b.n > 0)
        return ERROR(ERR_METHOD, "route.method",
                     "This address does not support the method.");
    return ERROR(ERR_NOT_FOUND, "route.unknown", "This address does not "
                                                 "exist.");
}

/* ---- query keys ----------------------------------------------------- */

bool route_takes(const struct route *r, struct str key, struct str *type)
{
    struct str rest = r->query ? str_of(r->query) : STR_NONE;
    while (rest.p) {
        *type = str_cut(&rest, ' ');
        if (key.n > 0 && str_eq(str_cut(type, ':'), key))
            return true;
    }
    return false;
}

static const struct err *bad_value(const struct request *rq, struct str key,
                                   struct str wanted)
{
    return err_at(rq->arena, ERR_BAD_REQUEST, "request.query", key,
                  "\"%.*s\" has to be %.*s.", STR_FMT(key),
                  STR_FMT(wanted));
}

/* range: "1-100", or "0-" without an upper bound. */
static const struct err *check_number(const struct request *rq,
                                      const struct pair *p, struct str range)
{
    struct buf b = buf_make(rq->arena, 128);
    int64_t min = 0, max = INT64_MAX, n;
    str_int(str_cut(&range, '-'), 0, INT64_MAX, &min);
    str_int(range, 0, INT64_MAX, &max);
    if (str_int(p->value, min, max, &n))
        return NULL;
    buf_printf(&b, "a whole number from %lld to %lld", (long long)min,
               (long long)max);
    return bad_value(rq, p->key, buf_text(&b));
}

static const struct err *check_value(const struct request *rq,
                                     const struct pair *p, struct str type)
{
    int64_t t;
    if (!type.p)
        return NULL;
    if (str_is(type, "uuid"))
        return id_uuid(p->value) ? NULL : bad_value(rq, p->key, STR("a UUID"));
    if (str_is(type, "time"))
        return clock_parse(p->value, &t)
                   ? NULL
                   : bad_value(rq, p->key,
                               STR("a time like 2026-11-20T09:26:13.510233"));
    return check_number(rq, p, type);
}

const struct err *route_check_query(const struct route *r,
                                    const struct request *rq)
{
    struct str type;
    for (size_t i = 0; r->query && i < rq->query.n; i++) {
        const struct str key = rq->query.v[i].key;
        if (!route_takes(r, key, &type))
            return err_at(rq->arena, ERR_BAD_REQUEST, "request.unknown_key",
                          str_head(key, 64),
                          "This address does not support the query key.");
    }
    for (size_t i = 0; i < rq->query.n; i++) {
        if (route_takes(r, rq->query.v[i].key, &type))
            TRY(check_value(rq, &rq->query.v[i], type));
    }
    return NULL;
}

/* "/api/v1/suspensions" of an address of the API. */
static struct str collection(struct str path)
{
    size_t at = 0;
    for (int i = 0; i < 3 && at < path.n; i++)
        at = str_find(path, '/', at + 1);
    return str_sub(path, 0, at);
}

/* As the rows of the same collection have it. */
enum response_style route_style(struct str path)
{
    const struct str wanted = collection(path);
    for (size_t i = 0; i < countof(routes); i++) {
        const struct str pattern = str_of(routes[i].pattern);
        if (str_starts(pattern, STR(API "/")) &&
            str_eq(collection(pattern), wanted))
            return routes[i].style;
    }
    if (str_starts(path, STR("/oauth/")))
        return RESPONSE_OAUTH;
    if (str_starts(path, STR("/api/")) || str_starts(path, STR("/.well-")))
        return RESPONSE_DETAIL;
    return RESPONSE_HTML;
}
