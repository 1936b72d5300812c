/* The system users of the kinds of process, one for each, so that the database
 * can distinguish them by peer authentication. */
#ifndef PROCESS_START_USER_H
#define PROCESS_START_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define USER_SUPERVISOR "sayso"
#define USER_ADMIN "sayso-admin" /* runs the commands */
#define USER_WEB "sayso-web"
#define USER_WAIT "sayso-wait"
#define USER_TICK "sayso-tick"
#define USER_DELIVER "sayso-deliver"
#define USER_SEAL "sayso-seal"
#define USER_ERASE "sayso-erase"

struct user {
    uid_t uid;
    gid_t gid;
};

/* false: there is no such user, and nothing is logged. */
bool user_find(const char *name, struct user *out);
/* May this process switch users and end the processes of others? Root may, and
 * a process with CAP_SETUID, CAP_SETGID and CAP_KILL. */
bool user_may_switch(void);
/* Switches to that user for good, in no group but their own and without any
 * capability. false with errno set: end the process. */
bool user_become(const struct user *u);

#endif
