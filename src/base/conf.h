/* The configuration: one file of `key = value` lines and the environment.
 *
 * SAYSO_CONF names the file; an environment variable SAYSO_<KEY> (upper case)
 * overrides a line. An unknown key, a repeated key or a bad value is a reason
 * not to start, and all of them are named at once. A line that begins with #
 * is a comment. Other variables SAYSO_... belong to others and are ignored. */
#ifndef BASE_CONF_H
#define BASE_CONF_H

#include "base/buf.h"
#include "base/crypt.h"

struct conf {
    struct str database;       /* libpq connection string of the web workers */
    struct str database_owner; /* of migrate, key, operator;
                                  default: the same */
    struct str socket;         /* path of the FastCGI socket */
    struct str socket_mode;    /* octal, default 0660 */
    struct str templates;      /* directory */
    struct str migrations;     /* directory; may be empty */
    struct str public_url;     /* http[s]://host[:port], no slash at the end */
    int64_t workers;           /* 1..256, default 4 */
    bool templates_strict;     /* an unknown template key is an error;
                                  yes | no, default no */
    enum crypt_cost password_cost; /* interactive | min (tests) */
};

/* Reads file (p NULL: none) and the environment. true: *c is complete, in a.
 * false: mistakes holds one line for each mistake. database, socket,
 * templates and public_url must be given; a value is never repeated in a
 * mistake, for it may be a secret. */
bool conf_read(struct arena *a, struct str file, struct conf *c,
               struct buf *mistakes);

#endif
