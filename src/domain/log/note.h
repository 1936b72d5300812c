/* Signed notes (C2SP signed-note), and what is signed here: the head of the
 * tree over all events (C2SP tlog-checkpoint) and what a witness adds to it
 * (C2SP tlog-cosignature). Pure.
 *
 * A note is a text, an empty line, and a line for each signature. A key is
 * known by a name, the 4 bytes of its id, and an algorithm. */
#ifndef DOMAIN_LOG_NOTE_H
#define DOMAIN_LOG_NOTE_H

#include "domain/log/signer.h"
#include "domain/log/tlog.h"

#define NOTE_MAX ((size_t)64 << 10) /* bytes of a note */
#define NOTE_SIGNATURES_MAX 64
#define NOTE_NAME_MAX 255 /* bytes of a key's name */

/* The first byte of a key, which says how it signs. */
enum note_algorithm {
    NOTE_ED25519 = 0x01,    /* over the text */
    NOTE_COSIGNATURE = 0x04 /* over a time and the text, by a witness */
};

struct note_key {
    struct str name;
    enum note_algorithm algorithm;
    struct signer_public key;
};
/* name+id+key: "sayso.example/log+dd0e8583+Adda..." */
struct str note_key_text(struct arena *a, const struct note_key *k);
/* false: malformed, of another algorithm, or with an id that is not its own.
 */
bool note_key_read(struct arena *a, struct str text,
                   struct note_key *out) MUST;

struct note_signature {
    struct str name;
    uint8_t id[4];
    struct str bytes; /* after the id */
    struct str line;  /* the whole, without its end */
};
struct note {
    struct str text; /* what was signed, with its last line feed */
    struct note_signature v[NOTE_SIGNATURES_MAX];
    size_t n;
};
/* NULL, or why the note is malformed, in words. */
const char *note_read(struct arena *a, struct str s, struct note *out) MUST;
/* The signature of the note by this key that holds; NULL: there is none. *at:
 * the time of a cosignature, in seconds since 1970; 0 for the other algorithm.
 */
const struct note_signature *note_signed(struct arena *a, const struct note *n,
                                         const struct note_key *key,
                                         int64_t *at);
/* The text with an empty line and a signature under this name by each key. */
struct str note_sign(struct arena *a, struct str text, struct str name,
                     const struct signer *keys, size_t n);

/* ---- heads ----------------------------------------------------------------
 */

struct note_head {
    struct str origin;
    int64_t size;
    struct tlog_hash root;
};
/* "<origin>\n<size>\n<root, base64>\n". */
struct str note_head_text(struct arena *a, const struct note_head *h);
/* The head in the text of a note; lines after it are extensions, and ignored.
 * NULL, or why it is none, in words. */
const char *note_head_read(struct arena *a, struct str text,
                           struct note_head *out) MUST;
/* A proof that the head of a signed note has the entry at index (C2SP
 * tlog-proof). */
struct str note_proof(struct arena *a, int64_t index,
                      const struct tlog_proof *p, struct str note);

#endif
