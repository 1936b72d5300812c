/* The functions behind the browser's rows of the route table. */
#ifndef DOORS_PAGE_H
#define DOORS_PAGE_H

#include "doors/call/call.h"
#include "doors/page_view.h"

/* page_login.c */
const struct err *page_home(struct call *c) MUST;
const struct err *page_login(struct call *c) MUST;
const struct err *page_login_post(struct call *c) MUST;
const struct err *page_logout(struct call *c) MUST;

/* page_inbox.c */
const struct err *page_inbox(struct call *c) MUST;

/* page_bulk.c */
const struct err *page_bulk_confirm(struct call *c) MUST;
const struct err *page_bulk_decide(struct call *c) MUST;

/* page_decided.c */
const struct err *page_decided(struct call *c) MUST;

/* page_export.c */
const struct err *page_export_csv(struct call *c) MUST;
const struct err *page_export_jsonl(struct call *c) MUST;

/* page_saved.c */
const struct err *page_saved(struct call *c) MUST;
const struct err *page_saved_post(struct call *c) MUST;

/* page_keyboard.c */
const struct err *page_keyboard(struct call *c) MUST;

/* page_suspension.c */
const struct err *page_suspension(struct call *c) MUST;
const struct err *page_suspension_respond(struct call *c) MUST;
/* The question with what somebody typed before their session ended, for them
 * to send; decides nothing. */
const struct err *page_suspension_kept(struct call *c, struct str id,
                                       const struct pairs *typed) MUST;

/* page_intent.c */
const struct err *page_intent(struct call *c) MUST;

/* page_settings.c */
const struct err *page_settings(struct call *c) MUST;

/* page_endpoints.c */
const struct err *page_endpoints(struct call *c) MUST;
const struct err *page_endpoints_post(struct call *c) MUST;
const struct err *page_endpoints_one(struct call *c) MUST;
const struct err *page_endpoints_act(struct call *c) MUST;

/* page_channels.c */
const struct err *page_channels(struct call *c) MUST;
const struct err *page_channels_post(struct call *c) MUST;
const struct err *page_channels_one(struct call *c) MUST;
const struct err *page_channels_act(struct call *c) MUST;

/* page_deliveries.c */
const struct err *page_deliveries(struct call *c) MUST;

/* page_delivery.c */
const struct err *page_delivery(struct call *c) MUST;
const struct err *page_delivery_again(struct call *c) MUST;

/* page_people.c */
const struct err *page_people(struct call *c) MUST;
const struct err *page_people_post(struct call *c) MUST;

/* page_person.c */
const struct err *page_person(struct call *c) MUST;
const struct err *page_person_act(struct call *c) MUST;

/* page_groups.c */
const struct err *page_groups(struct call *c) MUST;

/* page_keys.c */
const struct err *page_keys(struct call *c) MUST;
const struct err *page_keys_post(struct call *c) MUST;
const struct err *page_keys_one(struct call *c) MUST;
const struct err *page_keys_act(struct call *c) MUST;
const struct err *page_key_floor_post(struct call *c) MUST;

/* page_secret.c */
const struct err *page_secret(struct call *c) MUST;
const struct err *page_secret_post(struct call *c) MUST;

/* page_sessions.c */
const struct err *page_sessions(struct call *c) MUST;
const struct err *page_sessions_post(struct call *c) MUST;

/* page_profile.c */
const struct err *page_profile(struct call *c) MUST;
const struct err *page_profile_post(struct call *c) MUST;

/* page.c */
/* The view of a page as of now, its moments in the reader's time zone. */
struct page_view page_begin(const struct call *c);
/* An error as a page. Falls back to problem JSON when it cannot be shown. */
void page_error(struct call *c, const struct err *e);
/* Renders template name over view, whose "page" member is filled in here:
 * title, who is signed in, the token for forms, what is open. */
const struct err *page_render(struct call *c, int status, const char *name,
                              const char *title, struct json *view) MUST;
/* Reads the form of a POST and checks its token and where it came from.
 * ERR_FORBIDDEN request.csrf | request.origin. */
const struct err *page_form(struct call *c, struct pairs *out) MUST;

#endif
