/* Any subject, and any form posted for it (a line feed between them):
 *
 * fields that come back as they were shown give the subject as it was; what
 * the domain lets pass of the others is never more than was asked for. */
#include "doors/pages/answer/amend_form.h"
#include "doors/pages/shell/facts.h"
#include "fuzz.h"

static const char *const takes[] = {"limit", "seconds", "constraints",
                                    "subject"};
static const enum kind kinds[] = {KIND_COST_CONFIRMATION, KIND_PERMISSION,
                                  KIND_APPROVAL, KIND_APPROVAL};

static struct json *choice_of(struct arena *a, size_t i)
{
    struct json *o = json_object(a);
    json_set_text(o, "takes", str_of(takes[i]));
    return o;
}

static struct pair pair_of(struct arena *a, size_t i, struct str value)
{
    struct buf b = buf_make(a, 32);
    buf_printf(&b, "f%zu", i + 1);
    return (struct pair){buf_text(&b), value};
}

/* The whole subject, as a browser sends what it was shown. */
static void check_untouched(struct arena *a, const struct suspension *s,
                            const struct json *subject)
{
    const struct json *form = answer_amend_form(a, s, TAKES_SUBJECT);
    const size_t n = json_count(form);
    struct pair *v = arena_many(a, n + 1, struct pair);
    struct amend_sent sent;
    for (size_t i = 0; i < n; i++) {
        const struct json *given = json_get(json_at(form, i), "default");
        v[i] = pair_of(a, i, page_facts_value(a, given));
    }
    const struct pairs p = {v, n};
    const struct err *e =
        answer_amend_form_read(a, s, choice_of(a, 3), &p, &sent);
    if (n > 0 && json_count(subject) > 0)
        must(!e && json_equal(sent.subject, subject));
}

static double number(const struct json *o, const char *outer,
                     const char *inner)
{
    return json_double(json_get(json_get(o, outer), inner));
}

static void check_posted(struct arena *a, struct suspension *s, size_t i,
                         const struct json *subject, const struct pairs *p)
{
    const struct json *choice = choice_of(a, i);
    struct amend_sent sent;
    struct amend amend;
    struct json *now = NULL;
    s->kind = kinds[i];
    const struct err *e = answer_amend_form_read(a, s, choice, p, &sent);
    must(!e || e->kind == ERR_INVALID);
    if (e || amend_check(a, s, choice, &sent, &amend))
        return;
    must(!amend.subject.p || !json_check(a, amend.subject));
    if (!amend.constraints.p)
        return;
    must(!json_parse(a, amend.constraints, &now));
    if (i == 0)
        must(json_double(json_get(now, "limit")) <=
             number(subject, "limit", "amount"));
    if (i == 1)
        must(json_double(json_get(now, "seconds")) <=
             number(subject, "duration", "seconds"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    struct json *subject = NULL;
    struct pairs p;
    struct suspension s = {.subject = str_cut(&rest, '\n')};
    if (!json_parse(a, s.subject, &subject) &&
        json_is(subject, JSON_OBJECT) &&
        !request_form(a, rest.p ? rest : STR(""), REQUEST_PAIRS_MAX, &p)) {
        check_untouched(a, &s, subject);
        for (size_t i = 0; i < countof(takes); i++)
            check_posted(a, &s, i, subject, &p);
    }
    return 0;
}
