/* The OAuth addresses of permits for their metadata, for introspection and for
 * revocation. */
#include "base/clock.h"
#include "base/shared/clock_watch.h"
#include "doors/api/api.h"
#include "store/permit/permit_tokens.h"
#include "work/cancel.h"
#include "work/permit/revoke.h"
#include "work/permit/use.h"

const struct err *api_oauth_metadata(struct call *c)
{
    response_json(c->rs, 200,
                  oauth_metadata(c->a, c->serve->conf->public_url));
    response_header(c->rs, "Cache-Control", STR("public, max-age=300"));
    return NULL;
}

/* ---- introspection -------------------------------------------------- */

/* May the resource of the call use the permit with this token now? */
static const struct err *oauth_usable(struct call *c,
                                      const struct permits_row *row,
                                      const struct permit_token *found,
                                      bool *out)
{
    struct permit_case about = {.now = clock_watch_latest(clock_now()),
                                .intent = found->intent,
                                .question_open = found->question_open,
                                .key_ended = row->key_ended,
                                .resource_removed = row->resource_removed,
                                .access = row->access};
    const struct work w = call_work(c);
    *out = !found->ended && about.now < found->expires_at &&
           str_eq(row->resource_id, c->who.resource_id);
    if (!*out)
        return NULL;
    TRY(use_rules(&w, &row->permit, &about.rule));
    *out = !permit_usable(&row->permit, &about);
    return NULL;
}

const struct err *api_oauth_introspect(struct call *c)
{
    const struct str text = oauth_get(&c->params, "token");
    struct permit_token found = {.permit_id = STR_NONE};
    struct permits_row row = {.access = ACCESS_NONE};
    bool known = false, usable = false;
    if (!text.p)
        return err_at(c->a, ERR_BAD_REQUEST, oauth_invalid_request,
                      STR("token"), "A token is needed.");
    TRY(permit_tokens_get(c->pg, c->a, text, &found, &known));
    if (known) {
        TRY(permits_get(c->pg, c->a, found.permit_id, &row));
        TRY(oauth_usable(c, &row, &found, &usable));
    }
    const struct oauth_live live = {.permit = &row.permit,
                                    .issuer = c->serve->conf->public_url,
                                    .resource = row.permit.terms.resource,
                                    .initiator = found.initiated_by,
                                    .jkt = found.jkt,
                                    .issued_at = found.issued_at,
                                    .expires_at = found.expires_at};
    response_json(c->rs, 200,
                  oauth_introspection(c->a, usable ? &live : NULL));
    return NULL;
}

/* ---- revocation ----------------------------------------------------- */

/* Commits the end of a permit. One that was decided, or has ended, meanwhile
 * stays as it is. */
static const struct err *oauth_commit_end(struct work *w, const struct err *e)
{
    if (!e)
        return work_commit(w, NULL);
    pg_rollback(w->pg);
    return e->kind == ERR_CONFLICT ? NULL : e;
}

/* The agent takes its question back, or gives an active permit up. */
static const struct err *oauth_end_permit(struct call *c, struct str handle)
{
    struct permits_row row;
    const struct permit *p = &row.permit;
    struct work w = call_work(c);
    bool found = false;
    TRY(permits_by_handle(c->pg, c->a, handle, &row, &found));
    if (!found || !permit_own(p, &c->who))
        return NULL;
    if (p->state == PERMIT_ASKED) {
        TRY(work_begin_suspension(&w, p->suspension_id, NULL));
        TRY(oauth_commit_end(&w, cancel(&w, STR_NONE)));
        TRY(permits_get(c->pg, c->a, p->id, &row));
    }
    struct revoke r = {.permit_id = p->id};
    if (p->state != PERMIT_ACTIVE)
        return NULL;
    w = call_work(c);
    return oauth_commit_end(&w, revoke_permit(&w, &r, NULL));
}

/* RFC 7009 2.2: the answer for a token that is unknown is the same. */
const struct err *api_oauth_revoke(struct call *c)
{
    const struct str text = oauth_get(&c->params, "token");
    if (!text.p)
        return err_at(c->a, ERR_BAD_REQUEST, oauth_invalid_request,
                      STR("token"), "A token, or an auth_req_id, is needed.");
    if (str_starts(text, STR("sar_")))
        TRY(oauth_end_permit(c, text));
    else
        TRY(permit_tokens_revoke(c->pg, c->a, text, c->who.agent,
                                 clock_now()));
    response_json(c->rs, 200, json_object(c->a));
    return NULL;
}
