/* The seven kinds of question: are the needed facts present and consistent?
 *
 * A part of kind.h. Reads what an agent sent; never changes it, and never fills
 * in a missing fact. */
#include "base/json/fields.h"
#include "base/text.h"
#include "domain/kind/kind.h"

const char kind_facts[] = "kind.facts";

#define MISSING_MAX 50 /* paths that one refusal names */
#define STEPS_MAX 100
#define SECONDS_MAX (INT64_C(366) * 24 * 3600)

/* ---- facts ---------------------------------------------------------- */

struct kind_facts {
    struct arena *arena;
    const struct kind_fact *fact; /* the row at hand */
    bool needed;
    struct json *missing; /* paths */
    const struct err *e;  /* the first mistake */
};

static void kind_wrong(struct kind_facts *f, struct str path, const char *say)
{
    if (f->e)
        return;
    struct err *e = arena_new(f->arena, struct err);
    *e = *err_at(f->arena, ERR_INVALID, kind_facts,
                 arena_join(f->arena, STR("subject."), path),
                 "The fact \"%.*s\" %s.", STR_FMT(path), say);
    e->predicate = say;
    f->e = e;
}

static void kind_missing(struct kind_facts *f, struct str path)
{
    kind_wrong(f, path, "is needed");
    if (json_count(f->missing) < MISSING_MAX)
        json_add_text(f->missing, path);
}

/* The value that the row is about; a blank text counts as missing. */
static void kind_check_value(struct kind_facts *f, const struct json *v,
                             struct str path)
{
    static const struct {
        enum json_type type;
        const char *say;
    } types[] = {[KIND_TEXT] = {JSON_STRING, "has to be text"},
                 [KIND_NUMBER] = {JSON_DOUBLE, "has to be a number"},
                 [KIND_BOOLEAN] = {JSON_BOOL, "has to be true or false"},
                 [KIND_OBJECT] = {JSON_OBJECT, "has to be an object"},
                 [KIND_LIST] = {JSON_ARRAY, "has to be a list"}};
    const enum kind_type t = f->fact->type;
    const bool typed =
        json_is(v, types[t].type) || (t == KIND_NUMBER && json_is_number(v));
    const bool blank = !v || (json_is(v, JSON_STRING) &&
                              str_trim(json_text(v)).n == 0);
    if (v && !typed)
        kind_wrong(f, path, types[t].say);
    else if (blank && f->needed)
        kind_missing(f, path);
}

/* A fact inside a thing that is absent is not needed: the row of the thing
 * itself says whether it may be missing. */
static void kind_walk(struct kind_facts *f, const struct json *obj,
                      struct str path, struct str rest)
{
    struct str part = str_cut(&rest, '.');
    const bool each = str_ends(part, STR("[]"));
    if (each)
        part = str_sub(part, 0, part.n - 2);
    const struct str at = fields_path(f->arena, path,
                                      arena_z(f->arena, part));
    const struct json *v = json_get_str(obj, part);
    if (!rest.p)
        kind_check_value(f, v, at);
    else if (!each && json_is(v, JSON_OBJECT))
        kind_walk(f, v, at, rest);
    const bool list = rest.p && each && json_is(v, JSON_ARRAY);
    for (size_t i = 0; list && i < json_count(v); i++) {
        const struct str one = fields_element(f->arena, at, i);
        if (json_is(json_at(v, i), JSON_OBJECT))
            kind_walk(f, json_at(v, i), one, rest);
        else
            kind_wrong(f, one, "has to be an object");
    }
}

/* ---- facts that have to be consistent -------------------------------- */

static struct str kind_member(const struct json *o, const char *outer,
                              const char *inner)
{
    return json_get_text(json_get(o, outer), inner);
}

/* A lasting permission needs an end: nothing is allowed for ever. */
void kind_check_duration(struct kind_facts *f, const struct json *subject)
{
    static const char *const words[] = {"once", "task", "session", "until"};
    const struct json *duration = json_get(subject, "duration");
    const struct json *seconds = json_get(duration, "seconds");
    const struct str word = json_get_text(duration, "kind");
    size_t i = 0;
    while (i < countof(words) && !str_is(word, words[i]))
        i++;
    if (i == countof(words))
        kind_wrong(f, STR("duration.kind"),
                   "has to be one of once, task, session, until");
    else if (i > 0 && !seconds)
        kind_missing(f, STR("duration.seconds"));
    else if (seconds && (!json_is(seconds, JSON_INT) || json_int(seconds) < 1 ||
                         json_int(seconds) > SECONDS_MAX))
        kind_wrong(f, STR("duration.seconds"),
                   "has to be a whole number from 1 to 31622400");
}

void kind_check_steps(struct kind_facts *f, const struct json *subject)
{
    const struct json *plan = json_get(subject, "plan");
    const struct json *steps = json_get(plan, "steps");
    if (json_count(steps) == 0)
        kind_missing(f, STR("plan.steps"));
    if (json_count(steps) > STEPS_MAX)
        kind_wrong(f, STR("plan.steps"), "may have at most 100 elements");
    for (size_t i = 0; i < json_count(steps) && i < STEPS_MAX; i++) {
        const struct str id = json_get_text(json_at(steps, i), "id");
        for (size_t k = 0; k < i; k++) {
            if (str_eq(id, json_get_text(json_at(steps, k), "id")))
                kind_wrong(f, fields_element(f->arena, STR("plan.steps"), i),
                           "has the same id as another step");
        }
    }
}

static void kind_check_amount(struct kind_facts *f, const struct json *subject,
                              const char *part, const char *key)
{
    const struct json *v = json_get(json_get(subject, part), key);
    if (v && json_double(v) < 0)
        kind_wrong(f, fields_path(f->arena, str_of(part), key),
                   "may not be below zero");
}

/* An estimate and a limit can only be compared in one unit. */
void kind_check_cost(struct kind_facts *f, const struct json *subject)
{
    static const char *const parts[] = {"estimate", "limit", "spent_so_far"};
    const struct str unit = kind_member(subject, "estimate", "unit");
    const struct json *estimate = json_get(subject, "estimate");
    const struct json *amount = json_get(estimate, "amount");
    if (str_runes(unit) > KIND_UNIT_MAX)
        kind_wrong(f, STR("estimate.unit"), "may have at most 40 characters");
    for (size_t i = 0; i < countof(parts); i++) {
        kind_check_amount(f, subject, parts[i], "amount");
        if (json_get(subject, parts[i]) &&
            !str_eq(kind_member(subject, parts[i], "unit"), unit))
            kind_wrong(f, fields_path(f->arena, str_of(parts[i]), "unit"),
                       "has to be the estimate's");
    }
    if (json_get(estimate, "low") &&
        json_compare(json_get(estimate, "low"), amount) > 0)
        kind_wrong(f, STR("estimate.low"), "may not be above the estimate");
    kind_check_amount(f, subject, "estimate", "low");
    if (json_get(estimate, "high") &&
        json_compare(json_get(estimate, "high"), amount) < 0)
        kind_wrong(f, STR("estimate.high"), "may not be below the estimate");
}

/* ---- all of it ------------------------------------------------------ */

const struct err *kind_check_subject(struct arena *a,
                                     const struct kind_ask *ask)
{
    const struct kind_rule *rule = kind_rule(ask->kind);
    struct kind_facts f = {.arena = a, .missing = json_array(a)};
    if (!rule)
        return NULL;
    for (size_t i = 0; i < rule->facts_n; i++) {
        f.fact = &rule->facts[i];
        f.needed = f.fact->need == KIND_NEEDED ||
                   (f.fact->need == KIND_NEEDED_HIGH &&
                    ask->severity >= SEVERITY_HIGH);
        kind_walk(&f, ask->subject, STR(""), str_of(f.fact->path));
    }
    if (!f.e && rule->agree)
        rule->agree(&f, ask->subject);
    if (!f.e)
        return NULL;
    struct json *more = json_object(a);
    json_set_json(more, "missing", f.missing);
    return err_more(a, f.e, more);
}

/* ---- a credential's settings page ------------------------------------ */

/* The host of https://HOST/...; p NULL for anything else. */
static struct str kind_https_host(struct str url)
{
    const struct str scheme = STR("https://");
    if (!str_starts(url, scheme))
        return STR_NONE;
    const struct str rest = str_sub(url, scheme.n, url.n);
    size_t n = 0;
    while (n < rest.n && rest.p[n] != '/' && rest.p[n] != '?' &&
           rest.p[n] != '#')
        n++;
    const struct str host = str_sub(rest, 0, n);
    /* user@host would show one name and lead to another; so would a backslash,
     * which browsers read as a slash. */
    return str_find(host, '@', 0) < host.n || str_find(url, '\\', 0) < url.n
               ? STR_NONE
               : host;
}

/* The path is compared by its start, so no step may lead out of it. */
static bool kind_within(struct arena *a, struct str url, struct str own)
{
    const size_t query = str_find(url, '?', 0), mark = str_find(url, '#', 0);
    const struct str path = str_sub(url, own.n, query < mark ? query : mark);
    return own.n > 0 && str_starts(url, own) &&
           (path.n == 0 || path.p[0] == '/') && text_path(a, path) &&
           str_find(url, '\\', 0) == url.n;
}

const struct err *kind_check_places(struct arena *a, const struct kind_ask *ask,
                                    const struct kind_places *places)
{
    const struct str url = json_get_text(ask->subject, "settings_url");
    const struct str host = kind_https_host(url);
    if (ask->kind != KIND_CREDENTIAL_NEEDED ||
        kind_within(a, url, places->own))
        return NULL;
    struct str rest = host.n > 0 ? places->hosts : STR_NONE;
    while (rest.p) {
        if (str_is_nocase(host, arena_z(a, str_cut(&rest, ' '))))
            return NULL;
    }
    return err_at(a, ERR_INVALID, kind_facts, STR("subject.settings_url"),
                  "A credential has to be set up at %.*s, or at https and a "
                  "host that the server's settings_hosts name.",
                  STR_FMT(places->own));
}
