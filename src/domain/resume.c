/* Reading an action of the tool-call door as an answer. */
#include "domain/resume.h"

static const struct resume_action {
    const char *word;
    enum effect effect;
    enum kind kind; /* KIND__MAX: of any */
} actions[] = {{"approve", EFFECT_AUTHORIZE, KIND__MAX},
               {"reject", EFFECT_VETO, KIND__MAX},
               {"complete", EFFECT_ANSWER, KIND_CREDENTIAL_NEEDED},
               {"accept", EFFECT_ACCEPT, KIND__MAX},
               {"decline", EFFECT_DECLINE, KIND__MAX}};
static const char answer_word[] = "answer";

/* The only choice with that effect, or NULL. */
static const struct json *only(const struct json *choices, enum effect effect)
{
    const struct json *found = NULL;
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        if (effect_of_choice(c) != effect)
            continue;
        if (found)
            return NULL;
        found = c;
    }
    return found;
}

static const struct json *by_action(const struct json *choices,
                                    const struct suspension *s,
                                    const struct resume_action *action)
{
    return action->kind == KIND__MAX || action->kind == s->kind
               ? only(choices, action->effect)
               : NULL;
}

static const struct json *choice_in(const struct json *choices,
                                    const struct suspension *s,
                                    struct str action)
{
    const struct json *found = suspension_choice(choices, action);
    for (size_t i = 0; i < countof(actions) && !found; i++) {
        if (str_is(action, actions[i].word))
            found = by_action(choices, s, &actions[i]);
    }
    return found;
}

const struct json *resume_choice(struct arena *a, const struct suspension *s,
                                 struct str action)
{
    return choice_in(suspension_choices(a, s), s, action);
}

/* May the value itself be the answer? Not where a choice says what is allowed,
 * and not where a credential is to be set up. */
static bool takes_answer(const struct json *choices,
                         const struct suspension *s)
{
    bool plain = s->kind != KIND_CREDENTIAL_NEEDED;
    for (size_t i = 0; i < json_count(choices); i++)
        plain = plain && effect_class(effect_of_choice(
                             json_at(choices, i))) != EFFECT_YES;
    return plain;
}

static void add_once(struct json *list, struct str word)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (str_eq(json_text(json_at(list, i)), word))
            return;
    }
    json_add_text(list, word);
}

static const struct err *wrong(struct arena *a, const struct suspension *s,
                               const struct json *choices)
{
    struct json *more = json_object(a), *list = json_array(a);
    for (size_t i = 0; i < countof(actions); i++) {
        if (by_action(choices, s, &actions[i]))
            add_once(list, str_of(actions[i].word));
    }
    if (takes_answer(choices, s))
        add_once(list, str_of(answer_word));
    for (size_t i = 0; i < json_count(choices); i++)
        add_once(list, json_get_text(json_at(choices, i), "value"));
    json_set_json(more, "valid_actions", list);
    return err_more(a,
                    err_at(a, ERR_INVALID, "resume.action", STR("action"),
                           "This question does not take that action."),
                    more);
}

const struct err *resume_read(struct arena *a, const struct suspension *s,
                              struct str action, const struct json *value,
                              struct answer *out)
{
    const struct json *choices = suspension_choices(a, s);
    const struct json *choice = choice_in(choices, s, action);
    const bool by_value =
        !choice && str_is(action, answer_word) && takes_answer(choices, s);
    if (!choice && !by_value)
        return wrong(a, s, choices);
    if (by_value != (value != NULL))
        return err_at(a, ERR_INVALID, "resume.value", STR("value"),
                      by_value ? "The action \"answer\" needs a value."
                               : "This action takes no value.");
    out->value = value;
    if (!choice)
        return NULL;
    const struct str word = json_get_text(choice, "value");
    if (s->response_type == ANSWER_TEXT || s->response_type == ANSWER_FORM)
        out->choice = word;
    else
        out->value = json_string(a, word);
    return NULL;
}
