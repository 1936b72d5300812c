/* A cost confirmation: its numbers, and their relation to each other. */
#include "doors/pages/kinds/kinds.h"

#include "doors/pages/kinds/card.h"

#define BAR 1000 /* the width of the drawing, in its own units */

struct cost {
    struct kinds_card c;
    struct str unit; /* as it is shown */
    const struct json *low, *likely, *high, *limit, *spent;
};

static struct cost cost_of(struct page_view *v, const struct suspension *s)
{
    struct cost k = {.c = kinds_card(v, s->subject)};
    k.unit = json_text(kinds_card_take(&k.c, "estimate.unit"));
    k.low = kinds_card_take(&k.c, "estimate.low");
    k.likely = kinds_card_take(&k.c, "estimate.amount");
    k.high = kinds_card_take(&k.c, "estimate.high");
    k.limit = kinds_card_take(&k.c, "limit.amount");
    k.spent = kinds_card_take(&k.c, "spent_so_far.amount");
    /* The domain requires the estimate's unit for both. */
    kinds_card_take(&k.c, "limit.unit");
    kinds_card_take(&k.c, "spent_so_far.unit");
    return k;
}

/* "1,800.50 USD"; p NULL: unknown. */
static struct str money(struct cost *k, const struct json *n)
{
    if (!n)
        return STR_NONE;
    return arena_join(k->c.v->a, page_facts_number(k->c.v->a, n), STR(" "),
                      k->unit);
}

/* The server's note on the limit, from comparing it. */
static struct str limit_note(const struct cost *k)
{
    const double limit = json_double(k->limit);
    if (limit < json_double(k->likely))
        return STR("Below the likely estimate, so the work may stop early.");
    if (k->high && limit < json_double(k->high))
        return STR("Below the high estimate, so the work may stop early.");
    return STR("Covers the estimate.");
}

static struct json *facts(struct cost *k)
{
    struct kinds_card *c = &k->c;
    struct json *list = json_array(c->v->a);
    kinds_card_add_fact(c, list, "Purpose", kinds_card_take(c, "purpose"));
    kinds_card_add_words(
        c, list, "Spent so far", money(k, k->spent),
        k->spent ? STR("Reported by the agent. Not part of the limit.")
                 : STR(""));
    kinds_card_add_words(c, list, "Requested limit", money(k, k->limit),
                         limit_note(k));
    return list;
}

/* Low, likely, high: a row of numbers. */
static struct json *estimates(struct cost *k)
{
    const struct {
        const char *label;
        const struct json *n;
    } all[] = {{"Low", k->low}, {"Likely", k->likely}, {"High", k->high}};
    struct json *list = json_array(k->c.v->a);
    for (size_t i = 0; i < countof(all); i++)
        kinds_card_add_words(&k->c, list, all[i].label,
                             all[i].n ? page_facts_number(k->c.v->a, all[i].n)
                                      : STR_NONE,
                             STR(""));
    return list;
}

/* ---- the drawing ---------------------------------------------------- */

static void set_place(struct json *o, struct arena *a, const char *key,
                      double part)
{
    struct buf b = buf_make(a, 32);
    const double in = part < 0 ? 0 : part > 1 ? 1 : part;
    buf_printf(&b, "%d", (int)(in * BAR));
    json_set_text(o, key, buf_text(&b));
}

/* The spent amount, then the estimate beside it, and the end of the limit. NULL
 * where nothing can be drawn. */
static struct json *bar(struct cost *k)
{
    struct arena *a = k->c.v->a;
    const double spent = json_double(k->spent);
    const double likely = json_double(k->likely);
    const double high = k->high ? json_double(k->high) : likely;
    const double limit = json_double(k->limit);
    const double all = spent + (high > limit ? high : limit);
    struct json *o = json_object(a);
    if (!(all > 0) || all > 1e300)
        return NULL;
    set_place(o, a, "spent", spent / all);
    set_place(o, a, "likely", likely / all);
    set_place(o, a, "range_at", (spent + likely) / all);
    set_place(o, a, "range", (high - likely) / all);
    set_place(o, a, "limit_at", (spent + limit) / all);
    return o;
}

static struct str cost_number(struct cost *k, const struct json *n)
{
    return n ? page_facts_number(k->c.v->a, n) : STR("");
}

struct json *kinds_cost(struct page_view *v, const struct kinds_of *of)
{
    struct cost k = cost_of(v, of->s);
    struct json *o = json_object(v->a), *rest = json_array(v->a);
    json_set_text(o, "unit", k.unit);
    json_set_json(o, "estimates", estimates(&k));
    json_set_json(o, "facts", facts(&k));
    json_set_json(o, "bar", bar(&k));
    json_set_text(o, "spent", cost_number(&k, k.spent));
    json_set_text(o, "likely", cost_number(&k, k.likely));
    json_set_text(o, "high", cost_number(&k, k.high));
    json_set_text(o, "limit", cost_number(&k, k.limit));
    kinds_card_add_rest(&k.c, rest);
    json_set_json(o, "tables", rest);
    return o;
}
