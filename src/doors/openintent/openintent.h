/* The handlers of the OpenIntent rows of the route table, one for each row;
 * route.c has the allowed roles and the input. */
#ifndef DOORS_OPENINTENT_OPENINTENT_H
#define DOORS_OPENINTENT_OPENINTENT_H

#include "doors/call/call.h"

/* openintent/openintent.c */
const struct err *openintent_discovery(struct call *c) MUST;
const struct err *openintent_config(struct call *c) MUST;
const struct err *openintent_respond(struct call *c) MUST;
const struct err *openintent_unsupported(struct call *c) MUST;

/* openintent/side_question.c */
const struct err *openintent_approval_request(struct call *c) MUST;
const struct err *openintent_approval_get(struct call *c) MUST;
const struct err *openintent_approval_approve(struct call *c) MUST;
const struct err *openintent_approval_deny(struct call *c) MUST;
const struct err *openintent_escalation_request(struct call *c) MUST;
const struct err *openintent_escalation_resolve(struct call *c) MUST;
const struct err *openintent_arbitration_request(struct call *c) MUST;
const struct err *openintent_escalation_list(struct call *c) MUST;

/* openintent/decision.c */
const struct err *openintent_decision_record(struct call *c) MUST;
const struct err *openintent_decision_list(struct call *c) MUST;

/* openintent/governance.c */
const struct err *openintent_governance_read(struct call *c) MUST;
const struct err *openintent_governance_set(struct call *c) MUST;
const struct err *openintent_governance_remove(struct call *c) MUST;

/* openintent/coordinator.c */
const struct err *openintent_coordinator_create(struct call *c) MUST;
const struct err *openintent_coordinator_get(struct call *c) MUST;
const struct err *openintent_coordinator_list(struct call *c) MUST;
const struct err *
openintent_coordinator_list_of_portfolio(struct call *c) MUST;
const struct err *openintent_coordinator_heartbeat(struct call *c) MUST;
const struct err *openintent_coordinator_end(struct call *c) MUST;
const struct err *openintent_coordinator_decide(struct call *c) MUST;
const struct err *openintent_coordinator_decisions(struct call *c) MUST;

/* openintent/cost.c */
const struct err *openintent_cost_record(struct call *c) MUST;
const struct err *openintent_cost_list(struct call *c) MUST;

/* openintent/attachment.c */
const struct err *openintent_attachment_add(struct call *c) MUST;
const struct err *openintent_attachment_list(struct call *c) MUST;
const struct err *openintent_attachment_remove(struct call *c) MUST;

/* openintent/failure.c */
const struct err *openintent_failure_policy(struct call *c) MUST;
const struct err *openintent_failure_policy_set(struct call *c) MUST;
const struct err *openintent_failure_record(struct call *c) MUST;
const struct err *openintent_failure_list(struct call *c) MUST;

/* openintent/access.c */
const struct err *openintent_access_read(struct call *c) MUST;
const struct err *openintent_access_set(struct call *c) MUST;
const struct err *openintent_access_grant(struct call *c) MUST;
const struct err *openintent_access_revoke(struct call *c) MUST;
const struct err *openintent_access_requests(struct call *c) MUST;
const struct err *openintent_access_request(struct call *c) MUST;
const struct err *openintent_access_approve(struct call *c) MUST;
const struct err *openintent_access_deny(struct call *c) MUST;

/* openintent/task.c */
const struct err *openintent_task_make(struct call *c) MUST;
const struct err *openintent_task_get(struct call *c) MUST;
const struct err *openintent_task_change(struct call *c) MUST;
const struct err *openintent_task_list(struct call *c) MUST;

/* openintent/plan.c */
const struct err *openintent_plan_make(struct call *c) MUST;
const struct err *openintent_plan_get(struct call *c) MUST;
const struct err *openintent_plan_change(struct call *c) MUST;
const struct err *openintent_plan_list(struct call *c) MUST;
const struct err *openintent_plan_approve(struct call *c) MUST;
const struct err *openintent_plan_reject(struct call *c) MUST;

/* openintent/log.c */
const struct err *openintent_log_list(struct call *c) MUST;
const struct err *openintent_log_get(struct call *c) MUST;
const struct err *openintent_log_make(struct call *c) MUST;
const struct err *openintent_log_anchor(struct call *c) MUST;
const struct err *openintent_log_proof(struct call *c) MUST;
const struct err *openintent_log_consistency(struct call *c) MUST;

/* openintent/graph.c */
const struct err *openintent_graph_children(struct call *c) MUST;
const struct err *openintent_graph_dependencies(struct call *c) MUST;
const struct err *openintent_graph_dependents(struct call *c) MUST;
const struct err *openintent_graph_ready(struct call *c) MUST;
const struct err *openintent_graph_blocked(struct call *c) MUST;
const struct err *openintent_graph_descendants(struct call *c) MUST;
const struct err *openintent_graph_ancestors(struct call *c) MUST;
const struct err *openintent_graph_whole(struct call *c) MUST;
const struct err *openintent_graph_add(struct call *c) MUST;
const struct err *openintent_graph_remove(struct call *c) MUST;

/* openintent/portfolio.c */
const struct err *openintent_portfolio_create(struct call *c) MUST;
const struct err *openintent_portfolio_list(struct call *c) MUST;
const struct err *openintent_portfolio_get(struct call *c) MUST;
const struct err *openintent_portfolio_change(struct call *c) MUST;
const struct err *openintent_portfolio_status(struct call *c) MUST;
const struct err *openintent_portfolio_intents(struct call *c) MUST;
const struct err *openintent_portfolio_add(struct call *c) MUST;
const struct err *openintent_portfolio_remove(struct call *c) MUST;
const struct err *openintent_portfolio_of_intent(struct call *c) MUST;

#endif
