/* A permission, as labelled facts. */
#include "doors/page_kind_permission.h"

#include "doors/page_kind_card.h"
#include "doors/page_question.h"

/* "1 hour", "for this task, at most 1 hour" */
static struct str how_long(struct page_kind_card *c)
{
    static const char *const words[][2] = {{"once", "once"},
                                           {"task", "for this task"},
                                           {"session", "for this session"},
                                           {"until", ""}};
    const struct json *kind = page_kind_card_take(c, "duration.kind");
    const struct json *seconds = page_kind_card_take(c, "duration.seconds");
    struct buf b = buf_make(c->v->a, 4096);
    size_t i = 0;
    while (i < countof(words) && !str_is(json_text(kind), words[i][0]))
        i++;
    if (i == countof(words))
        return page_kind_card_text(c, kind);
    buf_put(&b, words[i][1]);
    if (json_is(seconds, JSON_INT)) {
        buf_put(&b, b.n ? ", at most " : "");
        buf_str(&b, page_kind_card_span(c->v->a, json_int(seconds)));
    }
    return b.n ? buf_text(&b) : STR_NONE;
}

static struct json *facts(struct page_kind_card *c, const struct json *risk)
{
    struct json *list = json_array(c->v->a);
    const struct json *now = page_kind_card_take(c, "current_mode");
    const struct json *asked = page_kind_card_take(c, "requested_mode");
    page_kind_card_add_fact(c, list, "May do",
                            page_kind_card_take(c, "capability"));
    page_kind_card_add_fact(c, list, "Target",
                            page_kind_card_take(c, "target"));
    page_kind_card_add_words(c, list, "For how long", how_long(c), STR(""));
    page_kind_card_add_fact(c, list, "Risk",
                            page_kind_card_take(c, "risk_text"));
    page_kind_card_mark(list, risk, false);
    page_kind_card_add_fact(c, list, "Consequence",
                            page_kind_card_take(c, "consequence"));
    if (!now && !asked)
        return list;
    page_kind_card_add_fact(c, list, "Mode now", now);
    page_kind_card_add_fact(c, list, "Mode asked for", asked);
    page_kind_card_mark(list, NULL, asked != NULL);
    return list;
}

struct json *page_kind_permission(struct page_view *v,
                                  const struct page_kind_of *of)
{
    if (of->s->kind != KIND_PERMISSION)
        return NULL;
    struct page_kind_card c = page_kind_card(v, of->s->subject);
    struct json *o = json_object(v->a), *rest = json_array(v->a);
    json_set_json(o, "facts", facts(&c, page_question_risk(v->a, of->s)));
    page_kind_card_add_rest(&c, rest);
    json_set_json(o, "tables", rest);
    return o;
}
