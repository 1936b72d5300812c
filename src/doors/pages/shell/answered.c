/* The page that follows an answer. */
#include "doors/pages/shell/answered.h"

#include "base/clock.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "store/question/inbox.h"

#define FRESH (60 * 60 * CLOCK_SECOND) /* an answer is news for so long */
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

/* The outcomes of several, in the order of their first one. */
struct answered_many {
    struct json *words; /* an object for each: word, tone, n */
    struct str tone;    /* of all of them, or plain */
};

static void answered_count(struct arena *a, struct answered_many *many,
                           const struct json *badge)
{
    const struct str word = json_get_text(badge, "word");
    struct buf lower = buf_make(a, 64);
    struct json *o = NULL;
    buf_lower(&lower, word);
    for (size_t i = 0; i < json_count(many->words) && !o; i++) {
        struct json *at = json_at(many->words, i);
        if (str_eq(json_get_text(at, "word"), buf_text(&lower)))
            o = at;
    }
    if (!o) {
        o = json_object(a);
        json_set_text(o, "word", buf_text(&lower));
        many->tone = json_count(many->words) > 0
                         ? STR("plain")
                         : arena_str(a, json_get_text(badge, "tone"));
        json_add_json(many->words, o);
    }
    json_set_int(o, "n", json_int(json_get(o, "n")) + 1);
}

/* "12 approved, 1 rejected" */
static struct str answered_text(struct arena *a,
                                const struct answered_many *many)
{
    struct buf b = buf_make(a, 1024);
    for (size_t i = 0; i < json_count(many->words); i++) {
        const struct json *o = json_at(many->words, i);
        buf_put(&b, i ? ", " : "");
        buf_int(&b, json_int(json_get(o, "n")));
        buf_put(&b, " ");
        buf_str(&b, json_get_text(o, "word"));
    }
    return buf_text(&b);
}

/* Was it answered by this reader just now? Sets *one and counts it. */
static const struct err *answered_add(struct call *c, struct str id,
                                      struct json *one,
                                      struct answered_many *many)
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

/* The name of a list: that of its one filter, else of its view. p NULL: it has
 * several, or words. */
static struct str answered_name(const struct inbox_query *w)
{
    const bool risk = w->severity != SEVERITY__MAX;
    const bool kind = w->kind != KIND__MAX;
    const char *const label = risk   ? vocabulary_severity(w->severity)->label
                              : kind ? kind_words(w->kind)->label
                                     : vocabulary_inbox_view(w->view)->label;
    if (risk + kind + (w->agent.p != NULL) > 1 || w->words.p || w->due ||
        (w->view != INBOX_MAY && (risk || kind || w->agent.p)))
        return STR_NONE;
    return w->agent.p ? w->agent : str_of(label);
}

/* `left`: {found, name}, of the list at the address from which the answer was
 * given; null: none is left, or there is no such list. */
static const struct err *answered_left(struct call *c, struct json *o)
{
    const struct str at = request_query(c->rq, "list");
    struct json *left = json_object(c->a);
    struct inbox_query query;
    struct inbox_counts counts;
    struct call list;
    json_set_json(o, "left", NULL);
    if (!str_starts(at, STR("/inbox")) || page_list_at(c, at, &list) ||
        !page_list_open_of(&list, clock_now(), &query))
        return NULL;
    TRY(inbox_count(c->pg, c->a, &query, &counts));
    const int64_t n = inbox_counted(&counts, query.kind, query.severity);
    json_set_text(left, "found", page_list_open(c->a, n));
    json_set_text(left, "name", answered_name(&query));
    if (n > 0)
        json_set_json(o, "left", left);
    return NULL;
}

const struct err *page_answered(struct call *c, struct json **out)
{
    struct str ids[PAGE_ANSWERED_MAX];
    struct json *one = json_object(c->a);
    struct answered_many many = {.words = json_array(c->a)};
    const size_t n = answered_ids(request_query(c->rq, "answered"), ids);
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        TRY(answered_add(c, ids[i], one, &many));
    if (json_count(many.words) == 0)
        return NULL;
    *out = json_object(c->a);
    json_set_text(*out, "tone", many.tone);
    json_set_json(*out, "one", n == 1 ? one : NULL);
    json_set_text(*out, "many",
                  n == 1 ? STR("") : answered_text(c->a, &many));
    return answered_left(c, *out);
}

/* ---- the address ---------------------------------------------------- */

/* Is it the address of a list of open questions? It becomes a header. */
static bool answered_is_list(struct str list)
{
    return str_visible(list) &&
           (str_is(list, "/inbox") || str_starts(list, STR("/inbox?")));
}

struct str page_answered_list(struct call *c, struct str list,
                              const struct str *ids, size_t n)
{
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX);
    const struct str known = answered_is_list(list) ? list : STR("/inbox");
    buf_str(&b, known);
    buf_put(&b, str_find(known, '?', 0) < known.n ? "&" : "?");
    buf_put(&b, "answered=");
    for (size_t i = 0; i < n; i++) {
        buf_put(&b, i ? "." : "");
        buf_escape(&b, str_head(ids[i], ID_MAX));
    }
    return b.over ? STR_NONE : buf_text(&b);
}

/* The question `next` of the list after the answer to the question id. */
static struct str answered_onward(struct call *c,
                                  const struct page_answered_way *way,
                                  struct str next, struct str id)
{
    const struct str path =
        page_view_path(c->a, "/suspensions/", next, "?answered=");
    const struct str to = page_view_path(c->a, arena_z(c->a, path), id, "");
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX);
    buf_str(&b, to);
    buf_put(&b, "&list=");
    buf_escape(&b, way->list);
    if (way->done.n > 0) {
        buf_put(&b, "&done=");
        buf_escape(&b, way->done);
    }
    return b.over ? to : buf_text(&b);
}

/* The list from which a link led to this page; "": it was none. */
static struct str answered_referer(struct call *c)
{
    const struct str own = c->serve->conf->public_url;
    const struct str from = request_header(c->rq, "Referer");
    const struct str address =
        str_starts(from, own) ? str_sub(from, own.n, from.n) : STR("");
    struct call list;
    return answered_is_list(address) && !page_list_at(c, address, &list)
               ? page_list_here(&list, "/inbox")
               : STR("");
}

struct page_answered_way page_answered_way(struct call *c,
                                           const struct pairs *posted)
{
    const struct str said =
        posted ? pairs_get(*posted, "list") : request_query(c->rq, "list");
    const struct str done =
        posted ? pairs_get(*posted, "done") : request_query(c->rq, "done");
    const struct str last =
        posted ? STR_NONE : request_query(c->rq, "answered");
    return (struct page_answered_way){
        .list = answered_is_list(said) ? said
                : posted || said.n > 0 ? STR("")
                                       : answered_referer(c),
        .done = arena_join(c->a, done,
                           str_of(done.n > 0 && last.n > 0 ? "." : ""), last)};
}

bool page_answered_leads(const struct call *c,
                         const struct page_answered_way *way)
{
    const struct str wish = c->who.account.after_answer;
    return way->list.n > 0 && !str_is(wish, "list") && !str_is(wish, "stay");
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
                                     const struct page_answered_way *way,
                                     struct str id, struct str *out)
{
    struct str ids[PAGE_ANSWERED_MAX];
    *out = page_view_path(c->a, "/suspensions/", id, "");
    if (way->list.n == 0 || str_is(c->who.account.after_answer, "stay"))
        return NULL;
    for (size_t i = 0; i < way->n; i++) {
        bool yes;
        TRY(answered_is_next(c, way->behind[i], &yes));
        if (yes) {
            *out = answered_onward(c, way, way->behind[i], id);
            return NULL;
        }
    }
    /* The list says what was answered on the way through it. */
    size_t n = answered_ids(way->done, ids);
    n = n < PAGE_ANSWERED_MAX ? n : PAGE_ANSWERED_MAX - 1;
    ids[n++] = id;
    struct str back = page_answered_list(c, way->list, ids, n);
    if (!back.p)
        back = page_answered_list(c, way->list, &id, 1);
    *out = back.p ? back : *out;
    return NULL;
}
