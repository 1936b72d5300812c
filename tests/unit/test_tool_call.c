/* Tool calls: the five shapes are one call, and nothing else is any. */
#include "domain/kind/subject.h"
#include "domain/permit/tool_call.h"
#include "kinds.h"
#include "suite.h"

SUITE(tool_call);

#define ARGS "{'order':'12345','amount':1.10,  'b':[1,2.50]}"
#define TEXT                                                                   \
    "'{\\'order\\':\\'12345\\',\\'amount\\':1.10,  \\'b\\':[1,2.50]}'"

static const struct {
    enum tool_call_shape shape;
    const char *sent;
} shapes[] = {
    {TOOL_CALL_SAYSO, "{'id':'c1','tool':'shop-refund','arguments':" ARGS "}"},
    {TOOL_CALL_OPENAI,
     "{'id':'c1','type':'function','index':0,'function':"
     "{'name':'shop-refund','arguments':" TEXT "}}"},
    {TOOL_CALL_ANTHROPIC,
     "{'type':'tool_use','id':'c1','name':'shop-refund','input':" ARGS "}"},
    {TOOL_CALL_MCP,
     "{'id':'c1','name':'shop-refund','arguments':" ARGS ",'_meta':{}}"},
    {TOOL_CALL_KERNEL,
     "{'id':'c1','plugin_name':'shop','function_name':'refund',"
     "'arguments':" TEXT "}"},
    {TOOL_CALL_KERNEL,
     "{'id':'c1','plugin_name':'shop','function_name':'refund',"
     "'name':'shop-refund','content_type':'function_call','arguments':" ARGS
     "}"},
};

/* JSON text of single quotes; \' stands for a quote within a text. */
static struct str sent_of(const char *text)
{
    struct buf b = buf_make(a, 1 << 20);
    for (; *text; text++) {
        if (text[0] == '\\' && text[1] == '\'') {
            buf_put(&b, "\\\"");
            text++;
        } else {
            buf_char(&b, *text == '\'' ? '"' : *text);
        }
    }
    return buf_text(&b);
}

static const struct err *read(struct str body, struct tool_calls *out)
{
    struct json *v = NULL;
    const struct err *e = json_parse(a, body, &v);
    cr_assert(!e, "%.*s", STR_FMT(body));
    return tool_call_read(a, v, body, out);
}

/* A body of these calls. */
static const struct err *read_list(const char *calls, struct tool_calls *out)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "{ \"tool_calls\" : [ ");
    buf_str(&b, sent_of(calls));
    buf_put(&b, " ] }");
    return read(buf_text(&b), out);
}

/* Test 1 of the specification. */
Test(tool_call, five_shapes_give_the_same_subject_and_digests)
{
    struct str subject = STR_NONE, digest = STR_NONE;
    for (size_t i = 0; i < countof(shapes); i++) {
        struct tool_calls calls;
        const struct err *e = read_list(shapes[i].sent, &calls);
        cr_assert(!e, "%s: %.*s", shapes[i].sent, STR_FMT(e->say));
        cr_assert_eq(calls.n, 1);
        cr_assert_eq(calls.v[0].shape, shapes[i].shape, "%s", shapes[i].sent);
        cr_assert(str_is(calls.v[0].id, "c1"));
        cr_assert(str_is(calls.v[0].tool, "shop-refund"), "%s",
                  shapes[i].sent);
        cr_assert(str_eq(calls.v[0].sent, sent_of(shapes[i].sent)));
        const struct str now = tool_call_subject(
            a, &calls,
            &(struct tool_call_about){.consequence = STR("Money goes.")});
        if (i == 0) {
            subject = now;
            digest = calls.v[0].arguments_sha256;
        }
        cr_assert(str_eq(now, subject), "%.*s\n%.*s", STR_FMT(now),
                  STR_FMT(subject));
        cr_assert(str_eq(calls.v[0].arguments_sha256, digest));
    }
}

/* A call that another door names is the same as one of Sayso's shape. */
Test(tool_call, one_call_by_its_parts)
{
    const struct tool_call_about about = {.consequence = STR("Money goes.")};
    const struct tool_call call = {
        .id = STR("c1"), .tool = STR("shop-refund"), .raw = json_of(ARGS)};
    struct tool_calls sent, one;
    cr_assert(!read_list(shapes[0].sent, &sent));
    cr_assert(!tool_call_one(a, call, TOOL_CALL_ARGUMENTS_MAX, &one));
    cr_assert_eq(one.n, 1);
    cr_assert_eq(one.v[0].shape, TOOL_CALL_SAYSO);
    cr_assert(str_eq(one.v[0].sent, sent.v[0].sent));
    cr_assert(str_eq(tool_call_sha256(a, &one.v[0]),
                     tool_call_sha256(a, &sent.v[0])));
    cr_assert(str_eq(tool_call_subject(a, &one, &about),
                     tool_call_subject(a, &sent, &about)));
    expect(tool_call_one(a, call, call.raw.n - 1, &one), tool_call_arguments,
           "tool_calls[0].arguments", "too large");
    const struct tool_call spaced = {
        .id = STR("c1"), .tool = STR("a b"), .raw = STR("{}")};
    expect(tool_call_one(a, spaced, 100, &one), "tool_call.shape",
           "tool_calls[0]", "a space");
}

/* Test 2. */
Test(tool_call, the_bytes_of_the_arguments_stay_as_they_were_sent)
{
    struct tool_calls calls;
    cr_assert(!read_list("{'id':'1','tool':'t','arguments':{'a':1.10}}",
                         &calls));
    cr_assert(str_eq(calls.v[0].raw, json_of("{'a':1.10}")));
    cr_assert(str_eq(calls.v[0].arguments, json_of("{'a':1.1}")));
    const struct str subject =
        tool_call_subject(a, &calls, &(struct tool_call_about){0});
    cr_assert(str_search(subject, json_of("'args':{'a':1.10}")) < subject.n);
    cr_assert(!read_list(
        "{'id':'1','function':{'name':'t','arguments':' {\\'a\\':1.10}\\n'}}",
        &calls));
    cr_assert(str_eq(calls.v[0].raw, json_of("{'a':1.10}")));
}

/* Test 3. */
Test(tool_call, no_id_stands_twice)
{
    struct tool_calls calls;
    expect(read_list("{'id':'1','tool':'t','arguments':{}},"
                     "{'id':'2','tool':'t','arguments':{}},"
                     "{'id':'1','tool':'u','arguments':{}}",
                     &calls),
           "tool_call.id", "tool_calls[2].id", "twice");
    /* The place of a call without an id is its id. */
    expect(read_list("{'id':'2','tool':'t','arguments':{}},{'name':'u'}",
                     &calls),
           "tool_call.id", "tool_calls[1].id", "its place is taken");
}

Test(tool_call, calls_of_mcp_are_counted)
{
    struct tool_calls calls;
    cr_assert(!read_list("{'name':'t'},{'name':'t','arguments':{'a':1}}",
                         &calls));
    cr_assert(str_is(calls.v[0].id, "1") && str_is(calls.v[1].id, "2"));
    cr_assert(str_is(calls.v[0].raw, "{}"));
    cr_assert(str_is(calls.v[0].arguments, "{}"));
}

/* Test 4. */
Test(tool_call, arguments_are_an_object_of_a_bounded_size)
{
    static const struct {
        const char *call, *at;
    } rows[] = {
        {"{'id':'1','function':{'name':'t','arguments':'not json'}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t','arguments':''}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t','arguments':'[]'}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t','arguments':'{} {}'}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t',"
         "'arguments':'{\\'a\\':1,\\'a\\':2}'}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t','arguments':'{\\'a\\':NaN}'}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t','arguments':{}}}",
         "tool_calls[0].function.arguments"},
        {"{'id':'1','function':{'name':'t'}}", "tool_calls[0]"},
        {"{'id':'1','tool':'t','arguments':'{}'}", "tool_calls[0].arguments"},
        {"{'id':'1','tool':'t','arguments':[]}", "tool_calls[0].arguments"},
        {"{'id':'1','name':'t','arguments':'{}'}", "tool_calls[0].arguments"},
        {"{'type':'tool_use','id':'1','name':'t','input':'{}'}",
         "tool_calls[0].input"},
        {"{'id':'1','plugin_name':'p','function_name':'f','arguments':1}",
         "tool_calls[0].arguments"},
        {"{'id':'1','tool':'t','arguments':{'a':"
         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}",
         "tool_calls[0].arguments"},
    };
    struct tool_calls calls;
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e = read_list(rows[i].call, &calls);
        expect(e,
               str_is(str_of(rows[i].at), "tool_calls[0]")
                   ? "tool_call.shape"
                   : "tool_call.arguments",
               rows[i].at, rows[i].call);
    }
}

Test(tool_call, arguments_of_64_kB_are_the_most)
{
    struct tool_calls calls;
    for (size_t extra = 0; extra < 2; extra++) {
        struct buf b = buf_make(a, 1 << 20);
        buf_put(&b, "{'id':'1','tool':'t','arguments':{'a':'");
        for (size_t i = 0; i < TOOL_CALL_ARGUMENTS_MAX - 8 + extra; i++)
            buf_char(&b, 'x');
        buf_put(&b, "'}}");
        const struct err *e =
            read_list(arena_z(a, buf_text(&b)), &calls);
        if (extra)
            expect(e, "tool_call.arguments", "tool_calls[0].arguments",
                   "64 kB and one");
        else
            cr_assert(!e);
    }
}

Test(tool_call, what_is_of_no_shape_or_of_two_is_refused)
{
    static const char *const rows[] = {
        "null", "1", "'t'", "[]", "{}", "{'id':'1'}",
        "{'id':'1','tool':'t'}",
        "{'id':'1','arguments':{}}",
        "{'id':'1','tool':'t','input':{}}",
        "{'id':'1','tool':'t','arguments':{},'name':'u'}",
        "{'id':'1','tool':'t','arguments':{},'type':'tool_use'}",
        "{'id':'1','tool':'t','arguments':{},'function':{'name':'u',"
        "'arguments':'{}'}}",
        "{'id':'1','type':'custom','function':{'name':'u','arguments':'{}'}}",
        "{'id':'1','type':1,'function':{'name':'u','arguments':'{}'}}",
        "{'id':'1','function':'u'}",
        "{'id':'1','function':{'name':'u','arguments':'{}','tool':'x'}}",
        "{'id':'1','type':'server_tool_use','name':'t','input':{}}",
        "{'id':'1','name':'t','input':{}}",
        "{'id':'1','type':'tool_use','name':'t','input':{},'arguments':{}}",
        "{'id':'1','type':'function_call','name':'t','arguments':'{}'}",
        "{'id':'1','function_name':'t','arguments':{}}",
        "{'id':'1','plugin_name':'p','function_name':'t','arguments':{},"
        "'name':'other'}",
        "{'id':'1','plugin_name':'','function_name':'t','arguments':{}}",
        "{'id':'1','tool':'','arguments':{}}",
        "{'id':'1','tool':'a b','arguments':{}}",
        "{'id':'1','tool':'a\\u200b','arguments':{}}",
        "{'id':'1','tool':7,'arguments':{}}",
    };
    struct tool_calls calls;
    for (size_t i = 0; i < countof(rows); i++)
        expect(read_list(rows[i], &calls), "tool_call.shape", "tool_calls[0]",
               rows[i]);
}

Test(tool_call, an_id_is_a_text_that_can_be_seen)
{
    static const char *const rows[] = {
        "{'tool':'t','arguments':{}}",
        "{'id':null,'tool':'t','arguments':{}}",
        "{'id':1,'tool':'t','arguments':{}}",
        "{'id':'','tool':'t','arguments':{}}",
        "{'id':' ','tool':'t','arguments':{}}",
        "{'id':'a\\n','tool':'t','arguments':{}}",
        "{'id':7,'name':'t'}",
        "{'type':'tool_use','name':'t','input':{}}",
    };
    struct tool_calls calls;
    for (size_t i = 0; i < countof(rows); i++)
        expect(read_list(rows[i], &calls), "tool_call.id",
               "tool_calls[0].id", rows[i]);
}

Test(tool_call, there_are_one_to_fifty_of_them)
{
    struct tool_calls calls;
    expect(read(json_of("{}"), &calls), "tool_call.shape", "tool_calls",
           "absent");
    expect(read(json_of("{'tool_calls':{}}"), &calls), "tool_call.shape",
           "tool_calls", "no list");
    expect(read(json_of("{'tool_calls':[]}"), &calls), "tool_call.shape",
           "tool_calls", "none");
    for (size_t n = 50; n <= 51; n++) {
        struct buf b = buf_make(a, 1 << 20);
        for (size_t i = 0; i < n; i++)
            buf_put(&b, i ? ",{'name':'t'}" : "{'name':'t'}");
        const struct err *e = read_list(arena_z(a, buf_text(&b)), &calls);
        if (n > 50)
            expect(e, "tool_call.shape", "tool_calls", "51");
        else
            cr_assert(!e && calls.n == 50);
    }
}

Test(tool_call, a_gateways_call_has_a_tool_and_arguments_alone)
{
    static const struct {
        const char *call, *code, *at;
    } rows[] = {
        {"{'tool':'t','arguments':{'a':1.10}}", NULL, NULL},
        {"{'id':'1','tool':'t','arguments':{}}", "field.unknown", "call.id"},
        {"{'tool':'t'}", "field.missing", "call.arguments"},
        {"{'arguments':{}}", "field.missing", "call.tool"},
        {"{'tool':' ','arguments':{}}", "tool_call.shape", "call"},
        {"{'tool':'t','arguments':'{}'}", "tool_call.arguments",
         "call.arguments"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct tool_call call;
        const struct err *e =
            tool_call_read_bare(a, tree(rows[i].call), json_of(rows[i].call),
                                STR("call"), &call);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].call);
        else
            cr_assert(!e && str_eq(call.raw, json_of("{'a':1.10}")));
    }
}

Test(tool_call, equal_calls_have_one_digest)
{
    static const char *const rows[] = {
        "{'tool':'t','arguments':{'a':1,'b':2}}",
        "{'arguments':{ 'b':2.0 , 'a':1},'tool':'t'}",
        "{'tool':'t','arguments':{'a':1,'b':3}}",
        "{'tool':'u','arguments':{'a':1,'b':2}}",
    };
    struct str digests[countof(rows)];
    for (size_t i = 0; i < countof(rows); i++) {
        struct tool_call call;
        cr_assert(!tool_call_read_bare(a, tree(rows[i]), json_of(rows[i]),
                                       STR("call"), &call));
        digests[i] = tool_call_sha256(a, &call);
    }
    cr_assert(str_eq(digests[0], digests[1]));
    cr_assert(!str_eq(digests[0], digests[2]));
    cr_assert(!str_eq(digests[0], digests[3]));
}

/* ---- the question ---------------------------------------------------- */

static void passes_as(enum kind kind, struct str subject)
{
    struct json *v = tree_of(subject);
    const struct kind_ask ask = {
        .kind = kind, .severity = SEVERITY_CRITICAL, .subject = v};
    const struct err *e = kind_check_subject(a, &ask);
    cr_assert(!e, "%.*s: %.*s", STR_FMT(e->at), STR_FMT(subject));
    cr_assert(!subject_check(a, v, subject));
}

Test(tool_call, the_subject_is_an_approval_of_all_calls)
{
    struct tool_calls calls;
    cr_assert(!read_list("{'id':'1','tool':'shop.refund','arguments':{'n':1}},"
                         "{'name':'mail_send'}",
                         &calls));
    const struct str subject =
        tool_call_subject(
            a, &calls,
            &(struct tool_call_about){.consequence = STR("Money \"goes\".")});
    passes_as(KIND_APPROVAL, subject);
    cr_assert(str_eq(
        subject,
        sent_of("{'action':{'name':'2 tool calls'},"
                "'target':'shop.refund, mail_send',"
                "'scope_summary':'All 2 calls, or none of them.',"
                "'consequence':'Money \\'goes\\'.',"
                "'calls':[{'tool':'shop.refund','args':{'n':1}},"
                "{'tool':'mail_send','args':{}}]}")),
        "%.*s", STR_FMT(subject));
}

Test(tool_call, a_challenge_is_a_credential_that_is_needed)
{
    struct tool_calls calls;
    const struct str body = json_of(
        "{'auth_challenges':[{'server_name':'GitHub','auth_server':"
        "'https://id.example','scopes':['repo'],"
        "'auth_url':'https://id.example/go'}]}");
    cr_assert(!read(body, &calls));
    cr_assert_eq(calls.n, 0);
    cr_assert(str_is(calls.challenge.server_name, "GitHub"));
    cr_assert(str_starts(calls.challenge.sent, json_of("{'server_name'")));
    const struct str subject =
        tool_call_subject(
            a, &calls, &(struct tool_call_about){.probe = STR("vault")});
    passes_as(KIND_CREDENTIAL_NEEDED, subject);
    const struct json *v = json_read(a, subject);
    cr_assert(str_is(json_get_text(v, "settings_url"),
                     "https://id.example/go"));
    cr_assert(str_is(json_get_text(v, "probe"), "vault"));
}

Test(tool_call, exactly_one_challenge_and_no_calls_beside_it)
{
#define ONE "{'server_name':'g','auth_url':'https://x.example'}"
    static const struct {
        const char *body, *code, *at;
    } rows[] = {
        {"{'auth_challenges':[" ONE "]}", NULL, NULL},
        {"{'auth_challenges':[]}", "tool_call.shape", "auth_challenges"},
        {"{'auth_challenges':{}}", "tool_call.shape", "auth_challenges"},
        {"{'auth_challenges':[" ONE "," ONE "]}", "tool_call.shape",
         "auth_challenges"},
        {"{'auth_challenges':[" ONE "],'tool_calls':[{'name':'t'}]}",
         "tool_call.shape", "auth_challenges"},
        {"{'auth_challenges':[1]}", "body.not_object", "auth_challenges[0]"},
        {"{'auth_challenges':[{'server_name':'g'}]}", "field.missing",
         "auth_challenges[0].auth_url"},
        {"{'auth_challenges':[{'server_name':'g','auth_url':'u','token':'x'}"
         "]}",
         "field.unknown", "auth_challenges[0].token"},
        {"{'auth_challenges':[{'server_name':'g','auth_url':'u','scopes':[1]"
         "}]}",
         "field.type", "auth_challenges[0].scopes"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct tool_calls calls;
        const struct err *e = read(json_of(rows[i].body), &calls);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].body);
        else
            cr_assert(!e, "%s", rows[i].body);
    }
}

Test(tool_call, the_tools_of_a_subject)
{
    static const struct {
        const char *subject, *tools;
    } rows[] = {
        {"{}", ""},
        {"{'calls':[{'tool':'a'},{'tool':'b'}]}", "a b "},
        {"{'calls':[{'tool':''},{'x':1},7,{'tool':3}]}", ""},
        {"{'authorization_details':[{'type':'tool_call','tool':'a'}]}", "a "},
        {"{'plan':{'steps':[{'id':'1','tool':'a'},{'id':'2'}]}}", "a "},
        {"{'calls':[{'tool':'a'}],'plan':{'steps':[{'tool':'b'}]}}", "a b "},
        {"{'calls':'a','plan':[]}", ""}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 100);
        struct str *tools;
        const size_t n = tool_call_tools_of(a, tree(rows[i].subject), &tools);
        for (size_t k = 0; k < n; k++) {
            buf_str(&b, tools[k]);
            buf_char(&b, ' ');
        }
        cr_expect(str_is(b.n ? buf_text(&b) : STR(""), rows[i].tools),
                  "row %zu", i);
    }
}
