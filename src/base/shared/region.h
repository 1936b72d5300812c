/* Memory that all processes of a pool share.
 *
 * A file without a name, whose size is sealed. Processes that are forked have
 * it; a process of another container gets its descriptor
 * (process/start/pool.h). Parts are taken in the same order everywhere, and so
 * lie at the same places. A part may have no pointer: the addresses of another
 * process differ. */
#ifndef BASE_SHARED_REGION_H
#define BASE_SHARED_REGION_H

#include "base/str.h"

/* Makes the memory, all zeros, before the first part is taken. false with errno
 * set. */
bool region_make(void);
/* The same with the memory of a pool that runs; false where fd is none. */
bool region_join(int fd);
/* Was it joined, so that the parts have contents? */
bool region_joined(void);
/* The descriptor; -1: none was made. */
int region_fd(void);
/* The bytes of all parts that were taken: equal in all processes of a pool. */
size_t region_taken(void);
/* The next part; NULL: there is no room. Where no memory was made (in the
 * tests) each part is a mapping of its own. */
void *region_take(size_t n);

#endif
