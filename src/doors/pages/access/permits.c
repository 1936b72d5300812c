/* Settings: the permits that agents can use now. A person who may decide a
 * request can take its permit back here. */
#include "doors/pages/access/access.h"
#include "doors/pages/question/permit.h"
#include "doors/pages/settings/page.h"
#include "work/permit/revoke.h"

#define SHOWN 50

static struct str permits_url(struct arena *a, const struct permit *p)
{
    return p->suspension_id.p
               ? page_view_path(a, "/suspensions/", p->suspension_id, "")
               : page_view_path(a, "/intents/", p->intent_id, "");
}

/* A permit that is no longer in the list can be confirmed too: its page links
 * here. */
static const struct err *permits_ask(struct settings_view *v)
{
    struct call *c = v->c;
    const struct work w = call_work(c);
    struct permits_row row;
    TRY(permits_get(c->pg, c->a, v->key, &row));
    const struct permit *p = &row.permit;
    TRY(revoke_check(&w, p));
    v->back = permits_url(c->a, p);
    settings_page_ask(
        v, v->of->row, p->agent,
        p->state == PERMIT_SPENT
            ? STR("All of its uses were made, and cannot be undone here. The "
                  "agent's platform is notified.")
            : STR_NONE);
    return NULL;
}

static const struct err *permits_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct permits_live query = {.now = v->page.now, .limit = SHOWN};
    struct permits_row row;
    struct permits_rows found;
    const struct str after = request_query(c->rq, "after");
    if (c->who.role == ROLE_USER)
        query.initiator_id = c->who.person_id;
    if (settings_page_asked(v))
        TRY(permits_ask(v));
    if (after.p) {
        TRY(permits_get(c->pg, c->a, after, &row));
        query.after = &row.permit;
    }
    TRY(permits_live(c->pg, c->a, &query, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct permit *p = &found.v[i].row.permit;
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = p->agent, .second = p->terms.resource},
            {.text = words_cut(c->a, found.v[i].title, PAGE_VIEW_ROW),
             .second = question_permit_tools(c->a, p),
             .url = permits_url(c->a, p)},
            {.text = question_permit_used(c->a, p)},
            {.ago = p->created_at},
            {.text = page_view_when(&v->page, p->not_after)}};
        settings_page_row(
            v, &(struct settings_row){
                   .cells = cells,
                   .id = p->id,
                   .about = arena_join(c->a, STR("Revoke the permit of "),
                                       words_name(c->a, p->agent))});
    }
    settings_page_pager(
        v, !after.p,
        found.more ? found.v[found.n - 1].row.permit.id : STR_NONE);
    return NULL;
}

static const struct err *permits_revoke(struct settings_view *v)
{
    struct call *c = v->c;
    struct revoke r = {.permit_id = v->key};
    struct work w = call_work(c);
    const struct str reason = str_trim(pairs_get(v->typed, "reason"));
    if (str_runes(reason) > SUSPENSION_REASON_MAX)
        return ERROR(ERR_INVALID, resolve_reason_too_long,
                     "The comment is too long. Nothing was revoked.");
    r.reason = reason.n > 0 ? reason : STR_NONE;
    TRY(revoke_permit(&w, &r, NULL));
    TRY(work_commit(&w, NULL));
    SETTINGS_PAGE_LOG(c, "permit.revoke permit=%.*s",
                      STR_FMT(r.row.permit.id));
    v->next = permits_url(c->a, &r.row.permit);
    return NULL;
}

static const struct settings_action revoke = {
    .what = "revoke",
    .label = "Revoke",
    .verb = "Revoke the permit of",
    .sentence = "The agent can no longer use it. Past uses are kept. The "
                "agent's platform is notified.",
    .none = "Nothing is revoked yet.",
    .act = "Revoke the permit",
    .comment = true,
    .run = permits_revoke};
static const struct settings_page page = {
    .path = "/settings/permits",
    .heading = "Permits",
    .about = "The permits that agents can use now. A permit lets an agent run "
             "what a person or a rule approved, a number of times and until "
             "a time. Sayso counts each use.",
    .empty_heading = "No permits",
    .empty_sentence = "No agent has a permit that it could use now.",
    .noun = "permit",
    .heads = {"Agent", "Request", "Used", "Asked", "Until"},
    .by = "Asked",
    .falls = true,
    .row = &revoke,
    .actions = &revoke,
    .actions_n = 1,
    .writers = ROLE_ADMIN | ROLE_OPERATOR | ROLE_USER,
    .list = permits_rows};

const struct err *access_permits(struct call *c)
{
    return settings_page_run(c, &page);
}
