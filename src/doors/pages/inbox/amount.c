/* The amount of a question on a page. */
#include "doors/pages/inbox/amount.h"

#include "world/template/words.h"

struct str inbox_amount_text(struct arena *a, const struct amount *m)
{
    return amount_join(a, words_count(a, m->value.whole), m);
}

void inbox_amount_set(struct arena *a, struct json *o, const struct amount *m)
{
    struct json *figure = m->unit.p ? json_object(a) : NULL;
    if (figure) {
        json_set_text(figure, "value", inbox_amount_text(a, m));
        json_set_text(figure, "unit", m->unit);
    }
    json_set_json(o, "figure", figure);
}
