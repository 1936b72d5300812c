/* A step of a workflow (domain/containers/workflow.h) is claimed or
 * completed. */
#ifndef WORK_WORKFLOW_IO_H
#define WORK_WORKFLOW_IO_H

#include "domain/containers/workflow.h"
#include "work/work.h"

/* May it be claimed? io: the object that declares its inputs; the intent of
 * the work has the dependencies and its own values. ERR_INVALID
 * io.upstream_suspended; io.unresolvable, which an event reports as a
 * violation (work/policy.h). */
const struct err *workflow_io_claim(const struct work *w,
                                    const struct workflow_step *step,
                                    const struct json *io) MUST;
/* Has it the outputs that io declares? ERR_INVALID io.missing_output; io.type;
 * an event reports them. */
const struct err *workflow_io_complete(const struct work *w,
                                       const struct workflow_step *step,
                                       const struct json *io,
                                       const struct json *outputs) MUST;
/* The intent of the work as a step that its state declares. */
const struct err *workflow_io_claim_intent(const struct work *w) MUST;
const struct err *workflow_io_complete_intent(const struct work *w) MUST;

#endif
