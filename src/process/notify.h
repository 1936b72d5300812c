/* Telling systemd how the service is. */
#ifndef PROCESS_NOTIFY_H
#define PROCESS_NOTIFY_H

/* sd_notify(3): "READY=1" and the like. Silent without NOTIFY_SOCKET. */
void notify_tell(const char *state);

#endif
