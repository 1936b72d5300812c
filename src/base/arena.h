/* Memory with a life: one arena for the process, one for each request.
 *
 * Allocation is a pointer bump; nothing is freed singly. Foreign things are
 * attached with arena_defer and die in reverse order at reset. An arena has a
 * ceiling, and everything that a request holds counts against it: the bytes
 * handed out, and what others hold for it elsewhere (trees, results of the
 * database), which they charge. An allocation over the ceiling never returns:
 * within arena_try it ends the work there, else the process, for which it is
 * a defect of ours. arena_alloc never returns NULL. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena;

/* The ceiling of a request's arena in bytes, where the configuration names
 * none. */
#define ARENA_REQUEST_MAX ((size_t)96 << 20)
/* The ceiling of the process's arena. */
#define ARENA_PROCESS_MAX ((size_t)256 << 20)
/* What an arena may hold beyond its ceiling once work in it was tried, until
 * its reset: room to tell how it went. */
#define ARENA_SPARE ((size_t)2 << 20)

/* A new arena with a ceiling of max bytes; pieces count in steps of 16. Free
 * it with arena_free. */
struct arena *arena_make(size_t max);
/* An arena for one page or row of a longer work: what it holds counts against
 * the outer one's ceiling until its own reset. It is freed by arena_free or
 * with the outer one's reset, whichever comes first. */
struct arena *arena_within(struct arena *outer);
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
/* Bytes handed out and charged since the last reset. */
size_t arena_used(const struct arena *a);
/* The most of them at one time. */
size_t arena_peak(const struct arena *a);

/* Counts n bytes that are held elsewhere for what lives in a, until its
 * reset. To be called before they are taken: it may not return. */
void arena_charge(struct arena *a, size_t n);
/* The same where there is room; false: there is none. */
bool arena_offer(struct arena *a, size_t n) __attribute__((warn_unused_result));
/* arena_charge for whichever arena's work runs now: the newest one within
 * that of the innermost arena_try. Nothing where there is none. */
void arena_bill(size_t n);
/* The system has none left: ends the work that runs, else the process. */
_Noreturn void arena_no_memory(void);
/* Does work(p). false: the ceiling was reached, or the system has no memory,
 * and the work was left where it stood. Whatever it holds has to be the
 * arena's by then, by arena_defer: an allocation between taking a thing and
 * handing it over would leak it. Not for work through foreign callers. */
bool arena_try(struct arena *a, void (*work)(void *), void *p)
    __attribute__((warn_unused_result));

#endif
