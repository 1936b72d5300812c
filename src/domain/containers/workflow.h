/* Workflow inputs and outputs (OpenIntent RFC-0024): a step has its inputs when
 * it is claimed, and its outputs when it is completed.
 *
 * Both are declared by an agent, in the state of an intent or the input of a
 * task: _io_inputs {name: "phase.key" | "$trigger.key" | "$initial_state.key"},
 * _io_dep_title_to_name {title: phase}, _io_outputs {key: type | {type,
 * required}} and _io_types {name: {enum: [...]} | {key: ...}}. Pure. */
#ifndef DOMAIN_CONTAINERS_WORKFLOW_H
#define DOMAIN_CONTAINERS_WORKFLOW_H

#include "base/err.h"
#include "base/json/json.h"

#define WORKFLOW_REFS_MAX 100
/* The rules, by their names in errors and events. */
#define WORKFLOW_INPUTS "io_inputs"
#define WORKFLOW_OUTPUTS "io_outputs"

/* The step that is claimed or completed, for errors. */
struct workflow_step {
    struct str id;   /* of the intent or the task */
    struct str name; /* its title */
};

/* An input's reference to a value. */
struct workflow_ref {
    struct str text;  /* as declared, or the name of the input */
    struct str phase; /* p NULL: its own state */
    struct str key;   /* p NULL: the reference cannot be read */
};
struct workflow_refs {
    struct workflow_ref v[WORKFLOW_REFS_MAX];
    size_t n;
};
/* The references of a declaration, of which io is the object with the members
 * above. One that cannot be read is in the list too. */
void workflow_refs(const struct json *io, struct workflow_refs *out);
/* Is the dependency with this title the phase that the reference means? */
bool workflow_means(const struct json *io, const struct workflow_ref *ref,
                    struct str title);

/* Has the state that it refers to the value? Its own must not be null. */
bool workflow_has(struct arena *a, const struct workflow_ref *ref,
                  const struct json *state);

/* ERR_INVALID io.upstream_suspended: an intent that the step needs waits for a
 * person. expires_at: when that question ends; 0: never. */
const struct err *workflow_upstream(struct arena *a,
                                    const struct workflow_step *step,
                                    struct str intent_id,
                                    int64_t expires_at) MUST;
/* ERR_INVALID io.unresolvable with these references (a list of texts). */
const struct err *workflow_unresolvable(struct arena *a,
                                        const struct workflow_step *step,
                                        const struct json *refs) MUST;
/* Checks the declared outputs. ERR_INVALID io.missing_output; io.type. */
const struct err *workflow_check_outputs(struct arena *a,
                                         const struct workflow_step *step,
                                         const struct json *io,
                                         const struct json *outputs) MUST;

#endif
