/* The handlers of the route table for settings pages. */
#ifndef DOORS_PAGES_SETTINGS_SETTINGS_H
#define DOORS_PAGES_SETTINGS_SETTINGS_H

#include "doors/call/call.h"

/* page.c */
const struct err *settings_page(struct call *c) MUST;

/* endpoints.c */
const struct err *settings_endpoints(struct call *c) MUST;
const struct err *settings_endpoints_post(struct call *c) MUST;
const struct err *settings_endpoints_one(struct call *c) MUST;
const struct err *settings_endpoints_act(struct call *c) MUST;

/* channels.c */
const struct err *settings_channels(struct call *c) MUST;
const struct err *settings_channels_post(struct call *c) MUST;
const struct err *settings_channels_one(struct call *c) MUST;
const struct err *settings_channels_act(struct call *c) MUST;

/* deliveries.c */
const struct err *settings_deliveries(struct call *c) MUST;
const struct err *settings_deliveries_one(struct call *c) MUST;
const struct err *settings_deliveries_again(struct call *c) MUST;

/* people.c */
const struct err *settings_people(struct call *c) MUST;
const struct err *settings_people_post(struct call *c) MUST;
const struct err *settings_people_groups(struct call *c) MUST;

/* person.c */
const struct err *settings_person(struct call *c) MUST;
const struct err *settings_person_act(struct call *c) MUST;

/* keys.c */
const struct err *settings_keys(struct call *c) MUST;
const struct err *settings_keys_post(struct call *c) MUST;
const struct err *settings_keys_one(struct call *c) MUST;
const struct err *settings_keys_act(struct call *c) MUST;
const struct err *settings_keys_floor_post(struct call *c) MUST;

/* secret.c */
const struct err *settings_secret(struct call *c) MUST;
const struct err *settings_secret_post(struct call *c) MUST;

/* tokens.c */
const struct err *settings_tokens(struct call *c) MUST;
const struct err *settings_tokens_post(struct call *c) MUST;

/* rules.c */

/* sessions.c */
const struct err *settings_sessions(struct call *c) MUST;
const struct err *settings_sessions_post(struct call *c) MUST;

/* profile.c */
const struct err *settings_profile(struct call *c) MUST;
const struct err *settings_profile_post(struct call *c) MUST;

#endif
