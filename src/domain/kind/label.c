/* The words that people answer with, and the labels of the choices of a
 * question. */
#include "domain/kind/label.h"

#include "base/json/fields.h"
#include "base/text.h"

/* ---- words ------------------------------------------------------------ */

#define TEXT_MAX 4096 /* bytes; a longer text is not a word */
#define HYPHEN 0x2010 /* the result of NFKC for the non-breaking hyphen */

static const struct label_word words[] = {
#define YES(text) {text, EFFECT_YES, EFFECT_NONE}
#define NO(text) {text, EFFECT_NO, EFFECT_NONE}
#define REFUSAL(text) {text, EFFECT_NO, EFFECT__MAX}
    {"approve", EFFECT_YES, EFFECT_AUTHORIZE},
    {"reject", EFFECT_NO, EFFECT_VETO},
    {"accept", EFFECT_YES, EFFECT_ACCEPT},
    {"decline", EFFECT_NO, EFFECT_DECLINE},
    {"complete", EFFECT_NEUTRAL, EFFECT_ANSWER},
    YES("y"), YES("yes"), YES("yes please"), YES("yep"), YES("yeah"),
    YES("ok"), YES("okay"), YES("sure"), YES("fine"), YES("true"),
    YES("approved"), YES("accepted"), YES("agree"), YES("agreed"),
    YES("allow"), YES("allowed"), YES("authorize"), YES("authorized"),
    YES("authorise"), YES("authorised"), YES("confirm"), YES("confirmed"),
    YES("permit"), YES("permitted"), YES("grant"), YES("granted"),
    YES("proceed"), YES("continue"), YES("go"), YES("go ahead"), YES("go on"),
    YES("do it"), YES("run"), YES("run it"), YES("execute"), YES("ja"),
    YES("genehmigen"), YES("erlauben"), YES("oui"), YES("approuver"),
    YES("accepter"), YES("s\xC3\xAD"), YES("si"), YES("aprobar"),
    YES("aceptar"), YES("s\xC3\xAC"), YES("approva"), YES("accetta"),
    YES("sim"), YES("aprovar"), YES("aceitar"),
    REFUSAL("no"), REFUSAL("no thanks"), REFUSAL("nope"), REFUSAL("rejected"),
    REFUSAL("refuse"), REFUSAL("refused"), REFUSAL("deny"), REFUSAL("denied"),
    REFUSAL("declined"), REFUSAL("disagree"), REFUSAL("disallow"),
    REFUSAL("disapprove"), REFUSAL("forbid"), REFUSAL("forbidden"),
    REFUSAL("veto"), REFUSAL("vetoed"), REFUSAL("do not"), REFUSAL("don't"),
    REFUSAL("do not do it"), REFUSAL("don't do it"), REFUSAL("nein"),
    REFUSAL("ablehnen"), REFUSAL("non"), REFUSAL("refuser"),
    REFUSAL("rejeter"), REFUSAL("rechazar"), REFUSAL("denegar"),
    REFUSAL("rifiuta"), REFUSAL("n\xC3\xA3o"), REFUSAL("rejeitar"),
    REFUSAL("recusar"),
    NO("n"), NO("not now"), NO("never"), NO("false"), NO("block"),
    NO("blocked"), NO("cancel"), NO("cancelled"), NO("canceled"), NO("abort"),
    NO("aborted"), NO("stop"), NO("stop it"), NO("stop the task"), NO("halt"),
    NO("dismiss"), NO("abbrechen"), NO("annuler"), NO("cancelar"),
    NO("annulla"),
#undef YES
#undef NO
#undef REFUSAL
};
#define OURS 5 /* the first ones */

const struct label_word *label_ours(size_t i)
{
    return i < OURS ? &words[i] : NULL;
}

/* The words before the first sign of punctuation, without signs before them:
 * "no" of "(No) - stop", "do not" of "do_not". A letter of another script that
 * is drawn as a Latin one is that one. */
static struct str label_opening(struct arena *a, struct str text)
{
    const struct str s = text_letters(a, text);
    struct buf b = buf_make(a, s.n + 1);
    for (size_t at = 0; at < s.n;) {
        const size_t here = at;
        const uint32_t rune = str_rune(s, &at);
        size_t next = at;
        /* A sign that joins two words, as in "no-op". */
        const bool joins = (rune == '-' || rune == '_' || rune == HYPHEN) &&
                           at < s.n && text_wordy(str_rune(s, &next));
        if (text_wordy(rune))
            buf_str(&b, str_sub(s, here, at));
        else if (b.n > 0 && (rune == ' ' || joins))
            buf_char(&b, ' ');
        else if (b.n > 0)
            break;
    }
    return b.n ? str_trim(buf_text(&b)) : STR("");
}

const struct label_word *label_word(struct arena *a, struct str text)
{
    const struct str said =
        text.n <= TEXT_MAX ? label_opening(a, text) : STR("");
    for (size_t i = 0; said.n > 0 && i < countof(words); i++) {
        if (str_is(said, words[i].text))
            return &words[i];
    }
    return NULL;
}

enum effect_class label_says(struct arena *a, struct str text)
{
    const struct label_word *w = label_word(a, text);
    return w ? w->says : EFFECT_NEUTRAL;
}

bool label_begins(struct arena *a, const struct label_word *w, struct str text)
{
    const struct str said = label_opening(a, text), word = str_of(w->text);
    return str_starts(said, word) && said.n > word.n &&
           said.p[word.n] == ' ';
}

/* ---- display --------------------------------------------------------- */

static struct str label_folded(struct arena *a, const struct json *choice)
{
    return text_fold(a, json_get_text(choice, "label"));
}

/* Is there another of that folded label before the end? A choice is known by
 * its value: it may come from another tree than the list. */
static bool label_taken(struct arena *a, const struct json *choices,
                        size_t end, const struct json *but, struct str label)
{
    for (size_t i = 0; i < end; i++) {
        const struct json *c = json_at(choices, i);
        if (!json_equal(json_get(c, "value"), json_get(but, "value")) &&
            str_eq(label_folded(a, c), label))
            return true;
    }
    return false;
}

struct label label_of(struct arena *a, const struct json *choices,
                      const struct json *choice)
{
    const enum effect effect = effect_of_choice(choice);
    const struct str word = str_of(vocabulary_effect(effect)->label);
    const struct str label = label_folded(a, choice);
    const bool same = word.n > 0 && str_eq(label, text_fold(a, word));
    const bool twice =
        !effect_any(choices) &&
        label_taken(a, choices, json_count(choices), choice, label);
    return (struct label){
        .word = word,
        .label = same ? STR_NONE : json_get_text(choice, "label"),
        .value = twice ? json_get_text(choice, "value") : STR_NONE};
}

struct str label_line(struct arena *a, const struct json *choice)
{
    const struct label l = label_of(a, NULL, choice);
    if (!choice)
        return STR_NONE;
    return arena_join(a, l.word, str_of(l.word.n && l.label.p ? ": " : ""),
                      l.label);
}

/* ---- checks when it is asked ----------------------------------------- */

const struct err *label_check(struct arena *a, const struct json *choices)
{
    for (size_t i = 0; effect_any(choices) && i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        const struct str at =
            fields_path(a, fields_element(a, STR("choices"), i), "label");
        const enum effect effect = effect_of_choice(c);
        if (label_taken(a, choices, i, c, label_folded(a, c)))
            return err_at(a, ERR_INVALID, "choice.label_equal", at,
                          "Two choices have labels that look the same. Each "
                          "needs a label of its own.");
        if (effect_opposite(label_says(a, json_get_text(c, "label")), effect))
            return err_at(a, ERR_INVALID, "choice.label_opposite", at,
                          "The label says the opposite of the choice's effect "
                          "(%s). Use a label that names the action, as in "
                          "\"Cancel order 1234\".",
                          vocabulary_effect(effect)->label);
    }
    return NULL;
}
