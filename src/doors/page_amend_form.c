/* The fields of an amendment. */
#include "doors/page_amend_form.h"

#include "base/fields.h"
#include "doors/page_facts.h"
#include "doors/page_kind_card.h"

#define LEAVES_MAX 40
#define DEPTH_MAX 6
#define LIMITS_MAX 40
#define OPTIONS_MAX 40  /* of one list */
#define TICKS_MAX 120   /* of all lists; a form has 400 pairs at most */

const struct page_amend_unit page_amend_form_units[PAGE_AMEND_UNITS] = {
    {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};

/* ---- posted --------------------------------------------------------- */

struct str page_amend_form_text(struct arena *a, const struct pairs *posted,
                                size_t i)
{
    struct buf b = buf_make(a, 32);
    buf_printf(&b, "f%zu", i + 1);
    return pairs_get(*posted, arena_z(a, buf_text(&b)));
}

bool page_amend_form_ticked(struct arena *a, const struct pairs *posted,
                            size_t i, size_t k)
{
    struct buf name = buf_make(a, 32), value = buf_make(a, 32);
    buf_printf(&name, "f%zu[]", i + 1);
    buf_printf(&value, "%zu", k);
    for (size_t n = 0; n < posted->n; n++) {
        if (str_eq(posted->v[n].key, buf_text(&name)) &&
            str_eq(posted->v[n].value, buf_text(&value)))
            return true;
    }
    return false;
}

/* CR LF and CR as LF. */
static struct str lines(struct arena *a, struct str s)
{
    struct buf b = buf_make(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\r')
            buf_char(&b, s.p[i]);
        else if (i + 1 == s.n || s.p[i + 1] != '\n')
            buf_char(&b, '\n');
    }
    return b.n ? buf_text(&b) : STR("");
}

bool page_amend_form_same(struct arena *a, const struct json *value,
                          struct str posted)
{
    return str_eq(lines(a, page_facts_value(a, value)), lines(a, posted));
}

/* ---- fields --------------------------------------------------------- */

static struct json *field(struct arena *a, struct str key, struct str label,
                          const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "key", key);
    json_set_text(o, "label", label);
    json_set_text(o, "type", str_of(type));
    json_set_bool(o, "required", true);
    return o;
}

static void add_option(struct json *options, struct arena *a, struct str value,
                       struct str label)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", value);
    json_set_text(o, "label", label);
    json_add_json(options, o);
}

/* "At most 1,800 USD, as it was asked for." */
static void set_most(struct arena *a, struct json *f, const struct json *most,
                     struct str unit)
{
    struct buf b = buf_make(a, 1024 + unit.n);
    buf_put(&b, "At most ");
    buf_str(&b, page_kind_card_number(a, most));
    buf_put(&b, unit.n ? " " : "");
    buf_str(&b, unit);
    buf_put(&b, ", as it was asked for.");
    json_set_json(f, "default", most);
    json_set_text(f, "help", buf_text(&b));
}

/* ---- one number ----------------------------------------------------- */

static void add_limit(struct arena *a, struct json *list,
                      const struct json *subject)
{
    const struct json *limit = json_get(subject, "limit");
    struct json *f =
        field(a, STR("constraints.limit"), STR("Limit"), "number");
    set_most(a, f, json_get(limit, "amount"), json_get_text(limit, "unit"));
    json_add_json(list, f);
}

static void add_seconds(struct arena *a, struct json *list,
                        const struct json *subject)
{
    const int64_t most =
        json_int(json_get(json_get(subject, "duration"), "seconds"));
    struct json *n = field(a, STR("constraints.seconds"), STR("For how long"),
                           "integer");
    struct json *unit = field(a, STR("unit"), STR("Unit"), "enum");
    struct json *options = json_array(a);
    struct buf help = buf_make(a, 128);
    size_t u = 0;
    while (u + 1 < PAGE_AMEND_UNITS &&
           most % page_amend_form_units[u].seconds != 0)
        u++;
    buf_put(&help, "At most ");
    buf_str(&help, page_kind_card_span(a, most));
    buf_put(&help, ", as it was asked for.");
    json_set_int(n, "default", most / page_amend_form_units[u].seconds);
    json_set_text(n, "help", buf_text(&help));
    for (size_t i = 0; i < PAGE_AMEND_UNITS; i++)
        add_option(options, a, str_of(page_amend_form_units[i].word),
                   str_of(page_amend_form_units[i].word));
    json_set_json(unit, "options", options);
    json_set_text(unit, "help", STR("From days down to seconds."));
    json_set_text(unit, "default", str_of(page_amend_form_units[u].word));
    json_set_bool(unit, "compact", true);
    json_add_json(list, n);
    json_add_json(list, unit);
}

/* ---- named limits --------------------------------------------------- */

/* Can this limit be tightened on a page? */
static bool is_limit(const struct json *limit)
{
    const size_t n = json_count(limit);
    return json_is_number(limit) ||
           (json_is(limit, JSON_ARRAY) && n > 0 && n <= OPTIONS_MAX);
}

/* A list is posted by the places of what is kept: its elements could be
 * anything. */
static void set_options(struct arena *a, struct json *f,
                        const struct json *limit)
{
    struct json *options = json_array(a), *all = json_array(a);
    for (size_t i = 0; i < json_count(limit); i++) {
        struct buf place = buf_make(a, 32);
        buf_printf(&place, "%zu", i);
        add_option(options, a, buf_text(&place),
                   page_facts_value(a, json_at(limit, i)));
        json_add_text(all, buf_text(&place));
    }
    json_set_json(f, "options", options);
    json_set_json(f, "default", all);
    json_set_text(f, "help", STR("Keep those that shall be allowed."));
}

static void add_constraints(struct arena *a, struct json *list,
                            const struct json *subject)
{
    const struct json *asked = json_get(subject, "constraints");
    size_t ticks = 0;
    for (struct json_iter i = json_iter(asked); json_next(&i);) {
        const bool several = json_is(i.value, JSON_ARRAY);
        if (!is_limit(i.value) ||
            json_count(list) == LIMITS_MAX ||
            ticks + json_count(i.value) > TICKS_MAX)
            continue;
        struct json *f =
            field(a, fields_path(a, STR("constraints"), i.key.p), i.key,
                  several ? "multi" : "number");
        ticks += json_count(i.value);
        if (several)
            set_options(a, f, i.value);
        else
            set_most(a, f, i.value, STR(""));
        json_add_json(list, f);
    }
}

/* ---- a whole subject ------------------------------------------------ */

static bool plain_key(struct str key)
{
    for (size_t i = 0; i < key.n; i++) {
        if (strchr(".[]\"\\ ", key.p[i]))
            return false;
    }
    return key.n > 0 && key.n <= 100;
}

static bool flat(const struct json *v, size_t depth, size_t *leaves)
{
    if (json_count(v) == 0)
        return ++*leaves <= LEAVES_MAX &&
               (json_is_number(v) || json_is(v, JSON_BOOL) ||
                json_is(v, JSON_STRING));
    struct json_iter m = json_iter(v);
    for (size_t i = 0; i < json_count(v); i++) {
        const bool object = json_is(v, JSON_OBJECT) && json_next(&m);
        if (depth == 0 || (object && !plain_key(m.key)) ||
            !flat(object ? m.value : json_at(v, i), depth - 1, leaves))
            return false;
    }
    return true;
}

bool page_amend_form_flat(const struct json *subject)
{
    size_t leaves = 0;
    return flat(subject, DEPTH_MAX, &leaves);
}

static void add_leaf(struct arena *a, struct json *list, const struct json *v,
                     struct str path)
{
    const struct str text = json_text(v);
    const bool lined = str_find(text, '\r', 0) < text.n;
    const struct str label = str_sub(path, strlen("subject."), path.n);
    struct json *f = field(a, path, label,
                           json_is_number(v)              ? "number"
                           : json_is(v, JSON_BOOL)   ? "enum"
                           : lined                   ? "text"
                                                     : "string");
    json_set_json(f, "default", v);
    json_set_bool(f, "required", !json_is(v, JSON_STRING));
    if (json_is(v, JSON_BOOL)) {
        struct json *options = json_array(a);
        add_option(options, a, STR("true"), STR("true"));
        add_option(options, a, STR("false"), STR("false"));
        json_set_json(f, "options", options);
        json_set_text(f, "default", page_facts_value(a, v));
        json_set_bool(f, "compact", true);
    }
    json_add_json(list, f);
}

static void add_leaves(struct arena *a, struct json *list,
                       const struct json *v, struct str path)
{
    struct json_iter m = json_iter(v);
    if (json_count(v) == 0)
        add_leaf(a, list, v, path);
    for (size_t i = 0; i < json_count(v); i++) {
        if (json_is(v, JSON_OBJECT) && json_next(&m))
            add_leaves(a, list, m.value, fields_path(a, path, m.key.p));
        else
            add_leaves(a, list, json_at(v, i), fields_element(a, path, i));
    }
}

static void add_subject(struct arena *a, struct json *list,
                        const struct suspension *s,
                        const struct json *subject)
{
    struct buf b = buf_make(a, PAGE_AMEND_BYTES * 8);
    if (s->subject.n > PAGE_AMEND_BYTES)
        return;
    if (page_amend_form_flat(subject)) {
        add_leaves(a, list, subject, STR("subject"));
        return;
    }
    struct json *f =
        field(a, STR("subject"), STR("The subject, as JSON"), "text");
    json_write_pretty(&b, subject);
    json_set_text(f, "default", buf_text(&b));
    json_set_text(f, "help", STR("What stands here is what is approved."));
    json_add_json(list, f);
}

struct json *page_amend_form(struct arena *a, const struct suspension *s,
                             struct str takes)
{
    struct json *list = json_array(a), *subject = NULL;
    if (json_parse(a, s->subject, &subject) ||
        !json_is(subject, JSON_OBJECT))
        return list;
    if (str_is(takes, "limit"))
        add_limit(a, list, subject);
    else if (str_is(takes, "seconds"))
        add_seconds(a, list, subject);
    else if (str_is(takes, "constraints"))
        add_constraints(a, list, subject);
    else if (str_is(takes, "subject"))
        add_subject(a, list, s, subject);
    return list;
}
