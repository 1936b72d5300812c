/* The filters of decided questions. */
#include "doors/pages/inbox/decided_filters.h"

#include "base/clock.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/shell/list.h"
#include "world/template/zone.h"

#define DAY (INT64_C(86400) * 1000000)
#define WHO_MAX 300 /* characters of a name */

/* In the order of the links; an expired question counts as expired, whatever
 * its fallback. */
static const enum outcome outcomes[] = {
    OUTCOME_AUTHORIZED, OUTCOME_VETOED,   OUTCOME_CHANGES_REQUESTED,
    OUTCOME_ANSWERED,   OUTCOME_ACCEPTED, OUTCOME_DECLINED,
    OUTCOME_EXPIRED,    OUTCOME_WITHDRAWN, OUTCOME_NONE};

/* ---- the address ---------------------------------------------------- */

/* The beginning of a day, 2026-11-20, in the reader's zone, or of one some days
 * after it. */
static bool decided_filters_day(struct call *c, const char *key, int64_t days,
                                struct str *word, int64_t *out)
{
    int64_t day = 0;
    *word = page_list_filter(c, key);
    if (!word->p)
        return true;
    if (word->n != 10)
        return false;
    if (!clock_parse(arena_join(c->a, *word, STR("T00:00:00Z")), &day) ||
        day <= 0)
        return false;
    *out = zone_day(c->who.account.time_zone, day + days * DAY);
    return true;
}

const struct err *inbox_decided_filters_read(struct call *c,
                                             struct inbox_decided_filters *t)
{
    struct decided_query *w = &t->query;
    *t = (struct inbox_decided_filters){.from = STR_NONE};
    const struct str outcome = page_list_filter(c, "outcome");
    const struct str door = page_list_filter(c, "door");
    const struct str after = page_list_filter(c, "after");
    struct suspension last; /* of the page before */
    *w = (struct decided_query){.outcome = OUTCOME__MAX,
                               .door = VIA__MAX,
                               .who = page_list_filter(c, "who"),
                               .agent = page_list_filter(c, "agent"),
                               .limit = PAGE_LIST_ROWS + 1};
    if (outcome.p)
        w->outcome = vocabulary_outcome_of(outcome);
    if (door.p)
        w->door = vocabulary_via_of(vocabulary_of_key(door));
    if ((outcome.p && w->outcome == OUTCOME__MAX) ||
        (door.p && w->door == VIA__MAX) || !page_list_kind(c, &w->kind) ||
        !decided_filters_day(c, "from", 0, &t->from, &w->from) ||
        /* The last day is included. */
        !decided_filters_day(c, "until", 1, &t->until, &w->until) ||
        str_runes(w->who) > WHO_MAX || str_runes(w->agent) > WHO_MAX)
        return page_list_bad();
    if (!after.p)
        return NULL;
    const struct err *e = suspensions_get(c->pg, c->a, after, &last);
    if (e && e->kind != ERR_NOT_FOUND)
        return e;
    if (e || last.state == SUSPENSION_PENDING)
        return page_list_bad();
    w->after_at = last.responded_at;
    w->after_id = last.id;
    return NULL;
}

bool inbox_decided_filters_any(const struct inbox_decided_filters *t)
{
    const struct decided_query *w = &t->query;
    return w->kind != KIND__MAX || w->outcome != OUTCOME__MAX ||
           w->door != VIA__MAX || w->who.p || w->agent.p || w->from || w->until;
}

/* ---- links that change a filter --------------------------------------- */

/* Adds a link with n results. Where not all was scanned, a small count may be
 * too low, so it is not shown, and nothing is left out. */
static void decided_filters_add(struct call *c,
                                const struct inbox_decided_filters *t,
                                struct json *list, struct page_list_link *link,
                                int64_t n)
{
    const bool low = t->counts.part && n <= DECIDED_COUNT_MAX;
    link->path = "/decided";
    link->count = low ? STR("") : page_list_count(c->a, n, DECIDED_COUNT_MAX);
    link->none = n == 0 && !t->counts.part;
    (void)page_list_link(c, list, link);
}

static struct json *
decided_filters_outcomes(struct call *c, const struct inbox_decided_filters *t)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {.key = "outcome", .label = STR("All")};
    decided_filters_add(c, t, list, &link,
                        decided_of_outcome(&t->counts, OUTCOME__MAX));
    for (size_t i = 0; i < countof(outcomes); i++) {
        const struct vocabulary_word *words = vocabulary_outcome(outcomes[i]);
        link.word = words->wire;
        link.label = str_of(words->label);
        link.icon = words->icon;
        decided_filters_add(c, t, list, &link,
                            decided_of_outcome(&t->counts, outcomes[i]));
    }
    return list;
}

static struct json *
decided_filters_kinds(struct call *c, const struct inbox_decided_filters *t)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {.key = "kind", .label = STR("All")};
    decided_filters_add(c, t, list, &link,
                        decided_of_kind(&t->counts, KIND__MAX));
    for (unsigned i = 1; i <= KIND__MAX; i++) {
        /* The plain question comes last. */
        const enum kind k = (enum kind)(i % KIND__MAX);
        const struct vocabulary_word *words = kind_words(k);
        link.word = vocabulary_key(words);
        link.label = str_of(words->label);
        link.icon = words->icon;
        decided_filters_add(c, t, list, &link, decided_of_kind(&t->counts, k));
    }
    return list;
}

static struct json *
decided_filters_doors(struct call *c, const struct inbox_decided_filters *t)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {.key = "door", .label = STR("Any")};
    decided_filters_add(c, t, list, &link,
                        decided_of_door(&t->counts, VIA__MAX));
    for (enum via d = VIA_BROWSER; d < VIA__MAX; d++) {
        link.word = vocabulary_via(d)->wire;
        link.label = str_of(vocabulary_via(d)->label);
        decided_filters_add(c, t, list, &link, decided_of_door(&t->counts, d));
    }
    return list;
}

struct json *inbox_decided_filters_view(struct call *c,
                                        const struct inbox_decided_filters *t)
{
    struct json *o = json_object(c->a);
    json_set_json(o, "outcomes", decided_filters_outcomes(c, t));
    json_set_json(o, "kinds", decided_filters_kinds(c, t));
    json_set_json(o, "doors", decided_filters_doors(c, t));
    json_set_text(o, "who", t->query.who);
    json_set_text(o, "agent", t->query.agent);
    json_set_text(o, "from", t->from);
    json_set_text(o, "until", t->until);
    json_set_text(o, "outcome", page_list_filter(c, "outcome"));
    json_set_text(o, "door", page_list_filter(c, "door"));
    json_set_text(o, "kind", page_list_filter(c, "kind"));
    json_set_text(o, "save_url", page_list_save(c, "/decided"));
    json_set_bool(o, "any", inbox_decided_filters_any(t));
    json_set_bool(o, "typed",
                  t->query.who.p || t->query.agent.p || t->from.p ||
                      t->until.p);
    json_set_text(o, "csv_url",
                  page_list_url(c, "/decided.csv", "after", STR_NONE));
    json_set_text(o, "jsonl_url",
                  page_list_url(c, "/decided.jsonl", "after", STR_NONE));
    return o;
}
