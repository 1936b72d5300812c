/* The table of the seven kinds: every row of it. */
#include <assert.h>

#include "kinds.h"
#include "suite.h"

SUITE(kind);

static struct json *subject_of(enum kind k)
{
    for (size_t i = 0; i < countof(kinds); i++) {
        if (kinds[i].kind == k)
            return tree(kinds[i].subject);
    }
    cr_assert_fail("no subject for kind %d", (int)k);
    return NULL;
}

static const struct err *check(enum kind k, const char *severity,
                               const struct json *subject)
{
    const struct kind_ask ask = {.kind = k,
                                 .severity =
                                     vocabulary_severity_of(str_of(severity)),
                                 .subject = subject};
    return kind_check_subject(a, &ask);
}

static const struct err *check_text(enum kind k, const char *subject)
{
    return check(k, NULL, tree(subject));
}

static bool lists(const struct json *list, const char *word)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (str_is(json_text(json_at(list, i)), word))
            return true;
    }
    return false;
}

static void refused(const struct err *e, const char *at, const char *what)
{
    cr_assert(e != NULL, "%s: kind.facts is missing", what);
    cr_assert_str_eq(e->code, "kind.facts", "%s", what);
    cr_assert_eq(e->kind, ERR_INVALID);
    cr_assert(e->say.n > 0);
    cr_assert(str_is(e->at, at), "%s: %.*s, not %s", what, STR_FMT(e->at), at);
    cr_assert(json_is(json_get(e->more, "missing"), JSON_ARRAY));
}

/* ---- words ---------------------------------------------------------- */

Test(kind, seven_words_and_nothing_else)
{
    size_t n = 0;
    for (enum kind k = KIND_NONE; k < KIND__MAX; k++) {
        if (k == KIND_NONE) {
            cr_assert(!kind_rule(k) && !kind_words(k)->wire.p);
            continue;
        }
        cr_assert_eq(kind_of(kind_words(k)->wire), k, "%s",
                     kind_words(k)->wire.p);
        cr_assert(kind_answered_by(k, kind_rule(k)->answer));
        n++;
    }
    cr_assert_eq(n, countof(kinds));
    cr_assert(!kind_rule(KIND__MAX));
    static const char *const others[] = {"",          "Approval", "approval ",
                                         "approve",   "none",     "plan",
                                         "approvals", "vote"};
    for (size_t i = 0; i < countof(others); i++)
        cr_assert_eq(kind_of(str_of(others[i])), KIND__MAX, "%s", others[i]);
    cr_assert_eq(kind_of(STR_NONE), KIND_NONE);
    cr_assert_eq(kind_of(STR("")), KIND__MAX);
}

Test(kind, how_each_is_answered)
{
    static const struct {
        enum kind kind;
        const char *choice_confirm_text_form;
    } rows[] = {
        {KIND_NONE, "yyyy"},
        {KIND_APPROVAL, "yynn"},
        {KIND_PERMISSION, "ynnn"},
        {KIND_PLAN_REVIEW, "ynnn"},
        {KIND_ELICITATION, "yyyy"},
        {KIND_CREDENTIAL_NEEDED, "ynnn"},
        {KIND_COST_CONFIRMATION, "ynnn"},
        {KIND_HANDOFF_ACCEPTANCE, "yynn"},
    };
    static const char *const words[] = {"choice", "confirm", "text", "form"};
    static_assert(countof(rows) == KIND__MAX, "a row for each kind");
    for (size_t i = 0; i < countof(rows); i++) {
        for (size_t k = 0; k < countof(words); k++)
            cr_assert_eq(kind_answered_by(rows[i].kind,
                                          vocabulary_answer_type_of(
                                              str_of(words[k]))),
                         rows[i].choice_confirm_text_form[k] == 'y',
                         "%d %s", (int)rows[i].kind, words[k]);
        if (rows[i].kind != KIND_NONE) {
            cr_assert(!kind_answered_by(rows[i].kind, ANSWER_TYPE__MAX));
        }
    }
}

/* ---- facts ---------------------------------------------------------- */

/* The object that holds a row's fact, its key there, and the path as errors
 * have it: of each list the first element. */
struct place {
    struct json *holder;
    const char *key;
    const char *path;
};

static struct place place_of(struct json *subject, const char *row)
{
    struct str rest = str_of(row);
    struct buf path = buf_make(a, 256);
    struct place p = {.holder = subject};
    while (true) {
        struct str part = str_cut(&rest, '.');
        const bool each = str_ends(part, STR("[]"));
        part = each ? str_sub(part, 0, part.n - 2) : part;
        buf_put(&path, path.n > 0 ? "." : "");
        buf_str(&path, part);
        p.key = arena_z(a, part);
        if (!rest.p)
            break;
        buf_put(&path, each ? "[0]" : "");
        p.holder = json_get(p.holder, p.key);
        p.holder = each ? json_at(p.holder, 0) : p.holder;
        cr_assert(json_is(p.holder, JSON_OBJECT), "%s", row);
    }
    p.path = arena_z(a, buf_text(&path));
    cr_assert(json_has(p.holder, p.key), "%s is not in the sample", row);
    return p;
}

static const char *at_of(const struct place *p)
{
    struct buf b = buf_make(a, 256);
    buf_put(&b, "subject.");
    buf_put(&b, p->path);
    return arena_z(a, buf_text(&b));
}

/* A lasting permission needs an end, whatever the row says. */
static bool needed(const struct kind_fact *f, const char *severity)
{
    return f->need == KIND_NEEDED ||
           (f->need == KIND_NEEDED_HIGH &&
            vocabulary_severity_of(str_of(severity)) >= SEVERITY_HIGH) ||
           str_is(str_of(f->path), "duration.seconds");
}

/* lack: NULL is null, "" takes it away, anything else stands in its place. */
static void lacking(enum kind k, const struct kind_fact *f,
                    const char *severity, const char *lack)
{
    struct json *subject = subject_of(k);
    const struct place p = place_of(subject, f->path);
    if (!lack)
        json_set_json(p.holder, p.key, NULL);
    else if (!*lack)
        json_unset(p.holder, str_of(p.key));
    else
        json_set_text(p.holder, p.key, str_of(lack));
    const struct err *e = check(k, severity, subject);
    if (!needed(f, severity)) {
        cr_assert(!e, "%s %s: %.*s", kind_words(k)->wire.p, f->path,
                  STR_FMT(e ? e->at : STR_NONE));
        return;
    }
    refused(e, at_of(&p), f->path);
    cr_assert(lists(json_get(e->more, "missing"), p.path), "%s", f->path);
}

static void mistyped(enum kind k, const struct kind_fact *f)
{
    static const struct {
        const char *value;
        enum kind_type is;
    } values[] = {{"'x'", KIND_TEXT},      {"7", KIND_NUMBER},
                  {"1.5", KIND_NUMBER},    {"true", KIND_BOOLEAN},
                  {"{'a':1}", KIND_OBJECT}, {"[{'a':1}]", KIND_LIST}};
    for (size_t i = 0; i < countof(values); i++) {
        struct json *subject = subject_of(k);
        const struct place p = place_of(subject, f->path);
        if (values[i].is == f->type)
            continue;
        json_set_json(p.holder, p.key, tree(values[i].value));
        const struct err *e = check(k, "low", subject);
        refused(e, at_of(&p), values[i].value);
        cr_assert_eq(json_count(json_get(e->more, "missing")), 0, "%s",
                     f->path);
    }
}

Test(kind, every_fact_that_is_missing_and_every_wrong_type)
{
    static const char *const severities[] = {"low", "high", "critical"};
    size_t rows = 0;
    for (enum kind k = KIND_APPROVAL; k < KIND__MAX; k++) {
        const struct kind_rule *rule = kind_rule(k);
        cr_assert(!check(k, "critical", subject_of(k)), "%s",
                  rule->words.wire.p);
        for (size_t i = 0; i < rule->facts_n; i++, rows++) {
            const struct kind_fact *f = &rule->facts[i];
            for (size_t s = 0; s < countof(severities); s++) {
                lacking(k, f, severities[s], "");
                lacking(k, f, severities[s], NULL);
                if (f->type == KIND_TEXT)
                    lacking(k, f, severities[s], " \t\n");
            }
            mistyped(k, f);
        }
    }
    cr_assert_eq(rows, 13 + 9 + 13 + 1 + 6 + 12 + 13);
}

Test(kind, one_refusal_names_all_that_is_missing)
{
    const struct err *e = check_text(KIND_PERMISSION, "{}");
    refused(e, "subject.capability", "permission");
    const struct json *missing = json_get(e->more, "missing");
    static const char *const paths[] = {"capability", "target", "risk_text",
                                        "duration", "consequence"};
    cr_assert_eq(json_count(missing), countof(paths));
    for (size_t i = 0; i < countof(paths); i++)
        cr_assert(str_is(json_text(json_at(missing, i)), paths[i]));
    /* Also the ones behind a wrong type. */
    e = check_text(KIND_HANDOFF_ACCEPTANCE,
                   "{'from':1,'artifacts':[{}],'evidence':[]}");
    refused(e, "subject.from", "handoff");
    missing = json_get(e->more, "missing");
    cr_assert(lists(missing, "to") && lists(missing, "summary"));
    cr_assert(lists(missing, "artifacts[0].ref"));
}

Test(kind, what_one_refusal_names_has_a_ceiling)
{
    struct buf b = buf_make(a, 1 << 16);
    buf_put(&b, "{'from':'a','to':'b','summary':'s','reason':'r',"
                "'evidence':[],'artifacts':[{}");
    for (int i = 0; i < 500; i++)
        buf_put(&b, ",{}");
    buf_put(&b, "]}");
    const struct err *e =
        check_text(KIND_HANDOFF_ACCEPTANCE, arena_z(a, buf_text(&b)));
    refused(e, "subject.artifacts[0].title", "many");
    cr_assert_eq(json_count(json_get(e->more, "missing")), 50);
}

Test(kind, an_element_has_to_be_an_object)
{
    refused(check_text(KIND_APPROVAL,
                       "{'action':{'name':'x'},'target':'t',"
                       "'scope_summary':'s','calls':[{'tool':'a'},'b']}"),
            "subject.calls[1]", "calls");
    refused(check_text(KIND_HANDOFF_ACCEPTANCE,
                       "{'from':'a','to':'b','summary':'s','reason':'r',"
                       "'artifacts':[null],'evidence':[]}"),
            "subject.artifacts[0]", "artifacts");
}

Test(kind, lists_of_a_handoff_may_be_empty)
{
    cr_assert(!check_text(KIND_HANDOFF_ACCEPTANCE,
                          "{'from':'a','to':'b','summary':'s','reason':'r',"
                          "'artifacts':[],'evidence':[]}"));
}

Test(kind, no_kind_has_no_facts)
{
    cr_assert(!check_text(KIND_NONE, "{}"));
    cr_assert(!check(KIND_NONE, "critical", tree("{'action':7}")));
}

/* ---- facts that have to agree --------------------------------------- */

static const struct err *with(enum kind k, const char *key, const char *value)
{
    struct json *subject = subject_of(k);
    const struct place p = place_of(subject, key);
    json_set_json(p.holder, p.key, tree(value));
    return check(k, NULL, subject);
}

Test(kind, what_lasts_has_an_end)
{
    static const struct {
        const char *duration, *at; /* at NULL: it passes */
    } rows[] = {
        {"{'kind':'once'}", NULL},
        {"{'kind':'once','seconds':null}", NULL},
        {"{'kind':'once','seconds':5}", NULL},
        {"{'kind':'task','seconds':1}", NULL},
        {"{'kind':'session','seconds':31622400}", NULL},
        {"{'kind':'task'}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':null}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':0}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':-1}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':1.5}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':3600.0}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':31622401}", "subject.duration.seconds"},
        {"{'kind':'until','seconds':9223372036854775807}",
         "subject.duration.seconds"},
        {"{'kind':'once','seconds':0}", "subject.duration.seconds"},
        {"{'kind':'ever'}", "subject.duration.kind"},
        {"{'kind':'Once'}", "subject.duration.kind"},
        {"{'seconds':5}", "subject.duration.kind"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e =
            with(KIND_PERMISSION, "duration", rows[i].duration);
        if (rows[i].at)
            refused(e, rows[i].at, rows[i].duration);
        else
            cr_assert(!e, "%s", rows[i].duration);
    }
}

Test(kind, steps_are_there_and_each_has_an_id_of_its_own)
{
    refused(with(KIND_PLAN_REVIEW, "plan.steps", "[]"), "subject.plan.steps",
            "no steps");
    refused(with(KIND_PLAN_REVIEW, "plan.steps",
                 "[{'id':'a','title':'A'},{'id':'b','title':'B'},"
                 "{'id':'a','title':'C'}]"),
            "subject.plan.steps[2]", "twice");
    for (int n = 100; n <= 101; n++) {
        struct buf b = buf_make(a, 1 << 14);
        for (int i = 0; i < n; i++)
            buf_printf(&b, "%s{'id':'%d','title':'x'}", i ? "," : "[", i);
        buf_char(&b, ']');
        const struct err *e = with(KIND_PLAN_REVIEW, "plan.steps",
                                   arena_z(a, buf_text(&b)));
        if (n == 100)
            cr_assert(!e);
        else
            refused(e, "subject.plan.steps", "101");
    }
}

Test(kind, a_cost_is_told_in_one_unit)
{
    static const struct {
        const char *path, *value, *at;
    } rows[] = {
        {"limit.unit", "'USD'", "subject.limit.unit"},
        {"limit.unit", "'eur'", "subject.limit.unit"},
        {"spent_so_far.unit", "'tokens'", "subject.spent_so_far.unit"},
        {"spent_so_far", "null", NULL},
        {"estimate.amount", "-1", "subject.estimate.amount"},
        {"limit.amount", "-0.01", "subject.limit.amount"},
        {"limit.amount", "0", NULL},
        {"spent_so_far.amount", "-3", "subject.spent_so_far.amount"},
        {"estimate.low", "12.6", "subject.estimate.low"},
        {"estimate.low", "-1", "subject.estimate.low"},
        {"estimate.low", "12.5", NULL},
        {"estimate.low", "null", NULL},
        {"estimate.high", "12.4", "subject.estimate.high"},
        {"estimate.high", "12.5", NULL},
        {"estimate.high", "null", NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e =
            with(KIND_COST_CONFIRMATION, rows[i].path, rows[i].value);
        if (rows[i].at)
            refused(e, rows[i].at, rows[i].path);
        else
            cr_assert(!e, "%s %s", rows[i].path, rows[i].value);
    }
    /* Beyond 2^53 too, where two doubles would be the same. */
    refused(check_text(KIND_COST_CONFIRMATION,
                       "{'purpose':'p','estimate':{"
                       "'amount':9007199254740992,'unit':'u',"
                       "'low':9007199254740993},"
                       "'limit':{'amount':1,'unit':'u'}}"),
            "subject.estimate.low", "2^53");
}

/* ---- where a credential is set up ----------------------------------- */

Test(kind, a_credential_is_set_up_here_or_at_a_host_that_is_allowed)
{
    static const struct {
        const char *url;
        bool good;
    } rows[] = {
        {"http://127.0.0.1:8080", true},
        {"http://127.0.0.1:8080/", true},
        {"http://127.0.0.1:8080/settings?x=1#y", true},
        {"http://127.0.0.1:8080?x", true},
        {"http://127.0.0.1:8080#x", true},
        {"http://127.0.0.1:80801/", false},
        {"http://127.0.0.1:8080.evil.example/", false},
        {"http://127.0.0.1:8080@evil.example/", false},
        {"http://127.0.0.1:8080\\\\@evil.example/", false},
        {"https://127.0.0.1:8080/", false},
        {"https://vault.example/", true},
        {"https://vault.example", true},
        {"https://VAULT.example/a/b", true},
        {"https://vault.example?x=https://evil.example", true},
        {"https://keys.example:8443/", true},
        {"https://keys.example/", false},
        {"https://vault.example:8443/", false},
        {"http://vault.example/", false},
        {"HTTPS://vault.example/", false},
        {"https://evil.example/", false},
        {"https://vault.example.evil.example/", false},
        {"https://evil.example/vault.example", false},
        {"https://vault.example@evil.example/", false},
        {"https://evil.example\\\\.vault.example/", false},
        {"https://vault.example\\\\evil/", false},
        {"https:///vault.example/", false},
        {"https://", false},
        {"//vault.example/", false},
        {"/settings", false},
        {"javascript:alert(1)", false},
        {" https://vault.example/", false},
        {"https://vault.example\\t/", false},
        {"https://\\u202Evault.example/", false},
    };
    const struct kind_places places = {
        .own = STR("http://127.0.0.1:8080"),
        .hosts = STR("vault.example keys.example:8443")};
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 1024);
        buf_printf(&b, "{'settings_url':'%s'}", rows[i].url);
        const struct kind_ask ask = {.kind = KIND_CREDENTIAL_NEEDED,
                                     .subject =
                                         tree(arena_z(a, buf_text(&b)))};
        const struct err *e = kind_check_places(a, &ask, &places);
        cr_assert_eq(e == NULL, rows[i].good, "%s", rows[i].url);
        if (e) {
            cr_assert_str_eq(e->code, "kind.facts");
            cr_assert(str_is(e->at, "subject.settings_url"));
        }
    }
}

Test(kind, without_a_list_of_hosts_only_the_own_address)
{
    const struct kind_places places = {.own = STR("https://sayso.example"),
                                       .hosts = STR_NONE};
    const struct kind_places nowhere = {.own = STR(""), .hosts = STR_NONE};
    struct kind_ask ask = {
        .kind = KIND_CREDENTIAL_NEEDED,
        .subject = tree("{'settings_url':'https://sayso.example/x'}")};
    cr_assert(!kind_check_places(a, &ask, &places));
    cr_assert(kind_check_places(a, &ask, &nowhere));
    ask.subject = tree("{'settings_url':'https://other.example/x'}");
    cr_assert(kind_check_places(a, &ask, &places));
    /* It is a fact of credentials alone. */
    for (enum kind k = KIND_NONE; k < KIND__MAX; k++) {
        ask.kind = k;
        cr_assert_eq(!kind_check_places(a, &ask, &places),
                     k != KIND_CREDENTIAL_NEEDED);
    }
}

/* ---- forms ---------------------------------------------------------- */

Test(kind, no_form_asks_for_a_secret)
{
    static const char *const bad[] = {
        "[{'key':'password','label':'x'}]",
        "[{'key':'x','label':'Your PASSWORD'}]",
        "[{'key':'apiKey','label':'x'}]",
        "[{'key':'x','label':'API key of the shop'}]",
        "[{'key':'client_secret','label':'x'}]",
        "[{'key':'x','label':'Access token'}]",
        "[{'key':'ssh_private_key','label':'x'}]",
        "[{'key':'x','label':'Passphrase'}]",
        "[{'key':'credentials','label':'x'}]"};
    for (size_t i = 0; i < countof(bad); i++) {
        const struct err *e = kind_check_form(a, tree(bad[i]));
        cr_assert(e, "%s", bad[i]);
        cr_assert_str_eq(e->code, "kind.secret");
        cr_assert(str_is(e->at, "form[0]"));
    }
    const struct err *e = kind_check_form(
        a, tree("[{'key':'a','label':'A'},{'key':'b','label':'secret'}]"));
    cr_assert(e && str_is(e->at, "form[1]"));
    cr_assert(!kind_check_form(a, tree("[{'key':'city','label':'City'},"
                                       "{'key':'key_account','label':'K'}]")));
    cr_assert(!kind_check_form(a, NULL));
}
