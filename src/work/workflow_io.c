/* A step of a workflow is claimed or completed. */
#include "work/workflow_io.h"

#include "store/intent/graphs.h"
#include "store/intent/intents.h"
#include "work/policy.h"

/* ---- inputs ---------------------------------------------------------- */

struct inputs {
    const struct work *w;
    const struct workflow_step *step;
    const struct json *io;
    const struct json *own; /* the state of the intent */
    struct workflow_refs refs;
    struct graph deps;
    bool found[WORKFLOW_REFS_MAX];
};

static const struct graph_node *
workflow_io_source(const struct inputs *in, const struct workflow_ref *ref)
{
    for (size_t i = 0; ref->phase.p && i < in->deps.n; i++) {
        if (workflow_means(in->io, ref, in->deps.v[i].title))
            return &in->deps.v[i];
    }
    return NULL;
}

/* The references to one completed dependency. Its state may be large, and is
 * freed before the next one is read. */
static const struct err *workflow_io_find(struct inputs *in,
                                          const struct graph_node *d)
{
    struct arena *a = arena_within(in->w->arena);
    struct json *state = NULL;
    struct intent i;
    TRY(intents_get(in->w->pg, a, d->id, &i));
    for (size_t k = 0; k < in->refs.n; k++) {
        if (workflow_io_source(in, &in->refs.v[k]) != d)
            continue;
        if (!state)
            state = json_read(a, i.state);
        in->found[k] = workflow_has(a, &in->refs.v[k], state);
    }
    arena_free(a);
    return NULL;
}

static const struct err *workflow_io_check(struct inputs *in)
{
    struct json *missing = json_array(in->w->arena);
    for (size_t i = 0; i < in->deps.n; i++) {
        const struct graph_node *d = &in->deps.v[i];
        bool needed = false;
        for (size_t k = 0; k < in->refs.n && !needed; k++)
            needed = workflow_io_source(in, &in->refs.v[k]) == d;
        if (needed && d->status == INTENT_COMPLETED)
            TRY(workflow_io_find(in, d));
    }
    for (size_t k = 0; k < in->refs.n; k++) {
        const struct workflow_ref *ref = &in->refs.v[k];
        if (!in->found[k] &&
            (ref->phase.p || !workflow_has(in->w->arena, ref, in->own)))
            json_add_text(missing, ref->text);
    }
    if (json_count(missing) == 0)
        return NULL;
    return policy_refuse(
        in->w, WORKFLOW_INPUTS,
        workflow_unresolvable(in->w->arena, in->step, missing));
}

const struct err *workflow_io_claim(const struct work *w,
                                    const struct workflow_step *step,
                                    const struct json *io)
{
    struct inputs *in = arena_new(w->arena, struct inputs);
    *in = (struct inputs){.w = w, .step = step, .io = io};
    workflow_refs(io, &in->refs);
    if (in->refs.n == 0)
        return NULL;
    in->own = json_read(w->arena, w->intent.state);
    TRY(graphs_dependencies(w->pg, w->arena, w->intent.id, &in->deps));
    for (size_t i = 0; i < in->refs.n; i++) {
        const struct graph_node *d = workflow_io_source(in, &in->refs.v[i]);
        if (d && d->status == INTENT_SUSPENDED)
            return workflow_upstream(w->arena, step, d->id, d->expires_at);
    }
    return workflow_io_check(in);
}

/* ---- outputs --------------------------------------------------------- */

const struct err *workflow_io_complete(const struct work *w,
                                       const struct workflow_step *step,
                                       const struct json *io,
                                       const struct json *outputs)
{
    const struct err *e = workflow_check_outputs(w->arena, step, io, outputs);
    return e ? policy_refuse(w, WORKFLOW_OUTPUTS, e) : NULL;
}

/* ---- an intent ------------------------------------------------------- */

static struct workflow_step workflow_io_step(const struct work *w)
{
    return (struct workflow_step){.id = w->intent.id,
                                  .name = w->intent.title};
}

/* Most states declare nothing, and are not parsed. */
static struct json *workflow_io_declared(const struct work *w)
{
    const struct str state = w->intent.state;
    return str_search(state, STR("\"_io_")) < state.n
               ? json_read(w->arena, state)
               : NULL;
}

const struct err *workflow_io_claim_intent(const struct work *w)
{
    const struct workflow_step step = workflow_io_step(w);
    const struct json *io = workflow_io_declared(w);
    return io ? workflow_io_claim(w, &step, io) : NULL;
}

const struct err *workflow_io_complete_intent(const struct work *w)
{
    const struct workflow_step step = workflow_io_step(w);
    const struct json *io = workflow_io_declared(w);
    return io ? workflow_io_complete(w, &step, io, io) : NULL;
}
