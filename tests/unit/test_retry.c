/* Silence: policies, their cascade, fallbacks, and the rounds. */
#include <stdio.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "domain/answer/retry_silence.h"
#include "domain/question/retry.h"

#include "suite.h"

SUITE(retry);

/* ---- reading -------------------------------------------------------- */

Test(retry, what_is_not_said)
{
    struct retry r;
    cr_assert(!retry_read(a, tree("{}"), STR(""), &r));
    cr_assert(r.max_attempts == 0 && r.interval_seconds == 0);
    cr_assert(!r.has_interval && !r.has_ladder && r.steps == 0);
    cr_assert(!r.strategy.p && r.final_policy == FALLBACK_POLICY__MAX);
    cr_assert(!retry_read(a,
                          tree("{'max_attempts':null,'interval_seconds':null,"
                               "'strategy':'','escalation_ladder':null,"
                               "'final_fallback_policy':null}"),
                          STR(""), &r));
    cr_assert(r.max_attempts == 0 && !r.has_interval && !r.has_ladder);
    cr_assert(!r.strategy.p);
}

Test(retry, what_is_said)
{
    struct retry r;
    expect(retry_read(
               a,
               tree("{'max_attempts':100,'interval_seconds':0,"
                    "'strategy':'exponential','own':[1],"
                    "'escalation_ladder':[{'attempt':9,'notify_to':'z'},"
                    "{'after_attempt':1,'channel':'c','notify':'n'},"
                    "{'attempt':3,'after_attempt':8,'channel_hint':'d',"
                    "'channel':'e','notify_to':'','x':1}],"
                    "'final_fallback_policy':'use_default_and_continue'}"),
               STR("p"), &r),
           NULL, NULL, "all");
    cr_assert(r.max_attempts == 100 && r.has_interval);
    cr_assert(r.interval_seconds == 0 && str_is(r.strategy, "exponential"));
    cr_assert(r.final_policy == FALLBACK_CONTINUE);
    /* By attempt, and "" is nothing. */
    cr_assert(r.has_ladder && r.steps == 3);
    cr_assert(r.ladder[0].attempt == 1 && r.ladder[1].attempt == 3 &&
              r.ladder[2].attempt == 9);
    cr_assert(str_is(r.ladder[0].channel_hint, "c"));
    cr_assert(str_is(r.ladder[0].notify_to, "n"));
    cr_assert(str_is(r.ladder[1].channel_hint, "d"));
    cr_assert(!r.ladder[1].notify_to.p && !r.ladder[2].channel_hint.p);
    cr_assert(str_is(r.ladder[2].notify_to, "z"));
}

#define STEP "{'attempt':1}"
#define LADDER(x) "{'escalation_ladder':[" x "]}"

static const struct {
    const char *policy, *code, *at;
} unreadable[] = {
    {"5", "body.not_object", "p"},
    {"[]", "body.not_object", "p"},
    {"{'max_attempts':0}", "field.range", "p.max_attempts"},
    {"{'max_attempts':101}", "field.range", "p.max_attempts"},
    {"{'max_attempts':1.5}", "field.range", "p.max_attempts"},
    {"{'interval_seconds':-1}", "field.range", "p.interval_seconds"},
    {"{'interval_seconds':31622401}", "field.range", "p.interval_seconds"},
    {"{'interval_seconds':'60'}", "field.range", "p.interval_seconds"},
    {"{'strategy':1}", "field.type", "p.strategy"},
    {"{'final_fallback_policy':'yes'}", "field.value",
     "p.final_fallback_policy"},
    {"{'escalation_ladder':{}}", "field.type", "p.escalation_ladder"},
    {LADDER("7"), "body.not_object", "p.escalation_ladder[0]"},
    {LADDER("{}"), "field.missing", "p.escalation_ladder[0].attempt"},
    {LADDER("{'attempt':0}"), "field.range",
     "p.escalation_ladder[0].attempt"},
    {LADDER("{'after_attempt':0}"), "field.range",
     "p.escalation_ladder[0].after_attempt"},
    {LADDER("{'attempt':101}"), "field.range",
     "p.escalation_ladder[0].attempt"},
    {LADDER("{'attempt':2},{'attempt':2}"), "retry.attempt",
     "p.escalation_ladder[1].attempt"},
    {LADDER("{'attempt':2},{'attempt':1},{'after_attempt':2}"),
     "retry.attempt", "p.escalation_ladder[2].after_attempt"},
    {"{'max_attempts':2,'escalation_ladder':[{'attempt':2},{'attempt':3}]}",
     "retry.attempt", "p.escalation_ladder[1].attempt"},
    {LADDER("{'attempt':1,'channel_hint':1}"), "field.type",
     "p.escalation_ladder[0].channel_hint"},
    {LADDER("{'attempt':1,'channel':[]}"), "field.type",
     "p.escalation_ladder[0].channel"},
    {LADDER("{'attempt':1,'notify_to':{}}"), "field.type",
     "p.escalation_ladder[0].notify_to"},
    {LADDER(STEP "," STEP "," STEP "," STEP "," STEP "," STEP "," STEP
                 "," STEP "," STEP "," STEP "," STEP),
     "field.too_many", "p.escalation_ladder"},
};

Test(retry, what_cannot_be_read)
{
    for (size_t i = 0; i < countof(unreadable); i++) {
        struct retry r;
        expect(retry_read(a, tree(unreadable[i].policy), STR("p"), &r),
               unreadable[i].code, unreadable[i].at, unreadable[i].policy);
    }
}

Test(retry, a_ladder_has_ten_steps)
{
    struct buf b = buf_make(a, 1024);
    struct retry r;
    buf_put(&b, "{\"escalation_ladder\":[");
    for (int i = RETRY_LADDER_MAX; i > 0; i--)
        buf_printf(&b, "{\"attempt\":%d}%s", i, i > 1 ? "," : "]}");
    struct json *v = tree_of(buf_text(&b));
    cr_assert(!retry_read(a, v, STR(""), &r));
    cr_assert_eq(r.steps, RETRY_LADDER_MAX);
    for (size_t i = 0; i < r.steps; i++)
        cr_assert(r.ladder[i].attempt == (int64_t)i + 1);
    /* Without a path an error names the member alone. */
    expect(retry_read(a, tree("{'escalation_ladder':[1]}"), STR(""), &r),
           "body.not_object", "escalation_ladder[0]", "top");
}

static const struct {
    const char *text, *code, *at;
} defaults[] = {
    {"{}", NULL, NULL},
    {"{'max_attempts':1}", NULL, NULL},
    {"{'interval_seconds':60}", NULL, NULL},
    {"{'max_attempts':3,'interval_seconds':60}", NULL, NULL},
    {LADDER("{'attempt':9}"), NULL, NULL},
    {"{'max_attempts':3}", "retry.interval", "retry_policy.interval_seconds"},
    {"{'max_attempts':3,'interval_seconds':0}", "retry.interval",
     "retry_policy.interval_seconds"},
    {"{'max_attempts':2,'interval_seconds':31622400}", "retry.window",
     "retry_policy.interval_seconds"},
    {"{'max_attempts':0}", "field.range", "retry_policy.max_attempts"},
    {"[]", "body.not_object", "retry_policy"},
};

Test(retry, what_may_be_a_default)
{
    for (size_t i = 0; i < countof(defaults); i++)
        expect(retry_check_default(a, json_of(defaults[i].text)),
               defaults[i].code, defaults[i].at, defaults[i].text);
    cr_assert(retry_check_default(a, STR("{")));
}

/* ---- the cascade ---------------------------------------------------- */

#define FULL(n, s, strategy, final)                                            \
    "{'max_attempts':" n ",'interval_seconds':" s ",'strategy':'" strategy     \
    "','final_fallback_policy':'" final "'}"
#define WITH(n, s, strategy, final, ladder)                                    \
    "{'max_attempts':" n ",'interval_seconds':" s ",'strategy':'" strategy     \
    "','final_fallback_policy':'" final "','escalation_ladder':[" ladder "]}"
#define AGENT_STEP "{'attempt':2,'channel_hint':'a','notify_to':''}"

static const struct {
    const char *own;
    int64_t timeout;
    const char *fallback; /* as the question said it; NULL: not */
    const char *agent, *platform;
    const char *merged; /* NULL: no policy */
    int64_t then_timeout;
} cascade[] = {
    /* no policy at all */
    {NULL, 0, NULL, NULL, NULL, NULL, 0},
    {NULL, 600, "complete_with_fallback", NULL, NULL, NULL, 600},
    /* its own alone */
    {"{}", 0, NULL, NULL, NULL, FULL("1", "0", "fixed", "fail"), 0},
    {"{}", 600, NULL, NULL, NULL, FULL("1", "600", "fixed", "fail"), 600},
    {"{'max_attempts':1,'interval_seconds':0}", 600, NULL, NULL, NULL,
     FULL("1", "0", "fixed", "fail"), 600},
    {"{'max_attempts':3}", 600, NULL, NULL, NULL,
     FULL("3", "600", "fixed", "fail"), 600},
    {"{'max_attempts':3,'interval_seconds':60}", 0, NULL, NULL, NULL,
     FULL("3", "60", "fixed", "fail"), 60},
    {"{'max_attempts':3,'interval_seconds':60}", 600, NULL, NULL, NULL,
     FULL("3", "60", "fixed", "fail"), 600},
    {"{'strategy':'linear'}", 0, "complete_with_fallback", NULL, NULL,
     FULL("1", "0", "linear", "complete_with_fallback"), 0},
    {"{'final_fallback_policy':'fail'}", 0, "complete_with_fallback", NULL,
     NULL, FULL("1", "0", "fixed", "fail"), 0},
    /* the platform's */
    {NULL, 0, NULL, NULL, FULL("3", "60", "p", "use_default_and_continue"),
     FULL("3", "60", "p", "use_default_and_continue"), 60},
    {NULL, 600, NULL, NULL, FULL("3", "60", "p", "use_default_and_continue"),
     FULL("3", "600", "p", "use_default_and_continue"), 600},
    {NULL, 0, "fail", NULL, FULL("3", "60", "p", "use_default_and_continue"),
     FULL("3", "60", "p", "fail"), 60},
    {"{'max_attempts':2}", 0, NULL, NULL,
     FULL("3", "60", "p", "complete_with_fallback"),
     FULL("2", "60", "p", "complete_with_fallback"), 60},
    {"{'interval_seconds':5}", 0, NULL, NULL, FULL("3", "60", "p", "fail"),
     FULL("3", "5", "p", "fail"), 5},
    {"{'strategy':'own'}", 0, NULL, NULL, FULL("3", "60", "p", "fail"),
     FULL("3", "60", "own", "fail"), 60},
    {"{'final_fallback_policy':'fail'}", 0, NULL, NULL,
     FULL("3", "60", "p", "complete_with_fallback"),
     FULL("3", "60", "p", "fail"), 60},
    /* the agent's before the platform's, each member by itself */
    {NULL, 0, NULL, "{'max_attempts':2}", FULL("3", "60", "p", "fail"),
     FULL("2", "60", "p", "fail"), 60},
    {NULL, 0, NULL, "{'interval_seconds':5}", FULL("3", "60", "p", "fail"),
     FULL("3", "5", "p", "fail"), 5},
    {NULL, 0, NULL, "{'strategy':'a'}", FULL("3", "60", "p", "fail"),
     FULL("3", "60", "a", "fail"), 60},
    {NULL, 0, NULL, "{'final_fallback_policy':'complete_with_fallback'}",
     FULL("3", "60", "p", "fail"),
     FULL("3", "60", "p", "complete_with_fallback"), 60},
    {NULL, 0, NULL, LADDER("{'after_attempt':2,'channel':'a'}"),
     FULL("3", "60", "p", "fail"),
     WITH("3", "60", "p", "fail", AGENT_STEP), 60},
    {"{'escalation_ladder':[]}", 0, NULL,
     LADDER("{'attempt':2,'channel_hint':'a'}"), FULL("3", "60", "p", "fail"),
     FULL("3", "60", "p", "fail"), 60},
    {LADDER("{'attempt':3,'notify_to':'own'}"), 0, NULL,
     LADDER("{'attempt':2,'channel_hint':'a'}"), FULL("3", "60", "p", "fail"),
     WITH("3", "60", "p", "fail",
          "{'attempt':3,'channel_hint':'','notify_to':'own'}"),
     60},
    /* inherited steps that it never comes to */
    {"{'max_attempts':1}", 60, NULL, LADDER(AGENT_STEP), NULL,
     FULL("1", "60", "fixed", "fail"), 60},
    {"{'max_attempts':2}", 60, NULL,
     LADDER("{'attempt':3}," AGENT_STEP ",{'attempt':9}"), NULL,
     WITH("2", "60", "fixed", "fail", AGENT_STEP), 60},
};

Test(retry, each_member_comes_from_the_nearest_that_says_it)
{
    for (size_t i = 0; i < countof(cascade); i++) {
        const struct retry_defaults from = {
            .agent = json_of(cascade[i].agent),
            .platform = json_of(cascade[i].platform)};
        struct suspension s = {.retry_policy = json_of(cascade[i].own),
                               .timeout_seconds = cascade[i].timeout,
                               .said_fallback = cascade[i].fallback != NULL};
        char of[24];
        cr_assert(snprintf(of, sizeof of, "case %zu", i) > 0);
        if (cascade[i].fallback)
            s.fallback_policy =
                vocabulary_fallback_policy_of(str_of(cascade[i].fallback));
        const enum fallback_policy before = s.fallback_policy;
        expect(retry_apply(a, &s, &from), NULL, NULL, of);
        same_text(s.retry_policy, cascade[i].merged);
        cr_assert(s.timeout_seconds == cascade[i].then_timeout, "%s", of);
        struct json *merged = NULL;
        if (s.retry_policy.p)
            cr_assert(!json_parse(a, s.retry_policy, &merged));
        cr_assert_eq(s.fallback_policy,
                     merged ? vocabulary_fallback_policy_of(json_get_text(
                                  merged, "final_fallback_policy"))
                            : before,
                     "%s", of);
    }
}

Test(retry, a_ladder_that_begins_with_the_question)
{
    const struct retry_defaults none = {.agent = STR_NONE};
    struct suspension s = {
        .channel_hint = STR("own"),
        .retry_policy = json_of(LADDER(
            "{'attempt':1,'channel_hint':'desk','notify_to':'x'}"))};
    cr_assert(!retry_apply(a, &s, &none));
    cr_assert(str_is(s.channel_hint, "desk"));
    s = (struct suspension){.channel_hint = STR("own"),
                            .retry_policy = json_of(LADDER(STEP))};
    cr_assert(!retry_apply(a, &s, &none));
    cr_assert(str_is(s.channel_hint, "own"));
}

#define INTERVAL "retry_policy.interval_seconds"

static const struct {
    const char *own;
    int64_t timeout;
    const char *agent;
    bool strict, lenient; /* refused at the native door, at OpenIntent's */
    const char *code, *at;
} contradictions[] = {
    {"{'max_attempts':2}", 0, NULL, true, true, "retry.interval", INTERVAL},
    {"{'max_attempts':2,'interval_seconds':0}", 600, NULL, true, true,
     "retry.interval", INTERVAL},
    {"{'interval_seconds':0}", 600, "{'max_attempts':3}", true, true,
     "retry.interval", INTERVAL},
    {"{'interval_seconds':601}", 600, NULL, true, false, "retry.interval",
     INTERVAL},
    {"{'max_attempts':3,'interval_seconds':3600}", 300, NULL, true, false,
     "retry.interval", INTERVAL},
    {"{'interval_seconds':600}", 600, NULL, false, false, NULL, NULL},
    /* The agent has not said it, so it contradicts nothing. */
    {NULL, 600, "{'interval_seconds':900}", false, false, NULL, NULL},
    {"{'max_attempts':2,'interval_seconds':15811201}", 0, NULL, true, true,
     "retry.window", INTERVAL},
    {"{'max_attempts':2,'interval_seconds':15811200}", 0, NULL, false, false,
     NULL, NULL},
    {"{'max_attempts':3}", 31622400, NULL, true, true, "retry.window",
     INTERVAL},
    {LADDER("{'attempt':2}"), 60, NULL, true, true, "retry.attempt",
     "retry_policy.escalation_ladder"},
    {LADDER("{'attempt':2},{'attempt':4}"), 60, "{'max_attempts':3}", true,
     true, "retry.attempt", "retry_policy.escalation_ladder"},
    {NULL, 0, "{'max_attempts':0}", true, true, "field.range",
     "retry_policy.max_attempts"},
};

Test(retry, what_contradicts_itself)
{
    for (size_t i = 0; i < countof(contradictions); i++) {
        for (int strict = 0; strict < 2; strict++) {
            const struct retry_defaults from = {
                .agent = json_of(contradictions[i].agent)};
            struct suspension s = {
                .retry_policy = json_of(contradictions[i].own),
                .timeout_seconds = contradictions[i].timeout,
                .strict = strict};
            const bool bad = strict ? contradictions[i].strict
                                    : contradictions[i].lenient;
            char of[32];
            cr_assert(snprintf(of, sizeof of, "case %zu, %d", i, strict) > 0);
            expect(retry_apply(a, &s, &from),
                   bad ? contradictions[i].code : NULL, contradictions[i].at,
                   of);
        }
    }
}

/* ---- what silence chooses ------------------------------------------- */

#define EFFECTS                                                                \
    "[{'value':'go','label':'Go','effect':'authorize'},"                       \
    "{'value':'mine','label':'Mine','effect':'accept'},"                       \
    "{'value':'no','label':'No','effect':'veto','reason':'required'},"         \
    "{'value':'back','label':'Back','effect':'request_changes'},"              \
    "{'value':'say','label':'Say','effect':'answer'},"                         \
    "{'value':'end','label':'End','effect':'stop_task'},"                      \
    "{'value':'so','label':'So','effect':'none'}]"
#define PLAIN                                                                  \
    "[{'value':'approve','label':'Approve','effect':'none'},"                  \
    "{'value':'deny','label':'Deny','effect':'none'}]"

/* Without a kind. */
static const struct {
    enum answer_type type;
    const char *choices;
    const char *value;
    const char *code; /* NULL: acceptable */
} fallbacks[] = {
    /* One of the choices is judged by its effect, */
    {ANSWER_CHOICE, EFFECTS, "'go'", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "'mine'", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "'no'", NULL},
    {ANSWER_CHOICE, EFFECTS, "'back'", NULL},
    {ANSWER_CHOICE, EFFECTS, "'say'", NULL},
    {ANSWER_CHOICE, EFFECTS, "'end'", "fallback.ends"},
    {ANSWER_CHOICE, EFFECTS, "'so'", NULL},
    {ANSWER_CONFIRM, "[{'value':'yes','label':'Go','effect':'authorize'}]",
     "'yes'", "fallback.authorizes"},
    {ANSWER_CONFIRM, "[{'value':'yes','label':'Stop','effect':'veto'}]",
     "'yes'", NULL},
    /* so is a word for a yes, in any spelling, where a choice is one, */
    {ANSWER_CHOICE, EFFECTS, "'GO'", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "'go '", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "'approve'", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "'Yes, please'", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "true", "fallback.authorizes"},
    {ANSWER_CHOICE, EFFECTS, "false", NULL},
    {ANSWER_CHOICE, EFFECTS, "'NO'", NULL},
    /* and anything else is handed back. */
    {ANSWER_CHOICE, EFFECTS, "'later'", NULL},
    {ANSWER_CHOICE, EFFECTS, "null", NULL},
    {ANSWER_CHOICE, EFFECTS, "{'value':'go'}", NULL},
    {ANSWER_CHOICE, EFFECTS, "['go']", NULL},
    /* Where no choice has an effect any value is the agent's own. */
    {ANSWER_CHOICE, PLAIN, "'approve'", NULL},
    {ANSWER_CHOICE, PLAIN, "{'decision':'deny','by':'timeout'}", NULL},
    {ANSWER_CHOICE, "[]", "'anything'", NULL},
    {ANSWER_CHOICE, "[]", "''", NULL},
    {ANSWER_CONFIRM, "[]", "'yes'", NULL},
    {ANSWER_CONFIRM, "[]", "'deny'", NULL},
    {ANSWER_CONFIRM, "[]", "true", NULL},
    {ANSWER_TEXT, "[]", "'as usual'", NULL},
    {ANSWER_TEXT, "[]", "''", NULL},
    {ANSWER_TEXT, "[]", "5", NULL},
    {ANSWER_FORM, "[]", "{'a':1}", NULL},
};

static void try_fallback(size_t i, const char *severity)
{
    const struct suspension s = {
        .response_type = fallbacks[i].type,
        .choices = json_of(fallbacks[i].choices),
        .fallback_policy = FALLBACK_COMPLETE,
        .fallback_value = json_of(fallbacks[i].value),
        .severity = vocabulary_severity_of(str_of(severity))};
    char of[48];
    cr_assert(snprintf(of, sizeof of, "case %zu, %s", i,
                       severity ? severity : "none") > 0);
    for (int strict = 0; strict < 2; strict++) {
        struct suspension one = s;
        one.strict = strict;
        const char *code = fallbacks[i].code;
        expect(retry_silence_check(a, &one, RETRY_SILENCE_NEVER), code,
               code ? "fallback_value" : NULL, of);
        /* The operator's permission is only for low severity. */
        if (code && str_is(str_of(code), "fallback.authorizes") &&
            one.severity == SEVERITY_LOW)
            code = NULL;
        expect(retry_silence_check(a, &one, RETRY_SILENCE_LOW), code,
               code ? "fallback_value" : NULL, of);
    }
    struct suspension fails = s;
    fails.fallback_policy = FALLBACK_FAIL;
    expect(retry_silence_check(a, &fails, RETRY_SILENCE_NEVER), NULL, NULL,
           of);
}

Test(retry, a_fallback_is_never_a_yes)
{
    for (size_t i = 0; i < countof(fallbacks); i++) {
        try_fallback(i, NULL);
        try_fallback(i, "low");
        try_fallback(i, "medium");
        try_fallback(i, "high");
        try_fallback(i, "critical");
    }
}

Test(retry, a_changed_yes_is_a_yes)
{
    const struct suspension s = {
        .choices = json_of("[{'value':'less','label':'Less',"
                           "'effect':'authorize_modified'}]"),
        .fallback_policy = FALLBACK_CONTINUE,
        .fallback_value = json_of("'less'")};
    expect(retry_silence_check(a, &s, RETRY_SILENCE_NEVER),
           "fallback.authorizes", "fallback_value", "less");
}

Test(retry, what_would_be_right_is_told)
{
    const struct suspension s = {.kind = KIND_CREDENTIAL_NEEDED,
                                 .choices = json_of(EFFECTS),
                                 .fallback_policy = FALLBACK_CONTINUE,
                                 .fallback_value = json_of("'x'")};
    const struct err *e =
        retry_silence_check(a, &s, RETRY_SILENCE_NEVER);
    cr_assert(e && json_count(json_get(e->more, "valid_choices")) == 7);
}

Test(retry, going_on_takes_a_value)
{
    struct suspension s = {.response_type = ANSWER_TEXT,
                           .choices = STR("[]"),
                           .severity = SEVERITY_CRITICAL};
    for (int p = 0; p < FALLBACK_POLICY__MAX; p++) {
        s.fallback_policy = (enum fallback_policy)p;
        s.strict = true;
        expect(retry_silence_check(a, &s, RETRY_SILENCE_NEVER),
               p == FALLBACK_FAIL ? NULL : "field.missing", "fallback_value",
               "strict");
        s.strict = false;
        expect(retry_silence_check(a, &s, RETRY_SILENCE_NEVER), NULL, NULL,
               "lenient");
    }
}

/* ---- rounds --------------------------------------------------------- */

#define ASKED INT64_C(1795166773510233)
#define HOUR (3600 * CLOCK_SECOND)

struct scene {
    struct intent intent;
    struct suspension s;
    struct event_list events;
    struct decision d;
};

static struct scene *scene(const char *policy)
{
    struct scene *c = arena_new(a, struct scene);
    c->intent = (struct intent){.id = STR("i-1"), .version = 3,
                                .status = INTENT_SUSPENDED};
    c->s = (struct suspension){.id = STR("s-1"),
                               .attempt = 1,
                               .suspended_at = ASKED,
                               .channel_hint = STR("first"),
                               .retry_policy = json_of(policy)};
    c->s.next_attempt_at = retry_next_at(a, &c->s);
    c->d = (struct decision){.intent = &c->intent, .suspension = &c->s,
                             .events = &c->events};
    return c;
}

static struct retry_round remind(struct scene *c, int64_t now)
{
    struct retry_round round;
    c->events.n = 0;
    c->d.now = now;
    const struct err *e = retry_silence_remind(a, &c->d, &round);
    cr_assert(!e, "%s", e ? e->code : "");
    return round;
}

static void event_is(const struct scene *c, size_t i, const char *type,
                     const char *payload)
{
    cr_assert(i < c->events.n, "event %zu", i);
    cr_assert(str_is(c->events.v[i].type, type), "event %zu", i);
    struct json *o = tree_of(c->events.v[i].canonical);
    cr_assert(str_is(json_get_text(o, "actor"), "clock"));
    const struct str text = json_dump(a, json_get(o, "payload"), 1 << 20);
    cr_assert(json_equal(json_get(o, "payload"), tree(payload)),
              "event %zu: %.*s", i, STR_FMT(text));
}

static const struct {
    const char *policy;
    int64_t attempt;
    int64_t next; /* in seconds after it was asked; 0: none */
} nexts[] = {
    {NULL, 1, 0},
    {"{}", 1, 0},
    {"not JSON", 1, 0},
    {"{'max_attempts':0}", 1, 0},
    {FULL("1", "60", "fixed", "fail"), 1, 0},
    {FULL("1", "0", "fixed", "fail"), 1, 0},
    {FULL("3", "60", "fixed", "fail"), 1, 60},
    {FULL("3", "60", "fixed", "fail"), 2, 120},
    {FULL("3", "60", "fixed", "fail"), 3, 0},
    {FULL("3", "60", "fixed", "fail"), 4, 0},
    {FULL("100", "316224", "fixed", "fail"), 99, 31306176},
    {"{'interval_seconds':60}", 1, 0},
};

Test(retry, when_the_next_attempt_is_due)
{
    for (size_t i = 0; i < countof(nexts); i++) {
        const struct suspension s = {.attempt = nexts[i].attempt,
                                     .suspended_at = ASKED,
                                     .retry_policy =
                                         json_of(nexts[i].policy)};
        const int64_t wanted =
            nexts[i].next ? ASKED + nexts[i].next * CLOCK_SECOND : 0;
        cr_assert(retry_next_at(a, &s) == wanted, "case %zu", i);
    }
}

#define LADDERED                                                               \
    WITH("4", "3600", "fixed", "fail",                                         \
         "{'attempt':2,'channel_hint':'desk','notify_to':''},"                 \
         "{'attempt':3,'channel_hint':'','notify_to':'lead'}")

/* At which attempt somebody else has been asked, and whom; NULL: nobody. */
static const struct {
    const char *policy;
    int64_t attempt;
    bool escalated;
    const char *to;
} escalations[] = {
    {LADDERED, 1, false, NULL},
    {LADDERED, 2, true, NULL},
    {LADDERED, 3, true, "lead"},
    {LADDERED, 4, true, "lead"},
    {WITH("4", "3600", "fixed", "fail", "{'attempt':1,'notify_to':'desk'}"), 2,
     false, NULL},
    {"{'max_attempts':4,'interval_seconds':60}", 3, false, NULL},
    {"no policy at all", 3, false, NULL},
    {NULL, 3, false, NULL},
};

Test(retry, who_was_asked_instead)
{
    for (size_t i = 0; i < countof(escalations); i++) {
        const struct suspension s = {
            .attempt = escalations[i].attempt,
            .retry_policy = json_of(escalations[i].policy)};
        const char *to = escalations[i].to;
        struct str who = STR("?");
        cr_assert_eq(retry_escalated(a, &s, &who), escalations[i].escalated,
                     "case %zu", i);
        cr_assert(to ? str_is(who, to) : !who.p, "case %zu", i);
    }
}

Test(retry, round_by_round)
{
    struct scene *c = scene(LADDERED);
    struct retry_round r = remind(c, ASKED + HOUR);
    cr_assert(r.fires && r.escalated && str_is(r.channel_hint, "desk"));
    cr_assert(!r.notify_to.p && c->events.n == 2);
    cr_assert(c->s.attempt == 2 && str_is(c->s.channel_hint, "desk"));
    cr_assert(c->s.next_attempt_at == ASKED + 2 * HOUR);
    event_is(c, 0, "intent.suspension_escalated",
             "{'suspension_id':'s-1','attempt':2,'escalated_to':null,"
             "'channel_hint':'desk'}");
    event_is(c, 1, "intent.suspension_renotified",
             "{'suspension_id':'s-1','attempt':2,'max_attempts':4,"
             "'channel_hint':'desk','notify_to':null,"
             "'next_attempt_at':'2026-11-20T11:26:13.510233'}");
    /* A late round does not move those that follow. */
    r = remind(c, ASKED + 2 * HOUR + 17 * CLOCK_SECOND);
    cr_assert(r.fires && r.escalated && str_is(r.channel_hint, "desk"));
    cr_assert(str_is(r.notify_to, "lead") && c->events.n == 2);
    cr_assert(c->s.next_attempt_at == ASKED + 3 * HOUR);
    event_is(c, 0, "intent.suspension_escalated",
             "{'suspension_id':'s-1','attempt':3,'escalated_to':'lead',"
             "'channel_hint':null}");
    /* The last one: the step before it still says whom to tell. */
    r = remind(c, ASKED + 3 * HOUR);
    cr_assert(r.fires && !r.escalated && c->events.n == 1);
    cr_assert(str_is(r.channel_hint, "desk") && str_is(r.notify_to, "lead"));
    cr_assert(c->s.attempt == 4 && c->s.next_attempt_at == 0);
    event_is(c, 0, "intent.suspension_renotified",
             "{'suspension_id':'s-1','attempt':4,'max_attempts':4,"
             "'channel_hint':'desk','notify_to':'lead',"
             "'next_attempt_at':null}");
    /* The intent has an event more, and is not another version. */
    cr_assert(c->intent.tail.sequence == 5 && c->intent.version == 3);
}

static const struct {
    int64_t hours; /* after it was asked */
    int64_t attempt;
    size_t escalated;
    int64_t next; /* hours; 0: none */
} outages[] = {
    {1, 2, 1, 2}, {2, 3, 2, 3}, {3, 4, 2, 0}, {50, 4, 2, 0},
};

Test(retry, after_an_outage_one_reminder)
{
    for (size_t i = 0; i < countof(outages); i++) {
        struct scene *c = scene(LADDERED);
        const struct retry_round r =
            remind(c, ASKED + outages[i].hours * HOUR);
        cr_assert(r.fires && r.escalated, "case %zu", i);
        cr_assert_eq(c->events.n, outages[i].escalated + 1, "case %zu", i);
        cr_assert(c->s.attempt == outages[i].attempt, "case %zu", i);
        cr_assert(c->s.next_attempt_at ==
                      (outages[i].next ? ASKED + outages[i].next * HOUR : 0),
                  "case %zu", i);
        cr_assert(str_is(c->events.v[outages[i].escalated].type,
                         "intent.suspension_renotified"));
    }
}

Test(retry, a_whole_ladder_at_once)
{
    struct buf b = buf_make(a, 2048);
    buf_put(&b, "{'max_attempts':11,'interval_seconds':3600,"
                "'escalation_ladder':[");
    for (int i = 0; i < RETRY_LADDER_MAX; i++)
        buf_printf(&b, "%s{'attempt':%d}", i ? "," : "", i + 2);
    buf_put(&b, "]}");
    struct scene *c = scene(arena_z(a, buf_text(&b)));
    cr_assert(remind(c, ASKED + 10 * HOUR).fires);
    cr_assert_eq(c->events.n, RETRY_LADDER_MAX + 1);
}

/* A policy that cannot be read, or a reminder that is too early, fires
 * nothing. */
Test(retry, nothing_to_do_after_all)
{
    static const char *const policies[] = {
        NULL, "not JSON", "{'max_attempts':0}",
        FULL("1", "60", "fixed", "fail"), FULL("9", "0", "fixed", "fail")};
    for (size_t i = 0; i < countof(policies); i++) {
        struct scene *c = scene(policies[i]);
        c->s.next_attempt_at = ASKED + 1;
        cr_assert(!remind(c, ASKED + HOUR).fires, "case %zu", i);
        cr_assert(c->s.attempt == 1 && c->s.next_attempt_at == 0);
        cr_assert_eq(c->events.n, 0);
    }
    struct scene *c = scene(FULL("9", "3600", "fixed", "fail"));
    c->s.attempt = 3;
    cr_assert(!remind(c, ASKED + HOUR).fires);
    cr_assert(c->s.attempt == 3 && c->s.next_attempt_at == ASKED + 3 * HOUR);
}

Test(retry, a_full_log_does_not_stop_the_rounds)
{
    struct scene *c = scene(LADDERED);
    c->intent.tail = (struct event_tail){.sequence = EVENTS_OF_INTENT_MAX - 1,
                                         .hash = STR("h")};
    const struct retry_round r = remind(c, ASKED + HOUR);
    cr_assert(r.fires && r.escalated && c->events.n == 1);
    cr_assert(c->s.attempt == 2 && str_is(c->s.channel_hint, "desk"));
    cr_assert(remind(c, ASKED + 2 * HOUR).fires);
    cr_assert(c->events.n == 0 && c->s.attempt == 3);
    cr_assert(c->intent.tail.sequence == EVENTS_OF_INTENT_MAX);
    /* And the end has its room. */
    c->s.choices = STR("[]");
    c->s.record = STR("{}");
    c->intent.state = STR("{}");
    c->d.now = ASKED + 4 * HOUR;
    cr_assert(!resolve_expire(a, &c->d));
}
