/* The typed confirmation of a grave yes. */
#include "doors/pages/answer/typed.h"

#include "domain/question/risk.h"

static struct str posted_of(const struct pairs *posted)
{
    return posted ? pairs_get(*posted, "typed") : STR_NONE;
}

struct str answer_typed_read(struct arena *a, const struct suspension *s,
                             const struct json *choice,
                             const struct pairs *posted)
{
    return pairs_get(*posted, "look").p || pairs_get(*posted, "again").p
               ? risk_typed(a, s, choice)
               : posted_of(posted);
}

/* The same error, as the sentence at the field. */
static const char *say(struct str value)
{
    return str_trim(value).n == 0
               ? "Type the value to confirm."
               : "The text does not match.";
}

struct json *answer_typed(struct page_view *v, const struct suspension *s,
                          const struct json *choice, const struct pairs *typed,
                          const struct err *error)
{
    const struct str word = risk_typed(v->a, s, choice);
    const struct str value = posted_of(typed);
    const bool differs = err_is(error, risk_typed_differs);
    struct json *o = json_object(v->a);
    if (!word.p)
        return NULL;
    json_set_text(o, "word", word);
    json_set_text(o, "value", value.p ? value : STR(""));
    json_set_text(o, "error", differs ? str_of(say(value)) : STR(""));
    return o;
}
