/* The OAuth addresses of permits but the token endpoint: metadata and
 * introspection. */
#include "base/clock.h"
#include "doors/api/api.h"
#include "store/permit_tokens.h"
#include "store/permits.h"

const struct err *api_oauth_metadata(struct call *c)
{
    response_json(c->rs, 200,
                  oauth_metadata(c->a, c->serve->conf->public_url));
    response_header(c->rs, "Cache-Control", STR("public, max-age=300"));
    return NULL;
}

/* ---- introspection -------------------------------------------------- */

/* May the resource of the call use the permit with this token now? */
static bool live(const struct call *c, const struct permits_row *row,
                 const struct permit_tokens_row *found)
{
    const struct permit_case about = {
        .now = clock_now(),
        .intent = found->intent,
        .question_open = found->question_open,
        .key_ended = row->key_ended,
        .resource_removed = row->resource_removed};
    return !found->ended && about.now < found->token.expires_at &&
           str_eq(row->resource_id, c->who.resource_id) &&
           !permit_usable(&row->permit, &about);
}

const struct err *api_oauth_introspect(struct call *c)
{
    const struct str text = oauth_get(&c->params, "token");
    struct permit_tokens_row found;
    struct permits_row row;
    struct oauth_live about;
    const struct oauth_live *told = NULL;
    bool known = false;
    if (!text.p)
        return err_at(c->a, ERR_BAD_REQUEST, oauth_invalid_request,
                      STR("token"), "A token is needed.");
    TRY(permit_tokens_get(c->pg, c->a, text, &found, &known));
    if (known)
        TRY(permits_get(c->pg, c->a, found.token.permit_id, &row));
    if (known && live(c, &row, &found)) {
        about = (struct oauth_live){.permit = &row.permit,
                                    .issuer = c->serve->conf->public_url,
                                    .resource = row.permit.terms.resource,
                                    .initiator = found.initiated_by,
                                    .jkt = found.token.jkt,
                                    .issued_at = found.token.issued_at,
                                    .expires_at = found.token.expires_at};
        told = &about;
    }
    response_json(c->rs, 200, oauth_introspection(c->a, told));
    return NULL;
}
