/* The OAuth face: parameters, who a client is, the words of errors, tokens. */
#include "domain/permit/oauth.h"

#include "base/clock.h"
#include "domain/permit/dpop.h"
#include "suite.h"

SUITE(oauth);

#define NOW (INT64_C(1795341104) * CLOCK_SECOND)
#define ISSUER STR("https://sayso.example")
#define DETAILS                                                                \
    "[{'type':'tool_call','tool':'shop.refund','arguments':{'order':'1'},"     \
    "'constraints':{'amount':'50.00'}}]"

/* Parameters of a text "a=1&b=2", where nothing is encoded. */
static struct oauth_params params_of(const char *text)
{
    struct oauth_param *v = arena_many(a, 32, struct oauth_param);
    struct str rest = json_of(text);
    size_t n = 0;
    while (rest.n > 0) {
        struct str part = str_cut(&rest, '&');
        v[n].key = str_cut(&part, '=');
        v[n++].value = part.p ? part : STR("");
    }
    return (struct oauth_params){v, n};
}

static void refused(const struct err *e, enum err_kind kind, const char *code,
                    const char *what)
{
    cr_assert(e, "%s: %s is missing", what, code);
    cr_assert_str_eq(e->code, code, "%s: %.*s", what, STR_FMT(e->say));
    cr_assert_eq(e->kind, kind, "%s", what);
    cr_assert(str_eq(oauth_description(a, e->say), e->say), "%s", what);
}

/* ---- parameters ------------------------------------------------------ */

/* Test 47 of the specification, its pure part. */
Test(oauth, a_parameter_stands_once_and_an_empty_one_is_absent)
{
    const struct oauth_params once = params_of("a=1&b=&c=3");
    const struct oauth_params twice = params_of("a=1&b=2&a=1");
    const struct oauth_params empty = params_of("a=&a=");
    cr_assert(!oauth_check(a, &once));
    refused(oauth_check(a, &twice), ERR_BAD_REQUEST, "invalid_request",
            "twice");
    refused(oauth_check(a, &empty), ERR_BAD_REQUEST, "invalid_request",
            "twice and empty");
    cr_assert(str_is(oauth_get(&once, "a"), "1"));
    cr_assert(!oauth_get(&once, "b").p);
    cr_assert(!oauth_get(&once, "d").p);
}

/* ---- who it is ------------------------------------------------------- */

static struct str basic(const char *pair)
{
    struct buf b = buf_make(a, 1000);
    buf_put(&b, "Basic ");
    buf_str(&b, crypt_base64(a, str_of(pair)));
    return buf_text(&b);
}

Test(oauth, a_client_authenticates_in_one_way)
{
    static const struct {
        const char *pair; /* of Basic; NULL: no header */
        bool key;
        const char *form, *code, *id, *secret;
        enum oauth_method method;
    } rows[] = {
        {"bot:sayso_x", false, "", NULL, "bot", "sayso_x", OAUTH_BASIC},
        {"bot:sayso_x", false, "client_id=bot", NULL, "bot", "sayso_x",
         OAUTH_BASIC},
        {"a%20b%3A:x%2By+z", false, "", NULL, "a b:", "x+y z", OAUTH_BASIC},
        {"bot:a:b", false, "", NULL, "bot", "a:b", OAUTH_BASIC},
        {NULL, false, "client_id=bot&client_secret=k", NULL, "bot", "k",
         OAUTH_POST},
        {NULL, true, "", NULL, NULL, NULL, OAUTH_HEADER},
        {NULL, true, "client_id=bot", NULL, "bot", NULL, OAUTH_HEADER},
        {NULL, false, "", "invalid_client", NULL, NULL, OAUTH_HEADER},
        {NULL, false, "client_id=bot", "invalid_client", NULL, NULL,
         OAUTH_HEADER},
        {NULL, false, "client_secret=k", "invalid_client", NULL, NULL,
         OAUTH_HEADER},
        {"bot", false, "", "invalid_client", NULL, NULL, OAUTH_BASIC},
        {":k", false, "", "invalid_client", NULL, NULL, OAUTH_BASIC},
        {"bot:", false, "", "invalid_client", NULL, NULL, OAUTH_BASIC},
        {"bot:%zz", false, "", "invalid_client", NULL, NULL, OAUTH_BASIC},
        {"bot:%00", false, "", "invalid_client", NULL, NULL, OAUTH_BASIC},
        {"bot:%FF", false, "", "invalid_client", NULL, NULL, OAUTH_BASIC},
        {"bot:k", true, "", "invalid_request", NULL, NULL, OAUTH_BASIC},
        {"bot:k", false, "client_secret=k", "invalid_request", NULL, NULL,
         OAUTH_BASIC},
        {"bot:k", false, "client_id=other", "invalid_request", NULL, NULL,
         OAUTH_BASIC},
        {NULL, true, "client_id=bot&client_secret=k", "invalid_request", NULL,
         NULL, OAUTH_HEADER},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct oauth_client c;
        const struct oauth_params params = params_of(rows[i].form);
        const struct err *e = oauth_client(
            a, rows[i].pair ? basic(rows[i].pair) : STR_NONE, rows[i].key,
            &params, &c);
        if (rows[i].code) {
            cr_assert(e, "row %zu", i);
            refused(e,
                    str_is(str_of(rows[i].code), "invalid_client")
                        ? ERR_UNAUTHENTICATED
                        : ERR_BAD_REQUEST,
                    rows[i].code, rows[i].form);
            continue;
        }
        cr_assert(!e, "row %zu: %s", i, e ? e->code : "");
        cr_assert_eq(c.method, rows[i].method, "row %zu", i);
        cr_assert(str_eq(c.id, str_of(rows[i].id)), "row %zu", i);
        cr_assert(str_eq(c.secret, str_of(rows[i].secret)), "row %zu", i);
    }
}

Test(oauth, another_scheme_is_no_client)
{
    static const char *const rows[] = {"", "Basic", "Basic ", "Basic !!!",
                                       "Bearer Ym90Oms=", "DPoP Ym90Oms=",
                                       "BasicYm90Oms="};
    const struct oauth_params none = {NULL, 0};
    struct oauth_client c;
    for (size_t i = 0; i < countof(rows); i++)
        refused(oauth_client(a, str_of(rows[i]), false, &none, &c),
                ERR_UNAUTHENTICATED, "invalid_client", rows[i]);
    cr_assert(!oauth_client(a, STR("bAsIc Ym90Oms="), false, &none, &c));
}

/* ---- errors ---------------------------------------------------------- */

Test(oauth, a_description_has_the_characters_of_the_text)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"As it was: ~!#[]", "As it was: ~!#[]"},
        {"say \"x\"", "say 'x'"},
        {"a\\b", "a?b"},
        {"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "caf? ? ?"},
        {"a\nb\tc\rd\x7F", "a b c?d?"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = oauth_description(a, str_of(rows[i].text));
        cr_assert(str_is(s, rows[i].wanted), "%.*s", STR_FMT(s));
    }
}

Test(oauth, every_error_has_a_word_of_oauth)
{
    const struct {
        enum err_kind kind;
        const char *code, *word;
        enum err_kind told;
    } rows[] = {
        {ERR_UNAUTHENTICATED, dpop_no_nonce, "use_dpop_nonce",
         ERR_BAD_REQUEST},
        {ERR_UNAUTHENTICATED, dpop_wrong, "invalid_dpop_proof",
         ERR_BAD_REQUEST},
        {ERR_UNAUTHENTICATED, dpop_replay, "invalid_dpop_proof",
         ERR_BAD_REQUEST},
        {ERR_UNAUTHENTICATED, dpop_other_key, "invalid_grant",
         ERR_BAD_REQUEST},
        {ERR_INVALID, permit_details_wrong, "invalid_authorization_details",
         ERR_BAD_REQUEST},
        {ERR_INVALID, permit_resource, "invalid_target", ERR_BAD_REQUEST},
        {ERR_INVALID, permit_jkt, "invalid_request", ERR_BAD_REQUEST},
        {ERR_UNAUTHENTICATED, "key.revoked", "invalid_client",
         ERR_UNAUTHENTICATED},
        {ERR_FORBIDDEN, "role.forbidden", "unauthorized_client",
         ERR_BAD_REQUEST},
        {ERR_BAD_REQUEST, "request.form", "invalid_request", ERR_BAD_REQUEST},
        {ERR_MEDIA_TYPE, "request.malformed", "invalid_request",
         ERR_BAD_REQUEST},
        {ERR_CONFLICT, "suspension.open", "invalid_request", ERR_BAD_REQUEST},
        {ERR_METHOD, "route.method", "invalid_request", ERR_METHOD},
        {ERR_TOO_LARGE, "request.too_large", "invalid_request",
         ERR_TOO_LARGE},
        {ERR_RATE, "limit.rate", "temporarily_unavailable", ERR_RATE},
        {ERR_BUSY, "database.unavailable", "temporarily_unavailable",
         ERR_BUSY},
        {ERR_INTERNAL, "internal", "server_error", ERR_INTERNAL},
        {ERR_BAD_REQUEST, oauth_slow_down, "slow_down", ERR_BAD_REQUEST},
        {ERR_UNAUTHENTICATED, oauth_invalid_client, "invalid_client",
         ERR_UNAUTHENTICATED},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err e = {.kind = rows[i].kind, .code = rows[i].code,
                              .say = STR("Say \"this\"."), .retry = 7};
        const struct err *told = oauth_error(a, &e);
        refused(told, rows[i].told, rows[i].word, rows[i].code);
        cr_assert(str_is(told->say, "Say 'this'."));
        cr_assert_eq(told->retry, 7);
    }
}

/* ---- asking ---------------------------------------------------------- */

Test(oauth, a_request_becomes_the_body_of_an_authorization)
{
    const struct oauth_params params = params_of(
        "authorization_details=" DETAILS
        "&resource=https://gw.example/mcp&login_hint=mara@example.org"
        "&binding_message=Refund order 1&requested_expiry=5&scope=openid"
        "&client_id=bot&max_uses=3&use_seconds=60&severity=high&goal=g"
        "&reasoning=&session_id=s-1&consequence=c&dpop_jkt=x&unknown=1");
    struct json *body = NULL;
    struct str details = STR_NONE;
    const struct err *e = oauth_ask(a, &params, &body, &details);
    cr_assert(!e, "%s", e ? e->code : "");
    same(body,
         "{'authorization_details':" DETAILS
         ",'resource':'https://gw.example/mcp',"
         "'initiated_by':'mara@example.org','title':'Refund order 1',"
         "'veto_seconds':60,'max_uses':3,'use_seconds':60,'severity':'high',"
         "'goal':'g','session_id':'s-1','consequence':'c','dpop_jkt':'x'}");
    cr_assert(str_eq(details, json_of(DETAILS)));
}

Test(oauth, what_cannot_be_asked_for_so)
{
#define GOOD "authorization_details=" DETAILS "&resource=https://gw.example"
    static const struct {
        const char *form, *code, *at;
    } rows[] = {
        {"resource=https://gw.example", "invalid_request",
         "authorization_details"},
        {"authorization_details=" DETAILS, "invalid_request", "resource"},
        {"authorization_details=[&resource=x", "invalid_authorization_details",
         "authorization_details"},
        {"authorization_details=[]&resource=x",
         "invalid_authorization_details", "authorization_details"},
        {"authorization_details=[{'type':'x'}]&resource=x",
         "invalid_authorization_details", "authorization_details[0].type"},
        {GOOD "&request=x", "invalid_request", "request"},
        {GOOD "&id_token_hint=x", "invalid_request", "id_token_hint"},
        {GOOD "&login_hint_token=x", "invalid_request", "login_hint_token"},
        {GOOD "&user_code=x", "invalid_request", "user_code"},
        {GOOD "&binding_message=a\nb", "invalid_binding_message",
         "binding_message"},
        {GOOD "&binding_message=a\xE2\x80\x8B", "invalid_binding_message",
         "binding_message"},
        {GOOD "&requested_expiry=soon", "invalid_request",
         "requested_expiry"},
        {GOOD "&max_uses=0", "invalid_request", "max_uses"},
        {GOOD "&max_uses=1.5", "invalid_request", "max_uses"},
        {GOOD "&goal=a&goal=b", "invalid_request", "goal"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct oauth_params params = params_of(rows[i].form);
        struct json *body = NULL;
        struct str details;
        const struct err *e = oauth_ask(a, &params, &body, &details);
        refused(e, ERR_BAD_REQUEST, rows[i].code, rows[i].form);
        cr_assert(str_is(e->at, rows[i].at), "%s: %.*s", rows[i].form,
                  STR_FMT(e->at));
    }
    struct buf b = buf_make(a, 2000);
    buf_put(&b, GOOD "&binding_message=");
    for (size_t i = 0; i < 201; i++)
        buf_char(&b, 'x');
    const struct oauth_params params = params_of(arena_z(a, buf_text(&b)));
    struct json *body = NULL;
    struct str details;
    refused(oauth_ask(a, &params, &body, &details), ERR_BAD_REQUEST,
            "invalid_binding_message", "201 characters");
}

/* ---- tokens ---------------------------------------------------------- */

static struct permit permit_in(enum permit_state state)
{
    return (struct permit){.id = STR("p-1"),
                           .suspension_id = STR("s-1"),
                           .agent = STR("bot"),
                           .state = state,
                           .granted = json_of(DETAILS),
                           .reason = STR("Ask \"Alice\" first."),
                           .terms = {.max_uses = 2},
                           .used = 1,
                           .not_after = NOW + 200 * CLOCK_SECOND};
}

static struct oauth_exchange exchange_of(const struct permit *p)
{
    return (struct oauth_exchange){
        .permit = p,
        .agent = STR("bot"),
        .ending = OUTCOME_AUTHORIZED,
        .now = {.now = NOW,
                .intent = INTENT_ACTIVE,
                .access = ACCESS_WRITE}};
}

/* The table of states at the token endpoint. */
Test(oauth, a_token_request_is_told_the_state)
{
    static const struct {
        enum permit_state state;
        enum outcome ending;
        bool due;
        struct permit_case now;
        const char *code; /* NULL: a token */
    } rows[] = {
        {PERMIT_ACTIVE, OUTCOME_AUTHORIZED, false,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW}, NULL},
        {PERMIT_ASKED, OUTCOME_UNDECIDED, false,
         {NOW, INTENT_SUSPENDED, true, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "authorization_pending"},
        {PERMIT_ASKED, OUTCOME_UNDECIDED, true,
         {NOW, INTENT_SUSPENDED, true, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "expired_token"},
        {PERMIT_REFUSED, OUTCOME_EXPIRED, false,
         {NOW, INTENT_ABANDONED, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "expired_token"},
        {PERMIT_REFUSED, OUTCOME_VETOED, false,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "access_denied"},
        {PERMIT_REFUSED, OUTCOME_WITHDRAWN, false,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "access_denied"},
        {PERMIT_REVOKED, OUTCOME_AUTHORIZED, false,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "access_denied"},
        {PERMIT_SPENT, OUTCOME_AUTHORIZED, false,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "invalid_grant"},
        {PERMIT_ACTIVE, OUTCOME_AUTHORIZED, false,
         {NOW, INTENT_ABANDONED, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "invalid_grant"},
        {PERMIT_ACTIVE, OUTCOME_AUTHORIZED, false,
         {NOW + 200 * CLOCK_SECOND, INTENT_ACTIVE, false, false, false,
          ACCESS_WRITE, TOOL_ALLOW},
         "expired_token"},
        {PERMIT_ACTIVE, OUTCOME_AUTHORIZED, false,
         {NOW, INTENT_SUSPENDED, true, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "authorization_pending"},
        {PERMIT_ACTIVE, OUTCOME_AUTHORIZED, false,
         {NOW, INTENT_ACTIVE, false, false, true, ACCESS_WRITE, TOOL_ALLOW},
         "access_denied"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct permit p = permit_in(rows[i].state);
        struct oauth_exchange x = exchange_of(&p);
        int64_t poll = -1;
        x.ending = rows[i].ending;
        x.due = rows[i].due;
        x.now = rows[i].now;
        const struct err *e = oauth_exchange(a, &x, &poll);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "row %zu", i);
        if (!e)
            continue;
        refused(e, ERR_BAD_REQUEST, rows[i].code, "a state");
        cr_assert_eq(poll != 0,
                     str_is(str_of(rows[i].code), "authorization_pending"),
                     "row %zu", i);
        if (str_is(str_of(rows[i].code), "access_denied"))
            same(e->more, "{'request_id':'s-1',"
                          "'reason':'Ask \\\"Alice\\\" first.'}");
    }
}

/* Tests 40 and 48: one text for all of them. */
Test(oauth, a_stranger_is_told_nothing)
{
    struct permit p = permit_in(PERMIT_ACTIVE);
    struct oauth_exchange unknown = exchange_of(NULL);
    struct oauth_exchange other = exchange_of(&p);
    struct oauth_exchange key = exchange_of(&p);
    int64_t poll;
    other.agent = STR("another");
    const struct err *e = oauth_exchange(a, &unknown, &poll);
    refused(e, ERR_BAD_REQUEST, "invalid_grant", "unknown");
    cr_assert_eq(oauth_exchange(a, &other, &poll), e);
    p.terms.dpop_jkt = STR("one key");
    key.jkt = STR("another key");
    cr_assert_eq(oauth_exchange(a, &key, &poll), e);
    key.jkt = STR_NONE;
    refused(oauth_exchange(a, &key, &poll), ERR_BAD_REQUEST,
            "invalid_dpop_proof", "no proof of a bound one");
    key.jkt = STR("one key");
    cr_assert(!oauth_exchange(a, &key, &poll));
    p.terms.dpop_jkt = STR_NONE;
    key.jkt = STR_NONE;
    key.jkt_needed = true;
    refused(oauth_exchange(a, &key, &poll), ERR_BAD_REQUEST,
            "invalid_dpop_proof", "no proof for a resource that needs one");
}

/* Test 46: every second is too often; five seconds later it is not. */
Test(oauth, looking_too_often_is_told_so)
{
    struct permit p = permit_in(PERMIT_ASKED);
    struct oauth_exchange x = exchange_of(&p);
    int64_t poll;
    refused(oauth_exchange(a, &x, &poll), ERR_BAD_REQUEST,
            "authorization_pending", "first");
    cr_assert_eq(poll, NOW + 5 * CLOCK_SECOND);
    p.poll_after = poll;
    x.now.now += CLOCK_SECOND;
    refused(oauth_exchange(a, &x, &poll), ERR_BAD_REQUEST,
            "slow_down", "a second later");
    cr_assert_eq(poll, NOW + 6 * CLOCK_SECOND);
    p.poll_after = poll;
    x.now.now += 5 * CLOCK_SECOND;
    refused(oauth_exchange(a, &x, &poll), ERR_BAD_REQUEST,
            "authorization_pending", "five seconds later");
}

Test(oauth, a_token_lives_five_minutes_and_not_beyond_its_permit)
{
    struct permit p = permit_in(PERMIT_ACTIVE);
    cr_assert_eq(oauth_expires_in(&p, NOW), 200);
    p.not_after = NOW + 900 * CLOCK_SECOND;
    cr_assert_eq(oauth_expires_in(&p, NOW), 300);
    same(oauth_token(a, &p, STR("sat_x"), true, NOW),
         "{'access_token':'sat_x','token_type':'DPoP','expires_in':300,"
         "'authorization_details':" DETAILS
         ",'request_id':'s-1','permit_id':'p-1','uses_left':1}");
    same(json_get(oauth_token(a, &p, STR("sat_x"), false, NOW), "token_type"),
         "'Bearer'");
}

Test(oauth, a_resource_is_told_what_its_token_allows)
{
    const struct permit p = permit_in(PERMIT_ACTIVE);
    struct oauth_live live = {.permit = &p,
                              .issuer = ISSUER,
                              .resource = STR("https://gw.example/mcp"),
                              .initiator = STR("mara@example.org"),
                              .jkt = STR("0ZcO"),
                              .issued_at = NOW,
                              .expires_at = NOW + 300 * CLOCK_SECOND};
    same(oauth_introspection(a, &live),
         "{'active':true,'token_type':'DPoP','iss':'https://sayso.example',"
         "'client_id':'bot','sub':'mara@example.org','act':{'sub':'bot'},"
         "'aud':'https://gw.example/mcp','iat':1795341104,'exp':1795341404,"
         "'cnf':{'jkt':'0ZcO'},'authorization_details':" DETAILS
         ",'permit_id':'p-1','request_id':'s-1','uses_left':1,"
         "'redemption_endpoint':"
         "'https://sayso.example/api/v1/redemptions'}");
    live.initiator = STR_NONE;
    live.jkt = STR_NONE;
    const struct json *bare = oauth_introspection(a, &live);
    cr_assert(str_is(json_get_text(bare, "sub"), "bot"));
    cr_assert(!json_has(bare, "act") && !json_has(bare, "cnf"));
    cr_assert(str_is(json_get_text(bare, "token_type"), "Bearer"));
    same(oauth_introspection(a, NULL), "{'active':false}");
}

Test(oauth, the_metadata_say_what_there_is)
{
    same(oauth_metadata(a, ISSUER),
         "{'issuer':'https://sayso.example',"
         "'token_endpoint':'https://sayso.example/oauth/token',"
         "'backchannel_authentication_endpoint':"
         "'https://sayso.example/oauth/bc-authorize',"
         "'backchannel_token_delivery_modes_supported':['poll'],"
         "'backchannel_user_code_parameter_supported':false,"
         "'introspection_endpoint':'https://sayso.example/oauth/introspect',"
         "'revocation_endpoint':'https://sayso.example/oauth/revoke',"
         "'grant_types_supported':['urn:openid:params:grant-type:ciba'],"
         "'response_types_supported':[],"
         "'token_endpoint_auth_methods_supported':['client_secret_basic',"
         "'client_secret_post'],'dpop_signing_alg_values_supported':['ES256',"
         "'Ed25519','EdDSA'],'authorization_details_types_supported':"
         "['tool_call']}");
}
