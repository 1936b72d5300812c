/* Stopping a task: a page that says what will happen, and the act. */
#include "base/clock.h"
#include "base/log.h"
#include "doors/pages/access/access.h"
#include "doors/pages/question/head.h"
#include "doors/pages/question/permit.h"
#include "doors/pages/shell/page.h"
#include "store/intent/intents.h"
#include "store/permit/permits.h"
#include "store/question/suspensions.h"
#include "work/task/stop.h"

#define REASON_MAX 1000   /* characters */
#define CHILDREN_SHOWN 20 /* that are looked at */

/* The open requests that end with it. */
static const struct err *stop_set_questions(struct call *c, struct str id,
                                            struct json *view)
{
    struct json *list = json_array(c->a);
    struct suspension_rows rows;
    TRY(suspensions_of_intent(c->pg, c->a, id, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        struct json *o = json_object(c->a);
        if (rows.v[i].state != SUSPENSION_PENDING)
            continue;
        json_set_text(o, "id", rows.v[i].id);
        json_set_text(o, "title", question_head_title(&rows.v[i]));
        json_add_json(list, o);
    }
    json_set_json(view, "questions", list);
    return NULL;
}

/* The permits that are revoked with it. */
static const struct err *stop_set_permits(struct call *c, struct str id,
                                          struct json *view)
{
    struct json *list = json_array(c->a);
    struct permits_rows found;
    TRY(permits_of_intent(c->pg, c->a, id, clock_now(), STOP_PERMITS,
                          &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct permit *p = &found.v[i].row.permit;
        struct json *o = json_object(c->a);
        json_set_text(o, "agent", p->agent);
        json_set_text(o, "tools", question_permit_tools(c->a, p));
        json_set_text(o, "used", question_permit_used(c->a, p));
        json_add_json(list, o);
    }
    json_set_json(view, "permits", list);
    json_set_bool(view, "more", found.more);
    return NULL;
}

/* The child tasks that have not ended: a stop does not reach them. */
static const struct err *stop_set_children(struct call *c, struct str id,
                                           struct json *view)
{
    const struct intents_related page = {
        .id = id, .relation = INTENTS_CHILDREN, .limit = CHILDREN_SHOWN};
    struct json *list = json_array(c->a);
    struct intent_rows rows;
    TRY(intents_related(c->pg, c->a, &page, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        struct json *o = json_object(c->a);
        if (intent_ended(rows.v[i].status))
            continue;
        json_set_text(o, "id", rows.v[i].id);
        json_set_text(o, "title", rows.v[i].title);
        json_add_json(list, o);
    }
    json_set_json(view, "children", list);
    return NULL;
}

static const struct err *stop_show(struct call *c, struct str typed,
                                   const char *error)
{
    struct json *view = json_object(c->a);
    struct intent i;
    TRY(intents_get(c->pg, c->a, c->param[0], &i));
    TRY(stop_set_questions(c, i.id, view));
    TRY(stop_set_permits(c, i.id, view));
    TRY(stop_set_children(c, i.id, view));
    json_set_text(view, "id", i.id);
    json_set_text(view, "title", i.title);
    json_set_text(view, "agent", i.owner.p ? i.owner : i.created_by);
    json_set_bool(view, "ended", intent_ended(i.status));
    json_set_text(view, "comment", typed);
    json_set_text(view, "error", str_of(error));
    return page_render(c, error ? 422 : 200, "browse/stop", "Stop the task",
                       view);
}

const struct err *access_stop(struct call *c)
{
    return stop_show(c, STR_NONE, NULL);
}

const struct err *access_stop_post(struct call *c)
{
    struct stop s = {.intent_id = c->param[0]};
    struct work w = call_work(c);
    struct pairs posted;
    TRY(page_form(c, &posted));
    const struct str reason = str_trim(pairs_get(posted, "reason"));
    if (str_runes(reason) > REASON_MAX)
        return stop_show(c, reason,
                         "A comment may have at most 1,000 characters.");
    s.reason = reason.n > 0 ? reason : STR_NONE;
    TRY(stop_task(&w, &s));
    TRY(work_commit(&w, NULL));
    log_line(LOG_NOTICE, "task by=%.*s did=stop intent=%.*s permits=%zu",
             STR_FMT(c->who.name), STR_FMT(w.intent.id), s.revoked);
    response_see_other(c->rs,
                       page_view_path(c->a, "/intents/", w.intent.id, ""));
    return NULL;
}
