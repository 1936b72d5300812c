/* Checkpoints of the log: their members, and their signature. */
#include "domain/log/log_checkpoint.h"

#define LOG_CHECKPOINT_MAX ((size_t)8192) /* bytes of the signed form */
#define LOG_CHECKPOINT_ID 16              /* random bytes of an id */

static const struct record_field log_checkpoint_fields[] = {
    {RECORD_TEXT(log_checkpoint, id, IN_TABLE | IN_OBJECT),
     .member = "checkpoint_id"},
    {RECORD_UUID(log_checkpoint, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(log_checkpoint, scope, IN_TABLE | IN_OBJECT,
                 vocabulary_log_scope_all)},
    {RECORD_TEXT(log_checkpoint, merkle_root, IN_TABLE | IN_OBJECT)},
    {RECORD_NUMBER(log_checkpoint, event_count, IN_TABLE | IN_OBJECT)},
    {RECORD_NUMBER(log_checkpoint, first_sequence, IN_TABLE | IN_OBJECT)},
    {RECORD_NUMBER(log_checkpoint, last_sequence, IN_TABLE | IN_OBJECT)},
    {RECORD_NAIVE(log_checkpoint, created_at, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(log_checkpoint, signed_by, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(log_checkpoint, signature, IN_TABLE | IN_OBJECT)},
    {RECORD_JSON(log_checkpoint, anchor, IN_ROW | IN_OBJECT)},
    {RECORD_NUMBER(log_checkpoint, epoch, IN_TABLE)},
};
const struct record log_checkpoint_record =
    RECORD(log_checkpoint, "checkpoint", "log_checkpoint");

struct str log_checkpoint_hash(struct arena *a, const struct tlog_hash *h)
{
    return arena_join(
        a, STR("sha256:"),
        crypt_base64url(a, (struct str){(const char *)h->b, sizeof h->b}));
}

bool log_checkpoint_hash_read(struct arena *a, struct str text,
                              struct tlog_hash *out)
{
    const struct str before = STR("sha256:");
    const struct str bytes =
        str_starts(text, before)
            ? crypt_base64url_read(a, str_sub(text, before.n, text.n))
            : STR_NONE;
    if (bytes.n != sizeof out->b)
        return false;
    memcpy(out->b, bytes.p, sizeof out->b);
    return true;
}

struct str log_checkpoint_signed(struct arena *a, const struct json *object)
{
    struct json *o = json_object(a);
    struct buf b = buf_make(a, LOG_CHECKPOINT_MAX);
    for (struct json_iter i = json_iter(object); json_next(&i);) {
        if (!str_is(i.key, "signature") && !str_is(i.key, "anchor"))
            json_set_key(o, i.key, i.value);
    }
    json_set_text_or_null(o, "anchor", STR_NONE);
    json_write_canonical(&b, o);
    return b.over ? STR_NONE : buf_text(&b);
}

bool log_checkpoint_ok(struct arena *a, const struct json *object,
                       const struct signer_public *key)
{
    const struct str text = log_checkpoint_signed(a, object);
    const struct str signature =
        crypt_base64url_read(a, json_get_text(object, "signature"));
    return text.p &&
           crypt_ed25519_ok((struct str){(const char *)key->b, sizeof key->b},
                            signature, text);
}

struct log_checkpoint log_checkpoint_make(struct arena *a,
                                          const struct log_batch *batch,
                                          const struct signer *k, int64_t now)
{
    const size_t n = (size_t)(batch->last - batch->first + 1);
    const struct tlog_hash root = merkle_root(a, batch->v, n);
    struct log_checkpoint c = {
        .id = arena_join(a, STR("chk_"), crypt_token(a, LOG_CHECKPOINT_ID)),
        .intent_id = batch->intent_id,
        .scope = batch->intent_id.p ? LOG_SCOPE_INTENT : LOG_SCOPE_SERVER,
        .merkle_root = log_checkpoint_hash(a, &root),
        .event_count = (int64_t)n,
        .first_sequence = batch->first,
        .last_sequence = batch->last,
        .created_at = now,
        .signed_by = signer_did(a, &k->key),
        .epoch = batch->epoch};
    const struct json *object = record_object(a, &log_checkpoint_record, &c);
    c.signature = crypt_base64url(
        a, signer_sign(a, k, log_checkpoint_signed(a, object)));
    return c;
}

struct json *log_checkpoint_proof(struct arena *a,
                                  const struct log_checkpoint *c,
                                  struct str event_id, struct str event_hash,
                                  int64_t index, const struct tlog_hash *v)
{
    struct json *o = json_object(a), *steps = json_array(a);
    struct merkle_proof p;
    merkle_prove(a, v, (size_t)c->event_count, (size_t)index, &p);
    for (size_t i = 0; i < p.n; i++) {
        struct json *step = json_object(a);
        json_set_text(step, "hash", log_checkpoint_hash(a, &p.v[i].hash));
        json_set_text(step, "position",
                      p.v[i].left ? STR("left") : STR("right"));
        json_add_json(steps, step);
    }
    json_set_text(o, "event_id", event_id);
    json_set_text(o, "event_hash", event_hash);
    json_set_text(o, "checkpoint_id", c->id);
    json_set_text(o, "merkle_root", c->merkle_root);
    json_set_json(o, "proof_hashes", steps);
    json_set_int(o, "leaf_index", index);
    return o;
}
