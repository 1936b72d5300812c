/* The parts of a question that its page does not show unfolded. */
#include "doors/pages/question/folded.h"

#include "domain/kind/effect.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/facts.h"

/* Builds the same views as the page and counts the parts left out, so that page
 * and count cannot differ. */
struct question_folded question_folded(struct arena *a,
                                       const struct suspension *s)
{
    struct page_view v = page_view(a, s->suspended_at);
    struct page_facts_room room = page_facts_room();
    const struct kinds_of of = {.s = s};
    if (!effect_any_yes(suspension_choices(a, s)))
        return (struct question_folded){.values = 0};
    question_head(&v, s);
    if (s->kind == KIND_NONE)
        page_facts_set_rows(&v, &room, json_object(a),
                            suspension_subject(a, s));
    else
        kinds_view(&v, &of);
    return (struct question_folded){.values = v.cut, .texts = v.folded};
}

bool question_folded_by(const struct question_folded *u,
                        const struct json *choice)
{
    return u->values + u->texts > 0 &&
           effect_class_of_choice(choice) == EFFECT_YES;
}

static struct str folded_counts(struct arena *a,
                               const struct question_folded *u)
{
    return arena_join(a, arena_number(a, u->values), STR("."),
                      arena_number(a, u->texts));
}

struct json *question_folded_view(struct page_view *v,
                                  const struct question_folded *u,
                                  const struct suspension *s,
                                  const struct json *choice)
{
    struct json *o = json_object(v->a);
    if (!question_folded_by(u, choice))
        return NULL;
    page_view_set_count(o, "values", (size_t)u->values);
    page_view_set_count(o, "texts", (size_t)u->texts);
    json_set_int(o, "all", u->values + u->texts);
    json_set_text(o, "token", folded_counts(v->a, u));
    json_set_text(o, "facts_id", str_of(question_head_facts_id(s)));
    return o;
}

bool question_folded_skipped(struct arena *a, const struct suspension *s,
                             const struct json *choice,
                             const struct pairs *posted)
{
    if (effect_class_of_choice(choice) != EFFECT_YES)
        return false;
    const struct question_folded u = question_folded(a, s);
    return question_folded_by(&u, choice) &&
           !str_eq(pairs_get(*posted, "unseen"), folded_counts(a, &u));
}
