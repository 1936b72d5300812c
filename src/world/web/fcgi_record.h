/* FastCGI records of an application that answers many requests at once, each
 * on a connection of its own (FastCGI 1.0, sections 3 and 5).
 *
 * Reads and writes bytes, no more: no socket, no memory of its own. Anything
 * but one responder request is refused. */
#ifndef WORLD_WEB_FCGI_RECORD_H
#define WORLD_WEB_FCGI_RECORD_H

#include "base/buf.h"

enum fcgi_record_state {
    FCGI_RECORD_BEGIN,  /* nothing yet */
    FCGI_RECORD_PARAMS, /* begun */
    FCGI_RECORD_READY,  /* all parameters are there */
    FCGI_RECORD_BROKEN  /* not a request: close */
};

#define FCGI_RECORD_PARAMS_MAX 8192

struct fcgi_record {
    enum fcgi_record_state state;
    uint16_t id;
};

/* Reads whole records from bytes and appends the parameters' bytes to params,
 * up to FCGI_RECORD_PARAMS_MAX, else BROKEN. Records after READY are read and
 * ignored except an abort, which is BROKEN. Returns the number of bytes
 * read. */
size_t fcgi_record_read(struct fcgi_record *r, struct str bytes,
                        struct buf *params);
/* The value of one parameter; p NULL: absent, or the bytes are malformed. */
struct str fcgi_record_param(struct str params, const char *name);
/* Appends the answer's bytes as records of at most 65528 bytes. */
void fcgi_record_out(const struct fcgi_record *r, struct buf *b,
                     struct str bytes);
/* Appends the records that end a request successfully. */
void fcgi_record_end(const struct fcgi_record *r, struct buf *b);
/* Bytes that a front end treats as a failure, so that its client sees a
 * truncated answer and not one that ended. */
struct str fcgi_record_break(void);

#endif
