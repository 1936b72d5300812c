/* The configuration: one file of `key = value` lines and the environment.
 *
 * SAYSO_CONF names the file; an environment variable SAYSO_<KEY> (upper case)
 * overrides a line. An unknown key, a repeated key or a bad value stops the
 * start, and all of them are reported at once. A line that begins with # is a
 * comment. Other variables SAYSO_... are used by other programs and ignored. */
#ifndef BASE_CONF_H
#define BASE_CONF_H

#include "base/buf.h"
#include "base/crypt.h"

#define CONF_KINDS 8 /* kinds of question, and none */

struct conf {
    struct str database;       /* libpq connection string of the web workers */
    struct str database_owner; /* of migrate, key, operator;
                                  default: the same */
    struct str database_wait;  /* of the process that holds waiters, */
    struct str database_tick;  /* of the clock, */
    struct str database_deliver; /* of the sender, */
    struct str database_seal;  /* of the signer of the log, */
    struct str database_erase; /* of the eraser; default: the same */
    unsigned log_public; /* 1: the heads and tiles of the log need no key; no |
                          * yes, default no */
    struct str log_key;        /* file with its secret keys, PEM; p NULL: none
                                */
    struct str log_witnesses;  /* keys of those who may sign its heads too,
                                * name+id+key, separated by spaces; p NULL:
                                * nobody may */
    struct str tsa_url;        /* of an authority that stamps checkpoints (RFC
                                * 3161): https, or http to this machine; p
                                * NULL: none */
    struct str socket;         /* path of the FastCGI socket */
    struct str wait_socket;    /* path of the socket of the process that holds
                                * waiters; default: wait.sock in the same
                                * directory */
    struct str socket_mode;    /* octal, default 0660 */
    struct str templates;      /* directory */
    struct str migrations;     /* directory; may be empty */
    struct str public_url;     /* http[s]://host[:port], no slash at the end */
    int64_t workers;           /* 1..256, default 4 */
    int64_t database_timeout;  /* timeout of a web worker's statement, seconds,
                                * 1..20, default 2 */
    int64_t database_connect_ms; /* timeout of a connection to one of several
                                  * hosts, 50..10000, default 400 */
    unsigned require_standby;  /* 1: doctor requires a synchronous standby; no |
                                * yes, default no */
    int64_t request_memory_mb; /* memory of one request, 64..4096, default
                                * 192 */
    unsigned templates_strict; /* 1: an unknown template key is an error;
                                  no | yes, default no */
    unsigned test_keys;        /* 1: keys for tests are taken; no | yes, default
                                * no */
    unsigned log_format;       /* 1: lines of the log are JSON; text | json,
                                * default text */
    enum crypt_cost password_cost; /* interactive | min (tests) */
    struct str default_retry_policy; /* a JSON object, the platform's default
                                  for questions (RFC-0026); p NULL: none */
    unsigned silence_may_authorize; /* 1: a fallback may authorize at severity
                                     * low; never | low, default never */
    unsigned claimed_initiator; /* 0: low .. 3: critical: the highest severity
                                 * at which a person of role user decides who
                                 * is only claimed to be the initiator; default
                                 * high */
    unsigned severity_floor[CONF_KINDS]; /* severity_floor_none and so on: by
                                  kind, none | low | medium | high |
                                  critical; default none */
    struct str smtp_url;       /* smtp[s]://host[:port]; p NULL: no mail */
    struct str smtp_user;      /* p NULL: no authentication */
    struct str smtp_password_file; /* a file with the password alone */
    struct str mail_from;      /* the sender's address */
    struct str settings_hosts; /* hosts of credential pages, separated by
                                * spaces; p NULL: only this server */
    struct str ca_file;        /* certificates to trust when sending, instead
                                  of the system's; p NULL: the system's */
    /* The limits of one key or session: */
    int64_t limit_streams;     /* streams held at once, default 500 */
    int64_t limit_held;        /* reads held at once, default 2000 */
    int64_t limit_rate;        /* requests a second, default 200; a burst may
                                * have five seconds' worth */
    int64_t limit_workers;     /* workers that have its large or long requests
                                * at once, default half of them */
    int64_t limit_open;        /* open questions of a key, default 2000 */
    int64_t limit_bytes_mb;    /* megabytes stored by a key in a day (UTC),
                                  default 1000 */
    int64_t limit_subscriptions; /* of a key, default 100 */
    int64_t limit_endpoints;   /* that a key registered, default 100 */
};

/* Reads file (p NULL: none) and the environment. true: *c is complete, in a.
 * false: mistakes has one line for each mistake. database, socket, templates
 * and public_url are required; a mistake never repeats a value, which may be a
 * secret. */
bool conf_read(struct arena *a, struct str file, struct conf *c,
               struct buf *mistakes);
/* Is there a database_owner of its own? */
bool conf_has_owner(const struct conf *c);
/* The file of the commands that need the owner, which the service cannot read:
 * database_owner alone. A variable SAYSO_DATABASE_OWNER still overrides it. */
bool conf_read_owner(struct arena *a, struct str file, struct conf *c,
                     struct buf *mistakes);

/* An address of this server: public_url, path and id, which has only characters
 * that an address may have. */
struct str conf_address(struct arena *a, const struct conf *c,
                        const char *path, struct str id);

#endif
