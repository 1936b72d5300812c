/* The check of an endpoint's URL, shared by the API and the settings pages. */
#include "doors/asking/target.h"

#include <arpa/inet.h>

#include "domain/endpoint.h"
#include "world/address.h"

static bool private_literal(struct arena *a, struct str name)
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
    if (!internal && host.literal && private_literal(a, host.name))
        return err_at(a, ERR_INVALID, "endpoint.private", str_of(field),
                      "This is a private address. An admin may register it as "
                      "internal.");
    return NULL;
}
