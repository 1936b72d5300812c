/* The receipt of a question: what was asked and how it ended, with what is
 * signed of it. */
#include "doors/asking/question.h"
#include "doors/asking/receipt_found.h"
#include "doors/pages/answer/page.h"
#include "doors/pages/answer/view.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/page.h"
#include "store/log/signing_keys.h"

/* The log's place of the event that ended the question. */
static void receipt_set_place(struct call *c, struct json *o,
                              const struct receipt_found *f)
{
    struct json *checkpoint = json_object(c->a), *head = json_object(c->a);
    json_set_text(checkpoint, "id", f->checkpoint.id);
    json_set_bool(checkpoint, "of_task", f->checkpoint.intent_id.p != NULL);
    page_view_set_time(checkpoint, "at", f->checkpoint.created_at);
    json_set_json(o, "checkpoint", f->covered ? checkpoint : NULL);
    json_set_int(head, "entry", f->position + 1);
    json_set_int(head, "size", f->head.head.size);
    page_view_set_time(head, "at", f->head.signed_at);
    json_set_json(o, "head", f->headed ? head : NULL);
}

static struct json *receipt_signed(struct call *c,
                                   const struct receipt_found *f)
{
    struct json *o = json_object(c->a);
    if (!f->row.found)
        return NULL;
    json_set_text(o, "issuer", c->serve->conf->public_url);
    json_set_text(o, "kid", f->row.kid);
    page_view_set_time(o, "at", f->row.signed_at);
    json_set_text(o, "event_hash", f->ended.hash);
    receipt_set_place(c, o, f);
    return o;
}

/* Why nothing is signed yet. */
static const struct err *receipt_unsigned(struct call *c,
                                          const struct page_view *v,
                                          const struct suspension *s,
                                          const struct receipt_found *f,
                                          struct json **out)
{
    struct signing_key_rows keys;
    bool key = false;
    *out = NULL;
    if (f->row.found)
        return NULL;
    *out = json_object(c->a);
    TRY(signing_keys_list(c->pg, c->a, &keys));
    for (size_t i = 0; i < keys.n; i++)
        key = key || keys.v[i].state == SIGNING_KEY_CURRENT;
    json_set_text(*out, "held",
                  f->row.broken || f->row.lost
                      ? receipt_found_missing(c->a, s, &f->row)->say
                      : STR_NONE);
    json_set_bool(*out, "has_key", key);
    json_set_int(*out, "waits",
                 v->now > s->responded_at ? v->now - s->responded_at : 0);
    return NULL;
}

const struct err *answer_receipt(struct call *c)
{
    struct page_view v = page_begin(c);
    struct json *o = json_object(c->a), *missing;
    struct suspension s;
    struct receipt_found f;
    TRY(question_get(c, c->param[0], &s));
    if (s.state == SUSPENSION_PENDING) {
        response_see_other(c->rs,
                           page_view_path(c->a, "/suspensions/", s.id, ""));
        return NULL;
    }
    TRY(receipt_found_read(c, &s, &f));
    if (s.test)
        return receipt_found_missing(c->a, &s, &f.row);
    TRY(receipt_unsigned(c, &v, &s, &f, &missing));
    json_set_json(o, "signed", receipt_signed(c, &f));
    json_set_json(o, "missing", missing);
    const struct answer_view_of of = {
        .s = &s, .reader = &c->who, .closed = f.row.event_sequence};
    const struct str tab =
        arena_join(c->a, STR("Receipt: "),
                   words_plain(c->a, question_head_title(&s), PAGE_VIEW_TAB));
    return page_render(c, 200, "receipt", arena_z(c->a, tab),
                       answer_view_receipt(&v, &of, o));
}
