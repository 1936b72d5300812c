/* Claims about what a restore lost. */
#include "domain/containers/claim.h"

#include "base/clock_text.h"
#include "base/crypt.h"
#include "base/json/fields.h"
#include "domain/vocabulary.h"

#define SHORT_MAX 200
#define TIME_MAX 40

static const char members[] =
    "outcome value responded_at responded_by event_id request_id "
    "redemption_id used_at restore_epoch note";

struct claim_reading {
    struct fields f;
    struct json *said;
    int64_t now;
};

/* The same claim in other words of JSON is the same: absent and null alike. */
static void claim_text(struct claim_reading *r, const char *key, size_t max)
{
    struct str text = STR_NONE;
    fields_text(&r->f, key, max, &text);
    json_set_text_given(r->said, key, text);
}

static void claim_time(struct claim_reading *r, const char *key)
{
    struct str text = STR_NONE;
    int64_t at = 0;
    fields_text(&r->f, key, TIME_MAX, &text);
    if (!text.p)
        return;
    if (!clock_parse(text, &at) || at <= 0 || at > r->now)
        fields_wrong(&r->f, key, "field.time",
                     "This has to be a time in the past, like "
                     "2026-11-20T09:26:13Z.");
    else
        json_set_text(r->said, key, clock_rfc3339(r->f.arena, at));
}

const struct err *claim_read(struct arena *a, const struct json *body,
                             int64_t epoch, int64_t now, struct claim *out)
{
    struct claim_reading r = {.f = fields(a, body, STR("")),
                              .said = json_object(a),
                              .now = now};
    const struct json *value = json_get(body, "value");
    int64_t lost = -1;
    fields_only(&r.f, members);
    fields_need(&r.f, "outcome");
    const enum outcome o = vocabulary_outcome_read(&r.f, "outcome");
    TRY(fields_error(&r.f));
    json_set_text(r.said, "outcome", vocabulary_outcome(o)->wire);
    if (value && !json_dump(a, value, CLAIM_VALUE_MAX).p)
        return err_at(a, ERR_TOO_LARGE, "claim.too_large", STR("value"),
                      "A value may have at most 4 kB.");
    if (value)
        json_set_json(r.said, "value", value);
    claim_time(&r, "responded_at");
    claim_text(&r, "responded_by", SHORT_MAX);
    claim_text(&r, "event_id", SHORT_MAX);
    claim_text(&r, "request_id", SHORT_MAX);
    claim_text(&r, "redemption_id", SHORT_MAX);
    claim_time(&r, "used_at");
    /* A claim is about an answer from before the newest loss. */
    fields_int(&r.f, "restore_epoch", 0, epoch > 0 ? epoch - 1 : 0, &lost);
    if (lost >= 0)
        json_set_int(r.said, "restore_epoch", lost);
    claim_text(&r, "note", CLAIM_NOTE_MAX);
    TRY(fields_error(&r.f));
    out->said = json_dump(a, r.said, CLAIM_SAID_MAX);
    if (!out->said.p)
        return ERROR(ERR_TOO_LARGE, "claim.too_large",
                     "A claim may have at most 16 kB.");
    out->said_sha256 = crypt_sha256_hex(a, out->said);
    return NULL;
}

struct json *claim_record(struct arena *a, const struct claim *c)
{
    struct json *o = json_read(a, c->said);
    json_set_text(o, "claimed_by", c->by);
    json_set_text(o, "claimed_at", clock_rfc3339(a, c->at));
    return o;
}
