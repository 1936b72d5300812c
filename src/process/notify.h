/* Reporting the state of the service to systemd. */
#ifndef PROCESS_NOTIFY_H
#define PROCESS_NOTIFY_H

/* sd_notify(3): "READY=1" and the like. Does nothing without NOTIFY_SOCKET. */
void notify_tell(const char *state);

#endif
