/* One intent: its questions, its plans, its relations, its events as a verified
 * chain, and its state. */
#include "base/clock.h"
#include "doors/pages/question/plans.h"
#include "doors/pages/question/question.h"
#include "doors/pages/question/row.h"
#include "doors/pages/question/timeline.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/intent/events.h"
#include "store/intent/intents.h"
#include "store/intent/leases.h"
#include "store/person/acls.h"
#include "store/plan/portfolios.h"
#include "store/question/suspensions.h"
#include "store/sql.gen.h"

#define EVENTS_SHOWN 500 /* the newest; the API pages through all of them */
#define RELATED_SHOWN 20 /* of each relation */
#define AGENTS_SHOWN 5

/* ---- head ----------------------------------------------------------- */

static const struct err *intent_set_head(struct call *c, struct json *view,
                                         const struct intent *i)
{
    struct json *o = json_object(c->a);
    struct buf agents = buf_make(c->a, 4096);
    struct assignment_rows rows;
    TRY(leases_assignments(c->pg, c->a, i->id, &rows));
    for (size_t k = 0; k < rows.n && k < AGENTS_SHOWN; k++) {
        buf_put(&agents, k ? ", " : "");
        buf_str(&agents, rows.v[k].agent_id);
    }
    buf_put(&agents, rows.n > AGENTS_SHOWN ? " and others" : "");
    json_set_text(o, "id", i->id);
    json_set_text(o, "title", i->title);
    json_set_bool(o, "test", i->test);
    json_set_text(o, "description", i->description);
    json_set_json(o, "state",
                  page_badge(c->a, vocabulary_intent_status(i->status)));
    json_set_int(o, "version", i->version);
    json_set_text(o, "agent", buf_text(&agents));
    json_set_text(o, "owner", i->owner);
    json_set_text(o, "created_by", i->created_by);
    page_view_set_time(o, "since", i->created_at);
    json_set_bool(o, "may_stop",
                  principal_decides(&c->who) && !intent_ended(i->status));
    json_set_json(view, "intent", o);
    return NULL;
}

/* ---- relations ------------------------------------------------------ */

static void intent_add_related(struct page_view *v, struct json *list,
                               const char *relation, const struct intent *i)
{
    const struct question_row_link link = {
        .relation = str_of(relation),
        .path = "/intents/",
        .id = i->id,
        .title = i->title,
        .state = vocabulary_intent_status(i->status)};
    json_add_json(list, question_row_link(v->a, &link));
}

/* The tasks and the portfolios that it is connected with. */
static const struct err *intent_set_related(struct call *c,
                                            struct page_view *v,
                                            struct json *view,
                                            const struct intent *i)
{
    static const struct {
        enum intents_relation relation;
        const char *word;
    } kinds[] = {{INTENTS_CHILDREN, "Child"},
                 {INTENTS_DEPENDENCIES, "Depends on"},
                 {INTENTS_DEPENDENTS, "Required by"}};
    struct json *list = json_array(c->a), *portfolios = json_array(c->a);
    struct portfolio_rows in = {.n = 0};
    if (i->parent_intent_id.p) {
        struct intent parent;
        TRY(intents_get(c->pg, c->a, i->parent_intent_id, &parent));
        intent_add_related(v, list, "Parent", &parent);
    }
    for (size_t k = 0; k < countof(kinds); k++) {
        const struct intents_related page = {.id = i->id,
                                             .relation = kinds[k].relation,
                                             .limit = RELATED_SHOWN};
        struct intent_rows rows;
        TRY(intents_related(c->pg, c->a, &page, &rows));
        for (size_t n = 0; n < rows.n; n++)
            intent_add_related(v, list, kinds[k].word, &rows.v[n]);
    }
    if (i->containers & INTENT_IN_PORTFOLIO)
        TRY(portfolios_of_intent(c->pg, c->a, i->id, &in));
    for (size_t k = 0; k < in.n; k++) {
        const struct question_row_link link = {
            .path = "/portfolios/",
            .id = in.v[k].id,
            .title = in.v[k].name,
            .state = vocabulary_portfolio_status(in.v[k].status)};
        json_add_json(portfolios, question_row_link(c->a, &link));
    }
    json_set_json(view, "related", list);
    json_set_json(view, "portfolios", portfolios);
    return NULL;
}

/* ---- access --------------------------------------------------------- */

/* Shown where it is not as usual: the intent is closed, or has entries. */
static const struct err *intent_set_access(struct call *c, struct json *view,
                                           const struct intent *i)
{
    static const char *const words[ACCESS__MAX] = {
        [ACCESS_READ] = "can read it", [ACCESS_WRITE] = "can work on it",
        [ACCESS_ADMIN] = "has full access"};
    struct json *o = json_object(c->a), *list = json_array(c->a);
    struct acl_rows rows;
    TRY(acls_list(c->pg, c->a, i->id, clock_now(), &rows));
    for (size_t k = 0; k < rows.n; k++) {
        struct json *one = json_object(c->a);
        json_set_text(one, "agent", rows.v[k].agent);
        json_set_text(one, "may", str_of(words[rows.v[k].permission]));
        page_view_set_time(one, "until", rows.v[k].expires_at);
        json_add_json(list, one);
    }
    json_set_bool(o, "closed", i->closed);
    json_set_json(o, "entries", list);
    json_set_json(view, "access", i->closed || rows.n > 0 ? o : NULL);
    return NULL;
}

/* ---- events --------------------------------------------------------- */

/* The state of the chain; checked is false without a verification. */
struct seal {
    bool checked;
    struct event_check check;
    int64_t count;
};

static void intent_count(void *own, const struct event *e)
{
    int64_t *n = own;
    *n += e != NULL;
}

static struct json *intent_seal(struct page_view *v, const struct seal *seal)
{
    struct json *o = json_object(v->a);
    const bool broken = seal->check.broken != 0;
    json_set_bool(o, "checked", seal->checked);
    json_set_bool(o, "is_ok", seal->checked && !broken);
    page_view_set_count(o, "broken", (size_t)seal->check.broken);
    json_set_text(o, "reason", str_of(seal->check.reason));
    json_set_int(o, "count", seal->count);
    json_set_bool(o, "is_single", seal->count == 1);
    page_view_set_time(o, "at", seal->checked ? v->now : 0);
    return o;
}

/* The newest events first, with their chain where the address asks for its
 * verification. An event may be written meanwhile: the chain may end at the
 * intent's tail of before or of after. */
static const struct err *intent_set_events(struct call *c, struct page_view *v,
                                           struct json *view,
                                           const struct question_plans *of)
{
    const struct intent *i = of->intent;
    const struct events_page page = {.intent_id = i->id,
                                     .limit = EVENTS_SHOWN};
    struct seal seal = {.count = i->tail.sequence};
    struct json *list = json_array(c->a);
    struct event_rows rows;
    TRY(events_list(c->pg, c->a, &page, &rows));
    if (request_query(c->rq, "verify").p) {
        struct intent after;
        seal.count = 0;
        TRY(events_check_small(c->pg, c->a, i->id, &seal.check, intent_count,
                               &seal.count));
        TRY(intents_get(c->pg, c->a, i->id, &after));
        event_check_end(&seal.check, &i->tail, &after.tail);
        seal.checked = true;
    }
    for (size_t k = rows.n; k > 0; k--) {
        const struct event *e = &rows.v[k - 1];
        struct json *row = question_timeline_row(v, e, false);
        if (of->plans)
            question_timeline_name(v, row, e, of->plans);
        question_timeline_set_chain(row, e, seal.checked, seal.check.broken);
        json_add_json(list, row);
    }
    json_set_json(view, "seal", intent_seal(v, &seal));
    json_set_json(view, "events", list);
    const bool cut = (int64_t)rows.n < i->tail.sequence;
    page_view_set_count(view, "events_all",
                        cut ? (size_t)i->tail.sequence : 0);
    return NULL;
}

const struct err *question_intent(struct call *c)
{
    const struct str check = request_query(c->rq, "verify");
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *facts = json_array(c->a);
    struct json *questions = json_array(c->a);
    struct suspension_rows asked;
    struct intent i;
    struct question_plans plans = {.intent = &i, .asked = &asked};
    if (check.p && !str_is(check, "1"))
        return ERROR(ERR_BAD_REQUEST, "request.query",
                     "\"verify\" can only be 1.");
    TRY(intents_get(c->pg, c->a, c->param[0], &i));
    TRY(intent_set_head(c, view, &i));
    TRY(suspensions_of_intent(c->pg, c->a, i.id, &asked));
    for (size_t k = 0; k < asked.n; k++) {
        struct page_list_row row;
        page_list_row_begin(&row, c, &v);
        const struct json *o = question_row(&row.call, &row.view, &asked.v[k]);
        json_add_json(questions, page_list_row_end(&row, o));
    }
    json_set_json(view, "questions", questions);
    TRY(question_plans(c, &v, view, &plans));
    TRY(intent_set_related(c, &v, view, &i));
    TRY(intent_set_access(c, view, &i));
    TRY(intent_set_events(c, &v, view, &plans));
    const struct page_facts_of state = {
        .id = "state",
        .heading = "State",
        .note = arena_join(c->a, STR("Current, version "),
                           arena_number(c->a, i.version)),
        .text = i.state};
    json_add_json(facts, page_facts(&v, &state));
    json_set_json(view, "facts", facts);
    return page_render(
        c, 200, "intent",
        arena_z(c->a, words_plain(c->a, i.title, PAGE_VIEW_TAB)), view);
}
