/* The fields of a plan's steps: a tick to keep it, a number for its position, a
 * note. A field is named by the position of its step in the plan (k1, o1, n1),
 * never by the agent's own id, which may be any text. */
#include "doors/pages/answer/steps_form.h"

#include "doors/pages/kinds/steps.h"

const char answer_steps_form_wrong[] = "amend.field";

#define ORDER_MAX 10000

static struct str steps_form_name(struct arena *a, const char *field, size_t i)
{
    return arena_join(a, str_of(field), arena_number(a, (int64_t)i + 1));
}

static struct str steps_form_posted(struct arena *a,
                                    const struct pairs *posted,
                                    const char *field, size_t i)
{
    const struct str s =
        posted ? pairs_get(*posted, steps_form_name(a, field, i).p) : STR_NONE;
    return s.p ? s : STR("");
}

/* ---- showing -------------------------------------------------------- */

static struct str steps_form_error(struct arena *a, const struct json *errors,
                                   const char *field, size_t i)
{
    const struct str say =
        json_get_text(errors, steps_form_name(a, field, i).p);
    return say.p ? say : STR("");
}

struct json *answer_steps_form(struct page_view *v, const struct suspension *s,
                               const struct answer_steps_form_of *of)
{
    const struct json *steps = kinds_steps_of(suspension_subject(v->a, s));
    const struct pairs *typed = of->typed;
    struct json *list = json_array(v->a);
    bool wrong = false; /* the first with an error has the focus */
    for (size_t i = 0; i < json_count(steps); i++) {
        const struct json *step = json_at(steps, i);
        struct json *o = json_object(v->a);
        const struct str place = steps_form_error(v->a, of->errors, "o", i);
        const struct str note = steps_form_error(v->a, of->errors, "n", i);
        json_set_text(o, "keep", steps_form_name(v->a, "k", i));
        json_set_text(o, "order", steps_form_name(v->a, "o", i));
        json_set_text(o, "words", steps_form_name(v->a, "n", i));
        json_set_bool(o, "kept",
                      !typed || steps_form_posted(v->a, typed, "k", i).n > 0);
        json_set_text(o, "place",
                      typed ? steps_form_posted(v->a, typed, "o", i)
                            : words_count(v->a, (int64_t)i + 1));
        json_set_text(o, "note", steps_form_posted(v->a, typed, "n", i));
        json_set_text(o, "title", json_get_text(step, "title"));
        json_set_text(o, "detail", json_get_text(step, "detail"));
        json_set_text(o, "place_error", place);
        json_set_text(o, "note_error", note);
        json_set_bool(o, "place_focus", place.n > 0 && !wrong);
        json_set_bool(o, "note_focus", !place.n && note.n > 0 && !wrong);
        wrong = wrong || place.n + note.n > 0;
        json_add_json(list, o);
    }
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

static void steps_form_refuse(struct reading *r, const char *field, size_t i,
                              const char *say)
{
    json_set_text(r->errors, steps_form_name(r->a, field, i).p, str_of(say));
}

/* A number, also between two others: 2.5 comes after 2. */
static bool steps_form_place(struct arena *a, struct str s, double *out)
{
    struct json *n = NULL;
    if (json_parse(a, str_trim(s), &n) ||
        !(json_is(n, JSON_INT) || json_is(n, JSON_DOUBLE)))
        return false;
    *out = json_double(n);
    return *out > 0 && *out <= ORDER_MAX;
}

static void steps_form_read_step(struct reading *r, size_t i)
{
    struct kept k = {
        .i = i, .note = str_trim(steps_form_posted(r->a, r->posted, "n", i))};
    if (steps_form_posted(r->a, r->posted, "k", i).n == 0)
        return;
    if (!steps_form_place(r->a, steps_form_posted(r->a, r->posted, "o", i),
                          &k.place))
        steps_form_refuse(r, "o", i,
                          "Enter the position as a number. 1 comes first, 2.5 "
                          "between 2 and 3.");
    else if (str_runes(k.note) > AMEND_NOTE_MAX)
        steps_form_refuse(r, "n", i,
                          "A note may have at most 1000 characters.");
    for (size_t m = 0; m < r->n; m++) {
        if (r->v[m].place == k.place && k.place > 0)
            steps_form_refuse(r, "o", i,
                              "Another step has the same position.");
    }
    r->v[r->n++] = k;
}

/* Insertion sort: the list is short, and equal positions keep their order. */
static void steps_form_sort(struct reading *r)
{
    for (size_t i = 1; i < r->n; i++) {
        const struct kept k = r->v[i];
        size_t m = i;
        for (; m > 0 && r->v[m - 1].place > k.place; m--)
            r->v[m] = r->v[m - 1];
        r->v[m] = k;
    }
}

const struct err *answer_steps_form_invalid(struct arena *a,
                                            const struct json *errors)
{
    struct json *more = json_object(a);
    if (json_count(errors) == 0)
        return NULL;
    json_set_json(more, "fields", errors);
    return err_more(a,
                    ERROR(ERR_INVALID, answer_steps_form_wrong,
                          "Some fields are not valid."),
                    more);
}

const struct err *answer_steps_form_read(struct arena *a,
                                         const struct suspension *s,
                                         const struct pairs *posted,
                                         struct amend_sent *out)
{
    const struct json *steps = kinds_steps_of(suspension_subject(a, s));
    const size_t n = json_count(steps);
    struct json *sent = json_object(a), *list = json_array(a);
    struct reading r = {.a = a,
                        .posted = posted,
                        .v = arena_many(a, n + 1, struct kept),
                        .errors = json_object(a)};
    for (size_t i = 0; i < n; i++)
        steps_form_read_step(&r, i);
    steps_form_sort(&r);
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
    return answer_steps_form_invalid(a, r.errors);
}

struct json *answer_steps_form_errors(struct arena *a,
                                      const struct json *errors)
{
    struct json *list = json_array(a);
    for (struct json_iter i = json_iter(errors); json_next(&i);) {
        struct json *item = json_object(a);
        if (i.key.n > 5 || !strchr("kon", i.key.p[0]))
            continue;
        json_set_text(item, "href", arena_join(a, STR("#"), i.key));
        json_set_text(item, "text",
                      arena_join(a, STR("Step "), str_sub(i.key, 1, i.key.n),
                                 STR(": "), json_text(i.value)));
        json_add_json(list, item);
    }
    return list;
}
