/* Memory with a life: one arena for the process, one for each request.
 *
 * Allocation is a pointer bump; nothing is freed singly. Foreign things are
 * attached with arena_defer and die in reverse order at reset. An arena has a
 * ceiling. Inputs are bounded before they are allocated for (bodies, buffers,
 * lists, depth), so that reaching the arena's ceiling is a defect of ours and
 * ends the process: arena_alloc never returns NULL. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena;

/* The ceiling of a request's arena, in bytes. */
#define ARENA_REQUEST_MAX ((size_t)96 << 20)
/* The ceiling of the process's arena. */
#define ARENA_PROCESS_MAX ((size_t)256 << 20)

/* A new arena with a ceiling of max bytes; pieces count in steps of 16. Free
 * it with arena_free. */
struct arena *arena_make(size_t max);
void arena_free(struct arena *a);
/* Runs the deferred calls, newest first, and gives all memory back but the
 * first block, which is kept for the next request. */
void arena_reset(struct arena *a);
/* n zeroed bytes, aligned for any type. Never NULL. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull));
/* An array of n zeroed things of the given size; overflow is checked. */
void *arena_array(struct arena *a, size_t n, size_t size)
    __attribute__((returns_nonnull));
#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_many(a, n, type) ((type *)arena_array((a), (n), sizeof(type)))
/* A copy of s in the arena, followed by a NUL byte; STR_NONE stays that. */
struct str arena_str(struct arena *a, struct str s);
/* A NUL-terminated copy of s, for foreign borders. */
const char *arena_z(struct arena *a, struct str s);
/* Calls fn(p) when the arena is reset or freed. */
void arena_defer(struct arena *a, void (*fn)(void *), void *p);
/* Bytes handed out since the last reset. */
size_t arena_used(const struct arena *a);

#endif
