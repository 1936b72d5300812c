/* The claims of an agent about an answer that a restore lost: its own words,
 * below the server's sentence that says so. */
#include "doors/pages/question/claims.h"

#include "base/clock.h"
#include "doors/pages/question/decision.h"

static void claims_set_time(struct json *o, const char *key,
                            const struct json *said, const char *member)
{
    const struct str text = json_get_text(said, member);
    int64_t at = 0;
    page_view_set_time(o, key, text.p && clock_parse(text, &at) ? at : 0);
}

struct json *question_claims_view(struct page_view *v,
                                  const struct suspension *s,
                                  const struct restores_claims *list)
{
    static const char *const texts[] = {"responded_by", "event_id",
                                        "request_id", "redemption_id", "note"};
    struct json *o = json_object(v->a), *rows = json_array(v->a);
    if (list->n == 0)
        return NULL;
    for (size_t i = 0; i < list->n; i++) {
        const struct json *said = json_read(v->a, list->v[i].said);
        const enum outcome outcome =
            vocabulary_outcome_of(json_get_text(said, "outcome"));
        struct json *row = json_object(v->a);
        json_set_text(row, "outcome",
                      str_of(vocabulary_outcome(outcome)->label));
        question_decision_set_answer(v, row, s, json_get(said, "value"));
        for (size_t k = 0; k < countof(texts); k++)
            json_set_text(row, texts[k], json_get_text(said, texts[k]));
        claims_set_time(row, "responded", said, "responded_at");
        claims_set_time(row, "used", said, "used_at");
        page_view_set_time(row, "at", list->v[i].at);
        json_add_json(rows, row);
    }
    json_set_text(o, "agent", s->asked_by);
    json_set_json(o, "rows", rows);
    return o;
}
