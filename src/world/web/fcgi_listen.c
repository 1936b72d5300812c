/* The listening socket that all workers share: made, shut and removed by the
 * supervisor.
 *
 * A part of fcgi.h without libfcgi, whose own opening exits on an error and
 * leaves the mode to the umask. Only unix sockets: libfcgi trusts every client
 * that can connect. Never accepts. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "world/web/fcgi.h"

/* When it is full nginx answers 502 at once. Also in packaging/sayso.socket;
 * the kernel's net.core.somaxconn is a ceiling for both. */
#define BACKLOG 4096
#define SYSTEMD_FD 3 /* sd_listen_fds(3): the first socket passed */

/* systemd's sockets, one for each call, in their order; -1: no more. */
static int listen_passed(void)
{
    static int64_t pid, count, next;
    if (pid == 0) {
        pid = -1;
        (void)str_int(str_of(getenv("LISTEN_PID")), 1, INT32_MAX, &pid);
        (void)str_int(str_of(getenv("LISTEN_FDS")), 1, INT32_MAX, &count);
        unsetenv("LISTEN_PID");
        unsetenv("LISTEN_FDS");
    }
    return pid == getpid() && next < count ? SYSTEMD_FD + (int)next++ : -1;
}

static bool listen_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* Does a running process listen at the address? The kernel stores the process
 * that called listen; workers that outlive a killed supervisor do not count. */
static bool fcgi_listen_taken(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    struct ucred owner = {0};
    socklen_t n = sizeof(owner);
    bool answered =
        connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
    bool full = !answered && errno == EAGAIN;
    bool dead = answered &&
                getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &n) == 0 &&
                owner.pid > 0 && kill(owner.pid, 0) != 0 && errno == ESRCH;
    close(fd);
    return full || (answered && !dead);
}

/* Removes the socket file of an earlier server. */
static bool listen_make_way(const struct sockaddr_un *address)
{
    struct stat st;
    const char *path = address->sun_path;
    if (lstat(path, &st) != 0)
        return errno == ENOENT;
    if (!S_ISSOCK(st.st_mode)) {
        errno = ENOTSOCK;
        return false;
    }
    if (fcgi_listen_taken(address)) {
        errno = EADDRINUSE;
        return false;
    }
    return unlink(path) == 0 || errno == ENOENT;
}

static bool listen_open(const struct sockaddr_un *address, unsigned mode,
                        struct fcgi_socket *out)
{
    struct stat st;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool bound = listen_make_way(address);
    if (bound) {
        /* bind creates the file with the umask's mode, so the mode is never
         * wider, not even for a moment. */
        const mode_t before = umask((mode_t)(~mode & 0777));
        bound =
            bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
        umask(before);
    }
    if (!bound || listen(fd, BACKLOG) != 0 || lstat(out->path, &st) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return false;
    }
    out->fd = fd;
    out->device = st.st_dev;
    out->inode = st.st_ino;
    return true;
}

bool fcgi_listen(struct arena *a, struct str path, unsigned mode,
                 struct fcgi_socket *out)
{
    *out = (struct fcgi_socket){.fd = listen_passed()};
    if (out->fd >= 0) {
        if (listen_flags(out->fd))
            return true;
        log_line(LOG_ERR, "fcgi: the passed socket: %s", strerror(errno));
        return false;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path.n == 0 ||
        !str_copy(address.sun_path, sizeof address.sun_path, path)) {
        log_line(LOG_ERR, "fcgi: the socket's path must have 1 to %zu "
                 "characters: %.*s", sizeof(address.sun_path) - 1,
                 STR_FMT(path));
        return false;
    }
    out->path = arena_z(a, path);
    if (listen_open(&address, mode, out))
        return true;
    log_line(LOG_ERR, "fcgi: socket %s: %s", out->path, strerror(errno));
    return false;
}

void fcgi_shut(const struct fcgi_socket *s)
{
    if (s->path)
        shutdown(s->fd, SHUT_RD);
}

void fcgi_unlisten(const struct fcgi_socket *s)
{
    struct stat st;
    if (s->path && lstat(s->path, &st) == 0 && st.st_dev == s->device &&
        st.st_ino == s->inode)
        unlink(s->path);
    close(s->fd);
}
