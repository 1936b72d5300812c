/* Settings: the permits that agents can use now. A person who may decide a
 * request can take its permit back here. */
#include "base/log.h"
#include "doors/asking/revoke.h"
#include "doors/pages/access/access.h"
#include "doors/pages/question/permit.h"
#include "doors/pages/settings/confirm.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"

#define PATH "/settings/permits"
#define SHOWN 50

static const struct settings_table_words words = {
    .path = PATH,
    .title = "Permits",
    .heading = "Permits in use",
    .about = "A permit lets an agent run what a person or a rule approved, a "
             "number of times and until a time. Sayso counts each use. A "
             "revoked permit cannot be used any more.",
    .empty_heading = "No permits",
    .empty_sentence = "No agent has a permit that it could use now.",
    .heads = {"Agent", "Request", "Used", "Until"},
    .acts = "Revoke"};

/* ---- showing -------------------------------------------------------- */

static struct str request_url(struct arena *a, const struct permit *p)
{
    return p->suspension_id.p
               ? page_view_path(a, "/suspensions/", p->suspension_id, "")
               : page_view_path(a, "/intents/", p->intent_id, "");
}

static void add_row(struct settings_table *r, const struct permits_titled *t)
{
    struct arena *a = r->c->a;
    const struct permit *p = &t->row.permit;
    struct buf about = buf_make(a, 1024);
    buf_put(&about, "Revoke the permit of ");
    buf_str(&about, words_name(a, p->agent));
    settings_table_row(r);
    settings_table_text(r, p->agent, p->terms.resource, STR(""));
    settings_table_text(r, words_cut(a, t->title, PAGE_VIEW_ROW),
                        question_permit_tools(a, p), request_url(a, p));
    settings_table_text(r, question_permit_used(a, p), STR_NONE, STR(""));
    settings_table_text(r, page_view_when(&r->v, p->not_after), STR_NONE,
                        STR(""));
    if (r->c->who.role == ROLE_AUDITOR)
        return;
    settings_table_act(
        r, &(struct settings_table_act){
               .label = "Revoke",
               .about = buf_text(&about),
               .url = page_view_path(a, PATH "?do=revoke&key=", p->id, "")});
}

/* *out is NULL where nothing is asked. A permit that is no longer in the list
 * can be confirmed too: its page links here. */
static const struct err *sure(struct call *c, struct page_view *v,
                              struct json **out)
{
    struct permits_row row;
    *out = NULL;
    if (!request_query(c->rq, "do").p)
        return NULL;
    TRY(permits_get(c->pg, c->a, request_query(c->rq, "key"), &row));
    const struct permit *p = &row.permit;
    const bool all_used = p->state == PERMIT_SPENT;
    TRY(revoke_check(c, p));
    *out = settings_confirm(
        v, &(struct settings_confirm){
               .verb = "Revoke the permit of",
               .name = p->agent,
               .sentence =
                   all_used ? "All of its uses were made, and cannot be "
                              "undone here. The agent's platform is told."
                            : "The agent cannot use it any more. Uses that "
                              "were made stay. The agent's platform is told.",
               .none = "Nothing is revoked yet.",
               .act = "end permit",
               .what = "revoke",
               .comment = true,
               .url = STR(PATH),
               .back = request_url(c->a, p),
               .key = p->id});
    return NULL;
}

static const struct err *read_after(struct call *c, struct permits_row *row,
                                    struct permits_live *wish)
{
    const struct str after = request_query(c->rq, "after");
    if (!after.p)
        return NULL;
    TRY(permits_get(c->pg, c->a, after, row));
    wish->after = &row->permit;
    return NULL;
}

const struct err *access_permits(struct call *c)
{
    struct settings_table r = settings_table(c, &words);
    struct permits_live wish = {.now = r.v.now, .limit = SHOWN};
    if (c->who.role == ROLE_USER)
        wish.initiator_id = c->who.person_id;
    struct json *asked = NULL;
    struct permits_row after;
    struct permits_rows found;
    TRY(sure(c, &r.v, &asked));
    TRY(read_after(c, &after, &wish));
    TRY(permits_live(c->pg, c->a, &wish, &found));
    for (size_t i = 0; i < found.n; i++)
        add_row(&r, &found.v[i]);
    json_set_json(r.view, "confirm", asked);
    settings_table_pager(&r, wish.after == NULL,
                         found.more ? found.v[found.n - 1].row.permit.id
                                    : STR_NONE);
    return settings_table_show(&r, 200,
                               words_many(c->a, (int64_t)found.n, "permit"));
}

/* ---- taking back ---------------------------------------------------- */

const struct err *access_permits_post(struct call *c)
{
    const struct work_once once = {.key = STR_NONE};
    const struct work_answer none = {.body = STR("")};
    struct pairs typed;
    TRY(page_form(c, &typed));
    struct revoke r = {.permit_id = pairs_get(typed, "key")};
    const struct str reason = str_trim(pairs_get(typed, "reason"));
    if (!str_is(pairs_get(typed, "do"), "revoke"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    if (str_runes(reason) > SUSPENSION_REASON_MAX)
        return ERROR(ERR_INVALID, resolve_reason_too_long,
                     "The comment is too long. Nothing was revoked.");
    r.reason = reason.n > 0 ? reason : STR_NONE;
    TRY(revoke_permit(c, &r, &once));
    TRY(work_commit(&r.w, &none));
    log_line(LOG_NOTICE, "settings by=%.*s did=permit.revoke permit=%.*s",
             STR_FMT(c->who.name), STR_FMT(r.row.permit.id));
    response_see_other(c->rs, request_url(c->a, &r.row.permit));
    return NULL;
}
