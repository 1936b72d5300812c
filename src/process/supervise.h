/* The supervisor: `sayso serve`. */
#ifndef PROCESS_SUPERVISE_H
#define PROCESS_SUPERVISE_H

/* Reads the configuration (from the file at path, NULL for none, and the
 * environment) and the templates, listens, forks the web workers and stays in
 * the foreground until it is stopped. Returns the exit status of the process: 0
 * after a stop, 1 when it could not start, with the reason in the log.
 *
 *   SIGTERM, SIGINT  stop: every request that a front end has handed over is
 *                    answered; within 10 s.
 *   SIGHUP           reload: configuration and templates are read again and the
 *                    workers replaced, with no request lost. On a mistake the
 *                    old ones stay in use. The socket's path and mode are not
 *                    reloaded.
 *
 * A worker that dies is replaced, with back-off; one that is busy with one
 * request for more than 30 s is killed. systemd gets each state when
 * NOTIFY_SOCKET is set. crypt_init must have been called. */
int supervise_run(const char *path);

#endif
