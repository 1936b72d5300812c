/* A notice as a message of Slack. */
#ifndef NOTIFY_SLACK_H
#define NOTIFY_SLACK_H

#include "base/err.h"

/* The request's body for an incoming webhook of Slack. */
const struct err *slack_write(struct arena *a, struct str body,
                              struct str *out) MUST;

#endif
