/* A question as a row of the inbox. */
#include "doors/pages/inbox/row.h"

#include "base/clock.h"
#include "domain/permit/tool_title.h"
#include "domain/question/retry.h"
#include "doors/pages/inbox/found.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/list.h"

#define FACTS_MAX ((size_t)16 << 10) /* bytes of facts that are parsed */
#define TOOLS_MAX 4                  /* of a question's calls, in its name */
#define NAME_MAX ((size_t)256)       /* bytes of a name that is compared */

/* ---- the facts ------------------------------------------------------ */

/* The tools of the calls, in their order; p NULL: none, or too many. */
static struct str row_tools(struct arena *a, const struct json *calls)
{
    struct buf b = buf_make(a, NAME_MAX);
    const size_t n = json_count(calls);
    for (size_t i = 0; i < n && n <= TOOLS_MAX; i++) {
        const struct str tool = json_get_text(json_at(calls, i), "tool");
        if (!tool.p)
            return STR_NONE;
        buf_put(&b, i ? ", " : "");
        buf_str(&b, tool);
    }
    return b.n > 0 && !b.over ? buf_text(&b) : STR_NONE;
}

struct inbox_row_about inbox_row_about(struct arena *a,
                                       const struct suspension *s)
{
    struct inbox_row_about of = {.seconds = 0};
    struct arena *own = arena_within(a);
    const struct json *facts =
        s->subject.n > FACTS_MAX ? NULL : suspension_subject(own, s);
    const struct json *action = json_get(facts, "action");
    of.amount = amount_of(s->kind, facts);
    of.amount.unit = arena_str(a, of.amount.unit);
    of.target = arena_str(a, json_get_text(facts, "target"));
    of.does = row_tools(own, json_get(facts, "calls"));
    if (!of.does.p)
        of.does = json_get_text(action, "name");
    if (!of.does.p)
        of.does = json_get_text(facts, "capability");
    of.does = of.does.n > 0 && of.does.n <= NAME_MAX ? arena_str(a, of.does)
                                                     : STR_NONE;
    of.titled = tool_title_of(own, s, facts);
    if (s->kind == KIND_PERMISSION)
        of.seconds =
            json_int(json_get(json_get(facts, "duration"), "seconds"));
    arena_free(own);
    return of;
}

/* ---- the row -------------------------------------------------------- */

/* `figure`: the amount, or for how long a permission is asked; null: none. */
static void row_set_figure(struct page_view *v, struct json *o,
                           const struct inbox_row_about *about)
{
    struct json *figure = json_object(v->a);
    inbox_amount_set(v->a, o, &about->amount);
    if (about->seconds <= 0 || about->seconds > SUSPENSION_TIMEOUT_MAX)
        return;
    json_set_text(figure, "value",
                  words_span(v->a, about->seconds * CLOCK_SECOND));
    json_set_text(figure, "unit", STR(""));
    json_set_json(o, "figure", figure);
}

struct json *inbox_row_short(struct page_view *v, const struct suspension *s,
                             const struct inbox_row_about *about)
{
    struct json *o = json_object(v->a);
    /* The explanation, else a question under a title. */
    const struct str words = s->explanation.p ? s->explanation
                             : s->title.p     ? s->question
                                              : STR_NONE;
    const bool same =
        str_eq(str_trim(words), str_trim(question_head_title(s)));
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_text(o, "pick",
                  arena_join(v->a, s->id, STR(":"), s->subject_sha256));
    json_set_text(o, "reason",
                  words_line(v->a, same ? STR_NONE : words, PAGE_VIEW_ROW));
    row_set_figure(v, o, about);
    return o;
}

/* Was it ticked when its reader left the list for the page that confirms? The
 * address has the ids of those, with a dot between two. */
static bool row_is_picked(struct call *c, struct str id)
{
    struct str rest = request_query(c->rq, "picked");
    while (rest.p) {
        if (str_eq(str_cut(&rest, '.'), id))
            return true;
    }
    return false;
}

/* For whom it waits, where the reader is somebody who decides, but not it; ""
 * else. */
static struct str row_waits(struct arena *a, const struct principal *p,
                            const struct suspension *s)
{
    const struct responder_case rule = suspension_case(s);
    const struct err *e = responder_check(a, &rule, p);
    if (!e || !principal_decides(p))
        return STR("");
    switch (rule.rule.mode) {
    case RESPONDER_INITIATOR:
        return rule.initiated_by;
    case RESPONDER_GROUP:
    case RESPONDER_NAMED:
    case RESPONDER_AGENT:
        return rule.rule.who;
    case RESPONDER_OPERATORS:
    case RESPONDER_MODE__MAX:
    default:
        return STR("another operator");
    }
}

struct json *inbox_row_listed(struct call *c, struct page_view *v,
                              const struct suspension *s,
                              const struct inbox_row_about *about)
{
    struct page_list_row row;
    struct str to;
    page_list_row_begin(&row, c, v);
    struct json *o = inbox_row_short(&row.view, s, about);
    const struct str named =
        words_plain(row.call.a, question_head_title(s), PAGE_VIEW_TAB);
    json_set_text(o, "named", words_name(row.call.a, named));
    json_set_json(o, "deadline", question_head_deadline(&row.view, s));
    json_set_text(o, "sum",
                  about->amount.unit.p
                      ? amount_plain(row.call.a, &about->amount)
                      : STR(""));
    /* The effect of silence so far: the time of a step has passed, and another
     * recipient was notified. */
    const bool escalated = retry_escalated(row.call.a, s, &to);
    json_set_text(o, "waits", row_waits(row.call.a, &c->who, s));
    json_set_bool(o, "picked", row_is_picked(c, s->id));
    json_set_bool(o, "reminded", s->attempt > 1);
    json_set_text(o, "escalated",
                  !escalated                ? STR("")
                  : str_eq(to, c->who.name) ? STR("Escalated to you")
                                            : STR("Escalated"));
    inbox_found_set(&row.view, o);
    return page_list_row_end(&row, o);
}

/* ---- the rows of the bulk review ------------------------------------- */

void inbox_row_drop(struct json *rows, const char *path, struct str value)
{
    for (size_t i = json_count(rows); i-- > 0;) {
        const struct json *row = json_at(rows, i);
        if (str_is(json_get_text(row, "path"), path) &&
            str_eq(json_get_text(row, "value"), value))
            json_drop(rows, i);
    }
}

/* The place of a value among the facts of an item, or their number. */
static size_t row_find(const struct json *rows, const struct json *value)
{
    size_t k = 0;
    while (k < json_count(rows) && !json_equal(json_at(rows, k), value))
        k++;
    return k;
}

struct json *inbox_row_common(struct arena *a, const struct json *items)
{
    struct json *common = json_array(a);
    struct json *first = json_get(json_at(items, 0), "rows");
    const size_t n = json_count(items);
    for (size_t i = 0; n > 1 && i < json_count(first);) {
        struct json *value = json_at(first, i);
        size_t in = 0;
        while (in < n &&
               row_find(json_get(json_at(items, in), "rows"), value) <
                   json_count(json_get(json_at(items, in), "rows")))
            in++;
        if (in < n) {
            i++;
            continue;
        }
        json_add_json(common, value);
        for (size_t k = n; k-- > 0;) {
            struct json *rows = json_get(json_at(items, k), "rows");
            json_drop(rows, row_find(rows, value));
        }
    }
    return common;
}

void inbox_row_set_columns(struct json *view, const struct json *items,
                           const struct json *common)
{
    bool amounts = false, targets = false, one = false;
    for (size_t i = 0; i < json_count(common); i++)
        one = one ||
              str_is(json_get_text(json_at(common, i), "path"), "target");
    for (size_t i = 0; !one && i < json_count(items); i++) {
        const struct json *item = json_at(items, i);
        const struct str target = json_get_text(item, "target");
        targets = targets || target.n > 0;
        inbox_row_drop(json_get(item, "rows"), "target", target);
    }
    for (size_t i = 0; i < json_count(items); i++)
        amounts = amounts || json_get(json_at(items, i), "figure");
    json_set_bool(view, "amounts", amounts);
    json_set_bool(view, "targets", targets);
    json_set_int(view, "columns", 2 + amounts + targets);
}
