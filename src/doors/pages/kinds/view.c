/* What a question of one of the seven kinds shows. Never loads, never decides.
 */
#include "doors/pages/kinds/kinds.h"

#include "doors/pages/kinds/card.h"
#include "doors/pages/shell/facts.h"

/* ---- facts ---------------------------------------------------------- */

static const struct json *at(const struct json *subject, const char *path)
{
    const struct json *v = subject;
    struct str rest = str_of(path);
    while (rest.p && v)
        v = json_get_str(v, str_cut(&rest, '.'));
    return v;
}

/* Of the facts themselves, not of what they are made of. */
static bool is_shown(const struct kind_fact *f)
{
    return f->type != KIND_OBJECT && f->type != KIND_LIST &&
           str_search(str_of(f->path), STR("[]")) == strlen(f->path);
}

static struct json *facts(struct page_view *v, const struct suspension *s)
{
    const struct kind_rule *rule = kind_rule(s->kind);
    struct json *list = json_array(v->a);
    const struct json *subject = kinds_card_subject(v->a, s);
    for (size_t i = 0; i < rule->facts_n; i++) {
        const struct kind_fact *f = &rule->facts[i];
        const struct json *value = at(subject, f->path);
        if (!is_shown(f) || (!value && f->need == KIND_OPTIONAL))
            continue;
        struct json *o = json_object(v->a);
        json_set_text(o, "label", str_of(f->label));
        json_set_text(o, "value",
                      value ? page_facts_value(v->a, value) : STR_NONE);
        json_set_json(o, "long", NULL);
        json_set_text(o, "note", STR(""));
        json_set_json(o, "risk", NULL);
        json_set_bool(o, "is_new", false);
        json_add_json(list, o);
    }
    return list;
}

/* ---- by kind -------------------------------------------------------- */

/* Does one of the kinds' own pages show it? */
static bool has_page(const struct json *view)
{
    for (struct json_iter i = json_iter(view); json_next(&i);) {
        if (i.value)
            return true;
    }
    return false;
}

struct json *kinds_view(struct page_view *v, const struct kinds_of *of)
{
    struct json *o = json_object(v->a);
    if (of->s->kind == KIND_NONE)
        return NULL;
    json_set_json(o, "plan", kinds_plan(v, of));
    json_set_json(o, "elicitation", kinds_elicitation(v, of));
    json_set_json(o, "credential", kinds_credential(v, of));
    json_set_json(o, "handoff", kinds_handoff(v, of));
    json_set_json(o, "approval", kinds_approval(v, of));
    json_set_json(o, "permission", kinds_permission(v, of));
    json_set_json(o, "cost", kinds_cost(v, of));
    const bool plain = !has_page(o);
    json_set_bool(o, "has_facts", plain);
    json_set_json(o, "facts", plain ? facts(v, of->s) : json_array(v->a));
    return o;
}
