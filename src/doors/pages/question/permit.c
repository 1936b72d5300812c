/* A question's permit: what it allows, its uses, and the link to revoke it. */
#include "doors/pages/question/permit.h"

#include "base/clock.h"
#include "doors/pages/shell/badge.h"
#include "store/permit/redemptions.h"
#include "work/permit/revoke.h"

struct str question_permit_tools(struct arena *a, const struct permit *p)
{
    const struct json *list = json_read(a, p->granted.p ? p->granted
                                                        : p->asked);
    struct buf b = buf_make(a, 1024);
    struct str first = STR_NONE;
    int64_t others = 0;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str tool = json_get_text(json_at(list, i), "tool");
        if (!first.p)
            first = tool;
        else if (!str_eq(tool, first))
            others++;
    }
    if (!first.p)
        return STR("");
    buf_str(&b, words_plain(a, first, PAGE_VIEW_ROW));
    if (others > 0) {
        buf_put(&b, " and ");
        buf_str(&b, words_many(a, others, "other"));
    }
    return buf_text(&b);
}

struct str question_permit_used(struct arena *a, const struct permit *p)
{
    if (!permit_counted(a, p))
        return STR("Not counted");
    return arena_join(a, words_count(a, p->used), STR(" of "),
                      words_count(a, p->terms.max_uses));
}

static struct json *permit_use_rows(struct page_view *v,
                                    const struct redemption_rows *found)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < found->n; i++) {
        const struct redemption *r = &found->v[i];
        struct json *o = json_object(v->a);
        page_view_set_time(o, "at", r->at);
        json_set_text(o, "tool", words_cut(v->a, r->tool, PAGE_VIEW_ROW));
        json_set_text(o, "by", words_cut(v->a, r->by, PAGE_VIEW_ROW));
        json_set_text(
            o, "result",
            str_of(vocabulary_redemption_result(r->result)->label));
        json_set_text(o, "ref", r->result_ref);
        json_add_json(list, o);
    }
    return list;
}

/* *there is false where the question has no permit. */
static const struct err *permit_load(struct call *c,
                                     const struct suspension *s,
                                     struct permit *p, bool *there)
{
    const struct kind_rule *rule = kind_rule(s->kind);
    struct permits_row row;
    *there = false;
    if (rule && rule->permits)
        TRY(permits_of_suspension(c->pg, c->a, s->id, &row, there));
    if (*there)
        *p = row.permit;
    return NULL;
}

static struct json *permit_terms(struct page_view *v, const struct permit *p)
{
    struct json *o = json_object(v->a);
    const int64_t uses = p->terms.max_uses;
    json_set_text(o, "agent", p->agent);
    json_set_bool(o, "counted", permit_counted(v->a, p));
    page_view_set_count(o, "times", uses == 1 ? 0 : (size_t)uses);
    json_set_text(o, "resource", p->terms.resource);
    json_set_text(o, "unit", p->terms.budget.unit);
    json_set_text(o, "spent", decimal_text(v->a, p->spent));
    json_set_text(o, "budget", decimal_text(v->a, p->terms.budget.amount));
    return o;
}

const struct err *question_permit_asked(struct call *c, struct page_view *v,
                                        const struct suspension *s,
                                        struct json **out)
{
    struct permit p;
    bool there = false;
    *out = NULL;
    TRY(permit_load(c, s, &p, &there));
    if (!there)
        return NULL;
    *out = permit_terms(v, &p);
    json_set_int(*out, "span", permit_seconds(c->a, &p, s) * CLOCK_SECOND);
    const int64_t once = permit_once_seconds(c->a, s);
    json_set_json(*out, "once", NULL);
    if (once > 0)
        json_set_int(*out, "once", once * CLOCK_SECOND);
    return NULL;
}

const struct err *question_permit(struct call *c, struct page_view *v,
                                  const struct suspension *s,
                                  struct json **out)
{
    struct permit p;
    struct redemption_rows found;
    bool there = false;
    *out = NULL;
    TRY(permit_load(c, s, &p, &there));
    if (!there)
        return NULL;
    TRY(redemptions_list(c->pg, c->a, p.id, &found));
    const bool revoked = p.state == PERMIT_REVOKED;
    const enum permit_view view =
        permit_view(&p, suspension_ending(s),
                    found.n > 0 ? found.v[0].result : REDEMPTION_OPEN, v->now);
    struct json *o = permit_terms(v, &p);
    json_set_bool(o, "granted", p.granted.p != NULL);
    json_set_json(o, "state",
                  page_badge(c->a, vocabulary_permit_view(view)));
    json_set_text(o, "used", question_permit_used(c->a, &p));
    page_view_set_time(o, "until", p.not_after);
    json_set_text(o, "revoked_by", revoked ? p.ended_by : STR_NONE);
    json_set_text(o, "reason", revoked ? p.reason : STR_NONE);
    json_set_json(o, "uses", permit_use_rows(v, &found));
    const struct work w = call_work(c);
    const bool given = p.state == PERMIT_ACTIVE || p.state == PERMIT_SPENT;
    json_set_text(o, "revoke",
                  given && revoke_may(&w, &p, s) == NULL ? p.id : STR_NONE);
    *out = o;
    return NULL;
}
