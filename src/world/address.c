/* Is an IP address public?
 *
 * Decides by two tables alone: an address that is not understood counts as
 * private. Resolves no name and opens nothing. */
#include "world/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#define NETWORK_MAX 64

struct range {
    uint8_t first[16];
    unsigned bits; /* of the prefix */
};

/* The IANA IPv4 special-purpose registry, multicast and the reserved ranges. */
static const struct range ipv4[] = {
    {{0}, 8},               /* this network */
    {{10}, 8},              /* private */
    {{100, 64}, 10},        /* shared with a provider's other customers */
    {{127}, 8},             /* loopback */
    {{169, 254}, 16},       /* link-local */
    {{172, 16}, 12},        /* private */
    {{192, 0, 0}, 24},      /* protocol assignments */
    {{192, 0, 2}, 24},      /* documentation */
    {{192, 88, 99}, 24},    /* deprecated relays to IPv6 */
    {{192, 168}, 16},       /* private */
    {{198, 18}, 15},        /* benchmarking */
    {{198, 51, 100}, 24},   /* documentation */
    {{203, 0, 113}, 24},    /* documentation */
    {{224}, 4},             /* multicast */
    {{240}, 4},             /* reserved, broadcast */
};

/* All public addresses; the rest is loopback, unspecified, mapped and
 * translated IPv4, unique local, link-local, multicast, reserved. */
static const struct range ipv6_global = {{0x20}, 3};

/* The special-purpose ranges within it. */
static const struct range ipv6[] = {
    {{0x20, 0x01, 0x00}, 23},       /* protocol assignments: Teredo,
                                       benchmarking, hash identifiers */
    {{0x20, 0x01, 0x0D, 0xB8}, 32}, /* documentation */
    {{0x20, 0x02}, 16},             /* 6to4 */
    {{0x3F, 0xFF}, 20},             /* documentation */
};

static bool address_within(const uint8_t *address, const struct range *r)
{
    const unsigned whole = r->bits / 8, rest = r->bits % 8;
    const unsigned mask = 0xFF00U >> rest & 0xFFU;
    return memcmp(address, r->first, whole) == 0 &&
           (rest == 0 || ((address[whole] ^ r->first[whole]) & mask) == 0);
}

static bool address_within_any(const uint8_t *address, const struct range *list,
                               size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (address_within(address, &list[i]))
            return true;
    return false;
}

bool address_private(const struct sockaddr *address, size_t size)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    uint8_t bytes[16];
    if (size >= sizeof in && address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof in);
        memcpy(bytes, &in.sin_addr, sizeof in.sin_addr);
        return address_within_any(bytes, ipv4, countof(ipv4));
    }
    if (size < sizeof in6 || address->sa_family != AF_INET6)
        return true;
    memcpy(&in6, address, sizeof in6);
    memcpy(bytes, &in6.sin6_addr, sizeof bytes);
    return !address_within(bytes, &ipv6_global) ||
           address_within_any(bytes, ipv6, countof(ipv6));
}

bool address_loopback(const struct sockaddr *address, size_t size)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    if (size >= sizeof in && address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    if (size < sizeof in6 || address->sa_family != AF_INET6)
        return false;
    memcpy(&in6, address, sizeof in6);
    return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

bool address_here(struct str address)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr in;
    const size_t scheme = str_search(address, STR("://"));
    struct str host =
        scheme < address.n ? str_sub(address, scheme + 3, address.n) : address;
    host = str_sub(host, 0, str_find(host, '/', 0));
    if (str_is(host, "[::1]") || str_starts(host, STR("[::1]:")))
        return true;
    host = str_sub(host, 0, str_find(host, ':', 0));
    if (str_is_nocase(host, "localhost"))
        return true;
    return str_copy(text, sizeof text, host) &&
           inet_pton(AF_INET, text, &in) == 1 &&
           ntohl(in.s_addr) >> 24 == 127;
}

struct str address_network(struct arena *a, struct str text)
{
    struct in6_addr v6;
    char *out = arena_alloc(a, INET6_ADDRSTRLEN);
    const struct str whole = str_head(text, NETWORK_MAX);
    if (inet_pton(AF_INET6, arena_z(a, whole), &v6) != 1)
        return whole;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
        inet_ntop(AF_INET, v6.s6_addr + 12, out, INET6_ADDRSTRLEN);
        return str_of(out);
    }
    memset(v6.s6_addr + 8, 0, 8);
    inet_ntop(AF_INET6, &v6, out, INET6_ADDRSTRLEN);
    return str_of(out);
}
