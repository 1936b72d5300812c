/* The handlers of the route table for settings pages. */
#ifndef DOORS_PAGES_SETTINGS_SETTINGS_H
#define DOORS_PAGES_SETTINGS_SETTINGS_H

#include "doors/call/call.h"

/* Each answers GET and POST of its list, and of the page of one. */
const struct err *settings_profile(struct call *c) MUST;
const struct err *settings_notifications(struct call *c) MUST;
const struct err *settings_tokens(struct call *c) MUST;
const struct err *settings_sessions(struct call *c) MUST;
const struct err *settings_people(struct call *c) MUST;
const struct err *settings_people_groups(struct call *c) MUST;
const struct err *settings_keys(struct call *c) MUST;
const struct err *settings_endpoints(struct call *c) MUST;
const struct err *settings_channels(struct call *c) MUST;
const struct err *settings_deliveries(struct call *c) MUST;
const struct err *settings_retention(struct call *c) MUST;
/* The first of these pages. */
const struct err *settings_page(struct call *c) MUST;
/* The terms of a key's requests. */
const struct err *settings_keys_floor_post(struct call *c) MUST;

/* secret.c */
const struct err *settings_secret(struct call *c) MUST;
const struct err *settings_secret_post(struct call *c) MUST;

#endif
