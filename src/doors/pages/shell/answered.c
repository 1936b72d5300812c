/* What follows an answer. */
#include "doors/pages/shell/answered.h"

#include "base/clock.h"
#include "doors/pages/shell/badge.h"
#include "store/question/suspensions.h"

#define FRESH (15 * 60 * CLOCK_SECOND) /* an answer is news for so long */
#define ID_MAX 64                      /* bytes; no id is longer */

/* The ids in a text, with a dot between two; each once. */
static size_t answered_ids(struct str text, struct str ids[PAGE_ANSWERED_MAX])
{
    size_t n = 0;
    while (text.p && n < PAGE_ANSWERED_MAX) {
        const struct str id = str_cut(&text, '.');
        size_t k = 0;
        while (k < n && !str_eq(ids[k], id))
            k++;
        if (k == n && id.n > 0 && id.n <= ID_MAX)
            ids[n++] = id;
    }
    return n;
}

/* ---- the line ------------------------------------------------------- */

/* Adds one to the number of this outcome. */
static void answered_count(struct arena *a, struct json *many,
                           const struct json *badge)
{
    const struct str word = json_get_text(badge, "word");
    struct buf lower = buf_make(a, 64);
    struct json *o = NULL;
    buf_lower(&lower, word);
    for (size_t i = 0; i < json_count(many) && !o; i++) {
        struct json *at = json_at(many, i);
        if (str_eq(json_get_text(at, "word"), buf_text(&lower)))
            o = at;
    }
    if (!o) {
        o = json_object(a);
        json_set_text(o, "word", buf_text(&lower));
        json_set_text(o, "tone", json_get_text(badge, "tone"));
        json_add_json(many, o);
    }
    json_set_int(o, "n", json_int(json_get(o, "n")) + 1);
}

/* Was it answered by this reader just now? Sets *one and counts it. */
static const struct err *answered_add(struct call *c, struct str id,
                                      struct json *one, struct json *many)
{
    struct arena *own = arena_within(c->a);
    const struct page_view v = page_view(own, clock_now());
    struct suspension s;
    const struct err *e = suspensions_get(c->pg, own, id, &s);
    if (!e && page_badge_own(&s, &c->who) && v.now - s.responded_at < FRESH) {
        const struct json *badge = page_badge_outcome(&v, &s);
        const struct str title =
            words_line(own, s.title.p ? s.title : s.question, PAGE_VIEW_TITLE);
        json_set_text(one, "word", json_get_text(badge, "word"));
        json_set_text(one, "title", title);
        json_set_text(one, "suspension_id", id);
        answered_count(c->a, many, badge);
    }
    if (e && e->kind != ERR_NOT_FOUND)
        return e; /* it may be in that memory */
    arena_free(own);
    return NULL;
}

const struct err *page_answered(struct call *c, struct json **out)
{
    struct str ids[PAGE_ANSWERED_MAX];
    struct json *one = json_object(c->a), *many = json_array(c->a);
    const size_t n = answered_ids(request_query(c->rq, "answered"), ids);
    for (size_t i = 0; i < n; i++)
        TRY(answered_add(c, ids[i], one, many));
    *out = json_count(many) ? json_object(c->a) : NULL;
    if (*out) {
        json_set_text(*out, "tone",
                      json_count(many) > 1
                          ? STR("plain")
                          : json_get_text(json_at(many, 0), "tone"));
        json_set_json(*out, "one", n == 1 ? one : NULL);
        json_set_json(*out, "many", n == 1 ? NULL : many);
    }
    return NULL;
}

/* ---- the address ---------------------------------------------------- */

struct str page_answered_list(struct call *c, struct str list,
                              const struct str *ids, size_t n)
{
    struct buf b = buf_make(c->a, 2 * REQUEST_TARGET_MAX);
    /* It becomes a header. */
    const bool known = str_visible(list) && (str_is(list, "/inbox") ||
                                             str_starts(list, STR("/inbox?")));
    buf_str(&b, known ? list : STR("/inbox"));
    buf_put(&b, str_find(list, '?', 0) < list.n && known ? "&" : "?");
    buf_put(&b, "answered=");
    for (size_t i = 0; i < n; i++) {
        buf_put(&b, i ? "." : "");
        buf_escape(&b, str_head(ids[i], ID_MAX));
    }
    return b.n <= REQUEST_TARGET_MAX ? buf_text(&b) : STR_NONE;
}

/* Is it open, and this reader's to answer? */
static const struct err *answered_is_next(struct call *c, struct str id,
                                          bool *yes)
{
    struct arena *own = arena_within(c->a);
    struct suspension s;
    const struct err *e = suspensions_get(c->pg, own, id, &s);
    *yes = false;
    if (!e) {
        const struct responder_case rule = suspension_case(&s);
        *yes = s.state == SUSPENSION_PENDING &&
               !suspension_due(&s, clock_now()) &&
               !responder_check(own, &rule, &c->who);
    }
    if (e && e->kind != ERR_NOT_FOUND)
        return e; /* it may be in that memory */
    arena_free(own);
    return NULL;
}

const struct err *page_answered_next(struct call *c,
                                     const struct pairs *posted, struct str id,
                                     struct str *out)
{
    struct str ids[PAGE_ANSWERED_MAX];
    const struct str list = pairs_get(*posted, "list");
    size_t n = answered_ids(pairs_get(*posted, "order"), ids);
    *out = page_view_path(c->a, "/suspensions/", id, "");
    if (!str_starts(list, STR("/inbox")) ||
        str_is(c->who.account.after_answer, "stay"))
        return NULL;
    if (str_is(c->who.account.after_answer, "list"))
        n = 0;
    for (size_t i = 0; i < n; i++) {
        bool yes;
        TRY(answered_is_next(c, ids[i], &yes));
        if (yes) {
            const struct str next =
                page_view_path(c->a, "/suspensions/", ids[i], "?answered=");
            *out = page_view_path(c->a, arena_z(c->a, next), id, "");
            return NULL;
        }
    }
    const struct str back = page_answered_list(c, list, &id, 1);
    *out = back.p ? back : *out;
    return NULL;
}
