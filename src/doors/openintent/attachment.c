/* Attachments: what agents say about files elsewhere. */
#include "domain/containers/attachment.h"

#include "base/id.h"
#include "doors/openintent/openintent.h"
#include "store/intent/records.h"
#include "work/policy.h"

const struct err *openintent_attachment_list(struct call *c)
{
    struct json *o = json_object(c->a);
    struct attachment_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(records_attachments(c->pg, c->a, i.id, &rows));
    json_set_json(o, "attachments",
                  record_list(c->a, &attachment_record, rows.v, rows.n));
    response_json(c->rs, 200, o);
    return NULL;
}

const struct err *openintent_attachment_add(struct call *c)
{
    struct attachment t = {.size = 0};
    struct attachment_rows rows;
    struct work w;
    TRY(call_body_once(c));
    TRY(record_body(c->a, c->body, &attachment_record, &t));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(policy_write(&w));
    TRY(records_attachments(c->pg, c->a, w.intent.id, &rows));
    if (rows.n >= ATTACHMENTS_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "attachment.too_many",
                     "The intent has 100 attachments. Remove one first.");
    t.id = id_new(c->a);
    t.intent_id = w.intent.id;
    t.uploaded_by = principal_actor(&c->who);
    t.created_at = w.now;
    TRY(work_event(&w, "attachment_added", event_by(&c->who),
                   attachment_payload(c->a, &t)));
    records_queue_attachment(c->pg, c->a, &t);
    return call_commit(c, &w, 201,
                       record_object(c->a, &attachment_record, &t), false);
}

/* The event of its addition stays in the log. */
const struct err *openintent_attachment_remove(struct call *c)
{
    struct attachment_rows rows;
    struct work w;
    size_t n = 0;
    TRY(call_begin(c, &w, c->param[0]));
    TRY(records_attachments(c->pg, c->a, w.intent.id, &rows));
    while (n < rows.n && !str_eq(rows.v[n].id, c->param[1]))
        n++;
    if (n == rows.n)
        return ERROR(ERR_NOT_FOUND, "attachment.unknown",
                     "The intent has no attachment with this id.");
    const struct attachment *t = &rows.v[n];
    if (c->who.role == ROLE_AGENT && !str_eq(t->uploaded_by, c->who.agent))
        return ERROR(ERR_FORBIDDEN, "attachment.not_yours",
                     "Only the agent that added the attachment, or a person, "
                     "may remove it.");
    TRY(policy_write(&w));
    records_queue_attachment_delete(c->pg, c->a, t);
    TRY(work_commit(&w, NULL));
    c->rs->status = 204;
    return NULL;
}
