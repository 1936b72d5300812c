/* One decision for many questions: the page that lists them before anything is
 * decided, and the page with the result of each. Each is decided separately, in
 * a transaction of its own, for the facts that were shown. */
#include "base/clock.h"
#include "domain/answer/bulk.h"
#include "doors/pages/inbox/filters.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/inbox/row.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/answered.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/question/suspensions.h"
#include "work/answer.h"
#include "world/pg/pg_error.h"

#define PAGES_MAX 8 /* of a list, read for those to be decided together */
#define SAME_MAX 3 /* equal questions that a row names */
#define ID_MAX 64  /* bytes; no id is longer */

/* The ticked questions, each with the digest of its facts as they were
 * shown. */
struct bulk_picks {
    bool yes;
    size_t n;
    struct str id[BULK_MAX], seen[BULK_MAX];
    struct str reason, back;
    struct str without; /* the one that was just taken out; p NULL: none */
    size_t at;          /* it stood before this one */
    bool all;        /* the first ones of the list that can be answered so */
    int64_t matches; /* of the list, at most INBOX_COUNT_MAX + 1 */
    int64_t skipped; /* before the last of them, to be answered individually */
};

/* ---- posted values ---------------------------------------------------- */

static const struct err *bulk_read(struct call *c, struct bulk_picks *p)
{
    struct pairs posted;
    TRY(page_form(c, &posted));
    const struct str all = pairs_get(posted, "all");
    const struct str instead = pairs_get(posted, "instead");
    const struct str answer = all.p       ? all
                              : instead.p ? instead
                                          : pairs_get(posted, "answer");
    const struct str back = pairs_get(posted, "back");
    /* Only the path of a list is allowed. */
    const bool list =
        str_is(back, "/inbox") || str_starts(back, STR("/inbox?"));
    *p = (struct bulk_picks){.yes = str_is(answer, "approve"),
                             .reason = pairs_get(posted, "reason"),
                             .without = pairs_get(posted, "without"),
                             .all = all.p != NULL,
                             .back = list ? back : STR("/inbox")};
    if (!p->yes && !str_is(answer, "reject"))
        return ERROR(ERR_INVALID, "bulk.answer",
                     "Bulk actions are approve and reject. Nothing was "
                     "submitted.");
    for (size_t i = 0; i < posted.n; i++) {
        struct str seen = posted.v[i].value;
        const struct str id = str_cut(&seen, ':');
        size_t k = 0;
        while (k < p->n && !str_eq(p->id[k], id))
            k++;
        if (!str_is(posted.v[i].key, "pick[]") || k < p->n)
            continue; /* another field, or ticked twice */
        if (str_eq(id, p->without)) {
            p->at = p->n;
            continue;
        }
        if (p->n == BULK_MAX)
            return ERROR(ERR_INVALID, "bulk.many",
                         "Bulk actions cover at most 50 requests. Nothing was "
                         "submitted.");
        p->id[p->n] = id;
        p->seen[p->n++] = seen.p ? seen : STR("");
    }
    return NULL;
}

/* ---- all that match ------------------------------------------------- */

/* Takes those of one page that can be decided so. Each is identified by the
 * digest of its facts as they are now, which the page shows. */
static void bulk_take(struct call *c, struct bulk_picks *p,
                      struct suspension_rows rows, int64_t now)
{
    for (size_t i = 0; i < rows.n && p->n < BULK_MAX; i++) {
        const struct suspension *s = &rows.v[i];
        struct arena *own = arena_within(c->a);
        const bool out = bulk_left_out(own, s, &c->who, p->yes, now).p != NULL;
        arena_free(own);
        if (out) {
            p->skipped++;
            continue;
        }
        p->id[p->n] = arena_str(c->a, s->id);
        p->seen[p->n++] = arena_str(c->a, s->subject_sha256);
    }
}

/* In place of ticked ones the first of the list at p->back. */
static const struct err *bulk_load_all(struct call *c, struct bulk_picks *p)
{
    struct call list;
    struct inbox_filters f;
    struct suspension last;
    TRY(page_list_at(c, p->back, &list));
    TRY(inbox_filters_read(&list, &f, clock_now()));
    TRY(inbox_count(c->pg, c->a, &f.query, &f.counts));
    p->matches = inbox_filters_all(&f);
    p->n = 0;
    for (int i = 0; i < PAGES_MAX && p->n < BULK_MAX; i++) {
        struct arena *own = arena_within(c->a);
        struct suspension_rows rows;
        TRY(inbox_list(c->pg, own, &f.query, &rows));
        bulk_take(c, p, rows, f.now);
        const bool more = (int64_t)rows.n == f.query.limit;
        if (more) {
            last = rows.v[rows.n - 1];
            last.id = arena_str(c->a, last.id);
            f.query.after = &last;
        }
        arena_free(own);
        if (!more)
            break;
    }
    return NULL;
}

/* ---- the confirm page ----------------------------------------------- */

/* A question with all its facts for a yes; a no needs fewer. */
static struct json *bulk_item(struct page_view *v, const struct suspension *s,
                              struct str value, bool yes,
                              const struct inbox_row_about *about)
{
    struct json *o = inbox_row_short(v, s, about);
    struct page_facts_room room = {
        .rows = BULK_VALUES_MAX,
        .bytes = yes ? PAGE_FACTS_BYTES : BULK_SUBJECT_MAX,
        .bare = true};
    const struct json *choices = suspension_choices(v->a, s);
    const struct json *choice = suspension_choice(choices, value);
    json_set_json(o, "choice", page_badge_choice(v, choices, choice));
    json_set_text(o, "target", about->target);
    page_facts_set_rows(v, &room, o, suspension_subject(v->a, s));
    if (about->amount.unit.p) /* it has a column */
        inbox_row_drop(json_get(o, "rows"), "calls[0].args.amount",
                       amount_plain(v->a, &about->amount));
    return o;
}

/* s: an empty one where there is no such question. */
static struct json *bulk_left(struct page_view *v, const struct suspension *s,
                              struct str id, struct str why)
{
    struct json *o = json_object(v->a);
    struct json *question = question_head_brief(v, s);
    if (!s->id.p) {
        json_set_text(question, "suspension_id", id);
        json_set_text(question, "title", id);
    }
    json_set_json(o, "suspension", question);
    json_set_text(o, "why", why);
    return o;
}

/* The reason why this one is left out; p NULL: it is not. */
static struct str bulk_why_not(struct call *c, const struct bulk_picks *p,
                               size_t i, const struct suspension *s,
                               int64_t now)
{
    if (!s->id.p)
        return STR("There is no such request.");
    const struct str why = bulk_left_out(c->a, s, &c->who, p->yes, now);
    if (!why.p && !str_eq(p->seen[i], s->subject_sha256))
        return STR("The request has changed. Review it again.");
    return why;
}

/* The questions of the page. */
struct bulk_shown {
    const struct suspension *in[BULK_MAX]; /* that are decided */
    size_t n;
    struct suspension_rows others; /* open, equal to one, not ticked */
    struct json *items, *left;     /* the rows of in, and those left out */
    bool needs, critical; /* one needs a comment, or is a critical one */
    bool follows;         /* one stood behind the one that was taken out */
    struct amount sum;
};

/* Sorts the questions s into those that are decided and those left out. */
static void bulk_sort(struct call *c, struct page_view *v,
                      const struct bulk_picks *p, const struct suspension *s,
                      struct bulk_shown *of)
{
    for (size_t i = 0; i < p->n; i++) {
        struct page_list_row row;
        page_list_row_begin(&row, c, v);
        const struct str why = bulk_why_not(&row.call, p, i, &s[i], v->now);
        if (why.p) {
            const struct json *left =
                bulk_left(&row.view, &s[i], p->id[i], why);
            json_add_json(of->left, page_list_row_end(&row, left));
            continue;
        }
        const struct bulk_answer answer =
            bulk_answer(row.call.a, &s[i], p->yes);
        const struct inbox_row_about about = inbox_row_about(c->a, &s[i]);
        struct json *item =
            bulk_item(&row.view, &s[i], answer.value, p->yes, &about);
        const bool follows = p->without.p && i >= p->at && !of->follows;
        json_set_bool(item, "follows", follows);
        of->follows = of->follows || follows;
        if (of->n == 0)
            of->sum = about.amount;
        else
            amount_add(&of->sum, &about.amount);
        of->in[of->n++] = &s[i];
        of->needs = of->needs || answer.reason;
        of->critical = of->critical || s[i].severity == SEVERITY_CRITICAL;
        json_add_json(of->items, page_list_row_end(&row, item));
    }
}

/* Open questions with the same facts as one of these, and not ticked. */
static const struct err *bulk_find_same(struct call *c,
                                        const struct bulk_picks *p,
                                        struct bulk_shown *of)
{
    struct str digests[BULK_MAX];
    struct suspensions_same query = {
        .digests = digests, .ids = p->id, .ids_n = p->n, .most = SAME_MAX};
    for (size_t i = 0; i < of->n; i++) {
        if (question_head_has_facts(of->in[i]))
            digests[query.digests_n++] = of->in[i]->subject_sha256;
    }
    return query.digests_n
               ? suspensions_same(c->pg, c->a, &query, &of->others)
               : NULL;
}

/* The questions equal to the one at i, the ticked ones first. */
static struct json *bulk_same(struct page_view *v, const struct bulk_shown *of,
                              size_t i)
{
    const struct suspension *s = of->in[i];
    const size_t all = question_head_has_facts(s) ? of->n + of->others.n : 0;
    struct json *list = json_array(v->a);
    for (size_t k = 0; k < all && json_count(list) < SAME_MAX; k++) {
        const bool ticked = k < of->n;
        const struct suspension *other =
            ticked ? of->in[k] : &of->others.v[k - of->n];
        if (str_eq(s->id, other->id) ||
            !str_eq(s->subject_sha256, other->subject_sha256))
            continue;
        struct json *o = json_object(v->a);
        json_set_json(o, "suspension", question_head_brief(v, other));
        json_set_bool(o, "ticked", ticked);
        json_add_json(list, o);
    }
    return list;
}

/* The reasons of those left out, with their number, in the order of their
 * first use. */
static struct json *bulk_reasons(struct arena *a, const struct json *left)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(left); i++) {
        const struct json *why = json_get(json_at(left, i), "why");
        size_t k = 0;
        while (k < json_count(list) &&
               !json_equal(json_get(json_at(list, k), "why"), why))
            k++;
        struct json *o =
            k < json_count(list) ? json_at(list, k) : json_object(a);
        if (k == json_count(list))
            json_add_json(list, o);
        json_set_json(o, "why", why);
        json_set_int(o, "n", json_int(json_get(o, "n")) + 1);
    }
    return list;
}

/* `head`: the sum, the highest risk, and whether all have it; the agent where
 * all are of one; the number and reasons of those left out, and of equal ones.
 * Adds `same` to each row. */
static struct json *bulk_head(struct page_view *v, const struct bulk_shown *of)
{
    bool one_risk = true, one_agent = of->n > 0;
    struct json *o = json_object(v->a);
    const struct suspension *top = NULL;
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++) {
        struct json *list = bulk_same(v, of, i);
        json_set_json(json_at(of->items, i), "same", list);
        n += json_count(list) > 0;
        one_risk = one_risk && of->in[i]->severity == of->in[0]->severity;
        one_agent =
            one_agent && str_eq(of->in[i]->asked_by, of->in[0]->asked_by);
        if (!top || of->in[i]->severity > top->severity)
            top = of->in[i];
    }
    /* A question without a risk says so in its row. */
    json_set_json(o, "risk", top ? page_badge_risk(v->a, top) : NULL);
    json_set_bool(o, "one_risk", one_risk);
    json_set_bool(o, "several", of->n > 1);
    json_set_text(o, "agent", one_agent ? of->in[0]->asked_by : STR_NONE);
    inbox_amount_set(v->a, o, &of->sum);
    json_set_json(o, "reasons", bulk_reasons(v->a, of->left));
    page_view_set_count(o, "alike", n);
    return o;
}

/* The address of the list with its ticks, or without them where it would be too
 * long. */
static struct str bulk_back(struct call *c, const struct bulk_picks *p)
{
    struct buf b = buf_make(c->a, p->back.n + 4 * REQUEST_TARGET_MAX);
    buf_str(&b, p->back);
    buf_put(&b, str_find(p->back, '?', 0) < p->back.n ? "&" : "?");
    buf_put(&b, "picked=");
    for (size_t i = 0; i < p->n && b.n < REQUEST_TARGET_MAX; i++) {
        buf_put(&b, i ? "." : "");
        buf_escape(&b, str_head(p->id[i], ID_MAX));
    }
    return p->n && b.n < REQUEST_TARGET_MAX ? buf_text(&b) : p->back;
}

/* `matching`: {found, skipped}, of all that match the list; null for ticked
 * ones. */
static struct json *bulk_matching(struct arena *a, const struct bulk_picks *p)
{
    struct json *o = p->all ? json_object(a) : NULL;
    if (o) {
        json_set_text(o, "found", page_list_open(a, p->matches));
        page_view_set_count(o, "skipped", (size_t)p->skipped);
    }
    return o;
}

static const struct err *bulk_show(struct call *c, const struct bulk_picks *p,
                                   const struct err *error)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *comment = json_object(c->a);
    struct suspension s[BULK_MAX];
    struct bulk_shown of = {
        .items = json_array(c->a), .left = json_array(c->a), .needs = !p->yes};
    TRY(suspensions_many(c->pg, c->a, p->id, p->n, s));
    bulk_sort(c, &v, p, s, &of);
    TRY(bulk_find_same(c, p, &of));
    json_set_json(view, "head", bulk_head(&v, &of));
    json_set_json(view, "matching", bulk_matching(c->a, p));
    json_set_bool(view, "yes", p->yes);
    json_set_text(view, "back_url", bulk_back(c, p));
    json_set_text(view, "list_url", p->back);
    struct json *common = inbox_row_common(c->a, of.items);
    inbox_row_set_columns(view, of.items, common);
    json_set_json(view, "common", common);
    json_set_json(view, "items", of.items);
    json_set_json(view, "left", of.left);
    json_set_bool(view, "without", p->without.p != NULL);
    /* Enter alone may not confirm a critical yes. */
    json_set_bool(view, "focus",
                  of.n > 0 && !of.needs && !of.critical && !of.follows);
    json_set_bool(view, "grave", of.critical);
    json_set_text(comment, "value", p->reason);
    json_set_text(comment, "help", of.n == 1 ? STR("The agent will read it.")
                           : STR("Each agent will read it."));
    json_set_text(comment, "need",
                  of.needs ? STR("required") : STR("optional"));
    json_set_bool(comment, "required", of.needs);
    json_set_bool(comment, "focus", error != NULL);
    json_set_text(comment, "error", error ? error->say : STR(""));
    json_set_json(view, "comment", of.n ? comment : NULL);
    return page_render(c, error ? response_status(error->kind) : 200,
                       "bulk", "Bulk review", view);
}

const struct err *inbox_bulk_confirm(struct call *c)
{
    struct bulk_picks p;
    TRY(bulk_read(c, &p));
    if (p.all)
        TRY(bulk_load_all(c, &p));
    return bulk_show(c, &p, NULL);
}

/* ---- deciding ------------------------------------------------------- */

struct bulk_one {
    const struct bulk_picks *p;
    size_t i;
    struct suspension s; /* as it is, after the decision too */
};

/* Decides one question like a single answer. */
static const struct err *bulk_decide(struct call *c, void *own)
{
    struct bulk_one *one = own;
    const struct bulk_picks *p = one->p;
    struct suspension *s = &one->s;
    struct work w = call_work(c);
    TRY(work_begin_suspension(&w, p->id[one->i], NULL));
    *s = w.suspension;
    const struct str why = bulk_left_out(c->a, s, &c->who, p->yes, w.now);
    if (why.p && s->state == SUSPENSION_PENDING)
        return err_at(c->a, ERR_FORBIDDEN, "bulk.answer", STR(""), "%.*s",
                      STR_FMT(why));
    const struct str value = bulk_answer(c->a, s, p->yes).value;
    const struct answer answer = {.value = json_string(c->a, value),
                                  .pressed = true,
                                  .reason = p->reason,
                                  .seen = p->seen[one->i],
                                  .via = VIA_BROWSER};
    TRY(answer_decide(&w, &answer));
    *s = w.suspension;
    return work_commit(&w, NULL);
}

static struct str bulk_why(const struct err *e)
{
    if (pg_error_busy(e))
        return STR("The database did not confirm the answer. Open the "
                   "request to check.");
    if (err_is(e, resolve_changed))
        return STR("The request has changed. Nothing was recorded. Review it "
                   "again.");
    return e->say;
}

/* Decides one question, and shows the result as a row. The memory of one
 * decision is freed before the next; what the row shows is copied. sure: the
 * database said whether it was recorded. */
static struct json *bulk_decide_one(struct call *c, struct page_view *v,
                                    const struct bulk_picks *p, size_t i,
                                    bool *sure)
{
    struct arena *own = arena_within(c->a);
    struct call one = *c;
    struct bulk_one d = {.p = p, .i = i, .s = {.id = STR_NONE}};
    const struct suspension *s = &d.s;
    one.a = own;
    const struct err *e = call_run(&one, bulk_decide, &d);
    *sure = !e || !pg_error_busy(e);
    const struct suspension kept = {.id = arena_str(c->a, s->id),
                                    .title = arena_str(c->a, s->title),
                                    .question = arena_str(c->a, s->question),
                                    .severity = s->severity,
                                    .state = s->state,
                                    .outcome = s->outcome,
                                    .kind = s->kind};
    struct json *o =
        bulk_left(v, &kept, arena_str(c->a, p->id[i]),
                  e ? arena_str(c->a, bulk_why(e)) : STR("Recorded."));
    json_set_json(o, "outcome", e ? NULL : page_badge_outcome(v, &kept));
    json_set_text(o, "failed",
                  !e      ? STR("")
                  : *sure ? STR("Not recorded")
                          : STR("Unknown"));
    arena_free(own);
    return o;
}

/* Shows those from this one on as not tried. Each more of them would leave one
 * more session that waits. */
static void bulk_add_untried(struct call *c, struct page_view *v,
                             const struct bulk_picks *p, size_t from,
                             struct json *rows)
{
    const struct suspension none = {.id = STR_NONE};
    struct suspension s[BULK_MAX];
    const struct err *e =
        suspensions_many(c->pg, c->a, p->id + from, p->n - from, s);
    for (size_t i = from; i < p->n; i++) {
        struct json *o = bulk_left(v, e ? &none : &s[i - from], p->id[i],
                                   STR("The answer before it was not "
                                       "confirmed. Nothing was submitted."));
        json_set_json(o, "outcome", NULL);
        json_set_text(o, "failed", STR("Not tried"));
        json_add_json(rows, o);
    }
}

/* The picks from this one on. */
static struct bulk_picks bulk_rest(const struct bulk_picks *p, size_t from)
{
    struct bulk_picks rest = {.back = p->back};
    while (from < p->n)
        rest.id[rest.n++] = p->id[from++];
    return rest;
}

/* A missing reason is asked for before any of them is decided. */
static const struct err *bulk_check_reason(struct call *c,
                                           const struct bulk_picks *p)
{
    struct suspension s[BULK_MAX];
    bool needs = !p->yes;
    if (str_runes(p->reason) > SUSPENSION_REASON_MAX)
        return ERROR(ERR_INVALID, resolve_reason_too_long,
                     "A comment has at most 4,000 characters.");
    if (str_trim(p->reason).n > 0)
        return NULL;
    TRY(suspensions_many(c->pg, c->a, p->id, p->n, s));
    for (size_t i = 0; i < p->n && !needs; i++) {
        struct arena *own = arena_within(c->a);
        needs = s[i].id.p && bulk_answer(own, &s[i], p->yes).reason;
        arena_free(own);
    }
    return needs ? ERROR(ERR_INVALID, resolve_reason_missing,
                         "Enter a comment. Nothing was submitted yet.")
                 : NULL;
}

const struct err *inbox_bulk_decide(struct call *c)
{
    struct bulk_picks p;
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    size_t done = 0, tried = 0;
    bool sure = true;
    TRY(bulk_read(c, &p));
    const struct err *e = bulk_check_reason(c, &p);
    if (e && e->kind == ERR_INVALID)
        return bulk_show(c, &p, e);
    TRY(e);
    while (sure && tried < p.n) {
        struct json *o = bulk_decide_one(c, &v, &p, tried++, &sure);
        done += json_get(o, "outcome") != NULL;
        json_add_json(rows, o);
    }
    const struct bulk_picks rest = bulk_rest(&p, tried);
    if (rest.n > 0)
        bulk_add_untried(c, &v, &p, tried, rows);
    /* Where each was recorded, the list says so; else a page gives reasons. */
    const struct str list = page_answered_list(c, p.back, p.id, p.n);
    if (done == p.n && done > 0 && list.p) {
        response_see_other(c->rs, list);
        return NULL;
    }
    json_set_bool(view, "yes", p.yes);
    json_set_int(view, "done", (int64_t)done);
    page_view_set_count(view, "others", p.n - done);
    page_view_set_count(view, "untried", rest.n);
    json_set_text(view, "back_url", bulk_back(c, &rest));
    json_set_json(view, "rows", rows);
    return page_render(c, 200, "bulk_done", "Bulk result", view);
}
