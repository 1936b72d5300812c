/* Checkpoints of the log, and proofs (RFC-0019). */
#include "base/clock.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "doors/call/hold.h"
#include "doors/openintent/openintent.h"
#include "store/log/log_anchors.h"
#include "store/log/log_checkpoints.h"
#include "store/log/tlogs.h"
#include "world/wake.h"

#define LIST 100 /* checkpoints, unless the caller sets another number */
#define SIGNER_MAX 2    /* seconds in which the signer has to answer, */
#define SIGNER_AGAIN 10 /* and until it may be there again */
#define ANCHOR_MAX 25   /* seconds: more than a transfer of the sender takes */
#define ANCHOR_AGAIN 10

/* A checkpoint whose intent the caller reaches; the server's are everybody's.
 */
static const struct err *log_find(struct call *c, struct str id,
                                  struct log_checkpoint *out)
{
    struct intent i;
    TRY(log_checkpoints_get(c->pg, c->a, id, out));
    if (out->intent_id.p && call_intent(c, out->intent_id, REACH_USE, &i))
        return &log_checkpoint_record.unknown;
    return NULL;
}

/* Without an intent an agent gets the server's: a checkpoint names its
 * intent. */
const struct err *openintent_log_list(struct call *c)
{
    struct log_checkpoint_rows rows;
    struct log_checkpoints_page page = {
        .intent_id = request_query(c->rq, "intent_id"),
        .scope = request_query(c->rq, "scope"),
        .after = request_query(c->rq, "after"),
        .limit = call_query_int(c, "limit", LIST)};
    struct log_checkpoint last;
    struct intent i;
    if (page.scope.p &&
        vocabulary_log_scope_of(page.scope) == LOG_SCOPE__MAX)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("scope"),
                      "\"scope\" has to be intent or server.");
    if (page.after.p)
        TRY(log_find(c, page.after, &last));
    if (page.intent_id.p)
        TRY(call_intent(c, page.intent_id, REACH_USE, &i));
    else if (c->who.role == ROLE_AGENT)
        page.scope = vocabulary_log_scope(LOG_SCOPE_SERVER)->wire;
    TRY(log_checkpoints_list(c->pg, c->a, &page, &rows));
    response_json(c->rs, 200,
                  record_list(c->a, &log_checkpoint_record, rows.v, rows.n));
    return NULL;
}

const struct err *openintent_log_get(struct call *c)
{
    struct log_checkpoint checkpoint;
    TRY(log_find(c, c->param[0], &checkpoint));
    response_json(c->rs, 200,
                  record_object(c->a, &log_checkpoint_record, &checkpoint));
    return NULL;
}

/* ---- on demand ------------------------------------------------------------
 */

/* The same for a call before and after it was held. */
static struct str log_request_id(struct call *c, struct str intent_id)
{
    return id_of(c->a, arena_join(c->a, c->rq->id, STR("\n"), c->who.id,
                                  STR("\n"), intent_id));
}

/* *intent_id p NULL: of the server. */
static const struct err *log_read(struct call *c, struct str *intent_id)
{
    struct fields f = fields(c->a, c->body, STR(""));
    struct str word;
    fields_only(&f, "intent_id scope");
    fields_uuid(&f, "intent_id", intent_id);
    fields_word(&f, "scope", "intent server", &word);
    const enum log_scope scope = vocabulary_log_scope_of(word);
    if (scope == LOG_SCOPE_INTENT)
        fields_need(&f, "intent_id");
    if (scope == LOG_SCOPE_SERVER && intent_id->p)
        fields_wrong(&f, "intent_id", "field.unused",
                     "A checkpoint of the server is of no intent.");
    return fields_error(&f);
}

/* The signer makes it; a request that it did not answer in time is taken back,
 * so that nothing is made later. */
const struct err *openintent_log_make(struct call *c)
{
    static const struct call_made made = {"/api/v1/checkpoints/",
                                          "checkpoint_id"};
    struct str intent_id, checkpoint_id;
    struct log_checkpoint checkpoint;
    struct intent i;
    int64_t none;
    bool ended;
    TRY(call_body(c));
    TRY(log_read(c, &intent_id));
    if (intent_id.p)
        TRY(call_intent(c, intent_id, REACH_USE, &i));
    const struct str id = log_request_id(c, intent_id);
    if (!c->rq->waited) {
        TRY(log_checkpoints_ask(c->pg, c->a, id, intent_id,
                                principal_actor(&c->who), clock_now()));
        wake_seal();
        hold_poll(c, &(struct hold_poll){.intent_id = id, .wait = SIGNER_MAX});
        return NULL;
    }
    TRY(log_checkpoints_asked(c->pg, c->a, id, &ended, &checkpoint_id));
    TRY(hold_wait(c, &none));
    if (!ended)
        return err_retry(c->a,
                         ERROR(ERR_BUSY, "log.no_signer",
                               "The process that signs the log does not "
                               "answer. Nothing was made. Ask again later."),
                         SIGNER_AGAIN);
    if (!checkpoint_id.p)
        return ERROR(ERR_CONFLICT, "log.nothing_new",
                     "No event is new since the last checkpoint.");
    TRY(log_checkpoints_get(c->pg, c->a, checkpoint_id, &checkpoint));
    response_json(c->rs, 201,
                  record_object(c->a, &log_checkpoint_record, &checkpoint));
    call_locate(c, &made, checkpoint.id);
    return NULL;
}

/* ---- anchors --------------------------------------------------------------
 */

/* Why a call that was held has no stamp. */
static const struct err *log_anchor_missing(struct call *c, struct str id)
{
    struct str failure;
    int64_t none;
    TRY(log_anchors_failure(c->pg, c->a, id, &failure));
    TRY(hold_wait(c, &none));
    const struct err *e =
        failure.p ? err_at(c->a, ERR_BUSY, "anchor.failed", STR(""),
                           "The authority gave no time stamp: %.*s",
                           STR_FMT(failure))
                  : ERROR(ERR_BUSY, "anchor.soon",
                          "The authority has not answered yet. Ask again "
                          "later.");
    return err_retry(c->a, e, ANCHOR_AGAIN);
}

/* The sender asks the authority, and the clock puts the stamp to the
 * checkpoint. A call that ends before leaves both at it: the next one finds
 * the anchor. */
const struct err *openintent_log_anchor(struct call *c)
{
    const int64_t now = clock_now();
    struct log_checkpoint checkpoint;
    struct str provider;
    TRY(call_body_if_any(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "provider");
    fields_word(&f, "provider", "rfc3161", &provider);
    TRY(fields_error(&f));
    TRY(log_find(c, c->param[0], &checkpoint));
    if (checkpoint.anchor.p) {
        response_json(c->rs, 200,
                      record_object(c->a, &log_checkpoint_record, &checkpoint));
        return NULL;
    }
    if (!c->serve->conf->tsa_url.n)
        return ERROR(ERR_UNSUPPORTED, "anchor.not_configured",
                     "The server knows no authority for time stamps. An "
                     "administrator can set tsa_url.");
    if (c->rq->waited)
        return log_anchor_missing(c, checkpoint.id);
    TRY(log_anchors_ask(c->pg, c->a, &checkpoint, now));
    wake_deliver();
    hold_poll(c, &(struct hold_poll){
                     .intent_id = log_anchor_wake(c->a, checkpoint.id),
                     .since = now,
                     .wait = ANCHOR_MAX});
    return NULL;
}

/* ---- proofs ---------------------------------------------------------------
 */

const struct err *openintent_log_proof(struct call *c)
{
    struct log_checkpoint checkpoint;
    struct log_checkpoints_event e;
    struct tlog_hash *v = NULL;
    struct intent i;
    TRY(log_find(c, c->param[0], &checkpoint));
    TRY(log_checkpoints_event(c->pg, c->a, &checkpoint, c->param[1], &e));
    TRY(call_intent(c, e.intent_id, REACH_USE, &i));
    TRY(tlogs_hashes(c->pg, c->a, checkpoint.epoch, checkpoint.intent_id,
                     checkpoint.first_sequence, checkpoint.last_sequence, &v));
    response_json(c->rs, 200,
                  log_checkpoint_proof(c->a, &checkpoint, c->param[1], e.hash,
                                       e.index, v));
    return NULL;
}

/* ---- consistency ----------------------------------------------------------
 */

/* Of the server's log: its proof by the second tree. */
static const struct err *log_tlog(struct call *c,
                                  const struct log_checkpoint *from,
                                  const struct log_checkpoint *to,
                                  struct json *o)
{
    struct tlogs_source stored = {
        .pg = c->pg, .arena = c->a, .epoch = from->epoch};
    const struct tlog_source source = tlogs_source(&stored);
    struct tlog_proof p;
    TRY(tlog_consistency(&source, from->last_sequence, to->last_sequence, &p));
    struct json *proof = json_object(c->a), *list = json_array(c->a);
    for (size_t i = 0; i < p.n; i++)
        json_add_text(list,
                      crypt_base64(c->a, (struct str){(const char *)p.v[i].b,
                                                      sizeof p.v[i].b}));
    json_set_int(proof, "from_size", from->last_sequence);
    json_set_int(proof, "to_size", to->last_sequence);
    json_set_json(proof, "hashes", list);
    json_set_json(o, "tlog_consistency", proof);
    return NULL;
}

static struct json *log_boundary(struct arena *a, const struct event *e)
{
    struct json *o = json_object(a);
    json_set_int(o, "sequence", e->sequence);
    json_set_text(o, "event_hash", e->hash);
    json_set_text_or_null(o, "previous_event_hash", e->previous);
    return o;
}

const struct err *openintent_log_consistency(struct call *c)
{
    struct log_checkpoint from, to;
    struct event next = {.sequence = 0};
    struct json *o = json_object(c->a);
    bool whole = false;
    TRY(log_find(c, request_query(c->rq, "from_checkpoint"), &from));
    TRY(log_find(c, request_query(c->rq, "to_checkpoint"), &to));
    const bool same = from.epoch == to.epoch && from.scope == to.scope &&
                      str_eq(from.intent_id, to.intent_id) &&
                      from.last_sequence <= to.last_sequence;
    if (same)
        TRY(log_checkpoints_reach(c->pg, c->a, &from, &to, &whole, &next));
    json_set_text(o, "from_checkpoint", from.id);
    json_set_text(o, "to_checkpoint", to.id);
    json_set_bool(o, "consistent", whole);
    json_set_json(o, "boundary_event",
                  whole && next.sequence ? log_boundary(c->a, &next) : NULL);
    if (whole && from.scope == LOG_SCOPE_SERVER)
        TRY(log_tlog(c, &from, &to, o));
    response_json(c->rs, 200, o);
    return NULL;
}
