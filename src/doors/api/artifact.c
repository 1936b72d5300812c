/* Files of questions: an agent uploads them, and whoever sees the question
 * reads them. */
#include "base/clock.h"
#include "base/id.h"
#include "base/shared/metrics.h"
#include "doors/api/api.h"
#include "doors/asking/question.h"
#include "store/question/artifacts.h"

#define AGAIN 600 /* seconds until an unused one may be gone */

/* ---- uploading ------------------------------------------------------ */

/* Two requests at the same moment may both pass. */
static const struct err *artifact_room(struct call *c)
{
    int64_t n = 0;
    TRY(artifacts_unused(c->pg, c->a, c->who.id, ARTIFACTS_UNUSED_MAX, &n));
    return n < ARTIFACTS_UNUSED_MAX
               ? NULL
               : err_retry(c->a,
                           ERROR(ERR_RATE, metrics_limit_artifacts,
                                 "This key has 200 files that no question "
                                 "uses. Use them, or wait until they are "
                                 "removed, a day after their upload."),
                           AGAIN);
}

const struct err *api_artifact_upload(struct call *c)
{
    const struct str bytes = c->rq->body;
    const int64_t now = clock_now();
    struct artifact t;
    bool erased = false;
    TRY(call_plain(c));
    TRY(artifact_read(c->a, c->rq->content_type, bytes, &t));
    TRY(artifact_room(c));
    const struct str id = id_new(c->a);
    t.id = id;
    t.uploaded_by = principal_actor(&c->who);
    t.key_id = c->who.id;
    t.test = c->who.test;
    t.uploaded_at = now;
    TRY(artifacts_put(c->pg, c->a, &t, bytes, &erased));
    if (erased)
        return ERROR(ERR_CONFLICT, "artifact.erased",
                     "These bytes were erased and cannot be stored again.");
    response_json(c->rs, str_eq(t.id, id) ? 201 : 200,
                  record_object(c->a, &artifact_record, &t));
    response_header(c->rs, "Location",
                    call_url(c, "/api/v1/artifacts/", t.sha256));
    return NULL;
}

/* ---- reading -------------------------------------------------------- */

/* The id of one that the caller may see, by what sees a question that has it,
 * or as its agent. */
static const struct err *artifact_find(struct call *c, struct str sha256,
                                       struct str *id)
{
    const struct str named = request_query(c->rq, "question");
    struct artifacts_pairs found;
    struct suspension s;
    *id = STR_NONE;
    if (c->who.role == ROLE_AGENT)
        TRY(artifacts_own(c->pg, c->a, sha256, c->who.agent, c->who.test, id));
    if (id->p)
        return NULL;
    TRY(artifacts_questions(c->pg, c->a, sha256, named, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct err *e = question_get(c, found.v[i].suspension_id, &s);
        if (e && e->kind != ERR_NOT_FOUND)
            return e;
        if (e)
            continue;
        *id = found.v[i].artifact_id;
        return NULL;
    }
    return &artifact_record.unknown;
}

const struct err *api_artifact_get(struct call *c)
{
    struct artifact t;
    struct str id, bytes;
    if (!artifact_ref(c->param[0]))
        return &artifact_record.unknown;
    TRY(artifact_find(c, c->param[0], &id));
    TRY(artifacts_get(c->pg, c->a, id, &t, &bytes));
    if (!bytes.p)
        return ERROR(ERR_NOT_FOUND, "artifact.erased",
                     "The bytes of this file were erased.");
    /* A browser styles the page of an image that it makes itself. */
    const bool image = artifact_form(t.media_type) == ARTIFACT_IMAGE;
    response_json_text(c->rs, 200, bytes);
    response_header(c->rs, "Content-Type",
                    image ? t.media_type : STR("text/plain; charset=utf-8"));
    response_header(c->rs, "Content-Disposition",
                    arena_join(c->a, STR("inline; filename=\""),
                               artifact_name(c->a, &t), STR("\"")));
    response_header(c->rs, "Content-Security-Policy",
                    STR("default-src 'none'; style-src 'unsafe-inline'; "
                        "sandbox; frame-ancestors 'none'; base-uri 'none'; "
                        "form-action 'none'"));
    response_header(c->rs, "Cross-Origin-Resource-Policy", STR("same-origin"));
    response_header(c->rs, "Referrer-Policy", STR("no-referrer"));
    return NULL;
}
