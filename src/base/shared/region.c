/* Memory that all processes of a pool share. */
#include "base/shared/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES ((size_t)256 << 10)
#define LINE 64 /* of the processor's cache: parts share none */
/* A process that makes the file smaller would end the others by SIGBUS. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int file = -1;
static char *region; /* NULL: not made */
static size_t taken;
static bool joined;

static void *region_map(int fd, size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
                   MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool region_make(void)
{
    file = memfd_create("sayso-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, (off_t)BYTES) != 0 ||
        fcntl(file, F_ADD_SEALS, SEALS) != 0)
        return false;
    region = region_map(file, BYTES);
    return region != NULL;
}

bool region_join(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size != (off_t)BYTES ||
        fcntl(fd, F_GET_SEALS) != SEALS)
        return false;
    file = fd;
    region = region_map(fd, BYTES);
    joined = region != NULL;
    return joined;
}

bool region_joined(void)
{
    return joined;
}

int region_fd(void)
{
    return file;
}

size_t region_taken(void)
{
    return taken;
}

void *region_take(size_t n)
{
    const size_t at = taken;
    if (!region)
        return region_map(-1, n);
    taken += (n + LINE - 1) / LINE * LINE;
    return taken <= BYTES ? region + at : NULL;
}
