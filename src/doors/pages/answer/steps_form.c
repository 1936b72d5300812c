/* The fields of a plan's steps: a tick to keep it, a number for its position, a
 * note. A field is named by the position of its step in the plan (k1, o1, n1),
 * never by the agent's own id, which may be any text. */
#include "doors/pages/answer/steps_form.h"

#include "doors/pages/kinds/steps.h"

const char answer_steps_form_wrong[] = "amend.field";

#define ORDER_MAX 10000

static struct str name(struct arena *a, const char *field, size_t i)
{
    struct buf b = buf_make(a, 32);
    buf_printf(&b, "%s%zu", field, i + 1);
    return buf_text(&b);
}

static struct str typed(struct arena *a, const struct pairs *posted,
                        const char *field, size_t i)
{
    const struct str s =
        posted ? pairs_get(*posted, name(a, field, i).p) : STR_NONE;
    return s.p ? s : STR("");
}

/* ---- showing -------------------------------------------------------- */

static struct str error_of(struct arena *a, const struct json *errors,
                           const char *field, size_t i)
{
    const struct str say = json_get_text(errors, name(a, field, i).p);
    return say.p ? say : STR("");
}

static struct json *step_fields(struct page_view *v, const struct json *step,
                                const struct answer_steps_form_of *of,
                                size_t i)
{
    const struct str detail = json_get_text(step, "detail");
    struct json *o = json_object(v->a);
    json_set_text(o, "keep", name(v->a, "k", i));
    json_set_text(o, "order", name(v->a, "o", i));
    json_set_text(o, "words", name(v->a, "n", i));
    json_set_bool(o, "kept",
                  !of->typed || typed(v->a, of->typed, "k", i).n > 0);
    json_set_text(o, "place",
                  of->typed ? typed(v->a, of->typed, "o", i)
                            : words_count(v->a, (int64_t)i + 1));
    json_set_text(o, "note", typed(v->a, of->typed, "n", i));
    json_set_text(o, "title", json_get_text(step, "title"));
    json_set_text(o, "detail", detail);
    json_set_text(o, "place_error", error_of(v->a, of->errors, "o", i));
    json_set_text(o, "note_error", error_of(v->a, of->errors, "n", i));
    return o;
}

struct json *answer_steps_form(struct page_view *v, const struct suspension *s,
                               const struct answer_steps_form_of *of)
{
    const struct json *steps = kinds_steps_of(v->a, s->subject);
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(steps); i++)
        json_add_json(list, step_fields(v, json_at(steps, i), of, i));
    return list;
}

/* ---- reading -------------------------------------------------------- */

/* A kept step with its new position. */
struct kept {
    size_t i; /* in the plan */
    double place;
    struct str note;
};

struct reading {
    struct arena *a;
    const struct pairs *posted;
    struct kept *v;
    size_t n;
    struct json *errors;
};

static void wrong(struct reading *r, const char *field, size_t i,
                  const char *say)
{
    json_set_text(r->errors, name(r->a, field, i).p, str_of(say));
}

/* A number, also between two others: 2.5 comes after 2. */
static bool read_place(struct arena *a, struct str s, double *out)
{
    struct json *n = NULL;
    if (json_parse(a, str_trim(s), &n) ||
        !(json_is(n, JSON_INT) || json_is(n, JSON_DOUBLE)))
        return false;
    *out = json_double(n);
    return *out > 0 && *out <= ORDER_MAX;
}

static void read_step(struct reading *r, size_t i)
{
    struct kept k = {.i = i,
                     .note = str_trim(typed(r->a, r->posted, "n", i))};
    if (typed(r->a, r->posted, "k", i).n == 0)
        return;
    if (!read_place(r->a, typed(r->a, r->posted, "o", i), &k.place))
        wrong(r, "o", i, "Enter the position as a number. 1 comes first, 2.5 "
                         "between 2 and 3.");
    else if (str_runes(k.note) > AMEND_NOTE_MAX)
        wrong(r, "n", i, "A note may have at most 1000 characters.");
    for (size_t m = 0; m < r->n; m++) {
        if (r->v[m].place == k.place && k.place > 0)
            wrong(r, "o", i, "Another step has the same position.");
    }
    r->v[r->n++] = k;
}

/* Insertion sort: the list is short, and equal positions keep their order. */
static void sort(struct reading *r)
{
    for (size_t i = 1; i < r->n; i++) {
        const struct kept k = r->v[i];
        size_t m = i;
        for (; m > 0 && r->v[m - 1].place > k.place; m--)
            r->v[m] = r->v[m - 1];
        r->v[m] = k;
    }
}

static const struct err *finish(struct reading *r)
{
    struct json *more = json_object(r->a);
    if (json_count(r->errors) == 0)
        return NULL;
    json_set_json(more, "fields", r->errors);
    return err_more(r->a,
                    ERROR(ERR_INVALID, answer_steps_form_wrong,
                          "Some fields are not valid."),
                    more);
}

const struct err *answer_steps_form_read(struct arena *a,
                                         const struct suspension *s,
                                         const struct pairs *posted,
                                         struct amend_sent *out)
{
    const struct json *steps = kinds_steps_of(a, s->subject);
    const size_t n = json_count(steps);
    struct json *sent = json_object(a), *list = json_array(a);
    struct reading r = {.a = a,
                        .posted = posted,
                        .v = arena_many(a, n + 1, struct kept),
                        .errors = json_object(a)};
    for (size_t i = 0; i < n; i++)
        read_step(&r, i);
    sort(&r);
    for (size_t i = 0; i < r.n && json_count(r.errors) == 0; i++) {
        const struct json *step = json_at(steps, r.v[i].i);
        struct json *one = json_object(a);
        json_set_text(one, "id", json_get_text(step, "id"));
        if (r.v[i].note.n > 0)
            json_set_text(one, "note", r.v[i].note);
        json_add_json(list, one);
    }
    json_set_json(sent, "steps", list);
    out->constraints = sent;
    return finish(&r);
}

struct json *answer_steps_form_errors(struct arena *a,
                                      const struct json *errors)
{
    struct json *list = json_array(a);
    for (struct json_iter i = json_iter(errors); json_next(&i);) {
        struct json *item = json_object(a);
        struct buf href = buf_make(a, 64), text = buf_make(a, 512);
        if (i.key.n > 5 || !strchr("kon", i.key.p[0]))
            continue;
        buf_char(&href, '#');
        buf_str(&href, i.key);
        buf_put(&text, "Step ");
        buf_str(&text, str_sub(i.key, 1, i.key.n));
        buf_put(&text, ": ");
        buf_str(&text, json_text(i.value));
        json_set_text(item, "href", buf_text(&href));
        json_set_text(item, "text", buf_text(&text));
        json_add_json(list, item);
    }
    return list;
}
