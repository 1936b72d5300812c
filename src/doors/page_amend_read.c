/* The inputs of an amendment as they were posted. A part of page_amend.h:
 * makes values of them; whether they are tighter is the domain's to say. */
#include "base/fields.h"
#include "doors/page_amend_form.h"
#include "doors/page_steps_form.h"

#define SECONDS_MAX (INT64_C(366) * 24 * 3600)

struct reading {
    struct arena *a;
    const struct pairs *posted;
    size_t i;            /* the field at hand */
    struct json *errors; /* {key: sentence} */
};

static void wrong(struct reading *r, struct str key, const char *say)
{
    json_set_key(r->errors, key, json_string(r->a, str_of(say)));
}

static struct str next_text(struct reading *r, struct str key)
{
    const struct str text = page_amend_form_text(r->a, r->posted, r->i++);
    if (!text.p)
        wrong(r, key, "This field was not sent.");
    return text;
}

/* As it was typed: 499.90 stays 499.90. NULL when it is none. */
static struct json *number_of(struct reading *r, struct str key,
                              struct str text)
{
    struct json *v = NULL;
    if (!json_parse(r->a, str_trim(text), &v) &&
        (json_is(v, JSON_INT) || json_is(v, JSON_DOUBLE)))
        return v;
    wrong(r, key, "Give a number, such as 1500 or 1500.5.");
    return NULL;
}

/* ---- one number ----------------------------------------------------- */

static struct json *read_limit(struct reading *r, const struct json *asked)
{
    const struct str key = STR("constraints.limit");
    struct json *o = json_object(r->a);
    const struct str text = next_text(r, key);
    if (text.p && page_amend_form_same(r->a, asked, text))
        json_set_json(o, "limit", asked);
    else if (text.p)
        json_set_json(o, "limit", number_of(r, key, text));
    return o;
}

static struct json *read_seconds(struct reading *r)
{
    const struct str key = STR("constraints.seconds");
    struct json *o = json_object(r->a);
    int64_t n = 0;
    const struct str text = next_text(r, key);
    const struct str unit = next_text(r, STR("unit"));
    size_t u = 0;
    while (u < PAGE_AMEND_UNITS &&
           !str_is(unit, page_amend_form_units[u].word))
        u++;
    if (u == PAGE_AMEND_UNITS)
        wrong(r, STR("unit"), "Choose a unit.");
    else if (text.p && !str_int(str_trim(text), 1, SECONDS_MAX, &n))
        wrong(r, key, "Give a whole number from 1.");
    else
        json_set_int(o, "seconds", n * page_amend_form_units[u].seconds);
    return o;
}

/* ---- named limits --------------------------------------------------- */

static struct json *ticked(struct reading *r, const struct json *list)
{
    struct json *kept = json_array(r->a);
    for (size_t k = 0; k < json_count(list); k++) {
        if (page_amend_form_ticked(r->a, r->posted, r->i, k))
            json_add_json(kept, json_at(list, k));
    }
    r->i++;
    return kept;
}

/* form has a field for each limit that can be tightened, in their order. */
static struct json *read_constraints(struct reading *r,
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
            json_set_key(o, m.key, ticked(r, m.value));
            continue;
        }
        const struct str text = next_text(r, key);
        if (text.p && page_amend_form_same(r->a, m.value, text))
            json_set_key(o, m.key, m.value);
        else if (text.p)
            json_set_key(o, m.key, number_of(r, key, text));
    }
    return o;
}

/* ---- a whole subject ------------------------------------------------ */

/* The leaf as it was sent where it was not touched. */
static struct json *read_leaf(struct reading *r, const struct json *v,
                              struct str path)
{
    const struct str text = next_text(r, path);
    if (!text.p || page_amend_form_same(r->a, v, text))
        return json_copy(r->a, v);
    if (json_is(v, JSON_STRING))
        return json_string(r->a, text);
    if (!json_is(v, JSON_BOOL))
        return number_of(r, path, text);
    if (!str_is(text, "true") && !str_is(text, "false"))
        wrong(r, path, "Choose true or false.");
    return json_boolean(r->a, str_is(text, "true"));
}

/* In the order of the fields; the form has bounded the depth. */
static struct json *read_leaves(struct reading *r, const struct json *v,
                                struct str path)
{
    const bool object = json_is(v, JSON_OBJECT);
    struct json *o = object ? json_object(r->a) : json_array(r->a);
    if (json_count(v) == 0)
        return read_leaf(r, v, path);
    struct json_iter m = json_iter(v);
    for (size_t i = 0; i < json_count(v); i++) {
        if (object && json_next(&m))
            json_set_key(o, m.key,
                         read_leaves(r, m.value,
                                     fields_path(r->a, path, m.key.p)));
        else
            json_add_json(o, read_leaves(r, json_at(v, i),
                                         fields_element(r->a, path, i)));
    }
    return o;
}

static void read_text(struct reading *r, struct amend_sent *out)
{
    const struct str key = STR("subject");
    struct json *v = NULL;
    const struct str text = next_text(r, key);
    if (!text.p)
        return;
    const struct err *e = json_parse(r->a, text, &v);
    if (e) {
        struct buf b = buf_make(r->a, 1024);
        buf_put(&b, "This is not JSON. ");
        buf_str(&b, e->say);
        if (e->at.p) {
            buf_put(&b, " (");
            buf_str(&b, e->at);
            buf_put(&b, ")");
        }
        wrong(r, key, arena_z(r->a, buf_text(&b)));
    } else if (!json_is(v, JSON_OBJECT) ||
               json_depth(v) > JSON_INPUT_DEPTH_MAX) {
        wrong(r, key, "A JSON object is needed, not too deep.");
    }
    out->subject = v;
    out->subject_text = text;
}

static void read_subject(struct reading *r, const struct json *subject,
                         struct amend_sent *out)
{
    if (!page_amend_form_flat(subject)) {
        read_text(r, out);
        return;
    }
    const struct json *v = read_leaves(r, subject, STR("subject"));
    out->subject = v;
    out->subject_text = json_dump(r->a, v, SUSPENSION_RECORD_MAX);
}

/* ---- all of it ------------------------------------------------------ */

static const struct err *outcome(const struct reading *r)
{
    struct json *more = json_object(r->a);
    if (json_count(r->errors) == 0)
        return NULL;
    json_set_json(more, "fields", r->errors);
    return err_more(r->a,
                    ERROR(ERR_INVALID, "amend.field",
                          "Some fields cannot be accepted."),
                    more);
}

/* An offered limit that nobody touched was confirmed as it stands. */
static bool untouched(struct arena *a, struct str takes,
                      const struct pairs *posted)
{
    return str_is(takes, "limit") &&
           !page_amend_form_text(a, posted, 0).p;
}

const struct err *page_amend_read(struct arena *a, const struct suspension *s,
                                  const struct json *choice,
                                  const struct pairs *posted,
                                  struct amend_sent *out)
{
    const struct str takes = json_get_text(choice, "takes");
    struct reading r = {
        .a = a, .posted = posted, .errors = json_object(a)};
    struct json *subject = NULL;
    *out = (struct amend_sent){.subject_text = STR_NONE};
    if (str_is(takes, "steps"))
        return page_steps_form_read(a, s, posted, out);
    if (!page_amend_takes(choice) || untouched(a, takes, posted))
        return NULL;
    TRY(json_parse(a, s->subject, &subject));
    const struct json *form = page_amend_form(a, s, takes);
    if (json_count(form) == 0)
        return ERROR(ERR_INVALID, "amend.field",
                     "This can only be changed through the API.");
    if (str_is(takes, "limit"))
        out->constraints =
            read_limit(&r, json_get(json_get(subject, "limit"), "amount"));
    else if (str_is(takes, "seconds"))
        out->constraints = read_seconds(&r);
    else if (str_is(takes, "constraints"))
        out->constraints = read_constraints(
            &r, json_get(subject, "constraints"), form);
    else
        read_subject(&r, subject, out);
    return outcome(&r);
}
