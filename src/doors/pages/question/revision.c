/* A question with the one that it replaces and the one that replaces it. */
#include "doors/pages/question/revision.h"

#include "store/question/suspensions.h"

const struct err *question_revision_load(struct call *c,
                                         const struct suspension *s,
                                         struct question_revision *out)
{
    struct suspension *before = arena_new(c->a, struct suspension);
    struct suspension_rows after = {.n = 0};
    *out = (struct question_revision){.n = 1};
    if (s->supersedes.p) {
        TRY(suspensions_get(c->pg, c->a, s->supersedes, before));
        TRY(suspensions_revision(c->pg, c->a, s->id, &out->n));
        out->before = before;
    }
    /* Only a question that has ended can be replaced. */
    if (s->kind != KIND_NONE && s->state != SUSPENSION_PENDING)
        TRY(suspensions_replacing(c->pg, c->a, s->id, &after));
    if (after.n > 0)
        out->after = &after.v[0];
    return NULL;
}

struct json *question_revision(struct arena *a,
                               const struct question_revision *r)
{
    struct json *o = json_object(a);
    if (!r->before && !r->after)
        return NULL;
    json_set_int(o, "n", r->n);
    json_set_text(o, "replaces", r->before ? r->before->id : STR_NONE);
    if (r->after)
        json_set_text(o, "replaced_by", r->after->id);
    return o;
}
