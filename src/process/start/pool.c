/* A pool whose kinds of process run in containers of their own. */
#include "process/start/pool.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/shared/region.h"
#include "base/version.h"

#define PATIENCE 3000 /* milliseconds; a supervisor looks every second */
#define AT_ONCE 16    /* connections of one look */
#define FDS_MAX (2 + WAKE__MAX)

/* The text beside the descriptors, which are the memory, the ends for writing
 * where the member tells, and its end for reading where it hears. */
struct note {
    char build[64];
    uint64_t taken;
    char secret[POOL_SECRET]; /* NUL-terminated */
};

union control {
    char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    struct cmsghdr align;
};

static bool pool_hung_up(int fd)
{
    struct pollfd p = {.fd = fd};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static size_t pool_fds(const struct pool_member *m, int *fds)
{
    size_t n = 0;
    fds[n++] = region_fd();
    for (enum wake_to to = 0; m->tells && to < WAKE__MAX; to++)
        fds[n++] = wake_out(to);
    if (m->hears != WAKE__MAX)
        fds[n++] = wake_fd(m->hears);
    return n;
}

static bool pool_give(const struct pool *p, const struct pool_member *m,
                      int fd)
{
    int fds[FDS_MAX];
    const size_t n = pool_fds(m, fds);
    struct note note = {.taken = region_taken()};
    if (!str_copy(note.build, sizeof note.build, str_of(version_build)) ||
        (m->holds && !str_copy(note.secret, sizeof note.secret, p->secret)))
        return false;
    union control control = {.bytes = ""};
    struct iovec part = {.iov_base = &note, .iov_len = sizeof note};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(n * sizeof(int))};
    struct cmsghdr *c = &control.align;
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)sizeof note;
}

static bool pool_peer(int fd, struct ucred *out)
{
    socklen_t n = sizeof *out;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &n) == 0;
}

bool pool_listen(struct arena *a, struct str path, struct pool *p)
{
    for (size_t i = 0; i < POOL_MEMBERS; i++)
        p->member[i].fd = -1;
    /* Everybody may connect: the user of the other end decides. */
    return fcgi_listen(a, path, 0666, &p->socket);
}

static void pool_admit_one(struct pool *p, int fd)
{
    struct ucred who = {.uid = 0};
    const bool known = pool_peer(fd, &who) && who.uid != 0;
    for (size_t i = 0; known && i < POOL_MEMBERS; i++) {
        struct pool_member *m = &p->member[i];
        if (m->uid != who.uid || !pool_give(p, m, fd))
            continue;
        if (m->fd >= 0)
            close(m->fd);
        m->fd = fd;
        return;
    }
    log_line(LOG_WARN, "pool: the user %u has no part in it",
             (unsigned)who.uid);
    close(fd);
}

void pool_admit(struct pool *p)
{
    for (int i = 0; p->socket.fd >= 0 && i < AT_ONCE; i++) {
        const int fd = accept4(p->socket.fd, NULL, NULL,
                               SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        pool_admit_one(p, fd);
    }
}

bool pool_has(struct pool *p, size_t member)
{
    struct pool_member *m = &p->member[member];
    if (p->socket.fd < 0 || m->fd < 0)
        return false;
    if (!pool_hung_up(m->fd))
        return true;
    close(m->fd);
    m->fd = -1;
    return false;
}

void pool_forget(struct pool *p)
{
    if (p->socket.fd < 0)
        return;
    close(p->socket.fd);
    for (size_t i = 0; i < POOL_MEMBERS; i++)
        if (p->member[i].fd >= 0)
            close(p->member[i].fd);
}

void pool_end(struct pool *p)
{
    if (p->socket.fd < 0)
        return;
    for (size_t i = 0; i < POOL_MEMBERS; i++)
        if (p->member[i].fd >= 0)
            close(p->member[i].fd);
    fcgi_unlisten(&p->socket);
}

/* The descriptors of a message; false: they are not those of pool_fds. */
static bool pool_take(struct msghdr *message, const struct pool_member *me)
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(message);
    const size_t wanted = 1 + (me->tells ? (size_t)WAKE__MAX : 0) +
                          (me->hears != WAKE__MAX);
    int fds[FDS_MAX];
    size_t n = 1;
    if (!c || c->cmsg_type != SCM_RIGHTS ||
        c->cmsg_len != CMSG_LEN(wanted * sizeof(int)))
        return false;
    memcpy(fds, CMSG_DATA(c), wanted * sizeof(int));
    for (enum wake_to to = 0; to < WAKE__MAX; to++)
        wake_join(to, me->hears == to ? fds[wanted - 1] : -1,
                  me->tells ? fds[n++] : -1);
    return region_join(fds[0]);
}

static bool pool_read(struct arena *a, int fd, const struct pool_member *me,
                      struct pool_share *out)
{
    struct note note;
    union control control;
    struct iovec part = {.iov_base = &note, .iov_len = sizeof note};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, PATIENCE) != 1 ||
        recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) !=
            (ssize_t)sizeof note ||
        (message.msg_flags & MSG_CTRUNC))
        return false;
    note.build[sizeof note.build - 1] = '\0';
    note.secret[sizeof note.secret - 1] = '\0';
    *out = (struct pool_share){.fd = fd,
                               .secret = arena_str(a, str_of(note.secret)),
                               .taken = note.taken};
    return str_is(str_of(note.build), version_build) &&
           pool_take(&message, me);
}

enum pool_joined pool_join(struct arena *a, struct str path, uid_t keeper,
                           const struct pool_member *me,
                           struct pool_share *out)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred who = {.uid = 0};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 ||
        !str_copy(address.sun_path, sizeof address.sun_path, path)) {
        log_line(LOG_ERR, "pool: %.*s is not a path of a socket",
                 STR_FMT(path));
        return POOL_REFUSED;
    }
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        const int why = errno;
        close(fd);
        if (why == ENOENT || why == ECONNREFUSED || why == EAGAIN)
            return POOL_AWAY;
        log_line(LOG_ERR, "pool: %.*s: %s", STR_FMT(path), strerror(why));
        return POOL_REFUSED;
    }
    if (pool_peer(fd, &who) && who.uid == keeper && pool_read(a, fd, me, out))
        return POOL_JOINED;
    log_line(LOG_ERR, "pool: %.*s gives nothing to this user, or has another "
                      "version of the program", STR_FMT(path));
    close(fd);
    return POOL_REFUSED;
}

bool pool_lasts(const struct pool_share *s)
{
    return !pool_hung_up(s->fd);
}
