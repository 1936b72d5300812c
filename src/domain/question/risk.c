/* The least severity of a question, who decides it, and the confirmation of a
 * grave yes. */
#include "domain/question/risk.h"

#include <assert.h>

#include "base/text.h"
#include "domain/kind/effect.h"
#include "domain/question/widening.h"

const char risk_typed_differs[] = "typed.differs";

#define WORD_MAX 60 /* characters that a person has to type */
#define DIGITS 8    /* of the digest, in place of a target */

static bool risk_said_irreversible(const struct json *subject)
{
    const struct json *v = json_get(subject, "reversible");
    return json_is(v, JSON_BOOL) && !json_bool(v);
}

bool risk_irreversible(struct arena *a, const struct suspension *s)
{
    return risk_said_irreversible(suspension_subject(a, s));
}

/* ---- the terms ------------------------------------------------------ */

static_assert(CONF_KINDS == KIND__MAX, "a floor for each kind");

struct terms risk_terms(const struct conf *conf, enum kind kind)
{
    return (struct terms){.floor = (enum severity)conf->severity_floor[kind]};
}

static void risk_set_responder(struct responder *r, enum responder_mode mode,
                               struct str who)
{
    r->mode = mode;
    r->who = who;
}

void risk_settle(struct arena *a, struct suspension *s, const struct terms *t)
{
    struct responder *r = &s->responder;
    enum decider_who by = t->by.who;
    s->severity = t->floor > s->severity_said ? t->floor : s->severity_said;
    if (s->severity < SEVERITY_HIGH && risk_irreversible(a, s))
        s->severity = SEVERITY_HIGH;
    if (by == DECIDER_INITIATOR && s->initiator_id.p) {
        risk_set_responder(r, RESPONDER_INITIATOR, STR_NONE);
        r->not_initiator = false;
        return;
    }
    if (by == DECIDER_GROUP)
        risk_set_responder(r, RESPONDER_GROUP, t->by.group);
    else if (by != DECIDER_ANY && (r->mode == RESPONDER_INITIATOR ||
                                   r->mode == RESPONDER_AGENT))
        risk_set_responder(r, RESPONDER_OPERATORS, STR_NONE);
}

bool risk_unproven(const struct suspension *s, const struct terms *t)
{
    return t->by.who == DECIDER_INITIATOR && !s->initiator_id.p;
}

/* The severity that counts where nothing is said: as for a call without a
 * rule. */
static enum severity risk_assumed(enum severity said)
{
    return said == SEVERITY_UNSAID ? SEVERITY_HIGH : said;
}

bool risk_claimed(const struct conf *conf, const struct suspension *s)
{
    const enum severity most =
        (enum severity)(conf->claimed_initiator + SEVERITY_LOW);
    return s->responder.mode == RESPONDER_INITIATOR && !s->initiator_id.p &&
           risk_assumed(s->severity) > most;
}

bool risk_stricter(struct arena *a, const struct suspension *s,
                   const struct terms *t)
{
    struct suspension now = *s;
    now.severity_said = s->severity;
    risk_settle(a, &now, t);
    return risk_unproven(s, t) || now.severity > risk_assumed(s->severity) ||
           now.responder.mode != s->responder.mode ||
           !str_eq(now.responder.who, s->responder.who);
}

/* ---- the confirmation ------------------------------------------------ */

bool risk_two_step(struct arena *a, const struct suspension *s)
{
    const enum severity level = s->severity;
    return level == SEVERITY_UNSAID ? effect_any_yes(suspension_choices(a, s))
                                    : level > SEVERITY_LOW;
}

/* Can a keyboard type the target, on one line? */
static bool risk_is_typed(struct str target)
{
    for (size_t at = 0; at < target.n;) {
        const uint32_t rune = str_rune(target, &at);
        if (rune < ' ' || text_hidden(rune))
            return false;
    }
    return str_runes(target) <= WORD_MAX;
}

/* Does the approved subject change a limit, tool or target? */
static bool risk_exceeds(struct arena *a, const struct json *asked,
                         const struct json *allowed)
{
    struct widening e;
    if (!allowed)
        return false;
    widening_find(a, asked, allowed, &e);
    return e.grade == WIDENING_TYPED;
}

struct str risk_typed(struct arena *a, const struct suspension *s,
                      const struct json *choice)
{
    const enum effect e = effect_of_choice(choice);
    const struct json *asked = suspension_subject(a, s);
    const struct json *allowed = suspension_approved(a, s);
    const struct str target = str_trim(
        json_get_text(allowed ? allowed : asked, "target"));
    if (effect_class(e) != EFFECT_YES ||
        !(s->severity == SEVERITY_CRITICAL || risk_said_irreversible(asked) ||
          kind_typed(s->kind, s->severity) || risk_exceeds(a, asked, allowed)))
        return STR_NONE;
    if (target.n == 0)
        return str_of(vocabulary_effect(e)->label);
    return risk_is_typed(target)
               ? target
               : str_head(allowed ? s->approved_sha256 : s->subject_sha256,
                          DIGITS);
}

const struct err *risk_typed_check(struct arena *a,
                                   const struct suspension *s,
                                   const struct json *choice, struct str typed)
{
    const struct str word = risk_typed(a, s, choice);
    struct json *more = json_object(a);
    if (!word.p || text_same(a, typed, word))
        return NULL;
    json_set_text(more, "wanted", word);
    return err_more(a,
                    err_at(a, ERR_INVALID, risk_typed_differs, STR("typed"),
                           "This answer needs \"typed\": \"%.*s\" as a "
                           "confirmation.",
                           STR_FMT(word)),
                    more);
}
