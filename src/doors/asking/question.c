/* A question as the native API takes it: asked, read and withdrawn. */
#include "doors/asking/question.h"

#include "base/crypt.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/intent/person.h"
#include "domain/question/suspension_read.h"
#include "doors/asking/view.h"
#include "store/intent/intents.h"
#include "store/question/suspensions.h"
#include "work/ask.h"
#include "work/cancel.h"
#include "work/permit/tool_check.h"
#include "work/policy.h"

#define SHORT_MAX 200

/* ---- asking --------------------------------------------------------- */

const struct err *question_read(struct arena *a, const struct json *body,
                                struct str text, struct question *out)
{
    struct fields f = fields(a, body, STR(""));
    struct intent *i = &out->intent;
    *out = (struct question){.intent_id = STR_NONE};
    TRY(suspension_read(a, body, text, &out->suspension));
    fields_uuid(&f, "intent_id", &out->intent_id);
    if (!f.e && out->intent_id.p && json_has(body, "intent"))
        fields_wrong(&f, "intent", "field.unused",
                     "The body needs either \"intent_id\" or \"intent\".");
    TRY(fields_error(&f));
    if (!json_has(body, "intent"))
        return NULL;
    f = fields(a, json_get(body, "intent"), STR("intent"));
    fields_only(&f, "title description session_id task_id turn_id "
                    "initiated_by parent_intent_id");
    fields_text(&f, "title", INTENT_TITLE_MAX, &i->title);
    fields_text(&f, "description", INTENT_DESCRIPTION_MAX, &i->description);
    fields_text(&f, "session_id", SHORT_MAX, &i->session_id);
    fields_text(&f, "task_id", SHORT_MAX, &i->task_id);
    fields_text(&f, "turn_id", SHORT_MAX, &i->turn_id);
    fields_text(&f, "initiated_by", SHORT_MAX, &i->initiated_by);
    fields_uuid(&f, "parent_intent_id", &i->parent_intent_id);
    TRY(fields_error(&f));
    i->initiated_by = person_reference(a, i->initiated_by);
    return NULL;
}

/* A new intent for the question, created and suspended in one transaction. The
 * head of a long question is its title. */
static const struct err *question_begin_new(struct call *c, struct work *w,
                                            struct question *q)
{
    const struct suspension *s = &q->suspension;
    struct intent *i = &q->intent;
    const struct str parent = i->parent_intent_id;
    const struct intent_ids parents = {.v = {parent}, .n = parent.p ? 1 : 0};
    const struct intents_refs refs = {.ids = &parents,
                                      .who = &c->who,
                                      .act = REACH_USE,
                                      .needs = ACCESS_ADMIN,
                                      .missing = ERR_NOT_FOUND,
                                      .what = "intent.parent_intent_id"};
    i->test = c->who.test;
    if (str_trim(i->title).n == 0)
        i->title =
            s->title.p ? s->title : str_head(s->question, INTENT_TITLE_MAX);
    *w = call_work(c);
    TRY(work_begin_new(w, i, false, &c->once));
    if (w->answered)
        return NULL;
    TRY(intents_check_refs(c->pg, c->a, &refs));
    if (parent.p)
        TRY(policy_tie(w, parent));
    TRY(work_check_parent(w));
    return ask_make_intent(w, INTENT_SUSPENDED);
}

const struct err *question_ask(struct call *c, struct work *w,
                               struct question *q)
{
    q->suspension.id = id_new(c->a);
    TRY(q->intent_id.p ? call_begin(c, w, q->intent_id)
                       : question_begin_new(c, w, q));
    if (w->answered)
        return NULL;
    if (q->intent_id.p)
        TRY(ask_move(w));
    TRY(tool_check_add_terms(w, &q->suspension));
    return ask_by_caller(w, &q->suspension);
}

const struct err *question_ask_once(struct call *c, struct question *q,
                                    struct suspension *out)
{
    struct work w;
    TRY(question_ask(c, &w, q));
    if (w.answered) {
        const struct json *before = json_read(c->a, w.before.body);
        return question_get(c, json_get_text(before, "suspension_id"), out);
    }
    TRY(call_same_connection(c)); /* what the caller read before */
    *out = w.suspension;
    return call_commit(c, &w, 201, question_asked(c, &w), false);
}

void question_once(struct call *c, struct str session, struct str id,
                   struct str text)
{
    const struct str sent = crypt_sha256_hex(c->a, text);
    c->once = call_once_as(
        c,
        crypt_sha256_hex(c->a, arena_join(c->a, session, STR("\n"),
                                          id.n > 0 ? id : c->rq->id, STR("\n"),
                                          sent)),
        sent);
}

struct json *question_asked(struct call *c, const struct work *w)
{
    struct json *o = view_suspension(c, &w->suspension);
    json_set_text(o, "status",
                  vocabulary_intent_status(w->intent.status)->wire);
    json_set_int(o, "version", w->intent.version);
    return o;
}

/* ---- one that is there ---------------------------------------------- */

const struct err *question_check(struct call *c, const struct suspension *s,
                                 bool closed)
{
    const struct responder_case about = suspension_case(s);
    struct intent i;
    if (!responder_sees(&about, &c->who))
        return &suspension_record.unknown;
    /* To ask for access to a closed intent, an agent needs none. */
    if (!closed || c->who.role != ROLE_AGENT || s->origin == ORIGIN_ACCESS)
        return NULL;
    return err_not_found_as(call_intent(c, s->intent_id, REACH_USE, &i),
                            &suspension_record.unknown);
}

const struct err *question_get(struct call *c, struct str id,
                               struct suspension *out)
{
    TRY(suspensions_get(c->pg, c->a, id, out));
    return question_check(c, out, out->closed);
}

const struct err *question_cancel(struct call *c, struct work *w,
                                  struct str id, struct str reason,
                                  const struct work_once *once)
{
    struct suspension s;
    *w = call_work(c);
    TRY(work_begin_suspension(w, id, once));
    if (w->answered)
        return question_get(c, id, &s);
    TRY(question_check(c, &w->suspension, w->intent.closed));
    return cancel(w, reason);
}
