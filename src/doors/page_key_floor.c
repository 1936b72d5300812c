/* The least severity of what a key asks: a form on the key's page. */
#include "doors/page_key_floor.h"

#include "base/log.h"
#include "doors/page.h"
#include "domain/severity.h"

#define PATH "/settings/keys/"

/* {url, options[] of word, label, here} */
struct json *page_key_floor(struct arena *a, const struct key *k)
{
    struct json *o = json_object(a), *list = json_array(a);
    if (k->role != ROLE_AGENT)
        return NULL;
    for (unsigned i = 0; i < SEVERITY__MAX; i++) {
        const enum severity s = (enum severity)i;
        struct json *one = json_object(a);
        json_set_text(one, "word", str_of(severity_word(s)));
        json_set_text(one, "label",
                      s == SEVERITY_UNSAID ? STR("As the agent says")
                                           : str_of(severity_label(s)));
        json_set_bool(one, "here", severity_of(k->severity_floor) == s);
        json_add_json(list, one);
    }
    json_set_json(o, "options", list);
    json_set_text(o, "url", page_view_path(a, PATH, k->id, "/floor"));
    return o;
}

const struct err *page_key_floor_post(struct call *c)
{
    struct pairs typed;
    struct key k;
    TRY(page_form(c, &typed));
    const struct str word = pairs_get(typed, "floor");
    const enum severity floor = severity_of(word);
    if (floor == SEVERITY_UNSAID && !str_is(word, "none"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "The form does not say which severity. Open the page "
                     "anew.");
    TRY(keys_get(c->pg, c->a, c->param[0], &k));
    if (k.role != ROLE_AGENT || k.revoked_at)
        return ERROR(ERR_CONFLICT, "key.ended",
                     "Only a key of an agent that is in use has a least "
                     "severity.");
    TRY(keys_floor(c->pg, c->a, k.id,
                   floor == SEVERITY_UNSAID ? STR_NONE : word));
    log_line(LOG_NOTICE,
             "settings by=%.*s did=key.floor key=%.*s label=\"%.*s\" "
             "severity_floor=%s",
             STR_FMT(c->who.name), STR_FMT(k.id), STR_FMT(k.label),
             severity_word(floor));
    response_see_other(c->rs, page_view_path(c->a, PATH, k.id, ""));
    return NULL;
}
