/* The question tool of Claude Code, AskUserQuestion: its questions become one
 * form, and the answers go back as the input of the tool.
 *
 * A question is a field with its options, and a field for words of one's own.
 * A form is short where the client is not: what does not fit into it stands
 * whole in the prompt above it. */
#include "domain/kind/form.h"
#include "domain/question/suspension_read.h"
#include "doors/asking/question.h"
#include "doors/hooks/hooks.h"

#define QUESTIONS_MAX 20

/* p NULL: absent. */
struct user_option {
    struct str label, description, preview;
    struct str value; /* in the form: the label, unless that is too long or
                       * another option has it; p NULL: it is not there */
};

/* One question of the tool, as it was read. */
struct user_question {
    size_t number; /* from 1 */
    struct str text, header;
    struct user_option *options;
    size_t n;
    bool multi;
    bool secret; /* its words could ask for one: nothing can be typed */
};

struct user {
    struct arena *a;
    struct user_question v[QUESTIONS_MAX];
    size_t n;
    struct json *shown; /* the questions, with the members that are shown */
    struct buf prompt;  /* what does not fit into the form */
};

bool hooks_is_user_question(const struct hooks_call *h)
{
    return str_is(h->tool, "AskUserQuestion") && !h->bare &&
           (h->form == HOOKS_PRE_TOOL || h->form == HOOKS_PERMISSION ||
            h->form == HOOKS_PROMPT);
}

/* ---- reading -------------------------------------------------------- */

/* A copy with the members of these names alone, each a text. */
static struct json *user_texts(struct arena *a, const struct json *v,
                               const char *const *names, size_t n)
{
    struct json *o = json_object(a);
    for (size_t i = 0; i < n; i++)
        if (json_is(json_get(v, names[i]), JSON_STRING))
            json_set_json(o, names[i], json_get(v, names[i]));
    return o;
}

/* The key of a field; the value of an option that has no other. */
static const char *user_key(struct arena *a, const char *name, size_t number)
{
    return arena_z(a, arena_join(a, str_of(name), STR("_"),
                                 arena_number(a, (int64_t)number)));
}

/* Reads the options; NULL: they are none that a person could choose. */
static struct json *user_read_options(struct arena *a, const struct json *sent,
                                      struct user_question *q)
{
    static const char *const names[] = {"label", "description", "preview"};
    struct json *list = json_array(a);
    q->options = arena_many(a, json_count(sent) + 1, struct user_option);
    for (q->n = 0; q->n < json_count(sent); q->n++) {
        struct json *v =
            user_texts(a, json_at(sent, q->n), names, countof(names));
        struct user_option *o = &q->options[q->n];
        o->label = json_get_text(v, "label");
        o->description = json_get_text(v, "description");
        o->preview = json_get_text(v, "preview");
        if (o->label.n == 0)
            return NULL;
        if (q->n < FORM_OPTIONS_MAX) {
            bool own = str_runes(o->label) <= FORM_LABEL_MAX;
            for (size_t k = 0; own && k < q->n; k++)
                own = !str_eq(q->options[k].label, o->label);
            o->value =
                own ? o->label : str_of(user_key(a, "option", q->n + 1));
        }
        json_add_json(list, v);
    }
    return json_is(sent, JSON_ARRAY) && q->n > 0 ? list : NULL;
}

/* Would a form with this label ask for a secret? */
static bool user_asks_secret(struct arena *a, struct str label)
{
    struct json *list = json_array(a), *one = json_object(a);
    json_set_text(one, "key", STR(""));
    json_set_text(one, "label", label);
    json_add_json(list, one);
    return kind_check_form(a, list) != NULL;
}

/* false: it is not a question, or it has the words of another, so that their
 * answers could not be distinguished. */
static bool user_read_question(struct user *u, const struct json *sent)
{
    static const char *const names[] = {"question", "header"};
    struct json *known = user_texts(u->a, sent, names, countof(names));
    struct user_question q = {.number = u->n + 1,
                              .text = json_get_text(known, "question"),
                              .header = json_get_text(known, "header")};
    struct json *options =
        user_read_options(u->a, json_get(sent, "options"), &q);
    const struct json *multi = json_get(sent, "multiSelect");
    if (!options || str_trim(q.text).n == 0)
        return false;
    for (size_t i = 0; i < u->n; i++) {
        if (str_eq(u->v[i].text, q.text))
            return false;
    }
    if (json_is(multi, JSON_BOOL))
        json_set_json(known, "multiSelect", multi);
    json_set_json(known, "options", options);
    json_add_json(u->shown, known);
    q.multi = json_bool(multi);
    q.secret = user_asks_secret(u->a, q.text);
    u->v[u->n++] = q;
    return true;
}

static const struct err *user_read(const struct hooks_call *h, struct user *u)
{
    const struct json *list =
        json_get(json_read(h->c->a, h->input), "questions");
    const size_t n = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    bool fine = n > 0 && n <= QUESTIONS_MAX;
    *u = (struct user){.a = h->c->a,
                       .shown = json_array(h->c->a),
                       .prompt = buf_make(h->c->a, 2 * REQUEST_BODY_MAX)};
    for (size_t i = 0; fine && i < n; i++)
        fine = user_read_question(u, json_at(list, i));
    return fine ? NULL
                : err_at(h->c->a, ERR_INVALID, "field.value",
                         STR("tool_input"),
                         "AskUserQuestion needs 1 to %d different questions "
                         "with options.",
                         QUESTIONS_MAX);
}

/* ---- the form ------------------------------------------------------- */

/* The text, or its head where it is too long. */
static struct str user_fit(struct arena *a, struct str text, size_t max)
{
    if (str_runes(text) <= max)
        return text;
    return arena_join(a, str_head(text, max - 1), STR("\xE2\x80\xA6"));
}

static struct json *user_field(struct arena *a, const char *key,
                               struct str label, const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "key", str_of(key));
    json_set_text(o, "label", label);
    json_set_text(o, "type", str_of(type));
    return o;
}

static struct json *user_options_field(struct arena *a,
                                       const struct user_question *q)
{
    const struct str label =
        q->secret ? arena_join(a, STR("Question "),
                               arena_number(a, (int64_t)q->number))
                  : user_fit(a, q->text, FORM_LABEL_MAX);
    struct json *o = user_field(a, user_key(a, "answer", q->number), label,
                                q->multi ? "multi" : "enum");
    struct json *list = json_array(a);
    for (size_t i = 0; i < q->n && i < FORM_OPTIONS_MAX; i++) {
        const struct user_option *option = &q->options[i];
        const struct str all =
            option->description.n > 0
                ? arena_join(a, option->label, STR(" - "), option->description)
                : option->label;
        struct json *one = json_object(a);
        json_set_text(one, "value", option->value);
        json_set_text(one, "label",
                      str_runes(all) <= FORM_LABEL_MAX
                          ? all
                          : user_fit(a, option->label, FORM_LABEL_MAX));
        json_add_json(list, one);
    }
    if (q->header.n > 0)
        json_set_text(o, "help", user_fit(a, q->header, FORM_HELP_MAX));
    json_set_bool(o, "required", q->secret);
    json_set_json(o, "options", list);
    return o;
}

static struct json *user_other_field(struct arena *a, const struct user *u,
                                     const struct user_question *q)
{
    const struct str label =
        u->n > 1 ? arena_join(a, STR("Other (question "),
                              arena_number(a, (int64_t)q->number), STR(")"))
                 : STR("Other");
    struct json *o =
        user_field(a, user_key(a, "other", q->number), label, "text");
    json_set_text(o, "help", STR("An answer in your own words."));
    return o;
}

/* ---- the prompt ----------------------------------------------------- */

/* The question with all its words, where the form has not all of them. */
static void user_put_prompt(struct user *u, const struct user_question *q)
{
    struct buf *b = &u->prompt;
    bool fits = str_runes(q->header) <= FORM_HELP_MAX &&
                str_runes(q->text) <=
                    (u->n > 1 ? FORM_LABEL_MAX : SUSPENSION_QUESTION_MAX) &&
                !(u->n > 1 && q->secret);
    for (size_t i = 0; fits && i < q->n; i++) {
        const struct user_option *option = &q->options[i];
        const size_t more = str_runes(option->description);
        fits = i < FORM_OPTIONS_MAX && !option->preview.p &&
               str_runes(option->label) + (more > 0 ? more + 3 : 0) <=
                   FORM_LABEL_MAX;
    }
    if (fits)
        return;
    buf_put(b, b->n ? "\n\n" : "");
    buf_str(b, q->text);
    if (q->header.n > 0) {
        buf_put(b, "\n");
        buf_str(b, q->header);
    }
    for (size_t i = 0; i < q->n; i++) {
        const struct user_option *option = &q->options[i];
        buf_put(b, "\n- ");
        buf_str(b, option->label);
        buf_put(b, option->description.n > 0 ? ": " : "");
        buf_str(b, option->description);
        buf_put(b, option->preview.n > 0 ? "\n" : "");
        buf_str(b, option->preview);
    }
    if (q->n > FORM_OPTIONS_MAX)
        buf_printf(b, "\nThe form has the first %d of them.", FORM_OPTIONS_MAX);
}

/* ---- asking --------------------------------------------------------- */

/* Asks all of them in one form. A rule that asks says how grave the question
 * is. The same call is the same question, whatever the rules say by now. */
static const struct err *user_ask(struct hooks_call *h, struct user *u,
                                  const struct tool_rule_verdict *rules,
                                  struct suspension *out)
{
    struct arena *a = u->a;
    struct json *form = json_array(a), *subject = json_object(a);
    for (size_t i = 0; i < u->n; i++) {
        json_add_json(form, user_options_field(a, &u->v[i]));
        if (!u->v[i].secret)
            json_add_json(form, user_other_field(a, u, &u->v[i]));
        user_put_prompt(u, &u->v[i]);
    }
    if (u->prompt.n > 0)
        json_set_text(subject, "prompt", buf_text(&u->prompt));
    struct question q = {
        .intent.session_id = h->session.n > 0 ? h->session : STR_NONE,
        .suspension = {
            .kind = KIND_ELICITATION,
            .question =
                u->n == 1 ? user_fit(a, u->v[0].text, SUSPENSION_QUESTION_MAX)
                          : STR("The agent has questions."),
            .subject = json_dump(a, subject, 4 * REQUEST_BODY_MAX)}};
    hooks_once(h, json_dump(a, u->shown, 8 * REQUEST_BODY_MAX));
    if (!q.suspension.subject.p)
        return suspension_too_large();
    if (rules->effect == TOOL_ASK && rules->matched[0])
        q.suspension.severity = q.suspension.severity_said = rules->severity;
    TRY(suspension_compose(a, NULL, form, &q.suspension));
    return question_ask_once(h->c, &q, out);
}

/* ---- the answer ----------------------------------------------------- */

static void user_put_words(struct buf *b, struct str words)
{
    if (words.n == 0)
        return;
    buf_put(b, b->n ? ", " : "");
    buf_str(b, words);
}

/* The label of the option with a value. */
static struct str user_option_label(const struct user_question *q,
                                    struct str value)
{
    for (size_t i = 0; value.n > 0 && i < q->n; i++)
        if (str_eq(q->options[i].value, value))
            return q->options[i].label;
    return value;
}

/* The chosen labels and the written words; empty: it was left out. */
static struct str user_answer(struct arena *a, const struct user_question *q,
                              const struct json *response)
{
    const struct json *value =
        json_get(response, user_key(a, "answer", q->number));
    struct buf b = buf_make(a, 2 * REQUEST_BODY_MAX);
    if (!json_is(value, JSON_ARRAY))
        user_put_words(&b, user_option_label(q, json_text(value)));
    for (size_t i = 0; json_is(value, JSON_ARRAY) && i < json_count(value);
         i++)
        user_put_words(&b, user_option_label(q, json_text(json_at(value, i))));
    user_put_words(&b, str_trim(json_get_text(
                           response, user_key(a, "other", q->number))));
    return buf_text(&b);
}

/* The input of the tool, with the answers by the words of their questions:
 * nothing that was on no page. A form that came back empty is not an
 * answer. */
static void user_take_answers(struct hooks_call *h, const struct user *u,
                              const struct suspension *s, struct verdict *out)
{
    struct json *input = json_object(u->a), *all = json_object(u->a);
    const struct json *response = json_read(u->a, s->response);
    for (size_t i = 0; i < u->n; i++) {
        const struct str answer = user_answer(u->a, &u->v[i], response);
        if (answer.n > 0)
            json_set_key(all, u->v[i].text, json_string(u->a, answer));
    }
    json_set_json(input, "questions", u->shown);
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
    TRY(user_read(h, &u));
    TRY(hooks_rules(h, &rules));
    if (rules.effect == TOOL_DENY)
        return hooks_deny(h, rules.reason, out);
    TRY(user_ask(h, &u, &rules, s));
    *out = verdict_of(h->c->a, s);
    if (out->way == VERDICT_ANSWER)
        user_take_answers(h, &u, s, out);
    return NULL;
}
