/* The question tool of Claude Code, AskUserQuestion: its questions become one
 * form, and the answers go back as the input of the tool. */
#include "base/fields.h"
#include "doors/asking/question.h"
#include "doors/hooks/hooks.h"
#include "store/suspensions.h"

#define QUESTIONS_MAX 20
#define OPTIONS_MAX 50

bool hooks_user(const struct hooks_call *h)
{
    return str_is(h->tool, "AskUserQuestion") &&
           (h->form == HOOKS_PRE_TOOL || h->form == HOOKS_PERMISSION ||
            h->form == HOOKS_PROMPT);
}

/* ---- asking --------------------------------------------------------- */

static struct json *option(struct arena *a, const struct json *sent)
{
    struct json *o = json_object(a);
    const struct str label = json_get_text(sent, "label");
    const struct str more = json_get_text(sent, "description");
    struct buf b = buf_make(a, label.n + more.n + 16);
    buf_str(&b, label);
    if (more.n > 0) {
        buf_put(&b, " - ");
        buf_str(&b, more);
    }
    json_set_text(o, "const", label);
    json_set_text(o, "title", buf_text(&b));
    return o;
}

static struct json *options(struct arena *a, const struct json *question)
{
    const struct json *sent = json_get(question, "options");
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(sent) && i < OPTIONS_MAX; i++)
        json_add_json(list, option(a, json_at(sent, i)));
    return list;
}

static struct json *property(struct arena *a, const struct json *question)
{
    struct json *o = json_object(a), *items = json_object(a);
    json_set_text(o, "title", json_get_text(question, "question"));
    if (json_get_text(question, "header").n > 0)
        json_set_text(o, "description", json_get_text(question, "header"));
    if (json_bool(json_get(question, "multiSelect"))) {
        json_set_text(o, "type", STR("array"));
        json_set_json(items, "anyOf", options(a, question));
        json_set_json(o, "items", items);
    } else {
        json_set_text(o, "type", STR("string"));
        json_set_json(o, "oneOf", options(a, question));
    }
    return o;
}

static const char *name_of(struct arena *a, size_t i)
{
    struct buf b = buf_make(a, 24);
    buf_printf(&b, "answer_%zu", i + 1);
    return arena_z(a, buf_text(&b));
}

/* Every form has a field that needs an answer, so that an empty one is none. */
static struct json *form(struct arena *a, const struct json *questions)
{
    struct json *o = json_object(a), *all = json_object(a);
    struct json *needed = json_array(a);
    for (size_t i = 0; i < json_count(questions); i++) {
        const char *name = name_of(a, i);
        json_set_json(all, name, property(a, json_at(questions, i)));
        json_add_text(needed, str_of(name));
    }
    json_set_text(o, "type", STR("object"));
    json_set_json(o, "properties", all);
    json_set_json(o, "required", needed);
    return o;
}

static struct str native(const struct hooks_call *h,
                         const struct json *questions)
{
    struct arena *a = h->c->a;
    struct json *o = json_object(a), *intent = json_object(a);
    const bool one = json_count(questions) == 1;
    json_set_text(o, "question",
                  one ? json_get_text(json_at(questions, 0), "question")
                      : STR("The agent has questions."));
    json_set_text(o, "response_type", STR("form"));
    json_set_text(o, "fallback_policy",
                  str_of(vocabulary_fallback_policy(FALLBACK_FAIL)->wire));
    json_set_json(o, "form", form(a, questions));
    if (h->session.n > 0) {
        json_set_text(intent, "session_id", h->session);
        json_set_json(o, "intent", intent);
    }
    return json_dump(a, o, REQUEST_BODY_MAX);
}

/* ---- the answer ----------------------------------------------------- */

static struct str words(struct arena *a, const struct json *value)
{
    struct buf b = buf_make(a, SUSPENSION_RESPONSE_MAX);
    if (!json_is(value, JSON_ARRAY))
        return json_text(value);
    for (size_t i = 0; i < json_count(value); i++) {
        buf_put(&b, i ? ", " : "");
        buf_str(&b, json_text(json_at(value, i)));
    }
    return buf_text(&b);
}

/* The input of the tool with the answers, by the words of their questions. */
static struct json *answered(const struct hooks_call *h,
                             const struct json *questions,
                             const struct suspension *s)
{
    struct arena *a = h->c->a;
    struct json *input = json_read(a, h->input), *all = json_object(a);
    const struct json *value = json_read(a, s->response);
    for (size_t i = 0; i < json_count(questions); i++)
        json_set_key(all,
                     json_get_text(json_at(questions, i), "question"),
                     json_string(a, words(a, json_get(value,
                                                      name_of(a, i)))));
    json_set_json(input, "answers", all);
    return input;
}

static const struct err *read_questions(const struct hooks_call *h,
                                        const struct json **out)
{
    const struct json *list =
        json_get(json_read(h->c->a, h->input), "questions");
    bool fine = json_is(list, JSON_ARRAY) && json_count(list) > 0 &&
                json_count(list) <= QUESTIONS_MAX;
    for (size_t i = 0; fine && i < json_count(list); i++)
        fine = json_get_text(json_at(list, i), "question").n > 0 &&
               json_count(json_get(json_at(list, i), "options")) > 0;
    *out = list;
    return fine ? NULL
                : err_at(h->c->a, ERR_INVALID, "field.value",
                         STR("tool_input"),
                         "AskUserQuestion needs 1 to %d questions with "
                         "options.",
                         QUESTIONS_MAX);
}

const struct err *hooks_user_ask(struct hooks_call *h, struct suspension *s,
                                 struct verdict *out)
{
    struct call *c = h->c;
    const struct json *questions = NULL;
    struct json *body = NULL;
    struct work w;
    TRY(read_questions(h, &questions));
    const struct str text = native(h, questions);
    const struct work_once once = question_once(c, h->session, h->id, text);
    TRY(json_parse(c->a, text, &body));
    TRY(question_ask(c, &w, text, body, &once));
    if (w.answered) {
        const struct json *before = json_read(c->a, w.before.body);
        TRY(question_get(c, json_get_text(before, "suspension_id"), s));
    } else {
        TRY(call_commit(c, &w, 201, question_asked(c, &w), false));
        *s = w.suspension;
    }
    *out = verdict_of(c->a, s);
    if (out->way == VERDICT_ANSWER) {
        out->way = VERDICT_ALLOW;
        h->updated = answered(h, questions, s);
    }
    return NULL;
}
