/* The parts of a question that all pages show. */
#include "doors/pages/question/head.h"

#include "base/clock.h"
#include "domain/answer/retry_silence.h"
#include "domain/kind/label.h"
#include "domain/permit/tool_title.h"
#include "domain/question/side_question.h"
#include "doors/pages/question/files.h"
#include "doors/pages/question/markdown.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/refs.h"

#define LATE (10 * 60 * CLOCK_SECOND) /* with less time left it is urgent */
#define FALLBACK_CHARS 60

/* ---- time ----------------------------------------------------------- */

struct str question_head_fallback(struct arena *a, const struct suspension *s)
{
    struct json *value = NULL;
    if (!s->fallback_value.p || json_parse(a, s->fallback_value, &value) ||
        !value)
        return STR_NONE;
    const struct json *choice =
        suspension_choice(suspension_choices(a, s), json_text(value));
    return choice ? label_line(a, choice) : page_facts_value(a, value);
}

struct json *question_head_deadline(struct page_view *v,
                                    const struct suspension *s)
{
    struct json *o = json_object(v->a);
    page_view_set_time(o, "time", s->expires_at);
    json_set_bool(o, "late",
                  s->expires_at && s->expires_at - v->now < LATE);
    json_set_bool(o, "over", s->expires_at && s->expires_at <= v->now);
    json_set_bool(o, "stops",
                  s->fallback_policy == FALLBACK_FAIL ||
                      (s->state == SUSPENSION_EXPIRED
                           ? s->outcome != OUTCOME_FALLBACK
                           : retry_silence_lost(v->a, s)));
    json_set_text(o, "fallback",
                  words_cut(v->a, question_head_fallback(v->a, s),
                            FALLBACK_CHARS));
    return o;
}

/* ---- head ----------------------------------------------------------- */

struct str question_head_title(const struct suspension *s)
{
    if (side_question_completes(
            s)) /* the agent's word for it is OpenIntent's */
        return STR("Complete the task");
    if (s->title.p)
        return s->title;
    struct str rest = str_trim(s->question);
    return str_trim(str_cut(&rest, '\n'));
}

/* `pieces`: a title with one part in backticks, as a list of {text, code}: the
 * command of a tool call. Empty for a title that was cut, and for a command
 * that has backticks itself: none of its characters may get lost. */
static struct json *head_pieces(struct arena *a, struct str title)
{
    struct json *list = json_array(a);
    struct str rest = title, part[4];
    size_t n = 0;
    while (rest.p && n < countof(part))
        part[n++] = str_cut(&rest, '`');
    for (size_t i = 0; n == 3 && part[1].n > 0 && i < n; i++) {
        struct json *o = json_object(a);
        json_set_text(o, "text", part[i]);
        json_set_bool(o, "code", i == 1);
        if (part[i].n > 0)
            json_add_json(list, o);
    }
    return list;
}

static void head_set_badges(struct page_view *v, struct json *o,
                            const struct suspension *s)
{
    json_set_json(o, "kind", page_badge_kind(v->a, s));
    json_set_json(o, "risk", page_badge_risk(v->a, s));
    json_set_json(o, "outcome", page_badge_outcome(v, s));
    json_set_bool(o, "proven", s->initiator_id.p != NULL);
    const struct str title =
        words_cut(v->a, question_head_title(s), PAGE_VIEW_TITLE);
    json_set_text(o, "title", title);
    json_set_json(o, "pieces",
                  head_pieces(v->a, str_eq(title, question_head_title(s))
                                        ? title
                                        : STR_NONE));
}

struct json *question_head_brief(struct page_view *v,
                                 const struct suspension *s)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "suspension_id", s->id);
    json_set_text(o, "intent_id", s->intent_id);
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_text(o, "asked_by", s->asked_by);
    json_set_text(o, "initiated_by", s->initiated_by);
    page_view_set_time(o, "suspended_at", s->suspended_at);
    page_view_set_time(o, "responded_at", s->responded_at);
    head_set_badges(v, o, s);
    return o;
}

struct json *question_head(struct page_view *v, const struct suspension *s)
{
    /* JSON values have parts of their own on the page, and may be large. */
    struct suspension plain = *s;
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *f = &suspension_record.fields[i];
        if (f->type == RECORD_IS_JSON)
            *(struct str *)((char *)&plain + f->at) = STR_NONE;
    }
    struct json *o = record_object(v->a, &suspension_record, &plain);
    /* The question is not said twice where the title is the whole of it. */
    const struct str title = question_head_title(s);
    const bool whole = (str_runes(title) <= PAGE_VIEW_TITLE &&
                        str_eq(title, str_trim(s->question))) ||
                       tool_title_of(v->a, s, suspension_subject(v->a, s));
    const struct str text = whole ? STR_NONE : s->question;
    head_set_badges(v, o, s);
    json_set_bool(o, "raised", s->severity_said != s->severity);
    json_set_text(o, "question", text);
    json_set_json(o, "question_long",
                  text.p ? page_view_long(v, text, QUESTION_HEAD_LONG) : NULL);
    json_set_json(o, "deadline", question_head_deadline(v, s));
    return o;
}

/* ---- facts and words ------------------------------------------------ */

bool question_head_has_facts(const struct suspension *s)
{
    return !str_is(s->subject, "{}");
}

static bool head_is_context(const struct suspension *s)
{
    return str_eq(s->subject, s->context);
}

const char *question_head_facts_id(const struct suspension *s)
{
    return head_is_context(s) ? "context" : "facts";
}

struct json *question_head_facts(struct page_view *v,
                                 const struct suspension *s, bool whole)
{
    struct json *list = json_array(v->a);
    const bool same = head_is_context(s);
    const bool open = s->state == SUSPENSION_PENDING;
    const struct page_facts_of subject = {
        .id = question_head_facts_id(s),
        .heading = same ? "Context" : "Details",
        .note = side_question_completes(s)
                    ? STR("The task's state when this was requested")
                : side_question_of_plan(s)
                    ? STR("From the plan, as its agents wrote it")
                    : STR("Exactly as sent by the agent"),
        .folded = s->kind != KIND_NONE,
        .open = whole,
        .text = s->subject,
        .value = suspension_subject(v->a, s),
        .sha256 = s->subject_sha256,
        .hash_note =
            open ? "Your answer applies to exactly these bytes. If they "
                   "change, it is refused."
                 : "The answer applies to exactly these bytes."};
    const struct page_facts_of context = {.id = "context",
                                          .heading = "Context",
                                          .note = subject.note,
                                          .text = s->context};
    if (question_head_has_facts(s))
        json_add_json(list, page_facts(v, &subject));
    if (!same && !str_is(s->context, "{}"))
        json_add_json(list, page_facts(v, &context));
    return list;
}

/* Those that name no file. */
static void head_add_refs(struct page_view *v, const struct json *list,
                          struct json *refs)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *one = json_at(list, i);
        const struct str ref = json_get_text(one, "ref");
        if (!page_refs_file(v, ref))
            json_add_json(refs,
                          page_refs_one(v, json_get_text(one, "title"),
                                        json_get_text(one, "kind"), ref));
    }
}

struct json *question_head_why(struct page_view *v, const struct suspension *s)
{
    struct json *o = json_object(v->a), *refs = json_array(v->a);
    const struct json *files = question_files(v, s);
    head_add_refs(v, json_read(v->a, s->evidence), refs);
    head_add_refs(v, json_read(v->a, s->artifacts), refs);
    if (!s->explanation.p && !s->confidence.p && json_count(refs) == 0 &&
        json_count(files) == 0)
        return NULL;
    json_set_json(o, "files", files);
    json_set_text(o, "agent", s->asked_by);
    json_set_text(o, "words", s->explanation);
    json_set_json(o, "blocks",
                  s->explanation.p ? question_markdown(v->a, s->explanation)
                                   : NULL);
    json_set_text(o, "confidence", s->confidence);
    json_set_json(o, "refs", refs);
    json_set_bool(o, "has_foot", s->confidence.p || json_count(refs) > 0);
    return o;
}
