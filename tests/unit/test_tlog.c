/* The tree over all events, and that of a checkpoint: the vectors of
 * docs/log.md, every proof between small sizes, and proofs that are none. */
#include <stdio.h>

#include "domain/log/merkle.h"
#include "suite.h"

SUITE(tlog);

static struct tlog_hash entry(int n)
{
    struct tlog_hash h;
    crypt_sha256(arena_number(a, n), h.b);
    return h;
}

static struct str base64(const struct tlog_hash *h)
{
    return crypt_base64(a, (struct str){(const char *)h->b, sizeof h->b});
}

static struct str base64url(const struct tlog_hash *h)
{
    return crypt_base64url(a, (struct str){(const char *)h->b, sizeof h->b});
}

/* A tree that keeps every tile. */
struct forest {
    struct tlog_edge edge;
    struct tlog_hash full[TLOG_LEVELS][8][TLOG_TILE];
};

static void keep(void *own, unsigned level, int64_t number,
                 const struct tlog_hash tile[TLOG_TILE])
{
    struct forest *f = own;
    memcpy(f->full[level][number], tile, sizeof f->full[level][number]);
}

static const struct err *stored(void *own, unsigned level, int64_t index,
                                struct tlog_hash *out)
{
    struct forest *f = own;
    const struct tlog_place p = tlog_place(level, index);
    const int64_t whole = f->edge.size >> (8 * (p.level + 1));
    *out = tlog_of_tile(p.tile < whole ? &f->full[p.level][p.tile][p.from]
                                       : &f->edge.tile[p.level][p.from],
                        p.n);
    return NULL;
}

static struct forest *forest(int n)
{
    struct forest *f = arena_new(a, struct forest);
    for (int i = 1; i <= n; i++) {
        const struct tlog_hash h = entry(i);
        cr_assert(tlog_append(&f->edge, &h, keep, f));
    }
    return f;
}

static struct tlog_hash root_of(struct forest *f, int64_t size)
{
    struct tlog_hash root;
    const struct tlog_source s = {stored, f};
    cr_assert_null(tlog_root(&s, size, &root));
    return root;
}

Test(tlog, vectors)
{
    struct forest *f = forest(3);
    struct tlog_hash three = root_of(f, 3), two = root_of(f, 2);
    const struct tlog_source s = {stored, f};
    struct tlog_proof p;
    cr_assert(str_is(base64(&three),
                     "AHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ="));
    cr_assert(str_is(base64(&two),
                     "boOT17jIwdSSy9iX+kF2if6aW3PLYYijtirwv41N3OY="));
    cr_assert_null(tlog_inclusion(&s, 2, 3, &p));
    cr_assert_eq(p.n, 1);
    cr_assert(tlog_equal(&p.v[0], &two));
    cr_assert_null(tlog_consistency(&s, 2, 3, &p));
    cr_assert_eq(p.n, 1);
    cr_assert(str_is(base64(&p.v[0]),
                     "OVQh310Kdb3rPC/0K5bAceThl7HfW397v9PmGkhk3kY="));
}

/* RFC 9162: the root of nothing. */
Test(tlog, an_empty_tree)
{
    struct tlog_hash root = root_of(forest(0), 0);
    cr_assert(str_is(base64(&root),
                     "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="));
}

Test(tlog, the_edge_has_the_root)
{
    struct forest *f = arena_new(a, struct forest);
    for (int i = 1; i <= 1100; i++) {
        const struct tlog_hash h = entry(i);
        cr_assert(tlog_append(&f->edge, &h, keep, f));
        const struct tlog_hash mine = tlog_edge_root(&f->edge);
        const struct tlog_hash root = root_of(f, i);
        cr_assert(tlog_equal(&mine, &root), "%d", i);
    }
}

Test(tlog, every_entry_of_every_size)
{
    struct forest *f = forest(600);
    const struct tlog_source s = {stored, f};
    for (int64_t size = 1; size <= 600; size += size < 40 ? 1 : 37) {
        const struct tlog_hash root = root_of(f, size);
        for (int64_t i = 0; i < size; i++) {
            const struct tlog_hash h = entry((int)i + 1);
            const struct tlog_hash leaf = tlog_leaf(&h);
            struct tlog_proof p;
            cr_assert_null(tlog_inclusion(&s, i, size, &p));
            cr_assert(tlog_included(&p, i, size, &leaf, &root));
            cr_assert_not(tlog_included(&p, i + 1, size, &leaf, &root));
            cr_assert_not(tlog_included(&p, i, size, &h, &root));
            if (p.n > 0) {
                p.v[p.n - 1].b[31] ^= 1;
                cr_assert_not(tlog_included(&p, i, size, &leaf, &root));
                p.v[p.n - 1].b[31] ^= 1;
                p.n--;
                cr_assert_not(tlog_included(&p, i, size, &leaf, &root));
            }
        }
    }
}

Test(tlog, every_size_begins_every_larger_one)
{
    struct forest *f = forest(300);
    const struct tlog_source s = {stored, f};
    for (int64_t to = 0; to <= 300; to += to < 70 ? 1 : 23) {
        const struct tlog_hash to_root = root_of(f, to);
        for (int64_t from = 0; from <= to; from++) {
            const struct tlog_hash from_root = root_of(f, from);
            struct tlog_proof p;
            cr_assert_null(tlog_consistency(&s, from, to, &p));
            cr_assert(tlog_consistent(&p, from, to, &from_root, &to_root));
            if (from == 0 || from == to)
                continue;
            cr_assert_not(tlog_consistent(&p, from, to, &to_root, &to_root));
            cr_assert_not(tlog_consistent(&p, from, to, &from_root,
                                          &from_root));
            p.v[p.n - 1].b[0] ^= 1;
            cr_assert_not(tlog_consistent(&p, from, to, &from_root, &to_root));
            p.v[p.n - 1].b[0] ^= 1;
            p.v[p.n++] = to_root;
            cr_assert_not(tlog_consistent(&p, from, to, &from_root, &to_root));
        }
    }
}

/* L6, for another reader: tests/compat/test_tlog.py names a file, and gets a
 * line for each proof, "FROM TO HASH...". */
Test(tlog, proofs_for_another_reader)
{
    const char *path = getenv("SAYSO_TLOG_PROOFS");
    const int64_t most = path ? 300 : 3;
    struct forest *f = forest(300);
    const struct tlog_source s = {stored, f};
    struct arena *line = arena_make(ARENA_REQUEST_MAX);
    FILE *out = fopen(path ? path : "/dev/null", "w");
    cr_assert(out);
    for (int64_t to = 2; to <= most; to++) {
        arena_reset(line);
        for (int64_t from = 1; from < to; from++) {
            struct tlog_proof p;
            cr_assert_null(tlog_consistency(&s, from, to, &p));
            fprintf(out, "%d %d", (int)from, (int)to);
            for (size_t i = 0; i < p.n; i++) {
                const struct str hash = {(const char *)p.v[i].b,
                                         sizeof p.v[i].b};
                fprintf(out, " %.*s", STR_FMT(crypt_base64(line, hash)));
            }
            fputc('\n', out);
        }
    }
    cr_assert(fclose(out) == 0);
    arena_free(line);
}

Test(tlog, sizes_that_are_none)
{
    const struct tlog_proof none = {.n = 0};
    const struct tlog_hash h = entry(1);
    cr_assert_not(tlog_included(&none, -1, 1, &h, &h));
    cr_assert_not(tlog_included(&none, 0, 0, &h, &h));
    cr_assert_not(tlog_included(&none, 0, INT64_MAX, &h, &h));
    cr_assert_not(tlog_consistent(&none, 2, 1, &h, &h));
    cr_assert_not(tlog_consistent(&none, -1, 1, &h, &h));
    cr_assert_not(tlog_consistent(&none, 3, 5, &h, &h));
    cr_assert_not(tlog_included(&none, 0, INT64_MIN, &h, &h));
    cr_assert_not(tlog_included(&none, INT64_MIN, INT64_MIN, &h, &h));
    cr_assert_not(tlog_included(&none, INT64_MAX, INT64_MAX, &h, &h));
    cr_assert_not(tlog_consistent(&none, INT64_MIN, INT64_MAX, &h, &h));
    cr_assert_not(tlog_consistent(&none, 1, INT64_MIN, &h, &h));
    cr_assert_not(tlog_consistent(&none, INT64_MIN, INT64_MIN, &h, &h));
}

/* ---- the tree of a checkpoint --------------------------------------- */

static struct tlog_hash *entries(int n)
{
    struct tlog_hash *v = arena_many(a, (size_t)n, struct tlog_hash);
    for (int i = 0; i < n; i++)
        v[i] = entry(i + 1);
    return v;
}

Test(tlog, vectors_of_a_checkpoint)
{
    struct tlog_hash root = merkle_root(a, entries(3), 3);
    struct merkle_proof p;
    cr_assert(str_is(base64url(&root),
                     "-YFmKx3NkbJWmlb86MWQsEvAYu4i1Fnkm8UHY4yAmaI"));
    merkle_prove(a, entries(3), 3, 2, &p);
    cr_assert_eq(p.n, 2);
    cr_assert_not(p.v[0].left);
    cr_assert(str_is(base64url(&p.v[0].hash),
                     "TgdAhWK-24tgzgXB3s_jrRa3IjCWfeAfZAt-Rym0n84"));
    cr_assert(p.v[1].left);
    cr_assert(str_is(base64url(&p.v[1].hash),
                     "QpX3LuseNQe4Rh4kDjuNGMHnvS8RIrEfyexApliUAxo"));
}

Test(tlog, every_event_of_a_checkpoint)
{
    static const int sizes[] = {1, 2, 3, 5, 100};
    for (size_t k = 0; k < countof(sizes); k++) {
        const size_t n = (size_t)sizes[k];
        const struct tlog_hash *v = entries(sizes[k]);
        const struct tlog_hash root = merkle_root(a, v, n);
        for (size_t i = 0; i < n; i++) {
            struct merkle_proof p;
            merkle_prove(a, v, n, i, &p);
            const int64_t at = (int64_t)i, count = sizes[k];
            cr_assert(merkle_check(&p, &v[i], at, count, &root));
            cr_assert_not(merkle_check(&p, &v[i], at ^ 1, count, &root));
            cr_assert_not(merkle_check(&p, &root, at, count, &root) && n > 1);
        }
    }
}

/* The two forgeries that OpenIntent's client accepts: an inner node in the
 * place of an event, with a shorter proof, and the repeated leaf as a fourth
 * event of three. */
Test(tlog, forgeries_of_a_checkpoint)
{
    const struct tlog_hash *v = entries(3);
    const struct tlog_hash root = merkle_root(a, v, 3);
    const struct tlog_hash inner = merkle_root(a, v, 2);
    struct merkle_proof p;
    merkle_prove(a, v, 3, 0, &p);
    p.v[0] = p.v[1];
    p.n = 1;
    cr_assert_not(merkle_check(&p, &inner, 0, 3, &root));
    cr_assert_not(merkle_check(&p, &inner, 0, 2, &root) &&
                  tlog_equal(&inner, &v[0]));
    const struct tlog_hash padded[] = {v[0], v[1], v[2], v[2]};
    merkle_prove(a, padded, 4, 3, &p);
    cr_assert(merkle_check(&p, &v[2], 3, 4, &root));
    cr_assert_not(merkle_check(&p, &v[2], 3, 3, &root));
}
