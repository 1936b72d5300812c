/* The samples of views, one for each way a question looks: what the pages' own
 * code builds, held against templates/samples. Each is rendered in strict
 * mode. SAYSO_SAMPLES=write writes them anew; SAYSO_SAMPLES=DIRECTORY puts the
 * pages there as HTML, to be looked at. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "domain/question/suspension_read.h"
#include "doors/pages/answer/view.h"
#include "doors/pages/question/claims.h"
#include "world/template/template.h"

#include "kinds.h"
#include "suite.h"

#define SAMPLE_MAX ((size_t)1 << 20)
/* 2026-11-20T03:12:04Z */
#define NOW (INT64_C(1795144324) * CLOCK_SECOND)
#define ID "7c0e4f2a-58b1-4b7e-9f0d-3a6c1d20b41d"

static const struct principal mara = {.role = ROLE_OPERATOR,
                                      .person = true,
                                      .id = {"p1", 2},
                                      .name = {"mara@example.com", 16},
                                      .title = {"Mara Lindqvist", 14}};

SUITE(samples);

/* A path in the sources, found from this file's own. */
static const char *path_of(const char *dir, const char *name, const char *end)
{
    struct buf b = buf_make(a, 4096);
    const struct str here = STR(__FILE__), own = STR("tests/unit/");
    buf_str(&b, str_sub(here, 0, str_search(here, own)));
    buf_put(&b, dir);
    buf_put(&b, name);
    buf_put(&b, end);
    return arena_z(a, buf_text(&b));
}

static struct str file_text(const char *path)
{
    char *text = arena_alloc(a, SAMPLE_MAX);
    FILE *f = fopen(path, "r");
    if (!f)
        return STR("");
    const size_t n = fread(text, 1, SAMPLE_MAX, f);
    fclose(f);
    return (struct str){text, n};
}

static void write_to(const char *path, struct str text)
{
    FILE *f = fopen(path, "w");
    cr_assert(f, "%s cannot be written", path);
    cr_assert_eq(fwrite(text.p, 1, text.n, f), text.n);
    cr_assert(fclose(f) == 0);
}

/* The frame of every page, as page_render makes it. */
static const char frame[] =
    "{'title':'A question','now':'2026-11-20T03:12:04.000000Z',"
    "'operator':{'name':'Mara Lindqvist','role':'operator','initials':'ML'},"
    "'csrf':'csrf',"
    "'theme':'','keys':'','zone':'Europe/Berlin','open_count':'57',"
    "'nav':{'views':[],'views_here':true,'saved':[],'decided':false,"
    "'settings':false,'may_set':false},"
    "'back':{'url':'/inbox','label':'Inbox'},"
    "'find':{'url':'/inbox','words':'','hint':'Search requests'}}";

static void look(const char *name, const char *page, struct json *view)
{
    const char *wish = getenv("SAYSO_SAMPLES");
    struct templates *t = NULL;
    struct buf out = buf_make(a, SAMPLE_MAX * 4);
    const struct template_page of = {
        .name = page, .view = view, .now = NOW, .zone = STR("Europe/Berlin")};
    const struct err *e =
        template_load(a, str_of(path_of("templates", "", "")), true, &t);
    cr_assert(!e, "%s %s", e ? e->code : "", e ? e->at.p : "");
    json_set_json(view, "page", tree(frame));
    e = template_render(a, t, &of, &out);
    cr_expect(!e, "%s: %s at %.*s", name, e ? e->code : "",
              STR_FMT(e ? e->at : STR("")));
    cr_expect(e || str_ends(buf_text(&out), STR("</html>\n")), "%s", name);
    if (wish && strcmp(wish, "write") != 0) {
        struct buf path = buf_make(a, 4096);
        buf_put(&path, wish);
        buf_char(&path, '/');
        buf_put(&path, name);
        buf_put(&path, ".html");
        write_to(arena_z(a, buf_text(&path)), buf_text(&out));
    }
}

/* Is the sample what the pages' code builds now? */
static void hold(const char *name, const char *page, struct json *view)
{
    const char *wish = getenv("SAYSO_SAMPLES");
    const char *path = path_of("templates/samples/", name, ".json");
    struct buf now = buf_make(a, SAMPLE_MAX);
    json_write_pretty(&now, view);
    buf_char(&now, '\n');
    if (wish && strcmp(wish, "write") == 0)
        write_to(path, buf_text(&now));
    cr_expect(str_eq(file_text(path), buf_text(&now)),
              "%s is not what is built: SAYSO_SAMPLES=write, and look at what "
              "changes", path);
    look(name, page, view);
}

/* ---- questions ------------------------------------------------------ */

/* A question as an agent sends it, in single quotes; subject NULL: none. */
static struct suspension asked(const char *kind, const char *subject,
                               const char *more)
{
    struct suspension s = {.intent_id = STR("i-12345"),
                           .asked_by = STR("refund-bot")};
    struct buf b = buf_make(a, 1 << 16);
    struct json *v = NULL;
    buf_printf(&b, "{%s", more);
    if (kind)
        buf_printf(&b, ",'kind':'%s'", kind);
    if (subject)
        buf_printf(&b, ",'subject':%s", subject);
    buf_char(&b, '}');
    const struct str body = json_of(arena_z(a, buf_text(&b)));
    const struct err *e = json_parse(a, body, &v);
    cr_assert(!e, "%.*s", STR_FMT(body));
    e = suspension_read(a, v, body, &s);
    cr_assert(!e, "%s %s", e ? e->code : "", e ? e->at.p : "");
    s.id = STR(ID);
    s.asked_sequence = 3;
    s.suspended_at = NOW - 43 * 60 * CLOCK_SECOND;
    s.expires_at = NOW + 8 * 60 * CLOCK_SECOND;
    return s;
}

static struct json *event(const char *what)
{
    struct json *list = json_array(a), *o = json_object(a);
    json_set_int(o, "seq", 3);
    json_set_int(o, "at", NOW - 43 * 60 * CLOCK_SECOND);
    json_set_text(o, "what", str_of(what));
    json_set_text(o, "who", STR("refund-bot (agent)"));
    json_set_text(o, "detail", STR("Details 9f2c 71aa"));
    json_set_text(o, "tone", STR("asked"));
    json_add_json(list, o);
    return list;
}

static void open_page(const char *name, const struct suspension *s,
                      const char *choice, const struct err *error)
{
    struct page_view v = page_view(a, NOW);
    const struct answer_form_of form = {
        .s = s,
        .reader = &mara,
        .choice = choice ? str_of(choice) : STR_NONE,
        .error = error};
    const struct answer_view_of of = {.s = s,
                                      .reader = &mara,
                                      .revision = 1,
                                      .timeline = event("Requested")};
    struct json *view = answer_view_open(&v, &of, &form);
    hold(name, "suspension", view);
}

static const char ask[] =
    "'question':'Refund 499.99 EUR for order 12345?',"
    "'explanation':'It arrived broken.\\nThe picture shows it.',"
    "'severity':'high'";

Test(samples, of_each_kind)
{
    static const char *const names[] = {
        [KIND_APPROVAL] = "approval",
        [KIND_PERMISSION] = "permission",
        [KIND_PLAN_REVIEW] = "plan",
        [KIND_ELICITATION] = "elicitation",
        [KIND_CREDENTIAL_NEEDED] = "credential",
        [KIND_COST_CONFIRMATION] = "cost",
        [KIND_HANDOFF_ACCEPTANCE] = "handoff"};
    for (size_t i = 0; i < countof(kinds); i++) {
        const struct suspension s =
            asked(kind_words(kinds[i].kind)->wire.p, kinds[i].subject, ask);
        open_page(names[kinds[i].kind], &s, NULL, NULL);
    }
}

Test(samples, of_a_plain_question)
{
    const struct suspension s = asked(
        NULL, NULL, "'question':'Which one?','response_type':'text'");
    open_page("plain", &s, NULL, NULL);
}

Test(samples, of_a_form)
{
    const struct suspension s = asked(
        NULL, NULL,
        "'question':'Where to?','response_type':'form','form':["
        "{'key':'street','label':'Street','required':true},"
        "{'key':'express','type':'boolean','label':'Express'},"
        "{'key':'size','type':'enum','options':['s','m'],'label':'Size'}]");
    open_page("form", &s, NULL, NULL);
}

Test(samples, of_the_step_before_an_answer)
{
    const struct suspension s = asked("approval", kinds[0].subject, ask);
    open_page("confirm", &s, "approve", NULL);
}

/* Whatever an agent writes, it is marked and escaped. */
Test(samples, of_hostile_texts)
{
    struct suspension s = asked(
        NULL, NULL,
        "'title':'Pay \\u202egnp.exe\\u202c <script>alert(1)</script>',"
        "'question':'<b>\\u200b</b> & {{page.csrf}}?',"
        "'context':{'a\\u200bb':'\\u0001<img src=x>'},"
        "'choices':[{'value':'y\\u200b','label':'\\u202eyes','effect':"
        "'authorize'},{'value':'n','label':'<i>no</i>','effect':'veto'}]");
    s.asked_by = STR("refund-b\xD0\xBEt"); /* a Cyrillic letter */
    open_page("hostile", &s, NULL, NULL);
}

/* ---- after a restore ------------------------------------------------ */

Test(samples, of_a_question_that_was_restored)
{
    struct suspension s = asked("approval", kinds[0].subject, ask);
    struct page_view v = page_view(a, NOW);
    const struct restores_claims list = {
        .n = 2,
        .v = {{.said = STR("{\"outcome\":\"authorized\",\"value\":"
                           "\"approve\",\"responded_at\":"
                           "\"2026-11-20T01:10:00Z\",\"responded_by\":"
                           "\"tom@example.com\",\"event_id\":\"e-1\","
                           "\"used_at\":\"2026-11-20T01:11:00Z\","
                           "\"redemption_id\":\"r-1\"}"),
               .at = NOW - CLOCK_SECOND},
              {.said = STR("{\"outcome\":\"vetoed\",\"value\":{\"x\":1},"
                           "\"request_id\":\"q-1\",\"note\":"
                           "\"<b>No</b>\\u202e\"}"),
               .at = NOW}}};
    s.restored_from = NOW - 3600 * CLOCK_SECOND;
    const struct answer_form_of form = {
        .s = &s,
        .reader = &mara};
    const struct answer_view_of of = {
        .s = &s,
        .reader = &mara,
        .revision = 1,
        .timeline = event("Requested"),
        .claims = question_claims_view(&v, &s, &list)};
    struct json *view = answer_view_open(&v, &of, &form);
    hold("restored", "suspension", view);
}

/* ---- answers -------------------------------------------------------- */

static void closed_page(const char *name, struct suspension *s)
{
    struct page_view v = page_view(a, NOW);
    const struct answer_view_of of = {.s = s,
                                      .reader = &mara,
                                      .revision = 1,
                                      .timeline = event("Requested"),
                                      .closed = 4};
    s->responded_at = NOW - CLOCK_SECOND;
    hold(name, "answered", answer_view_closed(&v, &of));
}

Test(samples, of_an_approval_that_was_given)
{
    struct suspension s = asked(
        NULL, NULL,
        "'question':'Refund 499.99 EUR?','context':{'order':'12345'},"
        "'choices':[{'value':'approve','label':'Refund','effect':"
        "'authorize'},{'value':'no','label':'Keep it','effect':'veto'}]");
    s.state = SUSPENSION_RESOLVED;
    s.outcome = OUTCOME_AUTHORIZED;
    s.response = STR("\"approve\"");
    s.responded_by = mara.name;
    s.responded_via = VIA_BROWSER;
    closed_page("approved", &s);
}

Test(samples, of_a_question_that_nobody_answered)
{
    struct suspension s = asked(
        NULL, NULL, "'question':'Which one?','response_type':'text'");
    s.state = SUSPENSION_EXPIRED;
    s.outcome = OUTCOME_FALLBACK;
    s.responded_by = STR("clock");
    s.responded_via = VIA_CLOCK;
    closed_page("expired", &s);
}
