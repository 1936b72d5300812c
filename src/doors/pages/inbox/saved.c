/* Views of the lists under a name: a person's own, and those that others
 * share. */
#include "base/clock.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/views.h"

/* The view to be saved: from the address, or as it was posted. */
struct saved_draft {
    struct str name, path, query;
    bool shared;
    const struct err *error; /* NULL: none */
};

static const struct err *saved_show(struct call *c,
                                    const struct saved_draft *d)
{
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    struct json *form = json_object(c->a);
    struct view_rows found;
    TRY(views_list(c->pg, c->a, c->who.id, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct view *one = &found.v[i];
        struct json *row = json_object(c->a);
        json_set_text(row, "url",
                      arena_join(c->a, one->path,
                                 str_of(one->query.n ? "?" : ""), one->query));
        json_set_text(row, "id", one->id);
        json_set_text(row, "name", one->name);
        json_set_bool(row, "own", one->own);
        json_set_text(row, "by", one->own ? STR_NONE : one->by);
        json_set_bool(row, "shared", one->shared);
        json_add_json(rows, row);
    }
    json_set_text(form, "name", d->name);
    json_set_text(form, "path", d->path.p ? d->path : STR("/inbox"));
    json_set_text(form, "query", d->query);
    json_set_bool(form, "shared", d->shared);
    json_set_text(form, "error", d->error ? d->error->say : STR(""));
    json_set_json(view, "form", d->query.n || d->error ? form : NULL);
    json_set_json(view, "rows", rows);
    return page_render(c, d->error ? response_status(d->error->kind) : 200,
                       "saved", "Saved views", view);
}

const struct err *inbox_saved(struct call *c)
{
    const struct saved_draft d = {.path = page_list_filter(c, "path"),
                                  .query = page_list_filter(c, "query")};
    return saved_show(c, &d);
}

/* Only a query as page_list_query writes it. */
static bool saved_is_query(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || strchr("-._~%=&", c)))
            return false;
    }
    return s.n <= VIEWS_QUERY_MAX;
}

static const struct err *saved_check(const struct saved_draft *d)
{
    if (d->name.n == 0 || str_runes(d->name) > VIEWS_NAME_MAX)
        return ERROR(ERR_INVALID, "field.value",
                     "Enter a name of 1 to 60 characters.");
    if ((!str_is(d->path, "/inbox") && !str_is(d->path, "/decided")) ||
        !saved_is_query(d->query))
        return ERROR(ERR_INVALID, "field.value",
                     "This view cannot be saved. Open the list, set filters "
                     "and save it from there.");
    return NULL;
}

const struct err *inbox_saved_post(struct call *c)
{
    struct pairs posted;
    TRY(page_form(c, &posted));
    if (str_is(pairs_get(posted, "do"), "remove")) {
        TRY(views_remove(c->pg, c->a, pairs_get(posted, "id"), c->who.id));
        response_see_other(c->rs, STR("/views"));
        return NULL;
    }
    struct saved_draft d = {.name = str_trim(pairs_get(posted, "name")),
                            .path = pairs_get(posted, "path"),
                            .query = pairs_get(posted, "query"),
                            .shared = pairs_get(posted, "shared").p != NULL};
    const struct view one = {.name = d.name,
                             .path = d.path,
                             .query = d.query.p ? d.query : STR(""),
                             .shared = d.shared};
    d.error = saved_check(&d);
    if (!d.error)
        d.error = views_save(c->pg, c->a, &one, c->who.id, clock_now());
    if (d.error && d.error->kind != ERR_INVALID &&
        d.error->kind != ERR_CONFLICT)
        return d.error;
    if (d.error)
        return saved_show(c, &d);
    response_see_other(c->rs, STR("/views"));
    return NULL;
}
