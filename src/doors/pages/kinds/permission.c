/* A permission, as labelled facts. */
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/shell/badge.h"

#include "doors/pages/kinds/card.h"

/* "1 hour", "for this task, at most 1 hour" */
static struct str permission_duration(struct kinds_card *c)
{
    static const char *const words[][2] = {{"once", "once"},
                                           {"task", "for this task"},
                                           {"session", "for this session"},
                                           {"until", ""}};
    const struct json *kind = kinds_card_take(c, "duration.kind");
    const struct json *seconds = kinds_card_take(c, "duration.seconds");
    struct buf b = buf_make(c->v->a, 4096);
    size_t i = 0;
    while (i < countof(words) && !str_is(json_text(kind), words[i][0]))
        i++;
    if (i == countof(words))
        return kinds_card_text(c, kind);
    buf_put(&b, words[i][1]);
    if (json_is(seconds, JSON_INT)) {
        buf_put(&b, b.n ? ", at most " : "");
        buf_str(&b, kinds_card_span(c->v->a, json_int(seconds)));
    }
    return b.n ? buf_text(&b) : STR_NONE;
}

struct json *kinds_permission(struct page_view *v, const struct kinds_of *of)
{
    struct kinds_card c = kinds_card(v, of->s);
    struct json *o = json_object(v->a), *list = json_array(v->a);
    const struct json *now = kinds_card_take(&c, "current_mode");
    const struct json *asked = kinds_card_take(&c, "requested_mode");
    kinds_card_add_fact(&c, list, "Permission",
                        kinds_card_take(&c, "capability"));
    kinds_card_add_fact(&c, list, "Target", kinds_card_take(&c, "target"));
    kinds_card_add_words(&c, list, "Duration", permission_duration(&c),
                         STR(""));
    kinds_card_add_fact(&c, list, "Risk", kinds_card_take(&c, "risk_text"));
    kinds_card_mark(list, page_badge_risk(v->a, of->s), false);
    kinds_card_add_fact(&c, list, "Consequence",
                        kinds_card_take(&c, "consequence"));
    if (now || asked) {
        kinds_card_add_fact(&c, list, "Current access", now);
        kinds_card_add_fact(&c, list, "Requested access", asked);
        kinds_card_mark(list, NULL, asked != NULL);
    }
    json_set_json(o, "facts", list);
    kinds_card_set_rest(&c, o);
    return o;
}
