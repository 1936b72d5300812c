/* The handlers of the JSON rows of the route table, one for each row; route.c
 * has the allowed roles and the input. */
#ifndef DOORS_API_API_H
#define DOORS_API_API_H

#include "doors/call/call.h"

/* api/intent.c */
const struct err *api_intent_list(struct call *c) MUST;
const struct err *api_intent_get(struct call *c) MUST;
const struct err *api_intent_create(struct call *c) MUST;
const struct err *api_intent_create_child(struct call *c) MUST;

/* api/intent_change.c */
const struct err *api_intent_status(struct call *c) MUST;
const struct err *api_intent_state(struct call *c) MUST;

/* api/event.c */
const struct err *api_event_list(struct call *c) MUST;
const struct err *api_event_post(struct call *c) MUST;
const struct err *api_event_get(struct call *c) MUST;
const struct err *api_event_verify(struct call *c) MUST;

/* api/lease.c */
const struct err *api_lease_list(struct call *c) MUST;
const struct err *api_lease_acquire(struct call *c) MUST;
const struct err *api_lease_renew(struct call *c) MUST;
const struct err *api_lease_release(struct call *c) MUST;
const struct err *api_agent_list(struct call *c) MUST;
const struct err *api_agent_assign(struct call *c) MUST;
const struct err *api_agent_unassign(struct call *c) MUST;

/* api/stream.c */
const struct err *api_stream_intent(struct call *c) MUST;
const struct err *api_stream_agent(struct call *c) MUST;
const struct err *api_stream_inbox(struct call *c) MUST;
const struct err *api_stream_portfolio(struct call *c) MUST;

/* api/suspension.c */
const struct err *api_suspension_ask(struct call *c) MUST;
const struct err *api_suspension_action(struct call *c) MUST;
const struct err *api_suspension_list(struct call *c) MUST;
const struct err *api_suspension_get(struct call *c) MUST;
const struct err *api_suspension_respond(struct call *c) MUST;
const struct err *api_suspension_cancel(struct call *c) MUST;
const struct err *api_suspension_test_answer(struct call *c) MUST;
const struct err *api_suspension_test_clock(struct call *c) MUST;

/* api/log.c */
const struct err *api_log_keys(struct call *c) MUST;
const struct err *api_log_head(struct call *c) MUST;
const struct err *api_log_cosign(struct call *c) MUST;
const struct err *api_log_tile(struct call *c) MUST;
/* The same of a log that began after a restore. */
const struct err *api_log_tile_of(struct call *c) MUST;

/* api/artifact.c */
const struct err *api_artifact_upload(struct call *c) MUST;
const struct err *api_artifact_get(struct call *c) MUST;

/* api/receipt.c */
const struct err *api_receipt(struct call *c) MUST;
const struct err *api_receipt_keys(struct call *c) MUST;
const struct err *api_receipt_did(struct call *c) MUST;

/* api/feed.c: the list of questions with ended_after. */
const struct err *api_feed(struct call *c) MUST;

/* api/reconcile.c */
const struct err *api_reconcile(struct call *c) MUST;

/* api/tool_call.c */
const struct err *api_tool_call_check(struct call *c) MUST;
const struct err *api_initiation_make(struct call *c) MUST;

/* api/authorization.c */
const struct err *api_authorization(struct call *c) MUST;

/* api/permit.c */
const struct err *api_permit_get(struct call *c) MUST;
const struct err *api_permit_result(struct call *c) MUST;
const struct err *api_permit_revoke(struct call *c) MUST;

/* api/oauth.c */
const struct err *api_oauth_metadata(struct call *c) MUST;
const struct err *api_oauth_ask(struct call *c) MUST;
const struct err *api_oauth_introspect(struct call *c) MUST;
const struct err *api_oauth_revoke(struct call *c) MUST;

/* api/oauth_token.c */
const struct err *api_oauth_token(struct call *c) MUST;

/* api/redemption.c */
const struct err *api_redemption(struct call *c) MUST;

/* api/resume.c */
const struct err *api_resume(struct call *c) MUST;
const struct err *api_resume_page(struct call *c) MUST;

/* api/endpoint.c */
const struct err *api_endpoint_register(struct call *c) MUST;
const struct err *api_endpoint_list(struct call *c) MUST;
const struct err *api_endpoint_get(struct call *c) MUST;
const struct err *api_endpoint_change(struct call *c) MUST;
const struct err *api_endpoint_rotate(struct call *c) MUST;
const struct err *api_endpoint_test(struct call *c) MUST;
const struct err *api_endpoint_remove(struct call *c) MUST;

/* api/subscription.c */
const struct err *api_subscription_make(struct call *c) MUST;
const struct err *api_subscription_list(struct call *c) MUST;
const struct err *api_subscription_remove(struct call *c) MUST;

/* api/operations.c */
const struct err *api_health(struct call *c) MUST;
const struct err *api_ready(struct call *c) MUST;
const struct err *api_metrics(struct call *c) MUST;

#endif
