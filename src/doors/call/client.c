/* Authentication of an OAuth client: Basic, the form, or X-API-Key. */
#include "doors/call/client.h"

#include "doors/call/route.h"
#include "store/person/principals.h"

#define PARAMS_MAX 64
#define KEY_MAX 256

static const struct err *client_read_form(struct call *c)
{
    const struct str type = request_header(c->rq, "Content-Type");
    const struct str media =
        str_trim(str_sub(type, 0, str_find(type, ';', 0)));
    struct pairs form;
    if (c->rq->body.n > c->route->body)
        return ERROR(ERR_TOO_LARGE, oauth_invalid_request,
                     "The body is too large for this address.");
    if (!str_is_nocase(media, "application/x-www-form-urlencoded"))
        return ERROR(ERR_BAD_REQUEST, oauth_invalid_request,
                     "The body has to be a form, application/x-www-form-"
                     "urlencoded.");
    TRY(request_form(c->a, c->rq->body, PARAMS_MAX, &form));
    struct oauth_param *v = arena_many(c->a, form.n + 1, struct oauth_param);
    for (size_t i = 0; i < form.n; i++)
        v[i] = (struct oauth_param){form.v[i].key, form.v[i].value};
    c->params = (struct oauth_params){v, form.n};
    return oauth_check(c->a, &c->params);
}

/* The same answer for a wrong name, a wrong key and a key that has ended. */
static const struct err *client_refused(struct call *c)
{
    if (request_header(c->rq, "Authorization").p)
        response_header(c->rs, "WWW-Authenticate",
                        STR("Basic realm=\"sayso\""));
    return ERROR(ERR_UNAUTHENTICATED, oauth_invalid_client,
                 "The client_id and its key do not authenticate a client.");
}

const struct err *client_authenticate(struct call *c)
{
    struct oauth_client client;
    TRY(client_read_form(c));
    const struct err *e =
        oauth_client(c->a, request_header(c->rq, "Authorization"),
                     request_header(c->rq, "X-API-Key").p != NULL, &c->params,
                     &client);
    if (err_is(e, oauth_invalid_client))
        return client_refused(c);
    TRY(e);
    const bool header = client.method == OAUTH_HEADER;
    const struct principals_key given = {
        .key = header ? request_header(c->rq, "X-API-Key") : client.secret,
        .agent =
            client.id.p ? client.id : request_header(c->rq, "X-Agent-ID")};
    if (given.key.n == 0 || given.key.n > KEY_MAX)
        return client_refused(c);
    e = principals_by_key(c->serve->principals, c->pg, c->a, &given, &c->who);
    if (e && (e->kind == ERR_UNAUTHENTICATED || e->kind == ERR_FORBIDDEN))
        return client_refused(c);
    TRY(e);
    if (c->who.test) /* no permit is made for a test */
        return client_refused(c);
    /* principals_by_key looks at the name of an agent alone. */
    if (c->who.role != ROLE_AGENT && client.id.p &&
        !str_eq(client.id, c->who.name))
        return client_refused(c);
    return NULL;
}
