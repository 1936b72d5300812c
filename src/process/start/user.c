/* Switching to another system user for good. */
#include "process/start/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT32_C(1) << (capability))
#define NEEDED (BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_KILL))

bool user_find(const char *name, struct user *out)
{
    const struct passwd *p = getpwnam(name);
    if (!p)
        return false;
    *out = (struct user){.uid = p->pw_uid, .gid = p->pw_gid};
    return true;
}

bool user_may_switch(void)
{
    struct __user_cap_header_struct head = {
        .version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capget, &head, have) == 0 &&
           (have[0].effective & NEEDED) == NEEDED;
}

/* A process that is not root keeps its capabilities when its user changes, so
 * they are dropped. */
static bool user_drop_capabilities(void)
{
    struct __user_cap_header_struct head = {
        .version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
           syscall(SYS_capset, &head, none) == 0;
}

bool user_become(const struct user *u)
{
    if (setgroups(0, NULL) != 0 || setresgid(u->gid, u->gid, u->gid) != 0 ||
        setresuid(u->uid, u->uid, u->uid) != 0 || !user_drop_capabilities() ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    errno = EPERM; /* a dropped right must not come back */
    return u->uid != 0 && setresuid(0, 0, 0) != 0;
}
