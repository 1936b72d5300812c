/* The seven kinds of question: the choices on offer, and which fields a form
 * may have.
 *
 * A part of kind.h. Merges a kind's row and the agent's own choices; the effect
 * of a choice comes from the row. */
#include "base/json/fields.h"
#include "domain/kind/kind.h"

static bool kind_has(unsigned effects, enum effect e)
{
    return (effects & KIND_BIT(e)) != 0;
}

static void kind_set_effect(struct json *choice, enum effect e)
{
    json_set_text(choice, "effect", vocabulary_effect(e)->wire);
}

static void kind_set_reason(struct json *choice, enum reason_need need)
{
    json_set_text(choice, "reason", vocabulary_reason_need(need)->wire);
}

/* ---- rows ----------------------------------------------------------- */

static bool kind_offered(const struct kind_choice *row,
                         const struct kind_ask *ask)
{
    const struct json *limits = json_get(ask->subject, "constraints");
    const struct json *duration = json_get(ask->subject, "duration");
    switch (row->offer) {
    case KIND_IF_EDIT:
        return ask->allow_edit;
    case KIND_IF_LIMITS:
        return json_count(limits) > 0;
    case KIND_IF_SECONDS:
        return json_get(duration, "seconds") &&
               !str_is(json_get_text(duration, "kind"), "once");
    case KIND_ALWAYS:
    default:
        return true;
    }
}

static enum reason_need kind_reason_of(const struct kind_choice *row,
                                       const struct kind_ask *ask)
{
    if (row->reason != REASON_REQUIRED_HIGH)
        return row->reason;
    return ask->severity >= SEVERITY_HIGH ? REASON_REQUIRED : REASON_OPTIONAL;
}

static void kind_set_takes(struct json *choice, const struct kind_choice *row)
{
    if (row->takes != TAKES_NOTHING)
        json_set_text(choice, "takes", vocabulary_takes(row->takes)->wire);
}

static struct json *kind_choice_of(struct arena *a,
                                   const struct kind_choice *row,
                                   const struct kind_ask *ask)
{
    struct json *c = json_object(a);
    json_set_text(c, "value", str_of(row->value));
    json_set_text(c, "label", str_of(row->label));
    json_set_text(c, "style", str_of(row->style));
    kind_set_effect(c, row->effect);
    kind_set_reason(c, kind_reason_of(row, ask));
    kind_set_takes(c, row);
    return c;
}

/* The kind's plain row for an effect, inherited by the agent's own choice of
 * that effect. */
static const struct kind_choice *kind_row_of(const struct kind_rule *rule,
                                             enum effect effect)
{
    for (size_t i = 0; i < rule->choices_n; i++) {
        const struct kind_choice *row = &rule->choices[i];
        if (row->offer == KIND_ALWAYS && row->effect == effect)
            return row;
    }
    return NULL;
}

static const struct err *kind_choices_add(struct arena *a, struct json *list,
                                          const struct json *choice)
{
    const struct str value = json_get_text(choice, "value");
    for (size_t i = 0; i < json_count(list); i++) {
        if (str_eq(json_get_text(json_at(list, i), "value"), value))
            return err_at(a, ERR_INVALID, "kind.choices", STR("choices"),
                          "The value \"%.*s\" is reserved for the kind.",
                          STR_FMT(value));
    }
    json_add_json(list, choice);
    return NULL;
}

/* ---- the agent's own ------------------------------------------------ */

/* The effects that a confirm's "yes" or "no" may not have. */
static unsigned kind_opposite(struct str value)
{
    return str_is(value, "yes")  ? KIND_BIT(EFFECT_VETO) |
                                      KIND_BIT(EFFECT_STOP_TASK) |
                                      KIND_BIT(EFFECT_DECLINE)
           : str_is(value, "no") ? KIND_BIT(EFFECT_AUTHORIZE) |
                                       KIND_BIT(EFFECT_ACCEPT)
                                 : 0;
}

/* A choice with the agent's label and the kind's rules. */
static const struct err *kind_add_own(struct arena *a,
                                      const struct kind_ask *ask,
                                      const struct json *own, size_t i,
                                      struct json *list)
{
    const struct kind_rule *rule = kind_rule(ask->kind);
    struct json *c = json_copy(a, json_at(own, i));
    enum effect effect = effect_of_choice(c);
    if (effect == EFFECT_NONE && ask->kind == KIND_ELICITATION) {
        effect = EFFECT_ANSWER;
        kind_set_effect(c, effect);
    }
    if (ask->response_type == ANSWER_CONFIRM &&
        kind_has(kind_opposite(json_get_text(c, "value")), effect))
        return err_at(a, ERR_INVALID, "kind.effect",
                      fields_path(a, fields_element(a, STR("choices"), i),
                                  "effect"),
                      "A choice \"yes\" may not say no, and a choice \"no\" "
                      "may not say yes.");
    if (!kind_has(rule->effects, effect))
        return err_at(
            a, ERR_INVALID, "kind.effect",
            fields_path(a, fields_element(a, STR("choices"), i), "effect"),
            "A choice of the kind %s has to have one of the effects "
            "%s.",
            rule->words.wire.p,
            vocabulary_list(a, &vocabulary_effect_all, rule->effects));
    const struct kind_choice *row = kind_row_of(rule, effect);
    if (row && (kind_reason_of(row, ask) == REASON_REQUIRED ||
                !json_has(c, "reason")))
        kind_set_reason(c, kind_reason_of(row, ask));
    if (row)
        kind_set_takes(c, row);
    return kind_choices_add(a, list, c);
}

static bool kind_any(const struct json *list, unsigned effects)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (kind_has(effects, effect_of_choice(json_at(list, i))))
            return true;
    }
    return false;
}

static const struct err *kind_put_own(struct arena *a,
                                      const struct kind_ask *ask,
                                      const struct json *own,
                                      struct json *list)
{
    const struct kind_rule *rule = kind_rule(ask->kind);
    for (size_t i = 0; i < json_count(own); i++)
        TRY(kind_add_own(a, ask, own, i, list));
    for (size_t i = 0; i < rule->choices_n; i++) {
        const struct kind_choice *row = &rule->choices[i];
        const bool way_out = ask->kind == KIND_ELICITATION &&
                             row->effect == EFFECT_DECLINE &&
                             !kind_any(list, KIND_BIT(EFFECT_DECLINE));
        /* An additional yes: edits, or tighter limits. */
        const bool extra = row->effect == EFFECT_AUTHORIZE_MODIFIED;
        if ((extra && kind_offered(row, ask)) || way_out)
            TRY(kind_choices_add(a, list, kind_choice_of(a, row, ask)));
    }
    const bool yes = kind_any(list, rule->yes), no = kind_any(list, rule->no);
    if (yes && no)
        return NULL;
    return err_at(a, ERR_INVALID, "kind.choices", STR("choices"),
                  "A question of the kind %s needs a choice that says %s "
                  "(%s).",
                  rule->words.wire.p, yes ? "no" : "yes",
                  vocabulary_list(a, &vocabulary_effect_all,
                                  yes ? rule->no : rule->yes));
}

/* ---- the kind's own ------------------------------------------------- */

static const struct err *
kind_put_rows(struct arena *a, const struct kind_ask *ask, struct json *list)
{
    const struct kind_rule *rule = kind_rule(ask->kind);
    const bool confirm = ask->response_type == ANSWER_CONFIRM;
    for (size_t i = 0; i < rule->choices_n; i++) {
        const struct kind_choice *row = &rule->choices[i];
        if (!kind_offered(row, ask))
            continue;
        struct json *c = kind_choice_of(a, row, ask);
        /* A confirm is answered with these two words, whatever their
         * effects. */
        if (confirm && kind_has(rule->yes, row->effect))
            json_set_text(c, "value", STR("yes"));
        else if (confirm && kind_has(rule->no, row->effect))
            json_set_text(c, "value", STR("no"));
        TRY(kind_choices_add(a, list, c));
    }
    return NULL;
}

const struct err *kind_choices(struct arena *a, const struct kind_ask *ask,
                               const struct json *own, struct json **out)
{
    static const struct kind_choice no_and_yes[] = {
        {.value = "no",
         .label = "No",
         .style = "default",
         .effect = EFFECT_ANSWER,
         .reason = REASON_OPTIONAL},
        {.value = "yes",
         .label = "Yes",
         .style = "primary",
         .effect = EFFECT_ANSWER,
         .reason = REASON_OPTIONAL}};
    struct json *answers = json_array(a);
    *out = json_array(a);
    if (json_count(own) > 0)
        return kind_put_own(a, ask, own, *out);
    if (ask->kind != KIND_ELICITATION || ask->response_type != ANSWER_CONFIRM)
        return kind_put_rows(a, ask, *out);
    for (size_t i = 0; i < countof(no_and_yes); i++) /* both are answers */
        json_add_json(answers, kind_choice_of(a, &no_and_yes[i], ask));
    return kind_put_own(a, ask, answers, *out);
}

/* ---- forms ---------------------------------------------------------- */

const struct err *kind_check_form(struct arena *a, const struct json *form)
{
    static const char *const secrets[] = {"password",    "passwd", "secret",
                                          "api_key",     "apikey", "api key",
                                          "private key", "private_key",
                                          "passphrase",  "credential",
                                          "access_token", "access token"};
    for (size_t i = 0; i < json_count(form); i++) {
        const struct str key = json_get_text(json_at(form, i), "key");
        const struct str label = json_get_text(json_at(form, i), "label");
        for (size_t k = 0; k < countof(secrets); k++) {
            const struct str word = str_of(secrets[k]);
            if (str_search_nocase(key, word) < key.n ||
                str_search_nocase(label, word) < label.n)
                return err_at(a, ERR_INVALID, "kind.secret",
                              fields_element(a, STR("form"), i),
                              "A question may not ask for a secret. Use the "
                              "kind credential_needed instead.");
        }
    }
    return NULL;
}
