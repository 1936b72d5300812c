/* Is an address of the internet one of everybody's? */
#ifndef WORLD_ADDRESS_H
#define WORLD_ADDRESS_H

#include <sys/socket.h>

#include "base/str.h"

/* Not to be reached from outside: loopback, private (RFC 1918), shared (RFC
 * 6598), link-local, unique local (RFC 4193), multicast, unspecified,
 * reserved, documentation, benchmarking, IPv4 in any of its IPv6 dresses
 * (mapped, 6to4, NAT64, Teredo), and every family but IPv4 and IPv6. RFC 6890
 * and the IANA special-purpose registries. */
bool address_private(const struct sockaddr *address, size_t size);

#endif
