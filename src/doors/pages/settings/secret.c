/* The page of a new secret. */
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"
#include "store/person/secrets.h"

#define SECRET_MAX ((size_t)8 << 10)

const struct err *settings_secret_keep(struct call *c,
                                       const struct settings_secret *s)
{
    struct json *o = json_object(c->a);
    struct str id;
    json_set_text(o, "what", str_of(s->what));
    json_set_text(o, "sentence", str_of(s->sentence));
    json_set_text(o, "name", s->name);
    json_set_text(o, "secret", s->secret);
    json_set_text(o, "back", s->back);
    TRY(secrets_keep(c->pg, c->a, c->cookie, json_dump(c->a, o, SECRET_MAX),
                     &id));
    response_see_other(c->rs,
                       page_view_path(c->a, "/settings/secrets/", id, ""));
    return NULL;
}

static const struct err *secret_load(struct call *c, struct json **out)
{
    struct str text;
    TRY(secrets_read(c->pg, c->a, c->cookie, c->param[0], &text));
    return json_parse(c->a, text, out);
}

const struct err *settings_secret(struct call *c)
{
    struct json *view = NULL;
    TRY(secret_load(c, &view));
    json_set_text(view, "id", c->param[0]);
    response_header(c->rs, "Cache-Control", STR("no-store"));
    return page_render(c, 200, "secret", "Store this now", view);
}

const struct err *settings_secret_post(struct call *c)
{
    struct pairs typed;
    struct json *kept = NULL;
    TRY(page_form(c, &typed));
    TRY(secret_load(c, &kept));
    TRY(secrets_forget(c->pg, c->a, c->cookie, c->param[0]));
    response_see_other(c->rs, json_get_text(kept, "back"));
    return NULL;
}
