/* Requests about tools at the doors. */
#include "doors/asking/tool_request.h"

#include "domain/intent/person.h"
#include "domain/permit/tool_call.h"
#include "store/permit/resources.h"

#define SHORT_MAX 200
#define CONSEQUENCE_MAX 2000

struct str tool_request_read(struct tool_check *g, struct fields *f)
{
    struct str consequence;
    fields_text(f, "initiation", SHORT_MAX, &g->initiation);
    fields_text(f, "initiated_by", SHORT_MAX, &g->initiated_by);
    fields_bool(f, "requires_approval", &g->requires_approval);
    fields_text(f, "consequence", CONSEQUENCE_MAX, &consequence);
    g->severity = vocabulary_severity_read(f, "severity");
    if (g->severity == SEVERITY__MAX)
        g->severity = SEVERITY_UNSAID;
    if (!f->e && g->initiation.p && g->initiated_by.p)
        fields_wrong(f, "initiated_by", "field.unused",
                     "Give either \"initiation\" or \"initiated_by\".");
    g->initiated_by = person_reference(f->arena, g->initiated_by);
    return tool_call_consequence(consequence);
}

const struct err *tool_request_terms(struct call *c, const struct json *body,
                                     const struct json *details,
                                     bool jkt_needed, struct permit_terms *out)
{
    struct resource resource;
    if (c->who.test)
        return ERROR(ERR_FORBIDDEN, "key.test",
                     "A test key cannot get a permit.");
    TRY(permit_terms_read(c->a, body, details, jkt_needed, out));
    return out->resource.p
               ? resources_get(c->pg, c->a, out->resource, &resource)
               : NULL;
}

void tool_request_set_permit(const struct tool_check *g, struct json *o)
{
    const struct permit *p = &g->w.permit;
    json_set_text(o, "permit_id", p->id);
    json_set_text(o, "auth_req_id", p->auth_req_id);
    json_set_int(o, "interval", PERMIT_POLL);
}
