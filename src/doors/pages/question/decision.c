/* The end of a question. */
#include "doors/pages/question/decision.h"

#include "base/clock.h"
#include "domain/kind/label.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/fields.h"

#define DECISION_LINE_MAX ((size_t)64 << 10) /* bytes of a row's line */

/* ---- the answer ----------------------------------------------------- */

static void decision_add_pair(struct page_view *v, struct json *list,
                              struct str name, struct str value)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "name", name);
    json_set_text(o, "value", value);
    json_add_json(list, o);
}

static const struct json *decision_field(const struct json *form,
                                         struct str key)
{
    for (size_t i = 0; i < json_count(form); i++) {
        if (str_eq(json_get_text(json_at(form, i), "key"), key))
            return json_at(form, i);
    }
    return NULL;
}

void question_decision_set_answer(struct page_view *v, struct json *o,
                                  const struct suspension *s,
                                  const struct json *value)
{
    struct json *list = json_array(v->a);
    const struct json *choice = suspension_chosen(v->a, s, value);
    json_set_json(o, "choice",
                  page_badge_choice(v, suspension_choices(v->a, s), choice));
    if (json_is(value, JSON_OBJECT)) {
        const struct json *form = page_fields_form(v->a, s);
        for (struct json_iter i = json_iter(value);
             json_next(&i) && json_count(list) < PAGE_FACTS_ROWS;) {
            const struct json *field = decision_field(form, i.key);
            decision_add_pair(v, list,
                              field ? json_get_text(field, "label") : i.key,
                              page_fields_words(v->a, field, i.value));
        }
    } else if (value && !choice) {
        decision_add_pair(
            v, list, json_is(value, JSON_STRING) ? STR("Text") : STR("Value"),
            page_facts_value(v->a, value));
    }
    json_set_json(o, "values", list);
}

struct json *question_decision(struct page_view *v, const struct suspension *s,
                               const struct principal *reader,
                               int64_t sequence)
{
    struct json *o = json_object(v->a);
    question_decision_set_answer(v, o, s, json_read(v->a, s->response));
    json_set_bool(o, "is_expired", s->state == SUSPENSION_EXPIRED);
    json_set_bool(o, "is_withdrawn", s->state == SUSPENSION_CANCELLED);
    json_set_bool(o, "is_own", page_badge_own(s, reader));
    json_set_text(o, "who", page_badge_who(v->a, s, reader));
    json_set_text(o, "door",
                  str_of(vocabulary_via(s->responded_via)->past));
    page_view_set_count(o, "seq", (size_t)sequence);
    return o;
}

/* ---- sentences ------------------------------------------------------ */

/* The chosen choice; where a text or a form was declined, one with the effect
 * of that. NULL: none was chosen. */
static const struct json *decision_choice(struct arena *a,
                                          const struct suspension *s,
                                          const struct json *value)
{
    const struct json *choice = suspension_chosen(a, s, value);
    struct json *declined = json_object(a);
    if (choice || s->outcome != OUTCOME_DECLINED)
        return choice;
    json_set_text(declined, "effect", vocabulary_effect(EFFECT_DECLINE)->wire);
    return declined;
}

void question_decision_set_summary(struct page_view *v, struct json *o,
                                   const struct suspension *s)
{
    const bool answered = s->state == SUSPENSION_RESOLVED;
    const struct json *value = json_read(v->a, s->response);
    const struct json *choice = decision_choice(v->a, s, value);
    const struct kinds_effect_text does = kinds_effect_text(v->a, s, choice);
    const struct str own = json_is(value, JSON_OBJECT)
                               ? STR("continues with these values.")
                               : STR("continues with this answer.");
    json_set_text(o, "fallback", question_head_fallback(v->a, s));
    json_set_text(o, "past",
                  answered ? str_of(vocabulary_outcome(s->outcome)->past)
                           : STR_NONE);
    json_set_text(o, "result", choice ? does.result : STR_NONE);
    json_set_text(o, "then", choice ? does.record : own);
    json_set_text(o, "with", choice ? label_line(v->a, choice) : STR_NONE);
    json_set_bool(o, "differs", !does.result.p && suspension_modified(s));
}

/* "Street: Main road 1, Parcels: 2", of a form that was filled in. */
static struct str decision_fields(struct arena *a, const struct suspension *s,
                                  const struct json *value)
{
    const struct json *form = page_fields_form(a, s);
    struct buf b = buf_make(a, DECISION_LINE_MAX);
    for (struct json_iter i = json_iter(value);
         json_next(&i) && !b.over;) {
        const struct json *field = decision_field(form, i.key);
        buf_put(&b, b.n ? ", " : "");
        buf_str(&b, field ? json_get_text(field, "label") : i.key);
        buf_put(&b, ": ");
        buf_str(&b, page_fields_words(a, field, i.value));
    }
    return buf_text(&b);
}

struct str question_decision_line(struct arena *a, const struct suspension *s)
{
    const struct json *value = json_read(a, s->response);
    const struct json *choice = suspension_chosen(a, s, value);
    if (s->reason.p)
        return arena_join(a, STR("“"), s->reason, STR("”"));
    if (s->state == SUSPENSION_EXPIRED) {
        const struct str fallback = question_head_fallback(a, s);
        const struct str span =
            words_span(a, s->expires_at - s->suspended_at);
        if (s->outcome != OUTCOME_FALLBACK)
            return arena_join(a, STR("No answer in "), span,
                              STR(", task stopped"));
        return arena_join(a, STR("No answer in "), span, STR(", continued"),
                          fallback.p ? STR(" with its default, “") : STR(""),
                          fallback, fallback.p ? STR("”") : STR(""));
    }
    if (choice)
        return label_line(a, choice);
    if (json_is(value, JSON_OBJECT))
        return decision_fields(a, s, value);
    return value ? page_facts_value(a, value) : STR("");
}

struct str question_decision_ago(const struct page_view *v,
                                 const struct suspension *s)
{
    const bool expired = s->state == SUSPENSION_EXPIRED;
    const int64_t ago = v->now - (expired ? s->expires_at : s->responded_at);
    const int64_t seconds = ago / CLOCK_SECOND;
    return seconds < 1    ? STR("less than a second")
           : seconds < 60 ? words_many(v->a, seconds, "second")
                          : words_span(v->a, ago);
}
