/* Intents: words, moves between states, reading a new one, its state's text. */
#include <stdio.h>

#include "domain/intent/intent.h"

#include "suite.h"

SUITE(intent);

/* ---- words ---------------------------------------------------------- */

static const char *const words[INTENT_STATUS__MAX] = {
    "draft", "active", "blocked", "suspended_awaiting_input", "completed",
    "abandoned"};

Test(intent, status_words)
{
    cr_assert_eq(INTENT_STATUS__MAX, 6);
    for (int i = 0; i < INTENT_STATUS__MAX; i++) {
        cr_assert_str_eq(
            vocabulary_intent_status((enum intent_status)i)->wire.p, words[i]);
        cr_assert_eq(vocabulary_intent_status_of(str_of(words[i])),
                     (enum intent_status)i);
    }
    cr_assert_eq(INTENT_DRAFT, 0);
    cr_assert_eq(INTENT_SUSPENDED, 3);
    cr_assert_eq(INTENT_ABANDONED, 5);
}

Test(intent, unknown_status_words)
{
    static const char *const others[] = {
        "",       "Draft",  "suspended", "failed", "cancelled",
        "active ", "pending", "suspended_awaiting_inpu"};
    for (size_t i = 0; i < countof(others); i++)
        cr_assert_eq(vocabulary_intent_status_of(str_of(others[i])),
                     INTENT_STATUS__MAX, "%s", others[i]);
    cr_assert_eq(vocabulary_intent_status_of(STR_NONE), INTENT_STATUS__MAX);
}

/* ---- moves ---------------------------------------------------------- */

/* The table of RFC-0001, RFC-0002 and RFC-0025, from down and to across, in
 * the order draft active blocked suspended completed abandoned: '.' never,
 * 'y' yes (with the rules of going on, of resuming and of completing), '='
 * nothing changes. */
static const char table[INTENT_STATUS__MAX][INTENT_STATUS__MAX + 1] = {
    ".y.y.y", /* draft */
    "..yyyy", /* active */
    ".y...y", /* blocked */
    ".y...y", /* suspended */
    "....=.", /* completed */
    ".....=", /* abandoned */
};

/* The expected result: a code, or NULL and *to. */
static const char *wanted(const struct intent_move *m, enum intent_status *to)
{
    const char cell = table[m->from][m->to];
    *to = m->to;
    if (cell == '.')
        return "intent.transition";
    if (cell == '=')
        return NULL;
    if (m->from == INTENT_SUSPENDED && m->to == INTENT_ACTIVE) {
        if (m->role == ROLE_AGENT)
            return "intent.resume_forbidden";
        if (m->question_open)
            return "intent.question_open";
    }
    if (m->to == INTENT_COMPLETED && !m->dependencies_done)
        return "intent.dependencies_open";
    if (m->to == INTENT_COMPLETED && !m->children_done)
        return "intent.children_open";
    if (m->to == INTENT_ACTIVE && !m->dependencies_done) {
        if (m->from == INTENT_BLOCKED)
            return "intent.dependencies_open";
        *to = INTENT_BLOCKED;
    }
    return NULL;
}

static void try_move(const struct intent_move *m)
{
    enum intent_status to = INTENT_STATUS__MAX, goes = INTENT_STATUS__MAX;
    const char *code = wanted(m, &to);
    const struct err *e = intent_move(m, &goes);
    char what[128];
    snprintf(what, sizeof what, "%s -> %s role %d open %d deps %d children %d",
             words[m->from], words[m->to], (int)m->role, m->question_open,
             m->dependencies_done, m->children_done);
    const bool forbidden =
        code && str_is(str_of(code), "intent.resume_forbidden");
    expect_kind(e, forbidden ? ERR_FORBIDDEN : ERR_CONFLICT, code, NULL, what);
    if (!code)
        cr_assert_eq(goes, to, "%s: %s", what,
                     vocabulary_intent_status(goes)->wire.p);
    else
        cr_assert_eq(e->kind, strcmp(code, "intent.resume_forbidden") == 0
                                  ? ERR_FORBIDDEN
                                  : ERR_CONFLICT,
                     "%s", what);
}

Test(intent, every_move_for_every_role_and_flag)
{
    static const enum role roles[] = {ROLE_NONE,  ROLE_AGENT,   ROLE_OPERATOR,
                                      ROLE_ADMIN, ROLE_AUDITOR, ROLE_CLOCK};
    for (int from = 0; from < INTENT_STATUS__MAX; from++)
        for (int to = 0; to < INTENT_STATUS__MAX; to++)
            for (size_t r = 0; r < countof(roles); r++)
                for (int flags = 0; flags < 8; flags++)
                    try_move(&(struct intent_move){
                        .from = (enum intent_status)from,
                        .to = (enum intent_status)to,
                        .role = roles[r],
                        .question_open = flags & 1,
                        .dependencies_done = flags & 2,
                        .children_done = flags & 4});
}

Test(intent, no_move_from_or_to_nowhere)
{
    enum intent_status to;
    for (int i = 0; i <= INTENT_STATUS__MAX; i++) {
        struct intent_move m = {.from = (enum intent_status)i,
                                .to = INTENT_STATUS__MAX,
                                .role = ROLE_ADMIN,
                                .dependencies_done = true,
                                .children_done = true};
        expect_kind(intent_move(&m, &to), ERR_CONFLICT, "intent.transition",
                    NULL, "to");
        m.to = m.from;
        m.from = INTENT_STATUS__MAX;
        expect_kind(intent_move(&m, &to), ERR_CONFLICT, "intent.transition",
                    NULL, "from");
    }
}

/* ---- a new one ------------------------------------------------------ */

#define UUID "0190c2a4-7e1f-7abc-8def-0123456789ab"
#define UUID2 "0190C2A4-7E1F-4ABC-8DEF-0123456789AC"

static const struct err *read_one(const char *body, struct intent *out,
                                  struct intent_ids *depends)
{
    *out = (struct intent){.created_by = STR("bot"), .confidence = 77};
    depends->n = 0;
    return intent_read(a, tree(body), out, depends);
}

Test(intent, read_fills_in_what_is_absent)
{
    static const char *const bodies[] = {
        "{'title':'T'}",
        "{'title':'T','description':null,'constraints':null,'state':null,"
        "'parent_intent_id':null,'depends_on':null,'governance_policy':null,"
        "'confidence':null}"};
    for (size_t i = 0; i < countof(bodies); i++) {
        struct intent n;
        struct intent_ids d;
        expect(read_one(bodies[i], &n, &d), NULL, NULL, bodies[i]);
        cr_assert(str_is(n.title, "T") && !n.description.p);
        cr_assert(str_is(n.constraints, "{}") && str_is(n.state, "{}"));
        cr_assert(!n.governance_policy.p && !n.parent_intent_id.p);
        cr_assert(d.n == 0 && n.confidence == 77);
    }
}

Test(intent, read_takes_every_member)
{
    struct intent n;
    struct intent_ids d;
    expect(read_one("{'title':'T','description':'D','constraints':{'a':[1]},"
                    "'state':{'b':1.50},'parent_intent_id':'" UUID "',"
                    "'depends_on':['" UUID "','" UUID2 "'],'confidence':100,"
                    "'governance_policy':{'max_cost':3},"
                    "'created_by':'somebody else','status':'completed',"
                    "'version':9,'id':'x','tomorrow':{'s':['new']}}",
                    &n, &d),
           NULL, NULL, "all");
    cr_assert(str_is(n.title, "T") && str_is(n.description, "D"));
    cr_assert(str_eq(n.constraints, json_of("{'a':[1]}")));
    cr_assert(str_eq(n.state, json_of("{'b':1.50}")));
    cr_assert(str_is(n.parent_intent_id, UUID));
    cr_assert(d.n == 2 && str_is(d.v[0], UUID) && 
              str_is(d.v[1], "0190c2a4-7e1f-4abc-8def-0123456789ac"));
    cr_assert(n.confidence == 100);
    cr_assert(str_eq(n.governance_policy, json_of("{'max_cost':3}")));
    /* Members that the server sets do not come from the body. */
    cr_assert(str_is(n.created_by, "bot") && n.status == INTENT_DRAFT);
    cr_assert(n.version == 0 && !n.id.p);
}

Test(intent, read_takes_the_older_list_of_constraints)
{
    struct intent n;
    struct intent_ids d;
    expect(read_one("{'title':'T','constraints':['x',{'y':1}]}", &n, &d), NULL,
           NULL, "list");
    cr_assert(str_eq(n.constraints, json_of("['x',{'y':1}]")));
}

Test(intent, read_refuses)
{
    static const struct {
        const char *body, *code, *at;
    } cases[] = {
        {"[]", "body.not_object", ""},
        {"{}", "field.missing", "title"},
        {"{'title':null}", "field.missing", "title"},
        {"{'title':''}", "field.empty", "title"},
        {"{'title':' \\t\\n'}", "field.empty", "title"},
        {"{'title':5}", "field.type", "title"},
        {"{'title':'T','description':5}", "field.type", "description"},
        {"{'title':'T','constraints':5}", "field.type", "constraints"},
        {"{'title':'T','constraints':'x'}", "field.type", "constraints"},
        {"{'title':'T','state':[]}", "field.type", "state"},
        {"{'title':'T','state':'x'}", "field.type", "state"},
        {"{'title':'T','governance_policy':[]}", "field.type",
         "governance_policy"},
        {"{'title':'T','parent_intent_id':'x'}", "field.uuid",
         "parent_intent_id"},
        {"{'title':'T','parent_intent_id':5}", "field.type",
         "parent_intent_id"},
        {"{'title':'T','depends_on':'" UUID "'}", "field.type", "depends_on"},
        {"{'title':'T','depends_on':['" UUID "','x']}", "field.uuid",
         "depends_on"},
        {"{'title':'T','depends_on':[null]}", "field.uuid", "depends_on"},
        {"{'title':'T','depends_on':[{}]}", "field.uuid", "depends_on"},
        {"{'title':'T','confidence':101}", "field.range", "confidence"},
        {"{'title':'T','confidence':-1}", "field.range", "confidence"},
        {"{'title':'T','confidence':0.5}", "field.range", "confidence"},
        {"{'title':'T','state':{'_suspension':{'id':'x'}}}",
         "suspension.sealed", "state._suspension"},
        {"{'title':'T','state':{'_suspension':null}}", "suspension.sealed",
         "state._suspension"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct intent n;
        struct intent_ids d;
        const struct err *e = read_one(cases[i].body, &n, &d);
        expect(e, cases[i].code, cases[i].at, cases[i].body);
        cr_assert_eq(e->kind, ERR_INVALID);
    }
}

/* {"title": "eee..."} with n letters that have two bytes each. */
static struct json *titled(const char *key, size_t n)
{
    struct buf b = buf_make(a, 1 << 20);
    for (size_t i = 0; i < n; i++)
        buf_put(&b, "\xC3\xA9");
    struct json *o = tree("{'title':'T'}");
    json_set_text(o, key, buf_text(&b));
    return o;
}

Test(intent, read_counts_characters)
{
    static const struct {
        const char *key;
        size_t max;
    } cases[] = {{"title", 500}, {"description", 20000}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct intent n = {.version = 0};
        struct intent_ids d = {.n = 0};
        expect(intent_read(a, titled(cases[i].key, cases[i].max), &n, &d),
               NULL, NULL, cases[i].key);
        expect(intent_read(a, titled(cases[i].key, cases[i].max + 1), &n, &d),
               "field.too_long", cases[i].key, cases[i].key);
    }
}

static struct str uuid_number(size_t i)
{
    struct buf b = buf_make(a, 64);
    buf_printf(&b, "0190c2a4-7e1f-7abc-8def-%012zu", i);
    return buf_text(&b);
}

Test(intent, read_names_a_dependency_once)
{
    struct intent n = {.version = 0};
    struct intent_ids d = {.n = 0};
    expect(intent_read(a, tree("{'title':'T','depends_on':['" UUID2 "','" UUID
                               "','0190c2a4-7e1f-4abc-8def-0123456789ac']}"),
                       &n, &d),
           NULL, NULL, "twice, in either case");
    cr_assert_eq(d.n, 2);
}

Test(intent, read_counts_dependencies)
{
    for (size_t n = INTENT_DEPENDENCIES_MAX; n < INTENT_DEPENDENCIES_MAX + 2;
         n++) {
        struct json *o = tree("{'title':'T'}"), *list = json_array(a);
        for (size_t i = 0; i < n; i++)
            json_add_text(list, uuid_number(i));
        json_set_json(o, "depends_on", list);
        struct intent out = {.version = 0};
        struct intent_ids d = {.n = 0};
        const bool ok = n <= INTENT_DEPENDENCIES_MAX;
        expect(intent_read(a, o, &out, &d), ok ? NULL : "field.too_many",
               "depends_on", "depends_on");
        cr_assert_eq(d.n, ok ? n : 0);
    }
}

/* ---- the state's text ----------------------------------------------- */

/* A text of n bytes. */
static struct json *filled(size_t n)
{
    char *p = arena_alloc(a, n);
    memset(p, 'x', n);
    return json_string(a, (struct str){p, n});
}

Test(intent, state_has_a_size)
{
    /* {"a":"..."} has eight bytes beside the text. */
    for (size_t over = 0; over < 2; over++) {
        struct json *state = json_object(a);
        json_set_json(state, "a", filled(INTENT_STATE_MAX - 8 + over));
        struct str text;
        expect_kind(intent_state_text(a, state, &text), ERR_TOO_LARGE,
                    over ? "intent.state_too_large" : NULL, NULL, "size");
        cr_assert(over || text.n == INTENT_STATE_MAX);
        struct json *body = tree("{'title':'T'}");
        json_set_json(body, "state", state);
        struct intent out = {.version = 0};
        struct intent_ids d = {.n = 0};
        expect_kind(intent_read(a, body, &out, &d), ERR_TOO_LARGE,
                    over ? "intent.state_too_large" : NULL, NULL, "new");
    }
    struct json *body = tree("{'title':'T'}"), *big = json_object(a);
    json_set_json(big, "a", filled(INTENT_STATE_MAX));
    json_set_json(body, "governance_policy", big);
    struct intent out = {.version = 0};
    struct intent_ids d = {.n = 0};
    expect_kind(intent_read(a, body, &out, &d), ERR_TOO_LARGE,
                "intent.state_too_large", NULL, "policy");
    body = tree("{'title':'T'}");
    json_set_json(body, "constraints", big);
    expect_kind(intent_read(a, body, &out, &d), ERR_TOO_LARGE,
                "intent.state_too_large", NULL, "constraints");
}

Test(intent, state_has_a_depth)
{
    struct json *state = json_object(a);
    for (size_t depth = 1; depth < JSON_INPUT_DEPTH_MAX + 2; depth++) {
        struct str text;
        expect(intent_state_text(a, state, &text),
               depth > JSON_INPUT_DEPTH_MAX ? "intent.state_too_deep" : NULL,
               NULL, "depth");
        struct json *outer = json_object(a);
        json_set_json(outer, "a", state);
        state = outer;
    }
}

Test(intent, state_has_a_number_of_members)
{
    struct json *state = json_object(a);
    struct str text;
    for (size_t i = 0; i < JSON_MEMBERS_MAX; i++) {
        char key[32];
        snprintf(key, sizeof key, "k%zu", i);
        json_set_bool(state, key, true);
    }
    expect(intent_state_text(a, state, &text), NULL, NULL, "members");
    json_set_bool(state, "more", true);
    expect(intent_state_text(a, state, &text), "intent.state_too_deep", NULL,
           "members");
}

Test(intent, state_text_is_the_state)
{
    struct str text;
    expect(intent_state_text(a, tree("{'b':1.50,'a':['x',null]}"), &text),
           NULL, NULL, "text");
    cr_assert(str_eq(text, json_of("{'b':1.50,'a':['x',null]}")));
}
