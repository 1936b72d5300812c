/* Identifiers: making new ones, and checking those of clients. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/arena.h"

/* A new UUID version 7 (RFC 9562 5.7), lower-case text of 36 characters:
 * sortable by time, 74 random bits. */
struct str id_new(struct arena *a);
/* The UUID of a text, version 8 (RFC 9562 5.8): the same for the same text. */
struct str id_of(struct arena *a, struct str text);
/* Is s the 36-character text of a UUID (any version, either case)? */
bool id_uuid(struct str s);
/* A UUID's text in lower case, as it is stored. */
struct str id_lower(struct arena *a, struct str uuid);
/* The lower-case spelling of a UUID that is spelled otherwise; else STR_NONE.
 * The server's own ids stand in lower case and an agent's as it sent them, so
 * that a suspension is looked for under both. */
struct str id_respelled(struct arena *a, struct str id);
/* Is s 1..64 characters of A-Z a-z 0-9 . _ ~ -, and neither "." nor ".."? An
 * agent may choose such a text as a suspension's id or as the plain part of a
 * lease scope; it is safe in a path. */
bool id_token(struct str s);

#endif
