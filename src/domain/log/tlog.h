/* The tree over all events of the server: the Merkle tree of RFC 6962 and
 * RFC 9162, in the tiles of C2SP tlog-tiles.
 *
 * An entry is the 32 bytes of an event_hash, so that nobody who reads the tree
 * learns a word of an event. Positions and sizes count from 0. Pure: whoever
 * calls brings the stored hashes. */
#ifndef DOMAIN_LOG_TLOG_H
#define DOMAIN_LOG_TLOG_H

#include "base/crypt.h"
#include "base/err.h"

#define TLOG_SIZE_MAX ((int64_t)1 << 56) /* entries */
#define TLOG_TILE 256                    /* hashes of a full tile */
#define TLOG_TILE_HEIGHT 8               /* levels of the tree in a tile */
#define TLOG_LEVELS 7                    /* tiles above each other */
#define TLOG_PROOF_MAX 64                /* hashes of a proof */

struct tlog_hash {
    uint8_t b[CRYPT_SHA256];
};

/* The hashes of a proof, in the order of RFC 9162. */
struct tlog_proof {
    struct tlog_hash v[TLOG_PROOF_MAX];
    size_t n;
};

/* Are they the same bytes? */
bool tlog_equal(const struct tlog_hash *a, const struct tlog_hash *b);
/* SHA-256 of 0x00 and the entry (RFC 9162 2.1.1). */
struct tlog_hash tlog_leaf(const struct tlog_hash *entry);
/* SHA-256 of 0x01 and both. */
struct tlog_hash tlog_node(const struct tlog_hash *left,
                           const struct tlog_hash *right);

/* ---- reading a stored tree ------------------------------------------ */

/* Reads the hash of the 2^level leaves from position index * 2^level on; all
 * of them are below the size that was asked about. */
struct tlog_source {
    const struct err *(*hash)(void *own, unsigned level, int64_t index,
                              struct tlog_hash *out);
    void *own;
};

/* The root of the first size entries; of none, the SHA-256 of nothing. Errors
 * are the source's, here and below. */
const struct err *tlog_root(const struct tlog_source *s, int64_t size,
                            struct tlog_hash *out) MUST;
/* The proof that the entry at position is one of the first size (RFC 9162
 * 2.1.3.1). position < size. */
const struct err *tlog_inclusion(const struct tlog_source *s, int64_t position,
                                 int64_t size, struct tlog_proof *out) MUST;
/* The proof that the first from entries begin the first to (RFC 9162 2.1.4.1).
 * 0 <= from <= to; without hashes where from is 0 or to. */
const struct err *tlog_consistency(const struct tlog_source *s, int64_t from,
                                   int64_t to, struct tlog_proof *out) MUST;

/* ---- checking without the tree -------------------------------------- */

/* The root to which a proof leads. false: it has another length than one for
 * that position. */
bool tlog_climb(const struct tlog_proof *p, int64_t position, int64_t size,
                const struct tlog_hash *leaf, struct tlog_hash *root) MUST;
/* RFC 9162 2.1.3.2. */
bool tlog_included(const struct tlog_proof *p, int64_t position, int64_t size,
                   const struct tlog_hash *leaf, const struct tlog_hash *root);
/* RFC 9162 2.1.4.2. */
bool tlog_consistent(const struct tlog_proof *p, int64_t from, int64_t to,
                     const struct tlog_hash *from_root,
                     const struct tlog_hash *to_root);

/* ---- tiles ---------------------------------------------------------- */

/* The place of a hash in the tiles. A tile of level L has the hashes of level
 * 8 * L of the tree; those between are computed from it. */
struct tlog_place {
    unsigned level; /* of the tile */
    int64_t tile;   /* its number */
    size_t from, n; /* the hashes of the tile that it is made of */
};
struct tlog_place tlog_place(unsigned level, int64_t index);
/* The hash over n hashes of a tile; n is a power of two. */
struct tlog_hash tlog_of_tile(const struct tlog_hash *v, size_t n);

/* The tiles that are not full: the right edge of the tree, all that appending
 * needs. */
struct tlog_edge {
    int64_t size;
    struct tlog_hash tile[TLOG_LEVELS][TLOG_TILE];
};
/* The number of hashes in the edge's tile of this level. */
size_t tlog_edge_n(const struct tlog_edge *e, unsigned level);
/* Appends an entry. full(own, level, number, tile) gets each tile that it
 * fills; NULL: nobody does. false: the tree has TLOG_SIZE_MAX entries. */
bool tlog_append(struct tlog_edge *e, const struct tlog_hash *entry,
                 void (*full)(void *own, unsigned level, int64_t number,
                              const struct tlog_hash tile[TLOG_TILE]),
                 void *own) MUST;
/* The same for the hash of its leaf. */
bool tlog_append_leaf(struct tlog_edge *e, const struct tlog_hash *leaf,
                      void (*full)(void *own, unsigned level, int64_t number,
                                   const struct tlog_hash tile[TLOG_TILE]),
                      void *own) MUST;
struct tlog_hash tlog_edge_root(const struct tlog_edge *e);

#endif
