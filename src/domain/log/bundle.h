/* Checks an export of the log, line by line, with public keys and nothing
 * else: no database, and no word of the server.
 *
 * The export is JSON Lines ("sayso-log/1", docs/log.md): a header, events in
 * the order of their positions, checkpoints behind the events that they cover,
 * and the signed head. An export of one intent has a proof with each of its
 * events. Memory grows by about 60 bytes for each event, in the arena of the
 * bundle. */
#ifndef DOMAIN_LOG_BUNDLE_H
#define DOMAIN_LOG_BUNDLE_H

#include "domain/log/signing_key.h"

#define BUNDLE_FORMAT "sayso-log/1"
#define BUNDLE_LINE_MAX ((size_t)8 << 20) /* bytes of a line */

struct bundle;

/* Gets each fault: the line, the thing, and why it does not hold; one for one
 * cause. erased gets each event whose bytes a rule erased, and when. */
struct bundle_report {
    void (*fault)(void *own, int64_t line, struct str what, const char *why);
    void (*erased)(void *own, int64_t line, struct str what, struct str rule,
                   struct str at);
    void *own;
};

/* The keys that are trusted: those that were given, and each that one of them
 * names as the next, by the statements in the header. */
#define BUNDLE_KEYS 64

/* n keys of one log, at least one. old: the text of an older head that has to
 * begin this log; p NULL: none. NULL where that is not a head by one of
 * them. */
struct bundle *bundle_make(struct arena *a, const struct note_key *keys,
                           size_t n, struct str old,
                           const struct bundle_report *report);
/* The next line, without its end. false: it is no line of an export, and the
 * rest cannot be read. */
bool bundle_line(struct bundle *b, struct str line) MUST;

struct bundle_sums {
    int64_t events, intents, checkpoints, erased, faults;
    struct str head; /* the note, for who keeps it; p NULL: there was none */
};
/* After the last line. */
struct bundle_sums bundle_end(struct bundle *b);

#endif
