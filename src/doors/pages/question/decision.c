/* The end of a question, in words. */
#include "doors/pages/question/decision.h"

#include "base/clock.h"
#include "domain/kind/label.h"
#include "domain/question/side_question.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/fields.h"

#define WORDS_MAX ((size_t)512 << 10) /* bytes of a sentence with its quotes */

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
    json_set_text(o, "who", page_badge_who(v->a, s, reader));
    json_set_text(o, "door",
                  str_of(vocabulary_via(s->responded_via)->past));
    page_view_set_count(o, "seq", (size_t)sequence);
    return o;
}

/* ---- sentences ------------------------------------------------------ */

static void decision_put_quoted(struct buf *b, struct str s)
{
    buf_put(b, "“");
    buf_str(b, s);
    buf_put(b, "”");
}

/* The consequence for the agent. */
static void decision_put_effect(struct arena *a, struct buf *b,
                                const struct suspension *s)
{
    const struct json *value = json_read(a, s->response);
    const struct json *choice = suspension_chosen(a, s, value);
    const bool vetoed = s->outcome == OUTCOME_VETOED;
    if (effect_of_choice(choice) == EFFECT_STOP_TASK ||
        (vetoed && s->on_reject == ON_REJECT_ABANDON)) {
        buf_put(b, " The task was stopped.");
        return;
    }
    if (side_question_of_plan(s) ||
        (s->origin == ORIGIN_OWN_CHECKPOINT &&
         (vetoed || s->outcome == OUTCOME_AUTHORIZED))) {
        buf_put(b, s->outcome == OUTCOME_CHANGES_REQUESTED
                       ? " The plan went back to its agent."
                   : vetoed ? " The plan does not go on."
                            : " The plan goes on.");
        return;
    }
    buf_char(b, ' ');
    buf_str(b, words_name(a, s->asked_by));
    if (vetoed || s->outcome == OUTCOME_DECLINED) {
        buf_put(b, " continues without it.");
    } else if (s->outcome == OUTCOME_CHANGES_REQUESTED) {
        buf_put(b, " was asked for a revision. Nothing was approved.");
    } else if (s->outcome == OUTCOME_ACCEPTED) {
        buf_put(b, " handed the task over to its new owner.");
    } else if (choice) {
        buf_put(b, " continues with ");
        decision_put_quoted(b, label_line(a, choice));
        buf_char(b, '.');
    } else {
        buf_put(b, json_is(value, JSON_OBJECT)
                       ? " continues with these values."
                       : " continues with this answer.");
    }
    if (suspension_modified(s))
        buf_put(b, " The approved version differs from the request.");
}

static void decision_put_expired(const struct page_view *v, struct buf *b,
                                 const struct suspension *s)
{
    const struct str fallback = question_head_fallback(v->a, s);
    buf_put(b, "The request expired on ");
    buf_str(b, page_view_when(v, s->expires_at));
    buf_put(b, ". Nobody had answered it. ");
    if (s->fallback_policy == FALLBACK_FAIL) {
        buf_put(b, "Nothing was approved, and the task was stopped.");
        return;
    }
    buf_str(b, words_name(v->a, s->asked_by));
    buf_put(b, " continues ");
    if (fallback.p) {
        buf_put(b, "with its default, ");
        decision_put_quoted(b, fallback);
        buf_put(b, ", as stated in the request.");
    } else {
        buf_put(b, "without an answer, as stated in the request.");
    }
}

struct str question_decision_summary(const struct page_view *v,
                                     const struct suspension *s,
                                     const struct principal *reader)
{
    struct buf b = buf_make(v->a, WORDS_MAX);
    if (s->state == SUSPENSION_EXPIRED) {
        decision_put_expired(v, &b, s);
        return buf_text(&b);
    }
    if (s->state == SUSPENSION_CANCELLED) {
        buf_str(&b, words_name(v->a, s->responded_by));
        buf_put(&b, " withdrew the request on ");
        buf_str(&b, page_view_when(v, s->responded_at));
        buf_put(&b, ". Nothing was decided.");
        return buf_text(&b);
    }
    if (page_badge_own(s, reader))
        buf_put(&b, "You");
    else
        buf_str(&b, words_name(v->a, page_badge_who(v->a, s, reader)));
    buf_char(&b, ' ');
    buf_put(&b, vocabulary_outcome(s->outcome)->past);
    buf_put(&b, " on ");
    buf_str(&b, page_view_when(v, s->responded_at));
    buf_char(&b, ' ');
    buf_put(&b, vocabulary_via(s->responded_via)->past);
    buf_char(&b, '.');
    decision_put_effect(v->a, &b, s);
    return buf_text(&b);
}

struct str question_decision_line(struct arena *a, const struct suspension *s)
{
    struct buf b = buf_make(a, WORDS_MAX);
    const struct json *value = json_read(a, s->response);
    const struct json *choice = suspension_chosen(a, s, value);
    const struct str fallback = question_head_fallback(a, s);
    if (s->reason.p) {
        decision_put_quoted(&b, s->reason);
    } else if (s->state == SUSPENSION_EXPIRED) {
        buf_put(&b, "No answer in ");
        buf_str(&b, words_span(a, s->expires_at - s->suspended_at));
        buf_put(&b, s->fallback_policy == FALLBACK_FAIL ? ", task stopped"
                                                        : ", continued");
        if (s->fallback_policy != FALLBACK_FAIL && fallback.p) {
            buf_put(&b, " with its default, ");
            decision_put_quoted(&b, fallback);
        }
    } else if (choice) {
        buf_str(&b, label_line(a, choice));
    } else if (value) {
        buf_str(&b, page_facts_value(a, value));
    }
    return b.n ? buf_text(&b) : STR("");
}

/* ---- too late ------------------------------------------------------- */

/* "9 seconds", "2 min" */
static void decision_put_lead(const struct page_view *v, struct buf *b,
                              int64_t since)
{
    const int64_t s = (v->now - since) / CLOCK_SECOND;
    if (s < 1)
        buf_put(b, "less than a second");
    else
        buf_str(b, s < 60 ? words_many(v->a, s, "second")
                          : words_span(v->a, v->now - since));
}

struct str question_decision_heading(const struct page_view *v,
                                     const struct suspension *s,
                                     const struct principal *reader)
{
    struct buf b = buf_make(v->a, WORDS_MAX);
    if (s->state == SUSPENSION_EXPIRED) {
        buf_put(&b, "The request expired ");
        decision_put_lead(v, &b, s->expires_at);
        buf_put(&b, " before you answered");
    } else if (page_badge_own(s, reader)) {
        buf_put(&b, "You already answered this, ");
        decision_put_lead(v, &b, s->responded_at);
        buf_put(&b, " ago");
    } else {
        buf_str(&b, words_name(v->a, page_badge_who(v->a, s, reader)));
        buf_put(&b, s->state == SUSPENSION_CANCELLED ? " withdrew this "
                                                     : " answered this ");
        decision_put_lead(v, &b, s->responded_at);
        buf_put(&b, " before you");
    }
    return buf_text(&b);
}
