/* The records that clients read: one for each noun. */
#include "doors/asking/view.h"

#include "base/clock_text.h"
#include "domain/question/side_question.h"
#include "store/tables.h"
#include "work/permit/use.h"

/* ---- intents -------------------------------------------------------- */

static void view_put_text(struct buf *b, const char *before, struct str s)
{
    buf_put(b, before);
    if (s.p)
        json_write_string(b, s);
    else
        buf_put(b, "null");
}

static void view_put_given(struct buf *b, const char *before, struct str s)
{
    if (s.p)
        json_write_text(b, before, s);
}

static void view_put_raw(struct buf *b, const char *before, struct str s)
{
    buf_put(b, before);
    buf_str(b, s.p ? s : STR("null"));
}

static void view_put_intent(struct buf *b, const struct intent *i)
{
    view_put_text(b, "{\"id\":", i->id);
    view_put_text(b, ",\"title\":", i->title);
    view_put_text(b, ",\"description\":", i->description);
    view_put_text(b, ",\"created_by\":", i->created_by);
    buf_put(b, i->test ? ",\"test\":true" : "");
    view_put_text(b,
                  ",\"status\":", vocabulary_intent_status(i->status)->wire);
    view_put_raw(b, ",\"constraints\":", i->constraints);
    view_put_raw(b, ",\"state\":", i->state);
    buf_put(b, ",\"confidence\":");
    buf_int(b, i->confidence);
    buf_put(b, ",\"version\":");
    buf_int(b, i->version);
    view_put_text(b, ",\"created_at\":", clock_naive(b->arena, i->created_at));
    view_put_text(b, ",\"updated_at\":", clock_naive(b->arena, i->updated_at));
    view_put_text(b, ",\"parent_intent_id\":", i->parent_intent_id);
    view_put_raw(b, ",\"depends_on\":", i->depends_on);
    view_put_raw(b, ",\"governance_policy\":", i->governance_policy);
    view_put_given(b, ",\"session_id\":", i->session_id);
    view_put_given(b, ",\"task_id\":", i->task_id);
    view_put_given(b, ",\"turn_id\":", i->turn_id);
    view_put_given(b, ",\"initiated_by\":", i->initiated_by);
    view_put_given(b, ",\"owner\":", i->owner);
    buf_char(b, '}');
}

struct str view_intent_text(struct arena *a, const struct intent *i)
{
    struct buf b = buf_make(a, RESPONSE_BODY_MAX);
    view_put_intent(&b, i);
    return buf_text(&b);
}

void view_intents(struct buf *b, const char *name,
                  const struct intent_rows *rows)
{
    buf_put(b, "{\"");
    buf_put(b, name);
    buf_put(b, "\":[");
    for (size_t i = 0; i < rows->n; i++) {
        buf_put(b, i ? "," : "");
        view_put_intent(b, &rows->v[i]);
    }
    view_put_text(
        b, "],\"next\":", rows->more ? rows->v[rows->n - 1].id : STR_NONE);
    buf_char(b, '}');
}

/* ---- suspensions ---------------------------------------------------- */

void view_set_time(struct arena *a, struct json *o, const char *key, int64_t t)
{
    json_set_text_or_null(o, key, t ? clock_rfc3339(a, t) : STR_NONE);
}

void view_set_receipt(struct call *c, struct json *o,
                      const struct suspension *s)
{
    if (s->state != SUSPENSION_PENDING && !s->test)
        json_set_text(o, "receipt_url",
                      arena_join(c->a,
                                 call_url(c, "/api/v1/suspensions/", s->id),
                                 STR("/receipt")));
}

struct json *view_suspension(struct call *c, const struct suspension *s)
{
    struct json *o = record_object(c->a, &suspension_record, s);
    json_set_text(o, "url", call_url(c, "/suspensions/", s->id));
    view_set_receipt(c, o, s);
    /* An agent that asks for access knows no more than the intent's id. */
    if (s->task_id.p && s->origin != ORIGIN_ACCESS)
        json_set_text(o, "task_id", s->task_id);
    if (tables_restore().epoch > 0)
        json_set_int(o, "restore_epoch", tables_restore().epoch);
    if (s->restored_from)
        view_set_time(c->a, o, "restored_from", s->restored_from);
    return o;
}

struct json *view_side_question(struct call *c, const struct suspension *s)
{
    struct json *o = side_question_object(c->a, s);
    json_set_text(o, "url", call_url(c, "/suspensions/", s->id));
    return o;
}

void view_set_usable(struct json *o, const struct suspension *s,
                     const struct err *why)
{
    if (!permit_follows(s))
        return;
    json_set_bool(o, "usable", why == NULL);
    json_set_text_or_null(o, "unusable_reason",
                          why ? str_of(why->code) : STR_NONE);
}

/* One record is built at a time: its tree may be many times larger than its
 * text. */
const struct err *view_suspensions(struct call *c, struct buf *b,
                                   const struct suspension_rows *rows,
                                   struct str next)
{
    struct call one = *c;
    const struct work w = call_work(c);
    const struct err **why = arena_many(c->a, rows->n + 1, const struct err *);
    TRY(use_read(&w, rows->v, rows->n, why));
    one.a = arena_within(c->a);
    buf_put(b, "{\"suspensions\":[");
    for (size_t i = 0; i < rows->n; i++) {
        buf_put(b, i ? "," : "");
        struct json *o = view_suspension(&one, &rows->v[i]);
        view_set_usable(o, &rows->v[i], why[i]);
        json_write(b, o);
        arena_reset(one.a);
    }
    arena_free(one.a);
    view_put_text(b, "],\"next\":", next);
    return NULL;
}
