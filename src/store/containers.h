/* A change of an intent's status reaches the containers of the intent: its
 * portfolios, its tasks and plans, its coordinator. */
#ifndef STORE_CONTAINERS_H
#define STORE_CONTAINERS_H

#include "store/containers_change.h"

/* Runs the queued batch, writes what follows, and appends the events that tell
 * of it. An intent without containers costs nothing, and neither does one whose
 * status stays and that has no new question. */
const struct err *containers_follow(const struct containers_change *c) MUST;

#endif
