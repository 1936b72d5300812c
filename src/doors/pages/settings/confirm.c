/* The confirm step before an action that ends another person's work. */
#include "doors/pages/settings/confirm.h"

struct json *settings_confirm(struct page_view *v,
                              const struct settings_confirm *s)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "verb", str_of(s->verb));
    json_set_text(o, "name", s->name);
    json_set_text(o, "sentence", str_of(s->sentence));
    json_set_text(o, "none", str_of(s->none));
    json_set_text(o, "act", str_of(s->act));
    json_set_text(o, "do", str_of(s->what));
    json_set_bool(o, "comment", s->comment);
    json_set_text(o, "url", s->url);
    json_set_text(o, "back_url", s->back);
    json_set_text(o, "key", s->key.p ? s->key : STR(""));
    return o;
}
