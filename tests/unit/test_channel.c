/* Channels: whom a question may name, whom it tells, and what goes out. */
#include "suite.h"

#include "base/clock.h"
#include "domain/sending/channel.h"
#include "domain/sending/channel_facts.h"

static struct channels all;

static void make_all(void)
{
    static struct str mail[2], few[2], any[1], asleep[1];
    mail[0] = STR("eva@example.org");
    mail[1] = STR("@team.example.org");
    few[0] = STR("@oncall");
    few[1] = STR("Night shift");
    any[0] = STR("*");
    asleep[0] = STR("sleeper");
    all = (struct channels){
        .v = {{.id = STR("1"), .kind = ENDPOINT_MAIL, .name = STR("mail"),
               .notify_to = mail, .notify_to_n = countof(mail)},
              {.id = STR("2"), .kind = ENDPOINT_SLACK, .name = STR("slack"),
               .notify_to = few, .notify_to_n = countof(few),
               .every_question = true},
              {.id = STR("3"), .kind = ENDPOINT_WEBHOOK, .name = STR("hook"),
               .notify_to = any, .notify_to_n = countof(any)},
              {.id = STR("4"), .kind = ENDPOINT_SLACK, .name = STR("lobby"),
               .every_question = true},
              {.id = STR("5"), .kind = ENDPOINT_SLACK, .name = STR("away"),
               .notify_to = asleep, .notify_to_n = countof(asleep),
               .every_question = true, .off = true}},
        .n = 5};
}

SUITE_WITH(channel, make_all());

Test(channel, words)
{
    cr_assert_str_eq(channel_news_word(CHANNEL_ASKED), "suspension.asked");
    cr_assert_str_eq(channel_news_word(CHANNEL_REMINDED),
                     "suspension.reminded");
    cr_assert_str_eq(channel_news_word(CHANNEL_ESCALATED),
                     "suspension.escalated");
    cr_assert_str_eq(channel_news_word(CHANNEL_UNRESPONSIVE),
                     "coordinator.unresponsive");
}

/* ---- the allow-list ------------------------------------------------- */

static const struct {
    size_t channel;
    const char *who;
    bool allowed;
} lists[] = {
    {0, "eva@example.org", true},
    {0, "EVA@Example.ORG", true},
    {0, "adam@example.org", false},
    {0, "eva@example.org.evil.example", false},
    {0, "anybody@team.example.org", true},
    {0, "anybody@TEAM.example.org", true},
    {0, "anybody@sub.team.example.org", false},
    {0, "anybody@xteam.example.org", false},
    {0, "@team.example.org", false},
    {0, "team.example.org", false},
    /* One address is one address, whatever it ends in. */
    {0, "x@evil.example,y@team.example.org", false},
    {0, "x@evil.example y@team.example.org", false},
    {0, "x@evil.example\r\nBcc: y@team.example.org", false},
    {0, "<x@evil.example>@team.example.org", false},
    {0, "x@y@team.example.org", false},
    {0, "\"x\"@team.example.org", false},
    {0, "-oX@team.example.org", false},
    {0, "*", false},
    {0, "", false},
    {1, "@oncall", true},
    {1, "@Oncall", false},
    {1, "Night shift", true},
    {1, "anybody", false},
    {2, "anybody", true},
    {2, "*", true},
    {2, "", false},
    {3, "anybody", false},
};

Test(channel, allows)
{
    for (size_t i = 0; i < countof(lists); i++)
        cr_assert_eq(channel_allows(&all.v[lists[i].channel],
                                    str_of(lists[i].who)),
                     lists[i].allowed, "case %zu", i);
}

Test(channel, allows_nobody_of_any_length)
{
    struct buf b = buf_make(a, 4096);
    for (int i = 0; i < 300; i++)
        buf_char(&b, 'x');
    cr_assert_not(channel_allows(&all.v[2], buf_text(&b)));
    cr_assert(channel_allows(&all.v[2], str_head(buf_text(&b), 254)));
}

/* ---- whom ----------------------------------------------------------- */

/* told: "name" or "name>recipient", in the channels' order. */
static const struct {
    const char *hint, *who, *told;
    bool instead;
} targets[] = {
    {NULL, NULL, "slack lobby", false},
    {"", "", "slack lobby", false},
    {"mail", NULL, "mail", false},
    {"mail", "", "mail", false},
    {"hook", "", "hook", false},
    {"lobby", "", "lobby", false},
    /* A hint that no channel has says nothing, nor that of one that is off. */
    {"pager", NULL, "slack lobby", true},
    {"Mail", NULL, "slack lobby", true},
    {"away", NULL, "slack lobby", true},
    {"away", "eva@example.org",
     "mail>eva@example.org hook>eva@example.org", false},
    {NULL, "sleeper", "hook>sleeper", false},
    {"mail", "away", "mail hook>away", false},
    {"mail", "eva@example.org", "mail>eva@example.org", false},
    {"slack", "@oncall", "slack>@oncall", false},
    /* Where the hinted channel's list does not have them, another's may. */
    {"slack", "eva@example.org", "slack hook>eva@example.org"
                                 " mail>eva@example.org", false},
    {"lobby", "@oncall", "slack>@oncall hook>@oncall lobby", false},
    {NULL, "eva@example.org", "mail>eva@example.org hook>eva@example.org",
     false},
    {"pager", "@oncall", "slack>@oncall hook>@oncall", false},
    /* notify_to as the name of a channel: that one itself. */
    {NULL, "lobby", "lobby", false},
    {"mail", "lobby", "mail lobby", false},
    {"hook", "mail", "mail hook", false},
    {"mail", "mail", "mail", false},
};

static bool has(struct str list, struct str word)
{
    while (list.p) {
        if (str_eq(str_cut(&list, ' '), word))
            return true;
    }
    return false;
}

static struct str word_of(const struct channel_target *t)
{
    struct buf b = buf_make(a, 600);
    buf_str(&b, t->channel->name);
    if (t->recipient.p) {
        buf_char(&b, '>');
        buf_str(&b, t->recipient);
    }
    return buf_text(&b);
}

static size_t words(struct str list)
{
    size_t n = 0;
    for (; list.p; n++)
        (void)str_cut(&list, ' ');
    return n;
}

Test(channel, targets)
{
    for (size_t i = 0; i < countof(targets); i++) {
        struct channel_targets out;
        const struct str told = str_of(targets[i].told);
        channel_targets(&all, str_of(targets[i].hint), str_of(targets[i].who),
                        &out);
        cr_assert_eq(out.n, words(told), "case %zu: %zu", i, out.n);
        cr_assert_eq(out.instead, targets[i].instead, "case %zu", i);
        for (size_t k = 0; k < out.n; k++)
            cr_assert(has(told, word_of(&out.v[k])), "case %zu: %.*s", i,
                      STR_FMT(word_of(&out.v[k])));
    }
}

static void told_instead(const char *hint, const char *who)
{
    struct channel_targets out;
    channel_targets(&all, str_of(hint), str_of(who), &out);
    cr_assert(out.instead);
    cr_assert_eq(out.n, 2);
    cr_assert(str_is(word_of(&out.v[0]), "slack"));
    cr_assert(str_is(word_of(&out.v[1]), "lobby"));
}

Test(channel, whoever_is_for_every_question_in_place_of_nobody)
{
    all.v[2].notify_to_n = 0; /* "*" would have everybody */
    told_instead(NULL, "x");
    told_instead("pager", "x");
    told_instead("away", "x");
    told_instead("away", "sleeper");
    told_instead(NULL, "away");
    all.v[2].off = true;
    told_instead("hook", "");
}

Test(channel, nobody)
{
    struct channel_targets out;
    const struct channels none = {.n = 0};
    channel_targets(&none, STR_NONE, STR_NONE, &out);
    cr_assert(out.n == 0 && !out.instead);
    channel_targets(&none, STR("mail"), STR("x"), &out);
    cr_assert(out.n == 0 && out.instead);
    for (size_t i = 0; i < all.n; i++)
        all.v[i].every_question = false;
    all.v[2].notify_to_n = 0;
    channel_targets(&all, STR("pager"), STR("x"), &out);
    cr_assert(out.n == 0 && out.instead);
}

Test(channel, a_full_house)
{
    static struct channels full;
    static struct channel_targets out;
    full.n = CHANNELS_MAX;
    for (size_t i = 0; i < full.n; i++)
        full.v[i] = (struct channel){.name = STR("x"),
                                     .every_question = true};
    channel_targets(&full, STR_NONE, STR_NONE, &out);
    cr_assert_eq(out.n, CHANNELS_MAX);
}

/* ---- checking ------------------------------------------------------- */

#define STEP "{\"attempt\":1,\"channel_hint\":\"\",\"notify_to\":\"\"}"
#define LADDER(steps) "{\"max_attempts\":3,\"escalation_ladder\":[" steps "]}"
#define AT "retry_policy.escalation_ladder"

static const struct {
    const char *hint, *policy;
    const char *strict, *lenient; /* where it is wrong; NULL: it is not */
} checks[] = {
    {NULL, NULL, NULL, NULL},
    {"", LADDER(STEP), NULL, NULL},
    {"mail", NULL, NULL, NULL},
    {"pager", NULL, "channel_hint", NULL},
    /* One that is off exists. */
    {"away", LADDER("{\"attempt\":2,\"channel_hint\":\"away\","
                    "\"notify_to\":\"sleeper\"}"), NULL, NULL},
    {NULL, LADDER("{\"attempt\":2,\"notify_to\":\"away\"}"), NULL, NULL},
    {"mail", LADDER(STEP ",{\"attempt\":2,\"channel_hint\":\"slack\"}"), NULL,
     NULL},
    {NULL, LADDER(STEP ",{\"attempt\":2,\"channel_hint\":\"pager\"}"),
     AT "[1].channel_hint", NULL},
    {NULL, LADDER("{\"attempt\":2,\"notify_to\":\"eva@example.org\"}"), NULL,
     NULL},
    {NULL, LADDER("{\"attempt\":2,\"notify_to\":\"lobby\"}"), NULL, NULL},
    {NULL, LADDER("{\"attempt\":2,\"notify_to\":\"eve@evil.example\"}"),
     AT "[0].notify_to", AT "[0].notify_to"},
    {NULL, LADDER(STEP "," STEP ",{\"attempt\":3,\"notify_to\":\"nobody\"}"),
     AT "[2].notify_to", AT "[2].notify_to"},
    {"pager", LADDER("{\"attempt\":2,\"notify_to\":\"nobody\"}"),
     "channel_hint", AT "[0].notify_to"},
    {NULL, LADDER("7,null"), NULL, NULL},
};

static void refused(size_t i, bool strict, const char *wanted)
{
    const struct suspension s = {.channel_hint = str_of(checks[i].hint),
                                 .retry_policy = str_of(checks[i].policy)};
    const struct err *e = channel_check(a, &all, &s, strict);
    if (!wanted) {
        cr_assert(e == NULL, "case %zu: %s", i, e ? e->code : "");
        return;
    }
    cr_assert(e != NULL, "case %zu", i);
    cr_assert_eq(e->kind, ERR_INVALID);
    cr_assert(str_is(e->at, wanted), "case %zu: %.*s", i, STR_FMT(e->at));
    cr_assert_str_eq(e->code, str_ends(e->at, STR("notify_to"))
                                  ? "channel.not_allowed"
                                  : "channel.unknown");
}

Test(channel, check)
{
    all.v[2].notify_to_n = 0; /* "*" would have everybody */
    for (size_t i = 0; i < countof(checks); i++) {
        refused(i, true, checks[i].strict);
        refused(i, false, checks[i].lenient);
    }
}

Test(channel, check_without_channels)
{
    const struct channels none = {.n = 0};
    const struct suspension s = {
        .channel_hint = STR("pager"),
        .retry_policy = STR(LADDER("{\"attempt\":2,\"notify_to\":\"x\"}"))};
    const struct suspension who = {.retry_policy = s.retry_policy};
    cr_assert(channel_check(a, &none, &s, false) == NULL);
    cr_assert(channel_check(a, &none, &s, true) != NULL);
    const struct err *e = channel_check(a, &none, &who, true);
    cr_assert(e && str_is(e->at, AT "[0].notify_to"));
}

Test(channel, first)
{
    struct suspension s = {.retry_policy = STR_NONE};
    cr_assert(channel_first(a, &s).p == NULL);
    s.retry_policy = STR(LADDER("{\"attempt\":2,\"notify_to\":\"x\"}"));
    cr_assert(channel_first(a, &s).p == NULL);
    s.retry_policy = STR(LADDER(STEP));
    cr_assert(channel_first(a, &s).p == NULL);
    s.retry_policy = STR(LADDER("{\"attempt\":2,\"notify_to\":\"y\"},"
                                "{\"attempt\":1,\"notify_to\":\"x\"}"));
    cr_assert(str_is(channel_first(a, &s), "x"));
}

/* ---- what ----------------------------------------------------------- */

/* 2026-11-20T09:26:13.510233Z */
#define NOW INT64_C(1795166773510233)

static struct suspension question(void)
{
    return (struct suspension){
        .id = STR("s-1"),
        .intent_id = STR("i-1"),
        .question = STR("May I?"),
        .explanation = STR("Because."),
        .severity = SEVERITY_HIGH,
        .context = STR("{\"amount\":5}"),
        .choices = STR("[{\"value\":\"a\",\"label\":\"Go\","
                       "\"effect\":\"authorize\"},"
                       "{\"value\":\"b\",\"label\":\"Stop\"}]"),
        .asked_by = STR("bot"),
        .suspended_at = NOW,
        .retry_policy = STR("{\"max_attempts\":3}"),
        .attempt = 2};
}

static const struct json *data_of(const struct suspension *s,
                                  enum channel_detail detail)
{
    const struct channel c = {.detail = detail};
    const struct channel_notice n = {.news = CHANNEL_REMINDED,
                                     .channel = &c,
                                     .suspension = s,
                                     .notify_to = STR("@oncall"),
                                     .url = STR("https://x/suspensions/s-1"),
                                     .now = NOW + CLOCK_SECOND};
    const struct str text = channel_body(a, &n);
    cr_assert(text.p && text.n <= CHANNEL_BODY_MAX);
    struct json *v = tree_of(text);
    cr_assert(str_is(json_get_text(v, "type"), "suspension.reminded"));
    cr_assert(str_is(json_get_text(v, "timestamp"),
                     "2026-11-20T09:26:14.510233Z"));
    cr_assert_eq(json_count(v), 3);
    return json_get(v, "data");
}

#define TITLE_PART                                                             \
    "{\"suspension_id\":\"s-1\",\"intent_id\":\"i-1\",\"title\":\"May I?\","   \
    "\"severity\":\"high\",\"agent\":\"bot\",\"attempt\":2,"                   \
    "\"max_attempts\":3,\"asked_at\":\"2026-11-20T09:26:13.510233Z\","         \
    "\"expires_at\":null,\"notify_to\":\"@oncall\","                           \
    "\"url\":\"https://x/suspensions/s-1\""
#define SUMMARY_PART                                                           \
    ",\"question\":\"May I?\",\"on_expiry\":\"This request waits until "       \
    "somebody answers it.\""

Test(channel, body_as_far_as_the_detail_goes)
{
    const struct suspension s = question();
    same(data_of(&s, CHANNEL_TITLE), TITLE_PART "}");
    same(data_of(&s, CHANNEL_SUMMARY), TITLE_PART SUMMARY_PART "}");
    same(data_of(&s, CHANNEL_ALL),
         TITLE_PART SUMMARY_PART ",\"explanation\":\"Because.\","
                                 "\"context\":{\"amount\":5},"
                                 "\"choices\":[\"Approve: Go\",\"Stop\"],"
                                 "\"target\":null,\"amount\":null,"
                                 "\"calls\":null,\"calls_left\":0}");
}

Test(channel, body_says_the_title_and_nulls)
{
    struct suspension s = question();
    s.title = STR("Pay");
    s.severity = SEVERITY_UNSAID;
    s.expires_at = NOW + CLOCK_SECOND;
    s.retry_policy = STR_NONE;
    s.attempt = 0;
    const struct json *d = data_of(&s, CHANNEL_TITLE);
    cr_assert(str_is(json_get_text(d, "title"), "Pay"));
    cr_assert(json_has(d, "severity") && !json_get(d, "severity"));
    cr_assert(str_is(json_get_text(d, "expires_at"),
                     "2026-11-20T09:26:14.510233Z"));
    cr_assert_eq(json_int(json_get(d, "attempt")), 1);
    cr_assert_eq(json_int(json_get(d, "max_attempts")), 1);
}

/* A title that the server made of the arguments goes where they may go. */
Test(channel, body_shows_arguments_only_with_all)
{
    struct suspension s = question();
    s.kind = KIND_APPROVAL;
    s.question = STR("Run Bash?");
    s.title = STR("Run `ls`");
    suspension_set_subject(
        &s,
        json_of("{'calls':[{'tool':'Bash','args':{'command':'ls'}}]}"), NULL);
    for (int detail = CHANNEL_TITLE; detail <= CHANNEL_ALL; detail++) {
        const struct json *d = data_of(&s, (enum channel_detail)detail);
        cr_assert(str_is(json_get_text(d, "title"),
                         detail == CHANNEL_ALL ? "Run `ls`" : "Run Bash?"));
    }
    s.title = STR("Look around");
    const struct json *d = data_of(&s, CHANNEL_TITLE);
    cr_assert(str_is(json_get_text(d, "title"), "Look around"));
}

static const struct json *facts_of(enum kind kind, const char *subject)
{
    struct suspension s = question();
    s.kind = kind;
    suspension_set_subject(&s, json_of(subject), NULL);
    const struct json *d = data_of(&s, CHANNEL_TITLE);
    cr_assert(!json_has(d, "calls") && !json_has(d, "amount") &&
              !json_has(d, "target"));
    cr_assert(!json_has(data_of(&s, CHANNEL_SUMMARY), "calls"));
    return data_of(&s, CHANNEL_ALL);
}

Test(channel, body_shows_amount_target_and_the_first_arguments)
{
    static const struct {
        enum kind kind;
        const char *subject, *amount;
    } rows[] = {
        {KIND_APPROVAL,
         "{'target':'KES-1','calls':[{'tool':'pay','args':"
         "{'amount':499.99,'currency':'EUR'}}]}",
         "499.99 EUR"},
        {KIND_APPROVAL,
         "{'target':'KES-1','calls':[{'tool':'pay','args':"
         "{'amount':'18.40','unit':'CHF'}},{'tool':'tell'}]}",
         "18.40 CHF"},
        {KIND_APPROVAL,
         "{'target':'KES-1','calls':[{'tool':'pay','args':"
         "{'amount':1,'unit':'EUR'}},{'tool':'pay','args':"
         "{'amount':2,'unit':'CHF'}}]}",
         NULL},
        {KIND_APPROVAL,
         "{'target':'KES-1','calls':[{'tool':'pay','args':"
         "{'amount':{'x':1}}}]}",
         NULL},
        {KIND_APPROVAL, "{'target':'KES-1','calls':{'a':1}}", NULL},
        {KIND_APPROVAL, "{'target':'KES-1','calls':[1,null,[]]}", NULL},
        {KIND_COST_CONFIRMATION,
         "{'target':'KES-1','limit':{'amount':120,'unit':'USD'}}", "120 USD"},
        {KIND_NONE, "{'calls':[{'tool':'pay','args':{'amount':1}}]}", NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct json *d = facts_of(rows[i].kind, rows[i].subject);
        cr_expect(str_is(json_get_text(d, "target"), "KES-1") ==
                  (rows[i].kind != KIND_NONE));
        cr_expect(rows[i].amount
                      ? str_is(json_get_text(d, "amount"), rows[i].amount)
                      : !json_get(d, "amount"),
                  "%zu", i);
    }
}

Test(channel, body_says_which_arguments_it_leaves_out)
{
    struct buf b = buf_make(a, 1 << 16);
    buf_put(&b, "{'calls':[{'tool':'t','args':{'list':[1,{'a':2}],'long':'");
    buf_str(&b, copies("x", CHANNEL_FACTS_VALUE + 1));
    for (int i = 2; i < CHANNEL_FACTS_ARGS + 2; i++)
        buf_printf(&b, "','a%d':'", i);
    buf_put(&b, "'}},{'tool':'t'},{'tool':'t'},{'tool':'t'},{'tool':'t'}]}");
    const struct json *d = facts_of(KIND_APPROVAL, arena_z(a, buf_text(&b)));
    const struct json *call = json_at(json_get(d, "calls"), 0);
    const struct json *args = json_get(call, "arguments");
    cr_assert_eq(json_count(json_get(d, "calls")), CHANNEL_FACTS_CALLS);
    cr_assert_eq(json_int(json_get(d, "calls_left")), 2);
    cr_assert_eq(json_count(args), CHANNEL_FACTS_ARGS);
    cr_assert_eq(json_int(json_get(call, "left")), 2);
    cr_assert(
        str_is(json_get_text(json_at(args, 0), "value"), "[1,{\"a\":2}]"));
    const struct str cut = json_get_text(json_at(args, 1), "value");
    cr_assert_eq(str_runes(cut), CHANNEL_FACTS_VALUE + 1);
    cr_assert(str_ends(cut, STR("\xE2\x80\xA6")));
}

/* The longest of everything, each character escaped to six. */
Test(channel, body_keeps_its_ceiling)
{
    struct suspension s = question();
    struct buf b = buf_make(a, 1 << 20);
    s.question = copies("\x01", SUSPENSION_QUESTION_MAX);
    s.explanation = copies("\x01", SUSPENSION_EXPLANATION_MAX);
    buf_put(&b, "[");
    for (int i = 0; i < SUSPENSION_CHOICES_MAX; i++) {
        buf_put(&b, i ? ",{\"label\":\"" : "{\"label\":\"");
        for (int k = 0; k < 200; k++)
            buf_put(&b, "\\u0001");
        buf_put(&b, "\"}");
    }
    buf_put(&b, "]");
    s.choices = buf_text(&b);
    const struct json *d = data_of(&s, CHANNEL_ALL);
    cr_assert_eq(json_count(json_get(d, "choices")), SUSPENSION_CHOICES_MAX);
    cr_assert(str_eq(json_get_text(d, "question"), s.question));
    cr_assert(json_has(d, "explanation") && !json_get(d, "explanation"));
    cr_assert(json_has(d, "context") && !json_get(d, "context"));
    cr_assert_eq(str_runes(json_get_text(d, "title")), 200);
}

Test(channel, body_gives_up_the_context_first)
{
    struct suspension s = question();
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "{\"x\":\"");
    buf_str(&b, copies("x", CHANNEL_BODY_MAX));
    buf_put(&b, "\"}");
    s.context = buf_text(&b);
    const struct json *d = data_of(&s, CHANNEL_ALL);
    cr_assert(json_has(d, "context") && !json_get(d, "context"));
    cr_assert(str_is(json_get_text(d, "explanation"), "Because."));
}
