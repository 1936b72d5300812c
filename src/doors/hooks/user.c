/* The question tool of Claude Code, AskUserQuestion: its questions become one
 * form, and the answers go back as the input of the tool.
 *
 * A question is a field with its options, and a field for words of one's own.
 * A form is short where the client is not: what does not fit into it stands
 * whole in the prompt above it. */
#include "base/json/fields.h"
#include "domain/kind/form.h"
#include "doors/asking/question.h"
#include "doors/hooks/hooks.h"
#include "store/question/suspensions.h"

#define QUESTIONS_MAX 20
#define KEY_ROOM 32

/* One question of the tool, as it was read. */
struct user_question {
    size_t number; /* from 1 */
    struct str text, header;
    const struct json *options;
    bool multi;
    bool secret; /* its words could ask for one: nothing can be typed */
};

struct user {
    struct arena *a;
    struct user_question v[QUESTIONS_MAX];
    size_t n;
    struct json *known; /* the questions, with the members that are shown */
    struct buf prompt;  /* what does not fit into the form */
};

bool hooks_user(const struct hooks_call *h)
{
    return str_is(h->tool, "AskUserQuestion") && !h->bare &&
           (h->form == HOOKS_PRE_TOOL || h->form == HOOKS_PERMISSION ||
            h->form == HOOKS_PROMPT);
}

/* ---- reading -------------------------------------------------------- */

/* A copy with the members of these names alone, each a text. */
static struct json *texts_of(struct arena *a, const struct json *v,
                             const char *const *names, size_t n)
{
    struct json *o = json_object(a);
    for (size_t i = 0; i < n; i++)
        if (json_is(json_get(v, names[i]), JSON_STRING))
            json_set_json(o, names[i], json_get(v, names[i]));
    return o;
}

/* Reads the options; NULL: they are none that a person could choose. */
static struct json *read_options(struct arena *a, const struct json *sent)
{
    static const char *const names[] = {"label", "description", "preview"};
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(sent); i++) {
        const struct json *v = json_at(sent, i);
        if (json_get_text(v, "label").n == 0)
            return NULL;
        json_add_json(list, texts_of(a, v, names, countof(names)));
    }
    return json_is(sent, JSON_ARRAY) && json_count(list) > 0 ? list : NULL;
}

static bool asked_before(const struct user *u, struct str text)
{
    for (size_t i = 0; i < u->n; i++)
        if (str_eq(u->v[i].text, text))
            return true;
    return false;
}

/* Would a form with this label ask for a secret? */
static bool secret(struct arena *a, struct str label)
{
    struct json *list = json_array(a), *one = json_object(a);
    json_set_text(one, "key", STR(""));
    json_set_text(one, "label", label);
    json_add_json(list, one);
    return kind_check_form(a, list) != NULL;
}

/* false: it is not a question, or it has the words of another, so that their
 * answers could not be distinguished. */
static bool read_question(struct user *u, const struct json *sent)
{
    static const char *const names[] = {"question", "header"};
    struct json *known = texts_of(u->a, sent, names, countof(names));
    struct json *options = read_options(u->a, json_get(sent, "options"));
    const struct json *multi = json_get(sent, "multiSelect");
    const struct str text = json_get_text(known, "question");
    if (!options || str_trim(text).n == 0 || asked_before(u, text))
        return false;
    if (json_is(multi, JSON_BOOL))
        json_set_json(known, "multiSelect", multi);
    json_set_json(known, "options", options);
    json_add_json(u->known, known);
    u->v[u->n] = (struct user_question){.number = u->n + 1,
                                        .text = text,
                                        .header = json_get_text(known,
                                                                "header"),
                                        .options = options,
                                        .multi = json_bool(multi),
                                        .secret = secret(u->a, text)};
    u->n++;
    return true;
}

static const struct err *read_user(const struct hooks_call *h, struct user *u)
{
    const struct json *list =
        json_get(json_read(h->c->a, h->input), "questions");
    const size_t n = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    bool fine = n > 0 && n <= QUESTIONS_MAX;
    *u = (struct user){.a = h->c->a,
                       .known = json_array(h->c->a),
                       .prompt = buf_make(h->c->a, 2 * REQUEST_BODY_MAX)};
    for (size_t i = 0; fine && i < n; i++)
        fine = read_question(u, json_at(list, i));
    return fine ? NULL
                : err_at(h->c->a, ERR_INVALID, "field.value",
                         STR("tool_input"),
                         "AskUserQuestion needs 1 to %d different questions "
                         "with options.",
                         QUESTIONS_MAX);
}

/* ---- the form ------------------------------------------------------- */

static const char *key_of(struct arena *a, const char *name, size_t number)
{
    struct buf b = buf_make(a, KEY_ROOM);
    buf_printf(&b, "%s_%zu", name, number);
    return arena_z(a, buf_text(&b));
}

/* The text, or its head where it is too long. */
static struct str fit(struct arena *a, struct str text, size_t max)
{
    if (str_runes(text) <= max)
        return text;
    return arena_join(a, str_head(text, max - 1), STR("\xE2\x80\xA6"));
}

/* The option's value in the form: its label, unless that is too long or
 * another option has it. */
static struct str value_of(struct arena *a, const struct user_question *q,
                           size_t i)
{
    const struct str label = json_get_text(json_at(q->options, i), "label");
    bool own = str_runes(label) <= FORM_LABEL_MAX;
    for (size_t k = 0; own && k < i; k++)
        own = !str_eq(json_get_text(json_at(q->options, k), "label"), label);
    return own ? label : str_of(key_of(a, "option", i + 1));
}

static struct str option_label(struct arena *a, const struct json *option)
{
    const struct str label = json_get_text(option, "label");
    const struct str more = json_get_text(option, "description");
    struct buf b = buf_make(a, label.n + more.n + 16);
    buf_str(&b, label);
    buf_put(&b, more.n > 0 ? " - " : "");
    buf_str(&b, more);
    return str_runes(buf_text(&b)) <= FORM_LABEL_MAX
               ? buf_text(&b)
               : fit(a, label, FORM_LABEL_MAX);
}

/* Does the form show all of an option? */
static bool option_fits(const struct user_question *q, size_t i)
{
    const struct json *option = json_at(q->options, i);
    const size_t label = str_runes(json_get_text(option, "label"));
    const size_t more = str_runes(json_get_text(option, "description"));
    return i < FORM_OPTIONS_MAX && !json_has(option, "preview") &&
           label + (more > 0 ? more + 3 : 0) <= FORM_LABEL_MAX;
}

static struct json *field(struct arena *a, const char *key, struct str label,
                          const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "key", str_of(key));
    json_set_text(o, "label", label);
    json_set_text(o, "type", str_of(type));
    return o;
}

static struct str field_label(struct arena *a, const struct user_question *q)
{
    struct buf b = buf_make(a, KEY_ROOM);
    if (!q->secret)
        return fit(a, q->text, FORM_LABEL_MAX);
    buf_printf(&b, "Question %zu", q->number);
    return buf_text(&b);
}

static struct json *options_field(struct arena *a,
                                  const struct user_question *q)
{
    struct json *o =
        field(a, key_of(a, "answer", q->number), field_label(a, q),
              q->multi ? "multi" : "enum");
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(q->options) && i < FORM_OPTIONS_MAX;
         i++) {
        struct json *one = json_object(a);
        json_set_text(one, "value", value_of(a, q, i));
        json_set_text(one, "label",
                      option_label(a, json_at(q->options, i)));
        json_add_json(list, one);
    }
    if (q->header.n > 0)
        json_set_text(o, "help", fit(a, q->header, FORM_HELP_MAX));
    json_set_bool(o, "required", q->secret);
    json_set_json(o, "options", list);
    return o;
}

static struct json *other_field(struct arena *a, const struct user *u,
                                const struct user_question *q)
{
    struct buf b = buf_make(a, 64);
    buf_put(&b, "Other");
    if (u->n > 1)
        buf_printf(&b, " (question %zu)", q->number);
    struct json *o =
        field(a, key_of(a, "other", q->number), buf_text(&b), "text");
    json_set_text(o, "help", STR("An answer in your own words."));
    return o;
}

/* ---- the prompt ----------------------------------------------------- */

static void put_option(struct buf *b, const struct json *option)
{
    const struct str more = json_get_text(option, "description");
    const struct str preview = json_get_text(option, "preview");
    buf_put(b, "\n- ");
    buf_str(b, json_get_text(option, "label"));
    buf_put(b, more.n > 0 ? ": " : "");
    buf_str(b, more);
    buf_put(b, preview.n > 0 ? "\n" : "");
    buf_str(b, preview);
}

/* The question with all its words, where the form has not all of them. */
static void put_prompt(struct user *u, const struct user_question *q)
{
    struct buf *b = &u->prompt;
    bool fits = str_runes(q->header) <= FORM_HELP_MAX &&
                str_runes(q->text) <=
                    (u->n > 1 ? FORM_LABEL_MAX : SUSPENSION_QUESTION_MAX) &&
                !(u->n > 1 && q->secret);
    for (size_t i = 0; fits && i < json_count(q->options); i++)
        fits = option_fits(q, i);
    if (fits)
        return;
    buf_put(b, b->n ? "\n\n" : "");
    buf_str(b, q->text);
    if (q->header.n > 0) {
        buf_put(b, "\n");
        buf_str(b, q->header);
    }
    for (size_t i = 0; i < json_count(q->options); i++)
        put_option(b, json_at(q->options, i));
    if (json_count(q->options) > FORM_OPTIONS_MAX)
        buf_printf(b, "\nThe form has the first %d of them.", FORM_OPTIONS_MAX);
}

/* ---- asking --------------------------------------------------------- */

static struct json *native(const struct hooks_call *h, struct user *u)
{
    struct arena *a = u->a;
    struct json *o = json_object(a), *list = json_array(a);
    for (size_t i = 0; i < u->n; i++) {
        json_add_json(list, options_field(a, &u->v[i]));
        if (!u->v[i].secret)
            json_add_json(list, other_field(a, u, &u->v[i]));
        put_prompt(u, &u->v[i]);
    }
    json_set_text(o, "kind", kind_words(KIND_ELICITATION)->wire);
    json_set_text(o, "question",
                  u->n == 1 ? fit(a, u->v[0].text, SUSPENSION_QUESTION_MAX)
                            : STR("The agent has questions."));
    json_set_text(o, "response_type",
                  vocabulary_answer_type(ANSWER_FORM)->wire);
    json_set_text(o, "fallback_policy",
                  vocabulary_fallback_policy(FALLBACK_FAIL)->wire);
    json_set_json(o, "form", list);
    if (u->prompt.n > 0) {
        struct json *subject = json_object(a);
        json_set_text(subject, "prompt", buf_text(&u->prompt));
        json_set_json(o, "subject", subject);
    }
    if (h->session.n > 0) {
        struct json *intent = json_object(a);
        json_set_text(intent, "session_id", h->session);
        json_set_json(o, "intent", intent);
    }
    return o;
}

/* A rule that asks says how grave the question is. The same call is the same
 * question, whatever the rules say by now. */
static const struct err *ask(struct hooks_call *h, struct user *u,
                             const struct tool_rule_verdict *rules,
                             struct suspension *s)
{
    struct call *c = h->c;
    struct json *o = native(h, u);
    const struct str text = json_dump(c->a, o, 4 * REQUEST_BODY_MAX);
    struct work w;
    hooks_once(h, text);
    if (!text.p)
        return suspension_too_large();
    if (rules->effect == TOOL_ASK && rules->matched[0])
        json_set_text(o, "severity",
                      vocabulary_severity(rules->severity)->wire);
    TRY(question_ask(c, &w, text, o));
    if (w.answered) {
        const struct json *before = json_read(c->a, w.before.body);
        return question_get(c, json_get_text(before, "suspension_id"), s);
    }
    TRY(call_commit(c, &w, 201, question_asked(c, &w), false));
    *s = w.suspension;
    return NULL;
}

/* ---- the answer ----------------------------------------------------- */

static void put_words(struct buf *b, struct str words)
{
    if (words.n == 0)
        return;
    buf_put(b, b->n ? ", " : "");
    buf_str(b, words);
}

/* The label of the option with a value. */
static struct str label_of(struct arena *a, const struct user_question *q,
                           struct str value)
{
    for (size_t i = 0; value.n > 0 && i < json_count(q->options); i++)
        if (str_eq(value_of(a, q, i), value))
            return json_get_text(json_at(q->options, i), "label");
    return value;
}

/* The chosen labels and the written words; empty: it was left out. */
static struct str words(struct arena *a, const struct user_question *q,
                        const struct json *response)
{
    const struct json *value =
        json_get(response, key_of(a, "answer", q->number));
    struct buf b = buf_make(a, 2 * REQUEST_BODY_MAX);
    if (!json_is(value, JSON_ARRAY))
        put_words(&b, label_of(a, q, json_text(value)));
    for (size_t i = 0; json_is(value, JSON_ARRAY) && i < json_count(value);
         i++)
        put_words(&b, label_of(a, q, json_text(json_at(value, i))));
    put_words(&b, str_trim(json_get_text(response,
                                         key_of(a, "other", q->number))));
    return buf_text(&b);
}

/* The input of the tool, with the answers by the words of their questions:
 * nothing that was on no page. A form that came back empty is not an
 * answer. */
static void take_answers(struct hooks_call *h, const struct user *u,
                         const struct suspension *s, struct verdict *out)
{
    struct json *input = json_object(u->a), *all = json_object(u->a);
    const struct json *response = json_read(u->a, s->response);
    for (size_t i = 0; i < u->n; i++) {
        const struct str said = words(u->a, &u->v[i], response);
        if (said.n > 0)
            json_set_key(all, u->v[i].text, json_string(u->a, said));
    }
    json_set_json(input, "questions", u->known);
    json_set_json(input, "answers", all);
    const bool any = json_count(all) > 0;
    out->way = any ? VERDICT_ALLOW : VERDICT_DENY;
    h->updated = any ? input : NULL;
    if (!any)
        out->text = STR("The form came back without an answer.");
}

const struct err *hooks_user_ask(struct hooks_call *h, struct suspension *s,
                                 struct verdict *out)
{
    struct tool_rule_verdict rules;
    struct user u;
    TRY(read_user(h, &u));
    TRY(hooks_rules(h, &rules));
    if (rules.effect == TOOL_DENY) {
        *out = hooks_denied(rules.reason);
        return NULL;
    }
    TRY(ask(h, &u, &rules, s));
    *out = verdict_of(h->c->a, s);
    if (out->way == VERDICT_ANSWER)
        take_answers(h, &u, s, out);
    return NULL;
}
