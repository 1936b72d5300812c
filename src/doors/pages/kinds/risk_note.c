/* The risks of a yes, as the confirm step repeats them. */
#include "doors/pages/kinds/risk_note.h"

#include "domain/kind/effect.h"
#include "domain/question/risk.h"

bool kinds_risk_note_unstated(const struct suspension *s)
{
    return s->severity >= SEVERITY_HIGH && s->severity_said < SEVERITY_HIGH;
}

struct json *kinds_risk_note(struct page_view *v, const struct suspension *s,
                             const struct json *choice)
{
    const bool final = risk_irreversible(v->a, s);
    const struct str words =
        json_get_text(suspension_subject(v->a, s), "consequence");
    struct json *o = json_object(v->a);
    if (effect_class(effect_of_choice(choice)) != EFFECT_YES ||
        !(final || s->severity >= SEVERITY_HIGH))
        return NULL;
    json_set_bool(o, "critical", s->severity == SEVERITY_CRITICAL);
    json_set_text(o, "lead",
                  final ? STR("Cannot be undone:") : STR("Consequence:"));
    json_set_text(o, "words",
                  str_trim(words).n > 0 ? words : STR(KINDS_RISK_NOTE_NONE));
    return o;
}
