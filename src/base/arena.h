/* Memory in arenas: one for the process, one for each request.
 *
 * Allocation moves a pointer; nothing is freed singly. Resources of libraries
 * are attached with arena_defer and freed in reverse order at reset. An arena
 * has a ceiling, and everything that a request holds counts against it: the
 * bytes handed out, and memory that libraries hold for it (trees, results of
 * the database), which is charged. An allocation over the ceiling never
 * returns: within arena_try it ends the work there, else the process, for which
 * it is a defect. arena_alloc never returns NULL. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena;

/* The ceiling of a request's arena in bytes, unless the configuration sets
 * one. */
#define ARENA_REQUEST_MAX ((size_t)96 << 20)
/* The ceiling of the process's arena. */
#define ARENA_PROCESS_MAX ((size_t)256 << 20)
/* Bytes that an arena may hold beyond its ceiling after arena_try failed in it,
 * until its reset: room to report the error. */
#define ARENA_SPARE ((size_t)2 << 20)

/* A new arena with a ceiling of max bytes; pieces count in steps of 16. Free
 * it with arena_free. */
struct arena *arena_make(size_t max);
/* An arena for one page or row of a longer work: its bytes count against the
 * outer one's ceiling until its own reset. It is freed by arena_free or with
 * the outer one's reset, whichever comes first. */
struct arena *arena_within(struct arena *outer);
void arena_free(struct arena *a);
/* Runs the deferred calls, newest first, and frees all memory but the first
 * block, which is kept for the next request. */
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
/* A NUL-terminated copy of s, for libraries. */
const char *arena_z(struct arena *a, struct str s);
/* A text of the parts, one after the other, in the arena: arena_join(a,
 * STR("for "), name). A part with p NULL is empty; the text never is p NULL. */
#define arena_join(a, ...)                                                   \
    arena_joined((a), (const struct str[]){__VA_ARGS__},                     \
                 countof(((const struct str[]){__VA_ARGS__})))
struct str arena_joined(struct arena *a, const struct str *parts, size_t n);
/* The digits of a number, after a '-' where it is negative; then a NUL byte. */
struct str arena_number(struct arena *a, int64_t v);
/* Calls fn(p) when the arena is reset or freed. */
void arena_defer(struct arena *a, void (*fn)(void *), void *p);
/* Bytes handed out and charged since the last reset. */
size_t arena_used(const struct arena *a);
/* The most bytes at one time. */
size_t arena_peak(const struct arena *a);

/* Counts n bytes that a library holds for what lives in a, until its reset.
 * Call it before they are allocated: it may not return. */
void arena_charge(struct arena *a, size_t n);
/* The same where there is room; false: there is none. */
bool arena_offer(struct arena *a, size_t n) __attribute__((warn_unused_result));
/* arena_charge for the arena of the running work: the newest one within that of
 * the innermost arena_try. Does nothing where there is none. */
void arena_bill(size_t n);
/* malloc failed: ends the running work, else the process. */
_Noreturn void arena_no_memory(void);
/* Runs work(p). false: the ceiling was reached, or the system has no memory,
 * and the work was left by longjmp. Its resources have to belong to the arena
 * by then, by arena_defer: an allocation between opening a resource and
 * deferring its release would leak it. Not for work that runs inside a
 * library's callbacks. */
bool arena_try(struct arena *a, void (*work)(void *), void *p)
    __attribute__((warn_unused_result));

#endif
