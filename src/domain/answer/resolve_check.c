/* Is an answer acceptable for its question? Choices, text, forms, reasons.
 * Pure. */
#include "domain/answer/resolve.h"
#include "domain/kind/effect.h"
#include "domain/kind/form.h"
#include "domain/question/meant.h"

const char resolve_reason_too_long[] = "reason.too_long";
const char resolve_invalid_choice[] = "response.invalid_choice";
const char resolve_empty[] = "response.empty";
const char resolve_too_long[] = "response.too_long";
const char resolve_unused[] = "response.unused";

/* ---- choices --------------------------------------------------------- */

static const struct err *resolve_no_choice(struct arena *a,
                                           const struct json *choices)
{
    struct json *valid = json_array(a);
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        struct json *v = json_object(a);
        json_set_json(v, "value", json_get(c, "value"));
        json_set_json(v, "label", json_get(c, "label"));
        if (json_has(c, "description"))
            json_set_json(v, "description", json_get(c, "description"));
        json_add_json(valid, v);
    }
    struct json *more = json_object(a);
    json_set_text(more, "error", STR("invalid_choice"));
    json_set_json(more, "valid_choices", valid);
    return err_more(a,
                    ERROR(ERR_INVALID, resolve_invalid_choice,
                          "The value has to be one of valid_choices."),
                    more);
}

static const struct json *resolve_chosen(struct arena *a,
                                         const struct suspension *s,
                                         const struct json *choices,
                                         struct str text, bool pressed)
{
    return pressed ? suspension_choice(choices, text)
                   : meant_choice(a, s, choices, text, MEANT_VALUE);
}

static const struct err *resolve_check_choice(struct arena *a,
                                              const struct suspension *s,
                                              const struct answer *answer,
                                              const struct json **choice)
{
    const struct json *choices = suspension_choices(a, s);
    const struct json *v = answer->value;
    const bool sized = json_is(v, JSON_STRING) || json_is(v, JSON_ARRAY) ||
                       json_is(v, JSON_OBJECT);
    /* A question without choices accepts any value (RFC-0025). */
    if (json_count(choices) == 0)
        return v && (!sized || json_text(v).n + json_count(v) > 0)
                   ? NULL
                   : ERROR(ERR_INVALID, resolve_empty,
                           "A non-empty value is needed.");
    if (json_is(answer->value, JSON_STRING))
        *choice = resolve_chosen(a, s, choices, json_text(answer->value),
                                 answer->pressed);
    return *choice ? NULL : resolve_no_choice(a, choices);
}

/* Two answers in one body would leave it to the server which one was meant. */
static const struct err *resolve_not_used(struct arena *a, const char *at,
                                          const char *say)
{
    return err_at(a, ERR_INVALID, resolve_unused, str_of(at), "%s", say);
}

/* A kind's alternative to the text or the form: a decline. An answer without a
 * choice is a submission. */
static const struct err *resolve_find_way(struct arena *a,
                                          const struct suspension *s,
                                          const struct answer *answer,
                                          const struct json **choice)
{
    const struct json *choices = suspension_choices(a, s);
    for (size_t i = 0; !answer->choice.p && i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        if (!*choice && effect_of_choice(c) == EFFECT_ANSWER)
            *choice = c;
    }
    if (answer->choice.p)
        *choice =
            resolve_chosen(a, s, choices, answer->choice, answer->pressed);
    return !answer->choice.p || *choice ? NULL : resolve_no_choice(a, choices);
}

/* ---- forms and reasons ----------------------------------------------- */

static const struct err *resolve_check_form(struct arena *a,
                                            const struct suspension *s,
                                            const struct answer *answer)
{
    struct json *form = NULL, *errors = NULL;
    if (!answer->value)
        return ERROR(ERR_INVALID, resolve_empty, "A value is needed.");
    if (!s->form.p)
        return NULL; /* passed on as it is (RFC-0025) */
    TRY(json_parse(a, s->form, &form));
    return form_check(a, form, answer->value, &errors);
}

static const struct err *resolve_check_reason(struct arena *a,
                                              const struct json *choice,
                                              const struct answer *answer)
{
    if (answer->reason.p && str_runes(answer->reason) > SUSPENSION_REASON_MAX)
        return err_at(a, ERR_INVALID, resolve_reason_too_long, STR("reason"),
                      "A reason may have at most %d characters.",
                      SUSPENSION_REASON_MAX);
    if (effect_reason(choice) == REASON_REQUIRED &&
        str_trim(answer->reason).n == 0)
        return err_at(a, ERR_INVALID, resolve_reason_missing, STR("reason"),
                      "This answer needs a reason. The agent will read it.");
    return NULL;
}

const struct err *resolve_check(struct arena *a, const struct suspension *s,
                                const struct answer *answer,
                                const struct json **choice)
{
    *choice = NULL;
    if (suspension_worded(s))
        TRY(resolve_find_way(a, s, answer, choice));
    else if (answer->choice.p)
        return resolve_not_used(a, "choice",
                                "This question takes only a \"value\".");
    if (effect_of_choice(*choice) == EFFECT_DECLINE)
        return answer->value
                   ? resolve_not_used(a, "value",
                                      "A decline does not take a value.")
                   : resolve_check_reason(a, *choice, answer);
    switch (s->response_type) {
    case ANSWER_CHOICE:
    case ANSWER_CONFIRM:
        TRY(resolve_check_choice(a, s, answer, choice));
        break;
    case ANSWER_TEXT:
        if (json_text(answer->value).n == 0)
            return ERROR(ERR_INVALID, resolve_empty,
                         "The answer has to be text that is not empty.");
        if (str_runes(json_text(answer->value)) > FORM_TEXT_MAX)
            return ERROR(ERR_INVALID, resolve_too_long,
                         "The answer may have at most 20000 characters.");
        break;
    case ANSWER_FORM:
        TRY(resolve_check_form(a, s, answer));
        break;
    case ANSWER_TYPE__MAX:
    default:
        return ERROR(ERR_INTERNAL, "internal", "The response type is unknown.");
    }
    return resolve_check_reason(a, *choice, answer);
}
