/* Is an IP address public? */
#ifndef WORLD_ADDRESS_H
#define WORLD_ADDRESS_H

#include <sys/socket.h>

#include "base/arena.h"

/* Is the address not reachable from the internet: loopback, private (RFC 1918),
 * shared (RFC 6598), link-local, unique local (RFC 4193), multicast,
 * unspecified, reserved, documentation, benchmarking, IPv4 in any of its IPv6
 * forms (mapped, 6to4, NAT64, Teredo), or of a family other than IPv4 and IPv6?
 * RFC 6890 and the IANA special-purpose registries. */
bool address_private(const struct sockaddr *address, size_t size);

/* Is it an address of this machine alone: 127.0.0.0/8 or ::1? */
bool address_loopback(const struct sockaddr *address, size_t size);

/* Does "scheme://host:port/path", or "host:port" alone, name this machine: as
 * localhost, or as a literal loopback address? A name that only begins like one
 * does not. */
bool address_here(struct str address);

/* The network that shares limits with an address: an IPv4 address as it is, the
 * /64 of an IPv6 one (one holder usually has all of it) and the IPv4 address of
 * a mapped one, as text; the first 64 bytes of a text that is not an
 * address. */
struct str address_network(struct arena *a, struct str text);

#endif
