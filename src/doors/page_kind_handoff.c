/* A goal that an agent wants to hand over: from whom, to whom, and what comes
 * with it. Never loads, never decides. */
#include "doors/page_kind.h"
#include "doors/page_kind_card.h"

struct json *page_kind_handoff(struct page_view *v,
                               const struct page_kind_of *of)
{
    if (of->s->kind != KIND_HANDOFF_ACCEPTANCE)
        return NULL;
    static const char *const texts[] = {"from",   "to",
                                        "summary", "reason",
                                        "resume_target", "context_boundary"};
    struct page_kind_card c = page_kind_card(v, of->s->subject);
    struct json *o = json_object(v->a);
    for (size_t i = 0; i < countof(texts); i++)
        page_kind_card_set_text(&c, o, texts[i], texts[i]);
    const size_t n = page_kind_card_set_refs(&c, o, "artifacts", true);
    json_set_text(o, "artifacts_count",
                  words_many(v->a, (int64_t)n, "artifact"));
    json_set_bool(o, "has_artifacts", n > 0);
    page_kind_card_set_refs(&c, o, "evidence", false);
    page_kind_card_set_list(&c, o, "questions", "open_questions");
    json_set_bool(o, "has_questions", json_count(json_get(o, "questions")) > 0);
    page_kind_card_set_rest(&c, o);
    return o;
}
