/* Is an address of the internet one of everybody's? */
#ifndef WORLD_ADDRESS_H
#define WORLD_ADDRESS_H

#include <sys/socket.h>

#include "base/arena.h"

/* Not to be reached from outside: loopback, private (RFC 1918), shared (RFC
 * 6598), link-local, unique local (RFC 4193), multicast, unspecified,
 * reserved, documentation, benchmarking, IPv4 in any of its IPv6 dresses
 * (mapped, 6to4, NAT64, Teredo), and every family but IPv4 and IPv6. RFC 6890
 * and the IANA special-purpose registries. */
bool address_private(const struct sockaddr *address, size_t size);

/* Whose address is it? An IPv4 address as it is, the /64 of an IPv6 one
 * (whoever has one of these addresses has all of them) and the IPv4 address of
 * a mapped one, as text; the first 64 bytes of what is no address. */
struct str address_network(struct arena *a, struct str text);

#endif
