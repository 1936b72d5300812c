/* The labels of the choices of a question. */
#include "domain/label.h"

#include "base/fields.h"
#include "base/text.h"

#define HYPHEN 0x2010 /* the result of NFKC for the non-breaking hyphen */

/* Folded as by text_fold. A label that is exactly one of these words says yes,
 * or no; a longer one is a sentence of the agent, shown after the server's
 * word. */
static const char *const yes_words[] = {
    "y",        "yes",        "yes please", "yep",        "yeah",
    "ok",       "okay",       "sure",       "fine",       "true",
    "approve",  "approved",   "accept",     "accepted",   "agree",
    "agreed",   "allow",      "allowed",    "authorize",  "authorized",
    "authorise", "authorised", "confirm",   "confirmed",  "permit",
    "permitted", "grant",     "granted",    "proceed",    "continue",
    "go",       "go ahead",   "go on",      "do it",      "run",
    "run it",   "execute",    "ja",         "genehmigen", "erlauben",
    "oui",      "approuver",  "accepter",   "s\xC3\xAD",  "si",
    "aprobar",  "aceptar",    "s\xC3\xAC",  "approva",    "accetta",
    "sim",      "aprovar",    "aceitar",
};
static const char *const no_words[] = {
    "n",        "no",         "no thanks",  "nope",       "not now",
    "never",    "false",      "reject",     "rejected",   "refuse",
    "refused",  "deny",       "denied",     "decline",    "declined",
    "disagree", "disallow",   "disapprove", "forbid",     "forbidden",
    "block",    "blocked",    "veto",       "vetoed",     "cancel",
    "cancelled", "canceled",  "abort",      "aborted",    "stop",
    "stop it",  "stop the task", "halt",    "dismiss",    "do not",
    "don't",    "do not do it", "don't do it", "nein",    "ablehnen",
    "abbrechen", "non",       "refuser",    "rejeter",    "annuler",
    "rechazar", "denegar",    "cancelar",   "rifiuta",    "annulla",
    "n\xC3\xA3o", "rejeitar", "recusar",
};

/* ---- display --------------------------------------------------------- */

static struct str folded(struct arena *a, const struct json *choice)
{
    return text_fold(a, json_get_text(choice, "label"));
}

static bool has_effect(const struct json *choices)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        if (effect_of_choice(json_at(choices, i)) != EFFECT_NONE)
            return true;
    }
    return false;
}

/* The first other one of that folded label; the count of choices: none. */
static size_t twin(struct arena *a, const struct json *choices,
                   const struct json *but, struct str label)
{
    const size_t n = json_count(choices);
    for (size_t i = 0; i < n; i++) {
        const struct json *c = json_at(choices, i);
        if (c != but && str_eq(folded(a, c), label))
            return i;
    }
    return n;
}

struct label label_of(struct arena *a, const struct json *choices,
                      const struct json *choice)
{
    const enum effect effect = effect_of_choice(choice);
    const struct str word = str_of(vocabulary_effect(effect)->label);
    const struct str label = folded(a, choice);
    const bool same = word.n > 0 && str_eq(label, text_fold(a, word));
    const bool twice = !has_effect(choices) &&
                       twin(a, choices, choice, label) < json_count(choices);
    return (struct label){
        .word = word,
        .label = same ? STR_NONE : json_get_text(choice, "label"),
        .value = twice ? json_get_text(choice, "value") : STR_NONE};
}

struct str label_line(struct arena *a, const struct json *choice)
{
    const struct label l = label_of(a, NULL, choice);
    struct buf b = buf_make(a, l.word.n + l.label.n + 4);
    if (!choice)
        return STR_NONE;
    buf_str(&b, l.word);
    buf_put(&b, l.word.n && l.label.p ? ": " : "");
    buf_str(&b, l.label);
    return buf_text(&b);
}

/* ---- checks when it is asked ----------------------------------------- */

/* Does a hyphen join two words, as in "no-op"? next: what follows it. */
static bool joins(struct str s, uint32_t rune, size_t next)
{
    return (rune == '-' || rune == HYPHEN) && next < s.n &&
           text_wordy(str_rune(s, &next));
}

/* The words before the first sign of punctuation, without signs before
 * them: "no" of "(No) - stop". */
static struct str opening(struct arena *a, struct str label)
{
    const struct str s = text_fold(a, label);
    size_t from = s.n, to = s.n;
    for (size_t at = 0; at < s.n && to == s.n;) {
        const size_t here = at;
        const uint32_t rune = str_rune(s, &at);
        const bool wordy = text_wordy(rune);
        if (wordy && from == s.n)
            from = here;
        if (!wordy && rune != ' ' && from < s.n && !joins(s, rune, at))
            to = here;
    }
    return str_trim(str_sub(s, from, to));
}

static bool is_one_of(const char *const *words, size_t n, struct str s)
{
    for (size_t i = 0; i < n; i++) {
        if (str_is(s, words[i]))
            return true;
    }
    return false;
}

static bool is_opposite(struct arena *a, const struct json *choice)
{
    const enum effect_class class = effect_class(effect_of_choice(choice));
    const struct str said = opening(a, json_get_text(choice, "label"));
    return (class == EFFECT_YES &&
            is_one_of(no_words, countof(no_words), said)) ||
           (class == EFFECT_NO &&
            is_one_of(yes_words, countof(yes_words), said));
}

static const struct err *check_one(struct arena *a, const struct json *choices,
                                   size_t i)
{
    const struct json *c = json_at(choices, i);
    const struct str at =
        fields_path(a, fields_element(a, STR("choices"), i), "label");
    const char *word = vocabulary_effect(effect_of_choice(c))->label;
    if (twin(a, choices, c, folded(a, c)) < i)
        return err_at(a, ERR_INVALID, "choice.label_equal", at,
                      "Two choices have labels that look the same. Each needs "
                      "a label of its own.");
    if (is_opposite(a, c))
        return err_at(a, ERR_INVALID, "choice.label_opposite", at,
                      "The label says the opposite of the choice's effect "
                      "(%s). Use a label that names the action, as in \"Cancel "
                      "order 1234\".",
                      word);
    return NULL;
}

const struct err *label_check(struct arena *a, const struct json *choices)
{
    for (size_t i = 0; has_effect(choices) && i < json_count(choices); i++)
        TRY(check_one(a, choices, i));
    return NULL;
}
