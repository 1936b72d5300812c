/* A choice as all pages name it. */
#include "doors/pages/shell/choice.h"

#include "domain/kind/label.h"

struct json *page_choice(struct page_view *v, const struct json *choices,
                         const struct json *choice)
{
    struct json *o = json_object(v->a);
    if (!choice)
        return NULL;
    const struct label l = label_of(v->a, choices, choice);
    json_set_text(o, "word", l.word);
    json_set_text(o, "label", l.label);
    json_set_text(o, "value", l.value);
    return o;
}
