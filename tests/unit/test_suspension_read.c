/* Suspensions: the native door's bodies and OpenIntent's records. */
#include "base/clock.h"
#include "base/crypt.h"
#include "domain/question/retry.h"
#include "domain/question/suspension_read.h"
#include "domain/question/suspension_seal.h"

#include "suite.h"

SUITE(suspension_read);

static const struct err *read_body(const char *body, struct suspension *s)
{
    *s = (struct suspension){.intent_id = STR("i")};
    return suspension_read(a, tree(body), json_of(body), s);
}

static const struct err *read_record(const char *record, struct suspension *s)
{
    *s = (struct suspension){.intent_id = STR("i")};
    return suspension_read_record(a, tree(record), json_of(record), s);
}

/* ---- native --------------------------------------------------------- */

#define YES_AND_NO                                                             \
    "[{'value':'yes','label':'Yes','style':'primary','effect':'authorize'},"   \
    "{'value':'no','label':'No','style':'default','effect':'veto'}]"

Test(suspension_read, a_question_is_enough)
{
    struct suspension s;
    expect(read_body("{'question':'Go on?'}", &s), NULL, NULL, "question");
    cr_assert(str_is(s.question, "Go on?"));
    cr_assert_eq(s.response_type, ANSWER_CONFIRM);
    cr_assert_eq(s.fallback_policy, FALLBACK_FAIL);
    cr_assert(!s.title.p && !s.explanation.p &&
              s.severity == SEVERITY_UNSAID && !s.form.p);
    cr_assert(!s.channel_hint.p && !s.fallback_value.p && !s.retry_policy.p);
    cr_assert(s.timeout_seconds == 0 && !s.confidence.p);
    cr_assert(s.on_reject == ON_REJECT_RESUME && s.state == SUSPENSION_PENDING);
    cr_assert(str_is(s.context, "{}") && str_is(s.subject, "{}"));
    cr_assert(str_is(s.intent_id, "i"));
    same_text(s.choices, YES_AND_NO);
    same_text(s.record,
              "{'id':'','question':'Go on?','response_type':'confirm',"
              "'context':{},'fallback_policy':'fail','choices':"
              YES_AND_NO "}");
}

/* A question that the server words about another request is the one that the
 * native API would have read. */
Test(suspension_read, a_worded_question_is_as_one_that_was_sent)
{
    static const char members[] =
        "'severity':'high','explanation':'Why.','channel_hint':'ops',"
        "'evidence':[{'title':'Log','ref':'https://logs.example/1'}],"
        "'responder':{'mode':'group','who':'finance'},'timeout_seconds':600,"
        "'retry_policy':{'max_attempts':2,'interval_seconds':60}";
    static const char words[] =
        "'kind':'approval','question':'Run t?','fallback_policy':'fail',"
        "'subject':{'action':{'name':'t'},'target':'t','scope_summary':'s',"
        "'consequence':'c','calls':[{'tool':'t','args':{'n':1.10}}]}";
    static const char choices[] =
        "[{'value':'reject','label':'Reject','effect':'veto',"
        "'reason':'optional'},{'value':'approve','label':'Approve',"
        "'effect':'authorize','reason':'optional'}]";
    struct buf body = buf_make(a, 4096), other = buf_make(a, 4096);
    struct suspension sent, worded = {.intent_id = STR("i")};
    buf_printf(&body, "{%s,%s,'choices':%s}", words, members, choices);
    buf_printf(&other, "{%s}", members);
    expect(read_body(arena_z(a, buf_text(&body)), &sent), NULL, NULL, "sent");
    struct fields f = fields(a, tree(arena_z(a, buf_text(&other))), STR(""));
    suspension_read_members(&f, &worded);
    expect(fields_error(&f), NULL, NULL, "members");
    worded.kind = KIND_APPROVAL;
    worded.question = sent.question;
    worded.on_reject = ON_REJECT_RESUME;
    worded.subject = sent.subject;
    expect(suspension_compose(a, tree(choices), NULL, &worded), NULL, NULL,
           "worded");
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *one = &suspension_record.fields[i];
        if (one->type == RECORD_IS_OWN && !one->text)
            continue; /* it is only shown */
        const struct str was = record_text(a, one, &sent);
        const struct str now = record_text(a, one, &worded);
        cr_assert(str_eq(was, now) && !was.p == !now.p, "%s: %.*s: %.*s",
                  one->name, STR_FMT(was), STR_FMT(now));
    }
    cr_assert(worded.strict && worded.said_fallback);
    cr_assert_eq(worded.timeout_seconds, 600);
    cr_assert_eq(worded.responder.mode, RESPONDER_GROUP);
    cr_assert(str_eq(worded.responder.who, sent.responder.who));
}

/* Only a bare yes or no means what it says. */
Test(suspension_read, a_yes_or_no_in_its_own_words)
{
    static const struct {
        const char *body, *choices;
    } rows[] = {
        {"'question':'Go on?','response_type':'confirm','choices':[]",
         YES_AND_NO},
        {"'question':'Go on?','response_type':'confirm',"
         "'choices':[{'value':'yes'}]",
         "[{'value':'yes','label':'yes','effect':'none'}]"},
        {"'question':'Go on?','response_type':'text'", "[]"},
    };
    struct suspension s;
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 4096);
        buf_printf(&b, "{%s}", rows[i].body);
        expect(read_body(arena_z(a, buf_text(&b)), &s), NULL, NULL,
               rows[i].body);
        same_text(s.choices, rows[i].choices);
    }
    expect(read_record("{'id':'x','question':'Q?','response_type':'confirm'}",
                       &s), NULL, NULL, "OpenIntent");
    cr_assert(str_is(s.choices, "[]"));
}

static const char full[] =
    "{'intent_id':'x','title':'T','question':'Q?','explanation':'E',"
    "'severity':'critical','subject':{ 'b':1.50, 'a':[ ] },"
    "'response_type':'choice','choices':[{'value':'go','label':'Go',"
    "'description':'D','style':'danger','metadata':{'m':1},"
    "'effect':'authorize','reason':'optional'},{'value':'no'}],"
    "'context':{ 'z': 1.50 },'channel_hint':'slack','on_reject':'abandon',"
    "'timeout_seconds':600,'retry_policy':{'max_attempts':2,"
    "'interval_seconds':60,'strategy':'fixed'},"
    "'fallback_policy':'complete_with_fallback','fallback_value':'no'}";

Test(suspension_read, every_member)
{
    struct suspension s;
    expect(read_body(full, &s), NULL, NULL, "full");
    cr_assert(str_is(s.title, "T") && str_is(s.explanation, "E"));
    cr_assert(s.severity == SEVERITY_CRITICAL);
    cr_assert(str_is(s.channel_hint, "slack") &&
              s.on_reject == ON_REJECT_ABANDON);
    cr_assert(s.timeout_seconds == 600);
    cr_assert_eq(s.fallback_policy, FALLBACK_COMPLETE);
    cr_assert(str_eq(s.fallback_value, json_of("'no'")));
    cr_assert_eq(s.response_type, ANSWER_CHOICE);
    /* The bytes that are shown and hashed are the bytes that were sent. */
    cr_assert(str_eq(s.subject, json_of("{ 'b':1.50, 'a':[ ] }")));
    cr_assert(str_eq(s.context, json_of("{ 'z': 1.50 }")));
    same_text(s.choices,
              "[{'value':'go','label':'Go','description':'D',"
              "'style':'danger','metadata':{'m':1},'effect':'authorize',"
              "'reason':'optional'},"
              "{'value':'no','label':'no','effect':'none'}]");
    same_text(s.retry_policy, "{'max_attempts':2,'interval_seconds':60,"
                              "'strategy':'fixed'}");
    struct json *r = tree_of(s.record);
    cr_assert(str_is(json_get_text(r, "fallback_value"), "no"));
    cr_assert_eq(json_int(json_get(r, "timeout_seconds")), 600);
    cr_assert(str_is(json_get_text(r, "channel_hint"), "slack"));
    cr_assert(str_is(json_get_text(r, "title"), "T"));
    cr_assert(str_is(json_get_text(r, "severity"), "critical"));
    cr_assert(json_equal(json_get(r, "context"), tree("{'z':1.5}")));
    cr_assert_eq(json_count(json_get(r, "choices")), 2);
    cr_assert_eq(json_count(json_get(r, "retry_policy")), 3);
    cr_assert(!json_has(r, "response") && !json_has(r, "expires_at"));
}

Test(suspension_read, a_choice_may_be_its_value_alone)
{
    struct suspension s;
    expect(read_body("{'question':'Q?','choices':['a',{'value':'b'}]}", &s),
           NULL, NULL, "texts");
    same_text(s.choices, "[{'value':'a','label':'a','effect':'none'},"
                         "{'value':'b','label':'b','effect':'none'}]");
    expect(read_body("{'question':'Q?','choices':['a','a']}", &s),
           "choices.duplicate", "choices[1]", "twice");
    expect(read_body("{'question':'Q?','choices':['']}", &s), "field.empty",
           "choices[0].value", "empty");
}

Test(suspension_read, the_subject_of_the_body_is_not_parsed_again)
{
    struct suspension s = {.intent_id = STR("i")};
    static const char sent[] =
        "{'id':'s','question':'Q?','kind':'elicitation',"
        "'response_type':'text','subject':{'a':1}}";
    static const char plain[] = "{'question':'Q?','context':{'a':1}}";
    const struct json *body = tree(plain);
    cr_assert_null(suspension_read(a, body, json_of(plain), &s));
    cr_assert_eq(suspension_subject(a, &s), json_get(body, "context"));
    body = tree(sent);
    s = (struct suspension){.intent_id = STR("i")};
    cr_assert_null(suspension_read_record(a, body, json_of(sent), &s));
    cr_assert_eq(suspension_subject(a, &s), json_get(body, "subject"));
    same_text(s.choices,
              arena_z(a, json_dump(a, suspension_choices(a, &s), 1 << 16)));
}

Test(suspension_read, without_a_subject_the_context_is_the_subject)
{
    struct suspension s;
    expect(read_body("{'question':'Q?','context':{ 'a' : 1 }}", &s), NULL,
           NULL, "context");
    cr_assert(str_eq(s.subject, json_of("{ 'a' : 1 }")));
    expect(read_body("{'question':'Q?','context':{'a':1},'subject':{}}", &s),
           NULL, NULL, "subject");
    cr_assert(str_is(s.subject, "{}"));
    expect(read_body("{'question':'Q?','context':null,'subject':null}", &s),
           NULL, NULL, "null");
    cr_assert(str_is(s.subject, "{}") && str_is(s.context, "{}"));
}

Test(suspension_read, the_type_follows_from_the_parts)
{
    static const struct {
        const char *parts;
        enum answer_type type;
    } cases[] = {
        {"", ANSWER_CONFIRM},
        {",'choices':[{'value':'a'}]", ANSWER_CHOICE},
        {",'form':[{'key':'k'}]", ANSWER_FORM},
        {",'response_type':'text'", ANSWER_TEXT},
        {",'response_type':'confirm'", ANSWER_CONFIRM},
        {",'response_type':'confirm','choices':[]", ANSWER_CONFIRM},
        {",'response_type':'confirm','choices':[{'value':'a'}]",
         ANSWER_CONFIRM},
        {",'response_type':'choice','choices':[{'value':'a'}]",
         ANSWER_CHOICE},
        {",'response_type':'form','form':[{'key':'k'}]", ANSWER_FORM},
        {",'response_type':null,'choices':null,'form':null", ANSWER_CONFIRM},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 4096);
        struct suspension s;
        buf_printf(&b, "{'question':'Q?'%s}", cases[i].parts);
        expect(read_body(arena_z(a, buf_text(&b)), &s), NULL, NULL,
               cases[i].parts);
        cr_assert_eq(s.response_type, cases[i].type, "%s", cases[i].parts);
        cr_assert_eq(s.form.p != NULL, cases[i].type == ANSWER_FORM);
    }
}

Test(suspension_read, a_form_is_kept_with_its_defaults_filled_in)
{
    struct suspension s;
    expect(read_body("{'question':'Q?','form':[{'key':'k'}]}", &s), NULL,
           NULL, "form");
    same_text(s.form, "[{'key':'k','label':'k','type':'string',"
                      "'required':false}]");
}

/* What follows {'question':'Q?', and what is wrong with it. */
static const struct {
    const char *rest, *code, *at;
} refused[] = {
    /* words */
    {"'title':5", "field.type", "title"},
    {"'explanation':5", "field.type", "explanation"},
    {"'severity':'urgent'", "field.value", "severity"},
    {"'channel_hint':[]", "field.type", "channel_hint"},
    {"'context':[]", "field.type", "context"},
    {"'context':'x'", "field.type", "context"},
    {"'subject':[]", "field.type", "subject"},
    {"'subject':'x'", "field.type", "subject"},
    {"'on_reject':'stop'", "field.value", "on_reject"},
    /* members of a kind */
    {"'kind':'approval'", "kind.facts", "subject.action"},
    {"'kind':'bribe'", "field.value", "kind"},
    {"'responder':{}", "field.missing", "responder.mode"},
    {"'responder':{'mode':'group'}", "field.missing", "responder.who"},
    {"'responder':{'mode':'group','who':'A b'}", "responder.group",
     "responder.who"},
    {"'responder':{'mode':'operators','who':'x'}", "field.unused",
     "responder.who"},
    {"'responder':{'mode':'agent','who':'x'}", "responder.agent",
     "responder.mode"},
    {"'responder':{'mode':'initiator','not_initiator':true}", "field.unused",
     "responder.not_initiator"},
    {"'supersedes':'a b'", "suspension.unknown", "supersedes"},
    {"'allow_edit':true", "field.unused", "allow_edit"},
    {"'evidence':{}", "field.type", "evidence"},
    {"'evidence':[{'title':'x'}]", "field.missing", "evidence[0].ref"},
    {"'evidence':[{'title':'x','ref':'y','kind':'z'}]", "field.unknown",
     "evidence[0].kind"},
    {"'artifacts':[5]", "body.not_object", "artifacts[0]"},
    /* members of nobody, and of the server */
    {"'questions':'x'", "field.unknown", "questions"},
    {"'id':'x'", "field.unknown", "id"},
    {"'state':'resolved'", "field.unknown", "state"},
    {"'response':'yes'", "field.unknown", "response"},
    {"'resolution':'responded'", "field.unknown", "resolution"},
    {"'responded_by':'x'", "field.unknown", "responded_by"},
    {"'outcome':'authorized'", "field.unknown", "outcome"},
    {"'expires_at':'2999-01-01T00:00:00'", "field.unknown", "expires_at"},
    /* parts that do not go together */
    {"'response_type':'maybe'", "field.value", "response_type"},
    {"'response_type':'choice'", "field.missing", "choices"},
    {"'response_type':'choice','choices':[]", "field.missing", "choices"},
    {"'choices':[]", "field.missing", "choices"},
    {"'response_type':'text','choices':[{'value':'a'}]", "field.unused",
     "choices"},
    {"'response_type':'text','choices':[]", "field.unused", "choices"},
    {"'response_type':'form','form':[{'key':'k'}],'choices':[{'value':'a'}]",
     "field.unused", "choices"},
    {"'response_type':'form'", "field.missing", "form"},
    {"'response_type':'form','form':[]", "form.fields", "form"},
    {"'form':[]", "form.fields", "form"},
    {"'form':{}", "field.missing", "form.type"},
    {"'form':'x'", "field.type", "form"},
    {"'form':[{'key':''}]", "field.empty", "form[0].key"},
    {"'response_type':'text','form':[{'key':'k'}]", "field.unused", "form"},
    {"'choices':[{'value':'a'}],'form':[{'key':'k'}]", "field.unused",
     "form"},
    /* choices */
    {"'choices':{}", "field.type", "choices"},
    {"'choices':[7]", "body.not_object", "choices[0]"},
    {"'choices':[{'value':'a'},null]", "body.not_object", "choices[1]"},
    {"'choices':[{'label':'A'}]", "field.missing", "choices[0].value"},
    {"'choices':[{'value':''}]", "field.empty", "choices[0].value"},
    {"'choices':[{'value':5}]", "field.type", "choices[0].value"},
    {"'choices':[{'value':true}]", "field.type", "choices[0].value"},
    {"'choices':[{'value':'a','label':5}]", "field.type", "choices[0].label"},
    {"'choices':[{'value':'a','description':5}]", "field.type",
     "choices[0].description"},
    {"'choices':[{'value':'a','style':5}]", "field.type", "choices[0].style"},
    {"'choices':[{'value':'a','metadata':[]}]", "field.type",
     "choices[0].metadata"},
    {"'choices':[{'value':'a','effect':'approve'}]", "field.value",
     "choices[0].effect"},
    {"'choices':[{'value':'a','effect':''}]", "field.value",
     "choices[0].effect"},
    {"'choices':[{'value':'a','effect':'escalate'}]", "field.value",
     "choices[0].effect"},
    {"'choices':[{'value':'a','effect':'authorize_modified'}]", "field.value",
     "choices[0].effect"},
    {"'choices':[{'value':'a','reason':true}]", "field.value",
     "choices[0].reason"},
    {"'choices':[{'value':'a','reason':'maybe'}]", "field.value",
     "choices[0].reason"},
    {"'choices':[{'value':'a','outcome':'x'}]", "field.unknown",
     "choices[0].outcome"},
    {"'choices':[{'value':'a'},{'value':'b'},{'value':'a','label':'B'}]",
     "choices.duplicate", "choices[2]"},
    /* silence */
    {"'timeout_seconds':0", "field.range", "timeout_seconds"},
    {"'timeout_seconds':-1", "field.range", "timeout_seconds"},
    {"'timeout_seconds':1.5", "field.range", "timeout_seconds"},
    {"'timeout_seconds':'600'", "field.range", "timeout_seconds"},
    {"'timeout_seconds':31622401", "field.range", "timeout_seconds"},
    {"'fallback_policy':'yes'", "field.value", "fallback_policy"},
    {"'fallback_policy':'complete_with_fallback'", "field.missing",
     "fallback_value"},
    {"'fallback_policy':'use_default_and_continue','fallback_value':null",
     "field.missing", "fallback_value"},
    {"'retry_policy':{'final_fallback_policy':'complete_with_fallback'}",
     "field.missing", "fallback_value"},
    {"'retry_policy':[]", "field.type", "retry_policy"},
    {"'retry_policy':{'max_attempts':0}", "field.range",
     "retry_policy.max_attempts"},
    {"'retry_policy':{'max_attempts':101}", "field.range",
     "retry_policy.max_attempts"},
    {"'retry_policy':{'max_attempts':'3'}", "field.range",
     "retry_policy.max_attempts"},
    {"'retry_policy':{'interval_seconds':-1}", "field.range",
     "retry_policy.interval_seconds"},
    {"'retry_policy':{'interval_seconds':31622401}", "field.range",
     "retry_policy.interval_seconds"},
    {"'retry_policy':{'interval_seconds':0.5}", "field.range",
     "retry_policy.interval_seconds"},
    {"'retry_policy':{'strategy':5}", "field.type", "retry_policy.strategy"},
    {"'retry_policy':{'final_fallback_policy':'x'}", "field.value",
     "retry_policy.final_fallback_policy"},
};

Test(suspension_read, native_refuses)
{
    for (size_t i = 0; i < countof(refused); i++) {
        struct buf b = buf_make(a, 4096);
        struct suspension s;
        buf_printf(&b, "{'question':'Q?',%s}", refused[i].rest);
        expect(read_body(arena_z(a, buf_text(&b)), &s), refused[i].code,
               refused[i].at, refused[i].rest);
    }
}

Test(suspension_read, a_question_is_needed_at_both_doors)
{
    static const struct {
        const char *body, *code, *at;
    } cases[] = {
        {"[]", "body.not_object", ""},
        {"null", "body.not_object", ""},
        {"{'id':'x'}", "field.missing", "question"},
        {"{'id':'x','question':null}", "field.missing", "question"},
        {"{'id':'x','question':''}", "field.empty", "question"},
        {"{'id':'x','question':' \\t\\r\\n'}", "field.empty", "question"},
        {"{'id':'x','question':5}", "field.type", "question"},
        {"{'id':'x','question':['Q?']}", "field.type", "question"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct suspension s;
        struct json *body = tree(cases[i].body);
        json_unset(body, STR("id"));
        expect(suspension_read(a, body, json_of(cases[i].body), &s),
               cases[i].code, cases[i].at, cases[i].body);
        struct buf at = buf_make(a, 64);
        buf_put(&at, *cases[i].at ? "_suspension." : "_suspension");
        buf_put(&at, cases[i].at);
        expect(read_record(cases[i].body, &s), cases[i].code,
               arena_z(a, buf_text(&at)), cases[i].body);
    }
}

Test(suspension_read, every_effect_and_reason_is_taken)
{
    static const char *const effects[] = {"authorize", "veto",
                                          "request_changes", "answer",
                                          "decline", "accept", "stop_task",
                                          "none"};
    static const char *const reasons[] = {"none", "optional", "required"};
    for (size_t i = 0; i < countof(effects); i++) {
        for (size_t j = 0; j < countof(reasons); j++) {
            struct buf b = buf_make(a, 1024);
            struct suspension s;
            buf_printf(&b,
                       "{'question':'Q?','choices':[{'value':'a',"
                       "'effect':'%s','reason':'%s'}]}",
                       effects[i], reasons[j]);
            expect(read_body(arena_z(a, buf_text(&b)), &s), NULL, NULL,
                   effects[i]);
            struct json *list = tree_of(s.choices);
            const struct json *c = json_at(list, 0);
            cr_assert(str_is(json_get_text(c, "effect"), effects[i]));
            cr_assert(str_is(json_get_text(c, "reason"), reasons[j]));
        }
    }
}

Test(suspension_read, on_reject)
{
    static const struct {
        const char *body;
        bool abandon;
    } cases[] = {{"{'question':'Q?'}", false},
                 {"{'question':'Q?','on_reject':null}", false},
                 {"{'question':'Q?','on_reject':'resume'}", false},
                 {"{'question':'Q?','on_reject':'abandon'}", true}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct suspension s;
        expect(read_body(cases[i].body, &s), NULL, NULL, cases[i].body);
        cr_assert_eq(s.on_reject == ON_REJECT_ABANDON, cases[i].abandon);
    }
}

Test(suspension_read, texts_have_ceilings)
{
    static const struct {
        const char *key;
        size_t max;
    } texts[] = {{"question", 4000},
                 {"title", 200},
                 {"explanation", 20000},
                 {"channel_hint", 120}};
    static const struct {
        const char *key;
        size_t max;
    } choices[] = {{"value", 200}, {"label", 200}, {"description", 1000},
                   {"style", 40}};
    struct suspension s;
    for (size_t i = 0; i < countof(texts); i++) {
        for (size_t over = 0; over < 2; over++) {
            struct json *body = tree("{'question':'Q?'}");
            json_set_text(body, texts[i].key,
                          copies("\xC3\xA9", texts[i].max + over));
            expect(suspension_read(a, body, json_dump(a, body, 1 << 20), &s),
                   over ? "field.too_long" : NULL, texts[i].key,
                   texts[i].key);
        }
    }
    for (size_t i = 0; i < countof(choices); i++) {
        for (size_t over = 0; over < 2; over++) {
            struct json *body =
                tree("{'question':'Q?','choices':[{'value':'a'}]}");
            json_set_text(json_at(json_get(body, "choices"), 0),
                          choices[i].key,
                          copies("\xC3\xA9", choices[i].max + over));
            expect(suspension_read(a, body, json_dump(a, body, 1 << 20), &s),
                   over ? "field.too_long" : NULL, NULL, choices[i].key);
        }
    }
}

Test(suspension_read, choices_are_counted)
{
    for (size_t n = SUSPENSION_CHOICES_MAX; n < SUSPENSION_CHOICES_MAX + 2;
         n++) {
        struct json *body = tree("{'question':'Q?'}"), *list = json_array(a);
        for (size_t i = 0; i < n; i++) {
            struct buf b = buf_make(a, 32);
            struct json *c = json_object(a);
            buf_printf(&b, "v%zu", i);
            json_set_text(c, "value", buf_text(&b));
            json_add_json(list, c);
        }
        json_set_json(body, "choices", list);
        struct suspension s = {.seq = 0};
        expect(suspension_read(a, body, json_dump(a, body, 1 << 20), &s),
               n > SUSPENSION_CHOICES_MAX ? "field.too_many" : NULL,
               "choices", "choices");
    }
}

Test(suspension_read, a_record_has_a_ceiling_at_both_doors)
{
    /* Facts that may be as large as that, and what comes on top of them. */
    const size_t n = SUSPENSION_RECORD_MAX - strlen("{'x':''}");
    char *text = arena_alloc(a, n);
    memset(text, 'x', n);
    struct json *body = tree("{'question':'Q?'}"), *context = json_object(a);
    json_set_text(context, "x", (struct str){text, n});
    json_set_json(body, "context", context);
    struct suspension s = {.seq = 0};
    const struct err *e =
        suspension_read(a, body, json_dump(a, body, 1 << 20), &s);
    cr_assert(e && e->kind == ERR_TOO_LARGE);
    cr_assert_str_eq(e->code, "suspension.too_large");
    json_set_text(body, "id", STR("x"));
    e = suspension_read_record(a, body, json_dump(a, body, 1 << 20), &s);
    cr_assert(e && e->kind == ERR_TOO_LARGE);
    cr_assert_str_eq(e->code, "suspension.too_large");
}

/* ---- OpenIntent ----------------------------------------------------- */

Test(suspension_read, a_bare_record)
{
    struct suspension s;
    expect(read_record("{'id':'x','question':'Q?'}", &s), NULL, NULL, "bare");
    cr_assert(str_is(s.id, "x") && str_is(s.question, "Q?"));
    cr_assert_eq(s.response_type, ANSWER_CHOICE);
    cr_assert_eq(s.fallback_policy, FALLBACK_FAIL);
    cr_assert(str_is(s.choices, "[]") && str_is(s.context, "{}"));
    cr_assert(str_is(s.subject, "{}") && !s.form.p && !s.confidence.p);
    cr_assert(s.timeout_seconds == 0 && !s.retry_policy.p);
    same_text(s.record, "{'id':'x','question':'Q?','context':{}}");
}

Test(suspension_read, a_record_as_the_sdk_writes_it)
{
    struct suspension s;
    expect(read_record(
               "{'id':'0190c2a4-7e1f-4abc-8def-0123456789ab',"
               "'question':'Refund?','response_type':'choice','choices':["
               "{'value':'approve','label':'Approve','description':'D',"
               "'style':'primary'},{'value':'deny','label':'Deny'}],"
               "'context':{'order_id':'12345','amount':499.99},"
               "'channel_hint':'slack',"
               "'suspended_at':'2026-11-20T09:26:13.510233',"
               "'timeout_seconds':3600,"
               "'expires_at':'2026-11-20T10:26:13.510233',"
               "'fallback_value':'deny',"
               "'fallback_policy':'complete_with_fallback',"
               "'retry_policy':{'max_attempts':3,'interval_seconds':600,"
               "'strategy':'fixed','final_fallback_policy':'fail',"
               "'escalation_ladder':[{'attempt':2,'channel_hint':'',"
               "'notify_to':''}]},'confidence_at_suspension':0.55,"
               "'decision_record':{'mode':'request_input'}}",
               &s),
           NULL, NULL, "sdk");
    cr_assert_eq(s.response_type, ANSWER_CHOICE);
    same_text(s.choices,
              "[{'value':'approve','label':'Approve','description':'D',"
              "'style':'primary','effect':'none'},"
              "{'value':'deny','label':'Deny','effect':'none'}]");
    cr_assert(s.timeout_seconds == 3600);
    /* The retry policy's own word on silence wins. */
    cr_assert_eq(s.fallback_policy, FALLBACK_FAIL);
    cr_assert(str_eq(s.fallback_value, json_of("'deny'")));
    cr_assert(str_is(s.confidence, "0.55"));
    cr_assert(str_eq(s.subject,
                     json_of("{'order_id':'12345','amount':499.99}")));
    struct json *r = tree_of(s.record);
    cr_assert(json_has(r, "decision_record") && json_has(r, "retry_policy"));
    cr_assert(!json_has(r, "suspended_at") && !json_has(r, "expires_at"));
}

Test(suspension_read, what_only_the_server_says_is_dropped)
{
    static const char *const dropped[] = {
        "response", "responded_at", "responded_by", "resolution",
        "decided_by", "outcome", "suspended_at", "expires_at"};
    struct json *record = tree("{'id':'x','question':'Q?','own':[1.50]}");
    for (size_t i = 0; i < countof(dropped); i++)
        json_set_text(record, dropped[i], STR("forged"));
    struct suspension s = {.seq = 0};
    expect(suspension_read_record(a, record, json_dump(a, record, 4096), &s),
           NULL, NULL, "forged");
    same_text(s.record,
              "{'id':'x','question':'Q?','own':[1.50],'context':{}}");
    cr_assert(!s.response.p && !s.responded_by.p &&
              s.outcome == OUTCOME_UNDECIDED);
    cr_assert(s.state == SUSPENSION_PENDING && s.expires_at == 0);
    /* Nor does any spelling of it come back with sealing. */
    cr_assert(!suspension_seal(a, &s, INT64_C(1795166773510233)));
    const struct json *m = suspension_mirror(a, &s);
    cr_assert(!strstr(text_of(m), "forged"), "%s", text_of(m));
}

Test(suspension_read, a_record_never_says_what_a_choice_does)
{
    struct suspension s;
    expect(read_record("{'id':'x','question':'Q?','choices':[{'value':'a',"
                       "'label':'A','effect':'authorize',"
                       "'reason':'required','tomorrow':1}]}",
                       &s),
           NULL, NULL, "effect");
    same_text(s.choices, "[{'value':'a','label':'A','effect':'none'}]");
}

Test(suspension_read, nulls_count_as_absent)
{
    struct suspension s;
    expect(read_record("{'id':'x','question':'Q?','response_type':null,"
                       "'choices':null,'context':null,'channel_hint':null,"
                       "'suspended_at':null,'timeout_seconds':null,"
                       "'expires_at':null,'fallback_value':null,"
                       "'fallback_policy':null,'retry_policy':null,"
                       "'confidence_at_suspension':null,"
                       "'decision_record':null,'response':null,"
                       "'responded_at':null,'resolution':null}",
                       &s),
           NULL, NULL, "nulls");
    cr_assert_eq(s.response_type, ANSWER_CHOICE);
    cr_assert(!s.fallback_value.p && !s.retry_policy.p && !s.confidence.p);
    struct json *r = tree_of(s.record);
    cr_assert(json_is(json_get(r, "context"), JSON_OBJECT));
}

Test(suspension_read, every_type_of_a_record)
{
    for (int i = 0; i < ANSWER_TYPE__MAX; i++) {
        const enum answer_type type = (enum answer_type)i;
        struct buf b = buf_make(a, 256);
        struct suspension s;
        buf_printf(&b, "{'id':'x','question':'Q?','response_type':'%s'}",
                   vocabulary_answer_type(type)->wire.p);
        expect(read_record(arena_z(a, buf_text(&b)), &s), NULL, NULL,
               vocabulary_answer_type(type)->wire.p);
        cr_assert_eq(s.response_type, type);
    }
}

static const struct {
    const char *record, *code, *at;
} bad_records[] = {
    {"{'question':'Q?'}", "field.missing", "_suspension.id"},
    {"{'id':null,'question':'Q?'}", "field.missing", "_suspension.id"},
    {"{'id':5,'question':'Q?'}", "field.type", "_suspension.id"},
    {"{'id':'','question':'Q?'}", "suspension.id", "_suspension.id"},
    {"{'id':'a b','question':'Q?'}", "suspension.id", "_suspension.id"},
    {"{'id':'a/b','question':'Q?'}", "suspension.id", "_suspension.id"},
    {"{'id':'..','question':'Q?'}", "suspension.id", "_suspension.id"},
    {"{'id':'\xC3\xA9','question':'Q?'}", "suspension.id", "_suspension.id"},
    {"{'id':'x','question':'Q?','response_type':'maybe'}", "field.value",
     "_suspension.response_type"},
    {"{'id':'x','question':'Q?','context':[]}", "field.type",
     "_suspension.context"},
    {"{'id':'x','question':'Q?','choices':{}}", "field.type",
     "_suspension.choices"},
    {"{'id':'x','question':'Q?','choices':['a']}", "body.not_object", NULL},
    {"{'id':'x','question':'Q?','choices':[{'label':'A'}]}", "field.missing",
     NULL},
    {"{'id':'x','question':'Q?','choices':[{'value':'a'},{'value':'a'}]}",
     "choices.duplicate", NULL},
    {"{'id':'x','question':'Q?','timeout_seconds':-5}", "field.range",
     "_suspension.timeout_seconds"},
    {"{'id':'x','question':'Q?','fallback_policy':'approve'}", "field.value",
     "_suspension.fallback_policy"},
    {"{'id':'x','question':'Q?','retry_policy':{'max_attempts':0}}",
     "field.range", "_suspension.retry_policy.max_attempts"},
    {"{'id':'x','question':'Q?','confidence_at_suspension':1.01}",
     "field.range", "_suspension.confidence_at_suspension"},
    {"{'id':'x','question':'Q?','confidence_at_suspension':-0.01}",
     "field.range", "_suspension.confidence_at_suspension"},
    {"{'id':'x','question':'Q?','confidence_at_suspension':'0.5'}",
     "field.range", "_suspension.confidence_at_suspension"},
    {"{'id':'x','question':'Q?','confidence_at_suspension':true}",
     "field.range", "_suspension.confidence_at_suspension"},
};

Test(suspension_read, a_record_is_refused)
{
    for (size_t i = 0; i < countof(bad_records); i++) {
        struct suspension s;
        expect(read_record(bad_records[i].record, &s), bad_records[i].code,
               bad_records[i].at, bad_records[i].record);
    }
}

Test(suspension_read, confidence_takes_its_whole_range)
{
    static const struct {
        const char *text, *is;
    } cases[] = {{"0", "0"}, {"1", "1"}, {"0.0", "0"}, {"1.0", "1"},
                 {"0.25", "0.25"}, {"2.50e-1", "0.25"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 256);
        struct suspension s;
        buf_printf(&b,
                   "{'id':'x','question':'Q?',"
                   "'confidence_at_suspension':%s}",
                   cases[i].text);
        expect(read_record(arena_z(a, buf_text(&b)), &s), NULL, NULL,
               cases[i].text);
        cr_assert(str_is(s.confidence, cases[i].is), "%s", cases[i].text);
    }
}

/* ---- both: silence -------------------------------------------------- */

static const struct {
    const char *parts;
    enum fallback_policy policy;
    int64_t seconds; /* until it ends, once it is sealed; 0: never */
} silence[] = {
    {"", FALLBACK_FAIL, 0},
    {",'timeout_seconds':600", FALLBACK_FAIL, 600},
    {",'timeout_seconds':600.0", FALLBACK_FAIL, 600},
    {",'timeout_seconds':31622400", FALLBACK_FAIL, 31622400},
    {",'fallback_policy':'use_default_and_continue','timeout_seconds':1",
     FALLBACK_CONTINUE, 1},
    {",'fallback_policy':'complete_with_fallback'", FALLBACK_COMPLETE, 0},
    {",'retry_policy':{}", FALLBACK_FAIL, 0},
    {",'timeout_seconds':600,'retry_policy':{}", FALLBACK_FAIL, 600},
    {",'timeout_seconds':600,'retry_policy':{'interval_seconds':60}",
     FALLBACK_FAIL, 60},
    {",'timeout_seconds':600,'retry_policy':{'max_attempts':1}",
     FALLBACK_FAIL, 600},
    {",'timeout_seconds':600,'retry_policy':{'max_attempts':1,"
     "'interval_seconds':0}",
     FALLBACK_FAIL, 600},
    {",'retry_policy':{'max_attempts':3,'interval_seconds':300}",
     FALLBACK_FAIL, 900},
    {",'timeout_seconds':300,'retry_policy':{'max_attempts':3,"
     "'interval_seconds':300}",
     FALLBACK_FAIL, 900},
    {",'retry_policy':{'max_attempts':null,'interval_seconds':300}",
     FALLBACK_FAIL, 300},
    {",'fallback_policy':'fail','retry_policy':{"
     "'final_fallback_policy':'use_default_and_continue'}",
     FALLBACK_CONTINUE, 0},
    {",'fallback_policy':'complete_with_fallback','retry_policy':{"
     "'final_fallback_policy':'fail'}",
     FALLBACK_FAIL, 0},
    {",'fallback_policy':'complete_with_fallback','retry_policy':{"
     "'final_fallback_policy':null}",
     FALLBACK_COMPLETE, 0},
};

#define NOW INT64_C(1795166773510233)

static void try_silence(const char *parts, enum fallback_policy policy,
                        int64_t seconds)
{
    for (int native = 0; native < 2; native++) {
        struct buf b = buf_make(a, 4096);
        struct suspension s;
        buf_printf(&b, "{%s'question':'Q?','fallback_value':'f'%s}",
                   native ? "" : "'id':'x',", parts);
        const char *text = arena_z(a, buf_text(&b));
        expect(native ? read_body(text, &s) : read_record(text, &s), NULL,
               NULL, text);
        cr_assert_eq(s.fallback_policy, policy, "%s", text);
        s.id = STR("x");
        expect(retry_apply(a, &s, &(struct retry_defaults){.agent = STR_NONE}),
               NULL, NULL, text);
        cr_assert(!suspension_seal(a, &s, NOW));
        cr_assert_eq(s.expires_at,
                     seconds ? NOW + seconds * CLOCK_SECOND : 0, "%s: %lld s",
                     text,
                     (long long)((s.expires_at - NOW) / CLOCK_SECOND));
    }
}

Test(suspension_read, silence_at_both_doors)
{
    for (size_t i = 0; i < countof(silence); i++)
        try_silence(silence[i].parts, silence[i].policy, silence[i].seconds);
}

/* Some clients write a whole number of seconds as 300.0. */
Test(suspension_read, whole_numbers_may_have_a_point)
{
    try_silence(",'retry_policy':{'max_attempts':3.0,"
                "'interval_seconds':300.0}",
                FALLBACK_FAIL, 900);
    try_silence(",'timeout_seconds':60,'retry_policy':{'max_attempts':2,"
                "'interval_seconds':45.0}",
                FALLBACK_FAIL, 90);
}

Test(suspension_read, a_fallback_value_is_kept_as_it_was_sent)
{
    static const char *const values[] = {"'deny'", "5", "1.50", "false",
                                         "{ 'a' : [ ] }", "[1, 2]"};
    for (size_t i = 0; i < countof(values); i++) {
        for (int native = 0; native < 2; native++) {
            struct buf b = buf_make(a, 1024);
            struct suspension s;
            buf_printf(&b, "{%s'question':'Q?','fallback_value': %s }",
                       native ? "" : "'id':'x',", values[i]);
            const char *text = arena_z(a, buf_text(&b));
            expect(native ? read_body(text, &s) : read_record(text, &s), NULL,
                   NULL, text);
            cr_assert(str_eq(s.fallback_value, json_of(values[i])), "%.*s",
                      STR_FMT(s.fallback_value));
        }
    }
}

/* Absent members may be inherited. */
Test(suspension_read, a_policy_is_kept_as_it_was_said)
{
    struct suspension s;
    expect(read_record("{'id':'x','question':'Q?','retry_policy':{"
                       "'interval_seconds':60,'own':1}}",
                       &s),
           NULL, NULL, "retry");
    same_text(s.retry_policy,
              "{'interval_seconds':60,'own':1}");
}

/* A title of nothing is no title. */
Test(suspension_read, a_blank_title_is_no_title)
{
    struct suspension s;
    expect(read_body("{'question':'Q?','title':' \\t'}", &s), NULL, NULL,
           "title");
    cr_assert(!s.title.p);
}
