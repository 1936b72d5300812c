/* One decision for many questions: the page that lists them before anything is
 * decided, and the page with the result of each. Each is decided separately, in
 * a transaction of its own, for the facts that were shown. */
#include "base/clock.h"
#include "domain/answer/bulk.h"
#include "doors/pages/inbox/bulk_head.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/inbox/row.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/question/suspensions.h"
#include "work/answer.h"

#define TRIES 3 /* of one that met a deadlock */

/* The ticked questions, each with the digest of its facts as they were
 * shown. */
struct picks {
    bool yes;
    size_t n;
    struct str id[BULK_MAX], seen[BULK_MAX];
    struct str reason, back;
};

/* ---- posted values ---------------------------------------------------- */

static const struct err *bulk_read(struct call *c, struct picks *p)
{
    struct pairs posted;
    TRY(page_form(c, &posted));
    const struct str answer = pairs_get(posted, "answer");
    const struct str back = pairs_get(posted, "back");
    /* Only the path of a list is allowed. */
    const bool list =
        str_is(back, "/inbox") || str_starts(back, STR("/inbox?"));
    *p = (struct picks){.yes = str_is(answer, "approve"),
                        .reason = pairs_get(posted, "reason"),
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
        if (p->n == BULK_MAX)
            return ERROR(ERR_INVALID, "bulk.many",
                         "Bulk actions cover at most 50 requests. Nothing was "
                         "submitted.");
        p->id[p->n] = id;
        p->seen[p->n++] = seen.p ? seen : STR("");
    }
    return NULL;
}

/* ---- the confirm page ----------------------------------------------- */

/* A question with all its facts for a yes; a no needs fewer. */
static struct json *bulk_item(struct page_view *v, const struct suspension *s,
                              struct str value, bool yes)
{
    struct json *o = inbox_row_short(v, s);
    struct page_facts_room room = {
        .rows = BULK_VALUES_MAX,
        .bytes = yes ? PAGE_FACTS_BYTES : BULK_SUBJECT_MAX,
        .bare = true};
    const struct json *choices = suspension_choices(v->a, s);
    const struct json *choice = suspension_choice(choices, value);
    json_set_json(o, "choice", page_badge_choice(v, choices, choice));
    json_set_text(o, "does", kinds_effect_text(v->a, s, choice));
    page_facts_set_rows(v, &room, o, suspension_subject(v->a, s));
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
static struct str bulk_why_not(struct call *c, const struct picks *p, size_t i,
                               const struct suspension *s, int64_t now)
{
    if (!s->id.p)
        return STR("There is no such request.");
    const struct str why = bulk_left_out(c->a, s, &c->who, p->yes, now);
    if (!why.p && !str_eq(p->seen[i], s->subject_sha256))
        return STR("The request has changed. Review it again.");
    return why;
}

static struct json *bulk_comment(struct arena *a, const struct picks *p,
                                 bool needs, const struct err *error)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", p->reason.p ? p->reason : STR(""));
    json_set_text(o, "help", STR("Each agent will read it."));
    json_set_text(o, "need", needs ? STR("required") : STR("optional"));
    json_set_bool(o, "required", needs);
    json_set_text(o, "error", error ? error->say : STR(""));
    return o;
}

/* Open questions with the same facts as one of these, and not ticked. */
static const struct err *bulk_find_same(struct call *c, const struct picks *p,
                                        struct inbox_bulk_head_of *of)
{
    struct str digests[BULK_MAX];
    struct suspensions_same wish = {.digests = digests,
                                    .ids = p->id,
                                    .ids_n = p->n,
                                    .most = INBOX_BULK_HEAD_SAME};
    for (size_t i = 0; i < of->n; i++) {
        if (question_head_has_facts(of->in[i]))
            digests[wish.digests_n++] = of->in[i]->subject_sha256;
    }
    return wish.digests_n
               ? suspensions_same(c->pg, c->a, &wish, &of->others)
               : NULL;
}

static const struct err *bulk_show(struct call *c, const struct picks *p,
                                   const struct err *error)
{
    const struct suspension *in[BULK_MAX];
    struct inbox_bulk_head_of of = {.in = in};
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *items = json_array(c->a);
    struct json *left = json_array(c->a);
    struct suspension s[BULK_MAX];
    bool needs = !p->yes, critical = false;
    TRY(suspensions_many(c->pg, c->a, p->id, p->n, s));
    for (size_t i = 0; i < p->n; i++) {
        struct page_list_row row;
        page_list_row_begin(&row, c, &v);
        const struct str why = bulk_why_not(&row.call, p, i, &s[i], v.now);
        if (why.p) {
            json_add_json(left,
                          page_list_row_end(&row, bulk_left(&row.view, &s[i],
                                                            p->id[i], why)));
            continue;
        }
        in[of.n++] = &s[i];
        const struct bulk_answer answer =
            bulk_answer(row.call.a, &s[i], p->yes);
        needs = needs || answer.reason;
        critical = critical || s[i].severity == SEVERITY_CRITICAL;
        json_add_json(
            items, page_list_row_end(&row, bulk_item(&row.view, &s[i],
                                                     answer.value, p->yes)));
    }
    const size_t n = json_count(items);
    of.left = left;
    TRY(bulk_find_same(c, p, &of));
    json_set_json(view, "head", inbox_bulk_head(&v, &of, items));
    json_set_bool(view, "yes", p->yes);
    json_set_text(view, "back_url", p->back);
    json_set_json(view, "items", items);
    json_set_json(view, "left", left);
    /* Enter alone may not confirm a critical yes. */
    json_set_bool(view, "focus", n > 0 && !needs && !critical);
    json_set_json(view, "comment",
                  n ? bulk_comment(c->a, p, needs, error) : NULL);
    return page_render(c, error ? response_status(error->kind) : 200,
                       "bulk", "Bulk review", view);
}

const struct err *inbox_bulk_confirm(struct call *c)
{
    struct picks p;
    TRY(bulk_read(c, &p));
    return bulk_show(c, &p, NULL);
}

/* ---- deciding ------------------------------------------------------- */

/* Decides one question like a single answer; *s is the question afterwards. */
static const struct err *bulk_decide(struct call *c, const struct picks *p,
                                     size_t i, struct suspension *s)
{
    struct work w = call_work(c);
    TRY(work_begin_suspension(&w, p->id[i], NULL));
    *s = w.suspension;
    const struct str why = bulk_left_out(c->a, s, &c->who, p->yes, w.now);
    if (why.p && s->state == SUSPENSION_PENDING)
        return err_at(c->a, ERR_FORBIDDEN, "bulk.answer", STR(""), "%.*s",
                      STR_FMT(why));
    const struct str value = bulk_answer(c->a, s, p->yes).value;
    const struct answer answer = {.value = json_string(c->a, value),
                                  .pressed = true,
                                  .reason = p->reason,
                                  .seen = p->seen[i],
                                  .via = VIA_BROWSER};
    TRY(answer_decide(&w, &answer));
    *s = w.suspension;
    return work_commit(&w, NULL);
}

static struct str bulk_why(const struct err *e)
{
    if (e->kind == ERR_BUSY)
        return STR("The database did not confirm the answer. Open the "
                   "request to check.");
    if (err_is(e, resolve_changed))
        return STR("The request has changed. Nothing was recorded. Review it "
                   "again.");
    return e->say;
}

/* Decides one question, and shows the result as a row. The memory of one
 * decision is freed before the next; what the row shows is copied. */
static struct json *bulk_decide_one(struct call *c, struct page_view *v,
                                    const struct picks *p, size_t i)
{
    struct arena *own = arena_within(c->a);
    struct call one = *c;
    struct suspension s = {.id = STR_NONE};
    const struct err *e = NULL;
    one.a = own;
    for (int k = 0; k < TRIES; k++) {
        e = bulk_decide(&one, p, i, &s);
        pg_rollback(c->pg);
        if (!e || e->kind != ERR_AGAIN)
            break;
    }
    const struct suspension kept = {.id = arena_str(c->a, s.id),
                                    .title = arena_str(c->a, s.title),
                                    .question = arena_str(c->a, s.question),
                                    .severity = s.severity,
                                    .state = s.state,
                                    .outcome = s.outcome,
                                    .kind = s.kind};
    struct json *o =
        bulk_left(v, &kept, arena_str(c->a, p->id[i]),
                  e ? arena_str(c->a, bulk_why(e)) : STR("Recorded."));
    json_set_json(o, "outcome", e ? NULL : page_badge_outcome(v, &kept));
    json_set_text(o, "failed",
                  !e                    ? STR("")
                  : e->kind == ERR_BUSY ? STR("Unknown")
                                        : STR("Not recorded"));
    arena_free(own);
    return o;
}

/* A missing reason is asked for before any of them is decided. */
static const struct err *bulk_check_reason(struct call *c,
                                           const struct picks *p)
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
    struct picks p;
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    size_t done = 0;
    TRY(bulk_read(c, &p));
    const struct err *e = bulk_check_reason(c, &p);
    if (e && e->kind == ERR_INVALID)
        return bulk_show(c, &p, e);
    TRY(e);
    for (size_t i = 0; i < p.n; i++) {
        struct json *o = bulk_decide_one(c, &v, &p, i);
        done += json_get(o, "outcome") != NULL;
        json_add_json(rows, o);
    }
    json_set_bool(view, "yes", p.yes);
    json_set_int(view, "done", (int64_t)done);
    page_view_set_count(view, "others", p.n - done);
    json_set_text(view, "back_url", p.back);
    json_set_json(view, "rows", rows);
    return page_render(c, 200, "bulk_done", "Bulk result", view);
}
