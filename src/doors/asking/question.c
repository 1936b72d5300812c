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

/* The head of a long question is the title of the intent made for it. */
static const struct err *read_intent(struct call *c, const struct json *body,
                                     const struct suspension *s,
                                     struct intent *i)
{
    const struct json *obj = json_get(body, "intent");
    i->title = s->title.p ? s->title
                          : str_head(s->question, INTENT_TITLE_MAX);
    if (!json_has(body, "intent"))
        return NULL;
    struct fields f = fields(c->a, obj, STR("intent"));
    struct str title = STR_NONE;
    fields_only(&f, "title description session_id task_id turn_id "
                    "initiated_by parent_intent_id");
    fields_text(&f, "title", INTENT_TITLE_MAX, &title);
    fields_text(&f, "description", INTENT_DESCRIPTION_MAX, &i->description);
    fields_text(&f, "session_id", SHORT_MAX, &i->session_id);
    fields_text(&f, "task_id", SHORT_MAX, &i->task_id);
    fields_text(&f, "turn_id", SHORT_MAX, &i->turn_id);
    fields_text(&f, "initiated_by", SHORT_MAX, &i->initiated_by);
    fields_uuid(&f, "parent_intent_id", &i->parent_intent_id);
    TRY(fields_error(&f));
    i->initiated_by = person_reference(c->a, i->initiated_by);
    if (str_trim(title).n > 0)
        i->title = title;
    return NULL;
}

static const struct err *check_parent(struct call *c, const struct work *w,
                                      struct str id)
{
    const struct intent_ids parent = {.v = {id}, .n = id.p ? 1 : 0};
    const struct intents_refs refs = {.ids = &parent,
                                      .who = &c->who,
                                      .act = REACH_USE,
                                      .needs = ACCESS_ADMIN,
                                      .missing = ERR_NOT_FOUND,
                                      .what = "intent.parent_intent_id"};
    TRY(intents_check_refs(c->pg, c->a, &refs));
    return id.p ? policy_tie(w, id) : NULL;
}

/* A new intent for the question, created and suspended in one transaction. */
static const struct err *make_intent(struct call *c, struct work *w,
                                     const struct json *body,
                                     const struct suspension *s)
{
    struct intent given = {.title = STR_NONE, .test = c->who.test};
    TRY(read_intent(c, body, s, &given));
    *w = call_work(c);
    TRY(work_begin_new(w, &given, false, &c->once));
    if (w->answered)
        return NULL;
    TRY(check_parent(c, w, given.parent_intent_id));
    TRY(work_check_parent(w));
    return ask_make_intent(w, INTENT_SUSPENDED);
}

static const struct err *begin(struct call *c, struct work *w,
                               const struct json *body,
                               const struct suspension *s)
{
    struct fields f = fields(c->a, body, STR(""));
    struct str id = STR_NONE;
    fields_uuid(&f, "intent_id", &id);
    if (!f.e && id.p && json_has(body, "intent"))
        fields_wrong(&f, "intent", "field.unused",
                     "The body needs either \"intent_id\" or \"intent\".");
    TRY(fields_error(&f));
    if (id.p) {
        TRY(call_begin(c, w, id));
        return w->answered ? NULL : ask_move(w);
    }
    return make_intent(c, w, body, s);
}

const struct err *question_ask(struct call *c, struct work *w, struct str text,
                               const struct json *body)
{
    struct suspension s = {.id = id_new(c->a)};
    TRY(suspension_read(c->a, body, text, &s));
    TRY(begin(c, w, body, &s));
    if (w->answered)
        return NULL;
    TRY(tool_check_add_terms(w, &s));
    return ask_by_caller(w, &s);
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

static const struct err *unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                 "There is no suspension with this id.");
}

/* Of a closed intent an agent needs access; to ask for that it needs none. */
static const struct err *check_closed(struct call *c,
                                      const struct suspension *s)
{
    struct intent i;
    if (c->who.role != ROLE_AGENT || s->origin == ORIGIN_ACCESS)
        return NULL;
    return err_not_found_as(call_intent(c, s->intent_id, REACH_USE, &i),
                            unknown());
}

const struct err *question_check(struct call *c, const struct suspension *s,
                                 bool closed)
{
    const struct responder_case about = suspension_case(s);
    if (!responder_sees(&about, &c->who))
        return unknown();
    return closed ? check_closed(c, s) : NULL;
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
