/* Settings: how a person is told of new requests. Notifications of a browser
 * are a matter of that browser alone, which keeps them; the script shows and
 * changes them. */
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"

static const struct err *notifications_view(struct settings_view *v)
{
    /* A user may not learn of the questions of others, and has no stream. */
    json_set_bool(v->view, "streams", v->c->who.role != ROLE_USER);
    return NULL;
}

static const struct settings_page page = {
    .path = "/settings/notifications",
    .heading = "Notifications",
    .writers = ROLE_ADMIN | ROLE_OPERATOR | ROLE_USER,
    .template = "notifications",
    .list = notifications_view};

const struct err *settings_notifications(struct call *c)
{
    return settings_page_run(c, &page);
}
