/* Authentication of an OAuth client: Basic, the form, or X-API-Key. */
#include "doors/call/client.h"

#include "doors/call/route.h"
#include "store/person/principals.h"

#define PARAMS_MAX 64
#define KEY_MAX 256

static const struct err *check_media(const struct call *c)
{
    const struct str type = request_header(c->rq, "Content-Type");
    const struct str media = str_trim(str_sub(type, 0,
                                              str_find(type, ';', 0)));
    if (str_is_nocase(media, "application/x-www-form-urlencoded"))
        return NULL;
    return ERROR(ERR_BAD_REQUEST, oauth_invalid_request,
                 "The body has to be a form, application/x-www-form-"
                 "urlencoded.");
}

static const struct err *read_form(struct call *c)
{
    struct pairs form;
    if (c->rq->body.n > c->route->body)
        return ERROR(ERR_TOO_LARGE, oauth_invalid_request,
                     "The body is too large for this address.");
    TRY(check_media(c));
    TRY(request_form(c->a, c->rq->body, PARAMS_MAX, &form));
    struct oauth_param *v = arena_many(c->a, form.n + 1, struct oauth_param);
    for (size_t i = 0; i < form.n; i++)
        v[i] = (struct oauth_param){form.v[i].key, form.v[i].value};
    c->params = (struct oauth_params){v, form.n};
    return oauth_check(c->a, &c->params);
}

/* The same answer for a wrong name, a wrong key and a key that has ended. */
static const struct err *refused(struct call *c)
{
    if (request_header(c->rq, "Authorization").p)
        response_header(c->rs, "WWW-Authenticate",
                        STR("Basic realm=\"sayso\""));
    return ERROR(ERR_UNAUTHENTICATED, oauth_invalid_client,
                 "The client_id and its key do not authenticate a client.");
}

static const struct err *find(struct call *c, const struct oauth_client *client)
{
    const bool header = client->method == OAUTH_HEADER;
    const struct principals_key given = {
        .key = header ? request_header(c->rq, "X-API-Key") : client->secret,
        .agent = client->id.p ? client->id
                              : request_header(c->rq, "X-Agent-ID")};
    if (given.key.n == 0 || given.key.n > KEY_MAX)
        return refused(c);
    const struct err *e = principals_by_key(c->serve->principals, c->pg, c->a,
                                            &given, &c->who);
    if (e && (e->kind == ERR_UNAUTHENTICATED || e->kind == ERR_FORBIDDEN))
        return refused(c);
    TRY(e);
    if (c->who.test) /* no permit is made for a test */
        return refused(c);
    /* principals_by_key looks at the name of an agent alone. */
    if (c->who.role != ROLE_AGENT && client->id.p &&
        !str_eq(client->id, c->who.name))
        return refused(c);
    return NULL;
}

const struct err *client_authenticate(struct call *c)
{
    struct oauth_client client;
    TRY(read_form(c));
    const struct err *e =
        oauth_client(c->a, request_header(c->rq, "Authorization"),
                     request_header(c->rq, "X-API-Key").p != NULL, &c->params,
                     &client);
    if (err_is(e, oauth_invalid_client))
        return refused(c);
    TRY(e);
    return find(c, &client);
}
