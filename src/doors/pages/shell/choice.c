/* A choice as all pages name it. */
#include "doors/pages/shell/choice.h"

#include "domain/label.h"

struct json *page_choice(struct page_view *v, const struct json *choices,
                         const struct json *choice)
{
    struct json *o = json_object(v->a);
    if (!choice)
        return NULL;
    const struct label l = label_of(v->a, choices, choice);
    json_set_text(o, "word", l.word);
    json_set_json(o, "label", page_view_text(v, l.label));
    json_set_json(o, "value", page_view_text(v, l.value));
    return o;
}
