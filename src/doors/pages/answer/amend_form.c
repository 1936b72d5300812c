/* The fields of an amendment. */
#include "doors/pages/answer/amend_form.h"

#include "base/json/fields.h"
#include "domain/decimal.h"
#include "doors/pages/answer/amend_groups.h"
#include "doors/pages/answer/steps_form.h"
#include "doors/pages/kinds/card.h"
#include "doors/pages/shell/facts.h"

#define SUBJECT_MAX ((size_t)64 << 10) /* bytes; a longer one has no fields */
#define LEAVES_MAX 40
#define DEPTH_MAX 6
#define LIMITS_MAX 40
#define OPTIONS_MAX 40  /* of one list */
#define TICKS_MAX 120   /* of all lists; a form has 400 pairs at most */

/* The units of a time. */
static const struct {
    const char *word;
    int64_t seconds;
} units[] = {
    {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};

/* ---- posted --------------------------------------------------------- */

static struct str amend_form_posted(struct arena *a,
                                    const struct pairs *posted, size_t i)
{
    const struct str name =
        arena_join(a, STR("f"), arena_number(a, (int64_t)i + 1));
    return pairs_get(*posted, arena_z(a, name));
}

/* CR LF and CR as LF. */
static struct str amend_form_lines(struct arena *a, struct str s)
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

static bool amend_form_same(struct arena *a, const struct json *value,
                            struct str posted)
{
    return str_eq(amend_form_lines(a, page_facts_value(a, value)),
                  amend_form_lines(a, posted));
}

/* ---- fields --------------------------------------------------------- */

static struct json *amend_form_field(struct arena *a, struct str key,
                                     struct str label, const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "key", key);
    json_set_text(o, "label", label);
    json_set_text(o, "type", str_of(type));
    json_set_bool(o, "required", true);
    return o;
}

static void amend_form_option(struct json *options, struct arena *a,
                              struct str value, struct str label)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", value);
    json_set_text(o, "label", label);
    json_add_json(options, o);
}

static bool amend_form_is_decimal(const struct json *v)
{
    struct decimal d;
    return decimal_read(json_text(v), &d);
}

/* "At most 1,800 USD, as requested." A decimal text stays as it is written. */
static void amend_form_set_most(struct arena *a, struct json *f,
                                const struct json *most, struct str unit)
{
    json_set_json(f, "default", most);
    json_set_text(
        f, "help",
        arena_join(a, STR("At most "),
                   amend_form_is_decimal(most) ? json_text(most)
                                               : page_facts_number(a, most),
                   str_of(unit.n ? " " : ""), unit, STR(", as requested.")));
}

/* ---- one number ----------------------------------------------------- */

static void amend_form_add_limit(struct arena *a, struct json *list,
                                 const struct json *subject)
{
    const struct json *limit = json_get(subject, "limit");
    struct json *f =
        amend_form_field(a, STR("constraints.limit"), STR("Limit"), "number");
    amend_form_set_most(a, f, json_get(limit, "amount"),
                        json_get_text(limit, "unit"));
    json_add_json(list, f);
}

static void amend_form_add_seconds(struct arena *a, struct json *list,
                                   const struct json *subject)
{
    const int64_t most =
        json_int(json_get(json_get(subject, "duration"), "seconds"));
    struct json *n = amend_form_field(a, STR("constraints.seconds"),
                                      STR("Duration"), "integer");
    struct json *unit = amend_form_field(a, STR("unit"), STR("Unit"), "enum");
    struct json *options = json_array(a);
    size_t u = 0;
    while (u + 1 < countof(units) && most % units[u].seconds != 0)
        u++;
    json_set_int(n, "default", most / units[u].seconds);
    json_set_text(n, "help",
                  arena_join(a, STR("At most "), kinds_card_span(a, most),
                             STR(", as requested.")));
    for (size_t i = 0; i < countof(units); i++)
        amend_form_option(options, a, str_of(units[i].word),
                          str_of(units[i].word));
    json_set_json(unit, "options", options);
    json_set_text(unit, "help", STR("Days, hours, minutes or seconds."));
    json_set_text(unit, "default", str_of(units[u].word));
    json_set_bool(unit, "compact", true);
    json_add_json(list, n);
    json_add_json(list, unit);
}

/* ---- named limits --------------------------------------------------- */

/* A list is posted by the indexes of the kept elements, because an element may
 * be any text. */
static void amend_form_set_options(struct arena *a, struct json *f,
                                   const struct json *limit)
{
    struct json *options = json_array(a), *all = json_array(a);
    for (size_t i = 0; i < json_count(limit); i++) {
        const struct str place = arena_number(a, (int64_t)i);
        amend_form_option(options, a, place,
                          page_facts_value(a, json_at(limit, i)));
        json_add_text(all, place);
    }
    json_set_json(f, "options", options);
    json_set_json(f, "default", all);
    json_set_text(f, "help", STR("Select the values to allow."));
}

static void amend_form_add_constraints(struct arena *a, struct json *list,
                                       const struct json *subject)
{
    const struct json *asked = json_get(subject, "constraints");
    size_t ticks = 0;
    for (struct json_iter i = json_iter(asked); json_next(&i);) {
        const bool several = json_is(i.value, JSON_ARRAY);
        const bool decimal = amend_form_is_decimal(i.value);
        const size_t n = json_count(i.value);
        if (several ? n == 0 || n > OPTIONS_MAX
                    : !json_is_number(i.value) && !decimal)
            continue; /* it cannot be tightened on a page */
        if (json_count(list) == LIMITS_MAX || ticks + n > TICKS_MAX)
            continue;
        struct json *f = amend_form_field(
            a, fields_path(a, STR("constraints"), i.key.p), i.key,
            several   ? "multi"
            : decimal ? "string"
                      : "number");
        ticks += n;
        if (several)
            amend_form_set_options(a, f, i.value);
        else
            amend_form_set_most(a, f, i.value, STR(""));
        json_add_json(list, f);
    }
}

/* ---- a whole subject ------------------------------------------------ */

static bool amend_form_plain_key(struct str key)
{
    for (size_t i = 0; i < key.n; i++) {
        if (strchr(".[]\"\\ ", key.p[i]))
            return false;
    }
    return key.n > 0 && key.n <= 100;
}

static bool amend_form_flat(const struct json *v, size_t depth, size_t *leaves)
{
    if (json_count(v) == 0)
        return ++*leaves <= LEAVES_MAX &&
               (json_is_number(v) || json_is(v, JSON_BOOL) ||
                json_is(v, JSON_STRING));
    struct json_iter m = json_iter(v);
    for (size_t i = 0; i < json_count(v); i++) {
        const bool object = json_is(v, JSON_OBJECT) && json_next(&m);
        if (depth == 0 || (object && !amend_form_plain_key(m.key)) ||
            !amend_form_flat(object ? m.value : json_at(v, i), depth - 1,
                             leaves))
            return false;
    }
    return true;
}

bool answer_amend_form_flat(const struct json *subject)
{
    size_t leaves = 0;
    return amend_form_flat(subject, DEPTH_MAX, &leaves);
}

static void amend_form_add_leaf(struct arena *a, struct json *list,
                                const struct json *v, struct str path)
{
    const struct str text = json_text(v);
    const bool lined = str_find(text, '\r', 0) < text.n;
    struct json *f =
        amend_form_field(a, path, answer_amend_groups_label(a, path),
                         json_is_number(v)       ? "number"
                         : json_is(v, JSON_BOOL) ? "enum"
                         : lined                 ? "text"
                                                 : "string");
    json_set_json(f, "default", v);
    json_set_bool(f, "required", !json_is(v, JSON_STRING));
    if (json_is(v, JSON_BOOL)) {
        struct json *options = json_array(a);
        amend_form_option(options, a, STR("true"), STR("true"));
        amend_form_option(options, a, STR("false"), STR("false"));
        json_set_json(f, "options", options);
        json_set_text(f, "default", page_facts_value(a, v));
        json_set_bool(f, "compact", true);
    }
    json_add_json(list, f);
}

static void amend_form_add_leaves(struct arena *a, struct json *list,
                                  const struct json *v, struct str path)
{
    struct json_iter m = json_iter(v);
    if (json_count(v) == 0)
        amend_form_add_leaf(a, list, v, path);
    for (size_t i = 0; i < json_count(v); i++) {
        if (json_is(v, JSON_OBJECT) && json_next(&m))
            amend_form_add_leaves(a, list, m.value,
                                  fields_path(a, path, m.key.p));
        else
            amend_form_add_leaves(a, list, json_at(v, i),
                                  fields_element(a, path, i));
    }
}

static void amend_form_add_subject(struct arena *a, struct json *list,
                                   const struct suspension *s,
                                   const struct json *subject)
{
    struct buf b = buf_make(a, SUBJECT_MAX * 8);
    if (s->subject.n > SUBJECT_MAX)
        return;
    if (answer_amend_form_flat(subject)) {
        amend_form_add_leaves(a, list, subject, STR("subject"));
        return;
    }
    struct json *f =
        amend_form_field(a, STR("subject"), STR("Details as JSON"), "text");
    json_write_pretty(&b, subject);
    json_set_text(f, "default", buf_text(&b));
    json_set_text(f, "help", STR("Exactly this text is approved."));
    json_add_json(list, f);
}

struct json *answer_amend_form(struct arena *a, const struct suspension *s,
                               enum takes takes)
{
    const struct json *subject = suspension_subject(a, s);
    struct json *list = json_array(a);
    if (!json_is(subject, JSON_OBJECT))
        return list;
    if (takes == TAKES_LIMIT)
        amend_form_add_limit(a, list, subject);
    else if (takes == TAKES_SECONDS)
        amend_form_add_seconds(a, list, subject);
    else if (takes == TAKES_CONSTRAINTS)
        amend_form_add_constraints(a, list, subject);
    else if (takes == TAKES_SUBJECT)
        amend_form_add_subject(a, list, s, subject);
    return list;
}

/* ---- posted values -------------------------------------------------- */

#define SECONDS_MAX (INT64_C(366) * 24 * 3600)

struct reading {
    struct arena *a;
    const struct pairs *posted;
    size_t i;            /* the current field */
    struct json *errors; /* {key: sentence} */
};

static void amend_form_refuse(struct reading *r, struct str key,
                              const char *say)
{
    json_set_key(r->errors, key, json_string(r->a, str_of(say)));
}

static struct str amend_form_next(struct reading *r, struct str key)
{
    const struct str text = amend_form_posted(r->a, r->posted, r->i++);
    if (!text.p)
        amend_form_refuse(r, key, "This field was not sent.");
    return text;
}

/* As it was typed: 499.90 stays 499.90. NULL when it is not a number. */
static struct json *amend_form_number(struct reading *r, struct str key,
                                      struct str text)
{
    struct json *v = NULL;
    if (!json_parse(r->a, str_trim(text), &v) &&
        (json_is(v, JSON_INT) || json_is(v, JSON_DOUBLE)))
        return v;
    amend_form_refuse(r, key, "Enter a number, such as 1500 or 1500.5.");
    return NULL;
}

/* ---- one number ----------------------------------------------------- */

static struct json *amend_form_read_limit(struct reading *r,
                                          const struct json *asked)
{
    const struct str key = STR("constraints.limit");
    struct json *o = json_object(r->a);
    const struct str text = amend_form_next(r, key);
    if (text.p && amend_form_same(r->a, asked, text))
        json_set_json(o, "limit", asked);
    else if (text.p)
        json_set_json(o, "limit", amend_form_number(r, key, text));
    return o;
}

static struct json *amend_form_read_seconds(struct reading *r)
{
    const struct str key = STR("constraints.seconds");
    struct json *o = json_object(r->a);
    int64_t n = 0;
    const struct str text = amend_form_next(r, key);
    const struct str unit = amend_form_next(r, STR("unit"));
    size_t u = 0;
    while (u < countof(units) && !str_is(unit, units[u].word))
        u++;
    if (u == countof(units))
        amend_form_refuse(r, STR("unit"), "Choose a unit.");
    else if (text.p && !str_int(str_trim(text), 1, SECONDS_MAX, &n))
        amend_form_refuse(r, key, "Enter a whole number, 1 or more.");
    else
        json_set_int(o, "seconds", n * units[u].seconds);
    return o;
}

/* ---- named limits --------------------------------------------------- */

/* The elements of a list whose indexes are ticked. */
static struct json *amend_form_kept(struct reading *r, const struct json *list)
{
    const struct str name = arena_join(
        r->a, STR("f"), arena_number(r->a, (int64_t)++r->i), STR("[]"));
    struct json *kept = json_array(r->a);
    for (size_t k = 0; k < json_count(list); k++) {
        const struct str index = arena_number(r->a, (int64_t)k);
        bool ticked = false;
        for (size_t n = 0; n < r->posted->n && !ticked; n++)
            ticked = str_eq(r->posted->v[n].key, name) &&
                     str_eq(r->posted->v[n].value, index);
        if (ticked)
            json_add_json(kept, json_at(list, k));
    }
    return kept;
}

static struct json *amend_form_decimal(struct reading *r, struct str path,
                                       struct str text)
{
    struct json *v = json_string(r->a, str_trim(text));
    if (!amend_form_is_decimal(v))
        amend_form_refuse(r, path,
                          "Enter a number with at most six decimals, such as "
                          "49.90.");
    return v;
}

/* form has a field for each limit that can be tightened, in their order. */
static struct json *amend_form_read_constraints(struct reading *r,
                                                const struct json *asked,
                                                const struct json *form)
{
    struct json *o = json_object(r->a);
    for (struct json_iter m = json_iter(asked); json_next(&m);) {
        const struct json *field = json_at(form, r->i);
        const struct str key = json_get_text(field, "key");
        if (!field)
            break;
        if (!str_eq(json_get_text(field, "label"), m.key))
            continue;
        if (json_is(m.value, JSON_ARRAY)) {
            json_set_key(o, m.key, amend_form_kept(r, m.value));
            continue;
        }
        const struct str text = amend_form_next(r, key);
        if (text.p && amend_form_same(r->a, m.value, text))
            json_set_key(o, m.key, m.value);
        else if (text.p)
            json_set_key(o, m.key,
                         amend_form_is_decimal(m.value)
                             ? amend_form_decimal(r, key, text)
                             : amend_form_number(r, key, text));
    }
    return o;
}

/* ---- a whole subject ------------------------------------------------ */

/* The leaf as it was sent, where the field is unchanged. */
static struct json *amend_form_read_leaf(struct reading *r,
                                         const struct json *v, struct str path)
{
    const struct str text = amend_form_next(r, path);
    if (!text.p || amend_form_same(r->a, v, text))
        return json_copy(r->a, v);
    if (json_is(v, JSON_STRING))
        return json_string(r->a, text);
    if (!json_is(v, JSON_BOOL))
        return amend_form_number(r, path, text);
    if (!str_is(text, "true") && !str_is(text, "false"))
        amend_form_refuse(r, path, "Choose true or false.");
    return json_boolean(r->a, str_is(text, "true"));
}

/* In the order of the fields; the depth is bounded by the form. */
static struct json *amend_form_read_leaves(struct reading *r,
                                           const struct json *v,
                                           struct str path)
{
    const bool object = json_is(v, JSON_OBJECT);
    struct json *o = object ? json_object(r->a) : json_array(r->a);
    if (json_count(v) == 0)
        return amend_form_read_leaf(r, v, path);
    struct json_iter m = json_iter(v);
    for (size_t i = 0; i < json_count(v); i++) {
        if (object && json_next(&m))
            json_set_key(o, m.key,
                         amend_form_read_leaves(
                             r, m.value, fields_path(r->a, path, m.key.p)));
        else
            json_add_json(
                o, amend_form_read_leaves(r, json_at(v, i),
                                          fields_element(r->a, path, i)));
    }
    return o;
}

static void amend_form_read_subject(struct reading *r,
                                    const struct json *subject,
                                    struct amend_sent *out)
{
    const struct str key = STR("subject");
    struct json *v = NULL;
    if (answer_amend_form_flat(subject)) {
        out->subject = amend_form_read_leaves(r, subject, key);
        out->subject_text =
            json_dump(r->a, out->subject, SUSPENSION_RECORD_MAX);
        return;
    }
    const struct str text = amend_form_next(r, key);
    if (!text.p)
        return;
    const struct err *e = json_parse(r->a, text, &v);
    if (e) {
        const struct str at =
            e->at.p ? arena_join(r->a, STR(" ("), e->at, STR(")")) : STR("");
        const struct str say =
            arena_join(r->a, STR("This is not JSON. "), e->say, at);
        amend_form_refuse(r, key, arena_z(r->a, say));
    } else if (!json_is(v, JSON_OBJECT) ||
               json_depth(v) > JSON_INPUT_DEPTH_MAX) {
        amend_form_refuse(r, key, "Enter a JSON object with fewer levels.");
    }
    out->subject = v;
    out->subject_text = text;
}

/* ---- all of it ------------------------------------------------------ */

const struct err *answer_amend_form_read(struct arena *a,
                                         const struct suspension *s,
                                         const struct json *choice,
                                         const struct pairs *posted,
                                         struct amend_sent *out)
{
    const enum takes takes = effect_takes(choice);
    struct reading r = {.a = a, .posted = posted, .errors = json_object(a)};
    const struct json *subject;
    *out = (struct amend_sent){.subject_text = STR_NONE};
    if (takes == TAKES_STEPS)
        return answer_steps_form_read(a, s, posted, out);
    /* An offered limit may be confirmed unchanged, without its field. */
    if (takes == TAKES_NOTHING ||
        (takes == TAKES_LIMIT && !amend_form_posted(a, posted, 0).p))
        return NULL;
    TRY(suspension_parse_subject(a, s, &subject));
    const struct json *form = answer_amend_form(a, s, takes);
    if (json_count(form) == 0)
        return ERROR(ERR_INVALID, answer_steps_form_wrong,
                     "This can only be edited via the API.");
    if (takes == TAKES_LIMIT)
        out->constraints = amend_form_read_limit(
            &r, json_get(json_get(subject, "limit"), "amount"));
    else if (takes == TAKES_SECONDS)
        out->constraints = amend_form_read_seconds(&r);
    else if (takes == TAKES_CONSTRAINTS)
        out->constraints = amend_form_read_constraints(
            &r, json_get(subject, "constraints"), form);
    else
        amend_form_read_subject(&r, subject, out);
    return answer_steps_form_invalid(a, r.errors);
}
