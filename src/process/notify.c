/* Reporting the state of the service to systemd. */
#include "process/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

void notify_tell(const char *state)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct str path = str_of(getenv("NOTIFY_SOCKET"));
    if (path.n == 0 || !str_copy(to.sun_path, sizeof to.sun_path, path))
        return;
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.n);
    sendto(fd, state, strlen(state), MSG_NOSIGNAL,
           (const struct sockaddr *)&to, n);
    close(fd);
}
