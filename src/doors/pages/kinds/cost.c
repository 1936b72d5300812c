/* A cost confirmation: its numbers, and their relation to each other. */
#include "doors/pages/kinds/kinds.h"

#include "doors/pages/kinds/card.h"

#define BAR 1000 /* the width of the drawing, in its own units */

struct cost {
    struct kinds_card c;
    struct str unit; /* as it is shown */
    const struct json *low, *likely, *high, *limit, *spent;
};

/* "1,800.50 USD"; p NULL: unknown. */
static struct str cost_money(struct cost *k, const struct json *n)
{
    if (!n)
        return STR_NONE;
    return arena_join(k->c.v->a, page_facts_number(k->c.v->a, n), STR(" "),
                      k->unit);
}

static struct json *cost_facts(struct cost *k)
{
    struct kinds_card *c = &k->c;
    struct json *list = json_array(c->v->a);
    const double limit = json_double(k->limit);
    const bool below_likely = limit < json_double(k->likely);
    const bool below_high = k->high && limit < json_double(k->high);
    kinds_card_add_fact(c, list, "Purpose", kinds_card_take(c, "purpose"));
    kinds_card_add_words(
        c, list, "Spent so far", cost_money(k, k->spent),
        k->spent ? STR("Reported by the agent. Not part of the limit.")
                 : STR(""));
    /* The note is the server's, which compares the limit with the estimate. */
    kinds_card_add_words(
        c, list, "Requested limit", cost_money(k, k->limit),
        below_likely ? STR("Below the likely estimate, so the work may stop "
                           "early.")
        : below_high ? STR("Below the high estimate, so the work may stop "
                           "early.")
                     : STR("Covers the estimate."));
    return list;
}

/* Low, likely, high: a row of numbers. */
static struct json *cost_estimates(struct cost *k)
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

static void cost_set_place(struct json *o, struct arena *a, const char *key,
                           double part)
{
    struct buf b = buf_make(a, 32);
    const double in = part < 0 ? 0 : part > 1 ? 1 : part;
    buf_printf(&b, "%d", (int)(in * BAR));
    json_set_text(o, key, buf_text(&b));
}

/* The spent amount, then the estimate next to it, and the end of the limit.
 * NULL where nothing can be drawn. */
static struct json *cost_bar(struct cost *k)
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
    cost_set_place(o, a, "spent", spent / all);
    cost_set_place(o, a, "likely", likely / all);
    cost_set_place(o, a, "range_at", (spent + likely) / all);
    cost_set_place(o, a, "range", (high - likely) / all);
    cost_set_place(o, a, "limit_at", (spent + limit) / all);
    return o;
}

static struct str cost_number(struct cost *k, const struct json *n)
{
    return n ? page_facts_number(k->c.v->a, n) : STR("");
}

struct json *kinds_cost(struct page_view *v, const struct kinds_of *of)
{
    struct cost k = {.c = kinds_card(v, of->s)};
    struct kinds_card *c = &k.c;
    struct json *o = json_object(v->a);
    k.unit = json_text(kinds_card_take(c, "estimate.unit"));
    k.low = kinds_card_take(c, "estimate.low");
    k.likely = kinds_card_take(c, "estimate.amount");
    k.high = kinds_card_take(c, "estimate.high");
    k.limit = kinds_card_take(c, "limit.amount");
    k.spent = kinds_card_take(c, "spent_so_far.amount");
    /* The domain requires the estimate's unit for both. */
    kinds_card_take(c, "limit.unit");
    kinds_card_take(c, "spent_so_far.unit");
    json_set_text(o, "unit", k.unit);
    json_set_json(o, "estimates", cost_estimates(&k));
    json_set_json(o, "facts", cost_facts(&k));
    json_set_json(o, "bar", cost_bar(&k));
    json_set_text(o, "spent", cost_number(&k, k.spent));
    json_set_text(o, "likely", cost_number(&k, k.likely));
    json_set_text(o, "high", cost_number(&k, k.high));
    json_set_text(o, "limit", cost_number(&k, k.limit));
    kinds_card_set_rest(c, o);
    return o;
}
