/* The claims of an agent about an answer that a restore lost: its own words,
 * below the server's sentence that says so. */
#include "doors/pages/question/claims.h"

#include "base/clock.h"
#include "doors/pages/question/decision.h"

static void set_moment(struct json *o, const char *key, const struct json *said,
                       const char *member)
{
    const struct str text = json_get_text(said, member);
    int64_t at = 0;
    page_view_set_time(o, key, text.p && clock_parse(text, &at) ? at : 0);
}

static struct json *claim_row(struct page_view *v, const struct suspension *s,
                              const struct claim *c)
{
    static const char *const texts[] = {"responded_by", "event_id",
                                        "request_id", "redemption_id", "note"};
    const struct json *said = json_read(v->a, c->said);
    const enum outcome outcome =
        vocabulary_outcome_of(json_get_text(said, "outcome"));
    struct json *o = json_object(v->a);
    json_set_text(o, "outcome", str_of(vocabulary_outcome(outcome)->label));
    question_decision_set_answer(v, o, s, json_get(said, "value"));
    for (size_t i = 0; i < countof(texts); i++)
        json_set_text(o, texts[i], json_get_text(said, texts[i]));
    set_moment(o, "responded", said, "responded_at");
    set_moment(o, "used", said, "used_at");
    page_view_set_time(o, "at", c->at);
    return o;
}

struct json *question_claims_view(struct page_view *v,
                                  const struct suspension *s,
                                  const struct restores_claims *list)
{
    struct json *o = json_object(v->a), *rows = json_array(v->a);
    if (list->n == 0)
        return NULL;
    for (size_t i = 0; i < list->n; i++)
        json_add_json(rows, claim_row(v, s, &list->v[i]));
    json_set_text(o, "agent", s->asked_by);
    json_set_json(o, "rows", rows);
    return o;
}

const struct err *question_claims(struct call *c, struct page_view *v,
                                  const struct suspension *s,
                                  struct json **out)
{
    struct restores_claims list;
    *out = NULL;
    TRY(restores_claims(c->pg, c->a, s, &list));
    *out = question_claims_view(v, s, &list);
    return NULL;
}
