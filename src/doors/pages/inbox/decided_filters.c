/* The filters of decided questions. */
#include "doors/pages/inbox/decided_filters.h"

#include "base/clock.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/shell/list.h"
#include "world/template/words.h"
#include "world/template/zone.h"

#define DAY (INT64_C(86400) * 1000000)
#define WHO_MAX 300 /* characters of a name */

/* In the order of the links; an expired question counts as expired, whatever
 * its fallback. */
static const enum outcome outcomes[] = {
    OUTCOME_AUTHORIZED, OUTCOME_VETOED,   OUTCOME_CHANGES_REQUESTED,
    OUTCOME_ANSWERED,   OUTCOME_ACCEPTED, OUTCOME_DECLINED,
    OUTCOME_EXPIRED,    OUTCOME_WITHDRAWN, OUTCOME_NONE};

/* The filters of the address, as the form fields of others keep them. */
static const char *const keys[] = {"q",    "outcome", "kind", "via",
                                   "who",  "agent",   "tool", "risk",
                                   "over", "unit",    "from", "until"};

/* ---- the address ---------------------------------------------------- */

struct str inbox_decided_filters_outcome(enum outcome outcome)
{
    return outcome == OUTCOME_AUTHORIZED ? STR("approved")
           : outcome == OUTCOME_VETOED   ? STR("rejected")
                                         : vocabulary_outcome(outcome)->wire;
}

/* OUTCOME__MAX: unknown. The record's own words are known too. */
static enum outcome decided_filters_outcome(struct str word)
{
    for (size_t i = 0; i < countof(outcomes); i++) {
        if (str_eq(word, inbox_decided_filters_outcome(outcomes[i])))
            return outcomes[i];
    }
    return vocabulary_outcome_of(word);
}

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

/* An amount, and its unit in any letters. */
static bool decided_filters_amount(struct call *c,
                                   struct inbox_decided_filters *t)
{
    struct decided_query *w = &t->query;
    const struct str unit = page_list_filter(c, "unit");
    struct buf b = buf_make(c->a, AMOUNT_UNIT * 4);
    t->over = page_list_filter(c, "over");
    if (!t->over.p)
        return true; /* the unit alone says nothing */
    buf_lower(&b, unit);
    w->priced = true;
    w->unit = unit.p ? buf_text(&b) : STR_NONE;
    return str_runes(unit) <= AMOUNT_UNIT && decimal_read(t->over, &w->over);
}

static bool decided_filters_words(struct call *c,
                                  struct inbox_decided_filters *t)
{
    struct decided_query *w = &t->query;
    const struct str outcome = page_list_filter(c, "outcome");
    const struct str via = page_list_filter(c, "via");
    const struct str risk = page_list_filter(c, "risk");
    if (outcome.p)
        w->outcome = decided_filters_outcome(outcome);
    if (via.p)
        w->via = vocabulary_via_of(vocabulary_of_key(via));
    if (risk.p)
        w->severity = vocabulary_severity_of(vocabulary_of_key(risk));
    return !(outcome.p && w->outcome == OUTCOME__MAX) &&
           !(via.p && w->via == VIA__MAX) &&
           !(risk.p && w->severity == SEVERITY__MAX) &&
           page_list_kind(c, &w->kind) && decided_filters_amount(c, t) &&
           decided_filters_day(c, "from", 0, &t->from, &w->from) &&
           /* The last day is included. */
           decided_filters_day(c, "until", 1, &t->until, &w->until) &&
           str_runes(w->words) <= PAGE_LIST_WORDS &&
           str_runes(w->who) <= WHO_MAX && str_runes(w->tool) <= WHO_MAX &&
           str_runes(w->agent) <= WHO_MAX;
}

const struct err *inbox_decided_filters_read(struct call *c,
                                             struct inbox_decided_filters *t)
{
    struct decided_query *w = &t->query;
    *t = (struct inbox_decided_filters){.from = STR_NONE};
    const struct str after = page_list_filter(c, "after");
    struct suspension last; /* of the page before */
    *w = (struct decided_query){.kind = KIND__MAX,
                               .outcome = OUTCOME__MAX,
                               .via = VIA__MAX,
                               .severity = SEVERITY__MAX,
                               .words = page_list_filter(c, "q"),
                               .who = page_list_filter(c, "who"),
                               .agent = page_list_filter(c, "agent"),
                               .tool = page_list_filter(c, "tool"),
                               .limit = PAGE_LIST_ROWS + 1,
                               .found = DECIDED_COUNT_MAX + 1};
    if (!decided_filters_words(c, t))
        return page_list_bad();
    TRY(decided_prepare(c->pg, c->a, w));
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
    return w->search.n > 0 || w->priced || w->from || w->until;
}

/* ---- links that change a filter --------------------------------------- */

/* Adds a link with n results. Where not all was scanned, a small count may be
 * too low, so it is not shown, and nothing is left out. */
static void decided_filters_add(struct call *c,
                                const struct inbox_decided_filters *t,
                                struct json *list, struct page_list_link *link,
                                int64_t n)
{
    const bool low =
        t->counts.none || (t->counts.part && n <= DECIDED_COUNT_MAX);
    link->path = "/decided";
    link->count = low ? STR("") : page_list_count(c->a, n, DECIDED_COUNT_MAX);
    link->none = n == 0 && !low;
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
        link.word = inbox_decided_filters_outcome(outcomes[i]);
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
decided_filters_vias(struct call *c, const struct inbox_decided_filters *t)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {.key = "via", .label = STR("Any")};
    decided_filters_add(c, t, list, &link,
                        decided_of_via(&t->counts, VIA__MAX));
    for (enum via d = VIA_BROWSER; d < VIA__MAX; d++) {
        link.word = vocabulary_via(d)->wire;
        link.label = str_of(vocabulary_via(d)->label);
        decided_filters_add(c, t, list, &link, decided_of_via(&t->counts, d));
    }
    return list;
}

static struct json *decided_filters_risks(struct call *c)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {
        .path = "/decided", .key = "risk", .label = STR("Any")};
    (void)page_list_link(c, list, &link);
    for (unsigned i = SEVERITY__MAX; i-- > 0;) {
        const struct vocabulary_word *words =
            vocabulary_severity((enum severity)i);
        link.word = vocabulary_key(words);
        link.label = str_of(words->label);
        link.icon = words->wire.p;
        (void)page_list_link(c, list, &link);
    }
    return list;
}

/* From a day on until now. */
static struct json *decided_filters_days(struct call *c)
{
    static const struct {
        const char *label;
        int64_t days;
    } since[] = {{"Today", 0}, {"7 days", 6}, {"30 days", 29}};
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < countof(since); i++) {
        struct zone_time at;
        zone_at(c->who.account.time_zone, clock_now() - since[i].days * DAY,
                &at);
        struct page_list_link link = {
            .path = "/decided",
            .key = "from",
            .word = arena_str(c->a, str_sub(str_of(at.text), 0, 10)),
            .label = str_of(since[i].label)};
        (void)page_list_link(c, list, &link);
    }
    return list;
}

static void decided_filters_menu(struct call *c, struct json *menus,
                                 const char *label, struct json *items)
{
    struct json *o = json_object(c->a);
    json_set_text(o, "label", str_of(label));
    json_set_text(o, "now", STR(""));
    json_set_json(o, "items", items);
    json_add_json(menus, o);
}

/* ---- what is typed ------------------------------------------------------ */

/* A field of a menu. list: the id of the names to choose from. */
struct decided_filters_field {
    const char *key, *label, *list;
    bool day;
};
static const struct decided_filters_ask {
    const char *label;
    struct decided_filters_field fields[2];
} asks[] = {
    {"Dates",
     {{"from", "From", NULL, true}, {"until", "Until", NULL, true}}},
    {"Who", {{"who", "Name, or a part of it", "persons", false}}},
    {"Agent", {{"agent", "Agent", "agents", false}}},
    {"Tool", {{"tool", "Tool", "tools", false}}},
    {"Amount",
     {{"over", "Over", NULL, false},
      {"unit", "Currency or unit", "units", false}}}};

/* The filters but those of a menu's own fields: {name, value} of each. */
static struct json *decided_filters_hidden(struct call *c,
                                           const struct decided_filters_ask *k)
{
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < countof(keys); i++) {
        const struct str value = page_list_filter(c, keys[i]);
        bool own = false;
        for (size_t f = 0; k && f < countof(k->fields); f++)
            own = own || (k->fields[f].key &&
                          str_is(str_of(k->fields[f].key), keys[i]));
        if (own || !value.p || (!k && i == 0))
            continue;
        struct json *o = json_object(c->a);
        json_set_text(o, "name", str_of(keys[i]));
        json_set_text(o, "value", value);
        json_add_json(list, o);
    }
    return list;
}

static struct json *decided_filters_ask(struct call *c,
                                        const struct decided_filters_ask *k)
{
    struct json *o = json_object(c->a), *fields = json_array(c->a);
    json_set_text(o, "label", str_of(k->label));
    for (size_t i = 0; i < countof(k->fields) && k->fields[i].key; i++) {
        const struct decided_filters_field *f = &k->fields[i];
        const struct str value = page_list_filter(c, f->key);
        struct json *one = json_object(c->a);
        json_set_text(one, "key", str_of(f->key));
        json_set_text(one, "name", str_of(f->label));
        json_set_text(one, "type", str_of(f->day ? "date" : "text"));
        json_set_text(one, "list", str_of(f->list ? f->list : ""));
        json_set_text(one, "value", value.p ? value : STR(""));
        json_set_bool(one, "text", !f->day);
        json_add_json(fields, one);
    }
    json_set_json(o, "fields", fields);
    json_set_json(o, "hidden", decided_filters_hidden(c, k));
    return o;
}

/* Names to choose from: {value, label}. */
static struct json *decided_filters_names(struct call *c,
                                          const struct searches_names *names)
{
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < names->n; i++) {
        struct json *o = json_object(c->a);
        json_set_text(o, "value", names->v[i].name);
        json_set_text(o, "label",
                      names->v[i].said.p ? names->v[i].said : STR(""));
        json_add_json(list, o);
    }
    return list;
}

/* ---- what is set --------------------------------------------------------- */

static void decided_filters_set(struct call *c, struct json *set,
                                const char *key, const char *name,
                                struct str value)
{
    struct json *o = json_object(c->a);
    if (!value.p)
        return;
    json_set_text(o, "name", str_of(name));
    json_set_text(o, "value", value);
    json_set_text(o, "url", page_list_url(c, "/decided", key, STR_NONE));
    json_add_json(set, o);
}

/* The day of the address in words. */
static struct str decided_filters_said(struct call *c, const char *before,
                                       struct str day)
{
    if (!day.p)
        return STR_NONE;
    return arena_join(
        c->a, str_of(before),
        words_day(c->a, arena_z(c->a, arena_join(c->a, day,
                                                 STR("T00:00:00")))));
}

static struct str decided_filters_over(struct call *c,
                                       const struct inbox_decided_filters *t)
{
    const struct str unit = page_list_filter(c, "unit");
    return t->over.p ? arena_join(c->a, STR("Over "), t->over,
                                  str_of(unit.p ? " " : ""), unit)
                     : STR_NONE;
}

static struct json *
decided_filters_all_set(struct call *c, const struct inbox_decided_filters *t)
{
    const struct decided_query *w = &t->query;
    struct json *set = json_array(c->a);
    decided_filters_set(c, set, "from", "Dates",
                        decided_filters_said(c, "From ", t->from));
    decided_filters_set(c, set, "until", "Dates",
                        decided_filters_said(c, "Until ", t->until));
    if (w->outcome < OUTCOME__MAX)
        decided_filters_set(c, set, "outcome", "Outcome",
                            str_of(vocabulary_outcome(w->outcome)->label));
    if (w->kind < KIND__MAX)
        decided_filters_set(c, set, "kind", "Kind",
                            str_of(kind_words(w->kind)->label));
    if (w->severity < SEVERITY__MAX)
        decided_filters_set(c, set, "risk", "Risk",
                            str_of(vocabulary_severity(w->severity)->label));
    if (w->via < VIA__MAX)
        decided_filters_set(c, set, "via", "Via",
                            str_of(vocabulary_via(w->via)->label));
    decided_filters_set(c, set, "who", "Who", w->who);
    decided_filters_set(c, set, "agent", "Agent", w->agent);
    decided_filters_set(c, set, "tool", "Tool", w->tool);
    decided_filters_set(c, set, "over", "Amount", decided_filters_over(c, t));
    return set;
}

/* ---- the view ------------------------------------------------------------ */

struct json *
inbox_decided_filters_view(struct call *c,
                           const struct inbox_decided_filters *t)
{
    struct json *o = json_object(c->a), *menus = json_array(c->a);
    struct json *typed = json_array(c->a);
    decided_filters_menu(c, menus, "Outcome", decided_filters_outcomes(c, t));
    decided_filters_menu(c, menus, "Kind", decided_filters_kinds(c, t));
    decided_filters_menu(c, menus, "Risk", decided_filters_risks(c));
    decided_filters_menu(c, menus, "Via", decided_filters_vias(c, t));
    for (size_t i = 0; i < countof(asks); i++)
        json_add_json(typed, decided_filters_ask(c, &asks[i]));
    json_set_json(o, "menus", menus);
    json_set_json(o, "asks", typed);
    json_set_json(o, "days", t->until.p ? NULL : decided_filters_days(c));
    json_set_json(o, "set", decided_filters_all_set(c, t));
    json_set_json(o, "hidden", decided_filters_hidden(c, NULL));
    json_set_json(o, "persons", decided_filters_names(c, &t->lists.persons));
    json_set_json(o, "agents", decided_filters_names(c, &t->lists.agents));
    json_set_text(o, "words", t->query.words.p ? t->query.words : STR(""));
    json_set_text(o, "save_url", page_list_save(c, "/decided"));
    json_set_text(o, "csv_url",
                  page_list_url(c, "/decided.csv", "after", STR_NONE));
    json_set_text(o, "jsonl_url",
                  page_list_url(c, "/decided.jsonl", "after", STR_NONE));
    return o;
}
