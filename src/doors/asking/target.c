/* The check of an endpoint's URL, and the message that tries an endpoint. */
#include "doors/asking/target.h"

#include <arpa/inet.h>

#include "base/clock.h"
#include "base/id.h"
#include "domain/sending/endpoint.h"
#include "domain/sending/push.h"
#include "world/address.h"

static bool target_is_private(struct arena *a, struct str name)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const char *text = arena_z(a, name);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return address_private((const struct sockaddr *)&v4, sizeof v4);
    return inet_pton(AF_INET6, text, &v6.sin6_addr) != 1 ||
           address_private((const struct sockaddr *)&v6, sizeof v6);
}

const struct err *target_check(struct arena *a, const char *field,
                               struct str url, bool internal)
{
    struct endpoint_host host;
    TRY(endpoint_url(a, field, url, &host));
    if (!internal && host.plain)
        return err_at(a, ERR_INVALID, "endpoint.private", str_of(field),
                      "This is a loopback address. An admin may register it as "
                      "internal.");
    if (!internal && host.literal && target_is_private(a, host.name))
        return err_at(a, ERR_INVALID, "endpoint.private", str_of(field),
                      "This is a private address. An admin may register it as "
                      "internal.");
    return NULL;
}

const struct err *target_test(struct call *c, const struct endpoint *e,
                              struct endpoints_test *out)
{
    const struct push_test message = {
        .by = principal_actor(&c->who),
        .url = call_url(c, "/settings/deliveries?endpoint=", e->id),
        .now = clock_now()};
    *out = (struct endpoints_test){
        .delivery_id = id_new(c->a),
        .endpoint_id = e->id,
        .type = push_tested,
        .body = push_test_body(c->a, &message),
        .now = message.now};
    return endpoints_test(c->pg, c->a, out);
}
