/* The parts that the lists of questions share. Never loads, never decides. */
#include "doors/pages/shell/list.h"

#include "base/clock.h"

#define MINUTE (60 * CLOCK_SECOND)

struct str page_list_filter(struct call *c, const char *key)
{
    const struct str s = str_trim(request_query(c->rq, key));
    return s.n > 0 ? s : STR_NONE;
}

bool page_list_kind(struct call *c, enum kind *out)
{
    const struct str word = page_list_filter(c, "kind");
    *out = word.p ? kind_of(vocabulary_of_key(word)) : KIND__MAX;
    return !word.p || *out < KIND__MAX;
}

const struct err *page_list_at(struct call *c, struct str address,
                               struct call *list)
{
    const size_t from = str_find(address, '?', 0);
    struct request *rq = arena_new(c->a, struct request);
    *rq = *c->rq;
    *list = *c;
    list->rq = rq;
    return request_form(
        c->a,
        str_sub(address, from < address.n ? from + 1 : from, address.n),
        REQUEST_PAIRS_MAX, &rq->query);
}

bool page_list_open_of(struct call *c, int64_t now, struct inbox_query *out)
{
    static const struct {
        const char *word;
        int64_t minutes;
    } dues[] = {{"15m", 15}, {"1h", 60}, {"4h", 240}, {"1d", 1440}};
    const struct str view = page_list_filter(c, "view");
    const struct str risk = page_list_filter(c, "risk");
    const struct str due = page_list_filter(c, "due");
    const struct str sort = page_list_filter(c, "sort");
    *out = (struct inbox_query){.reader = &c->who,
                                .agent = page_list_filter(c, "agent"),
                                .words = page_list_filter(c, "q"),
                                .by_deadline = str_is(sort, "deadline"),
                                .limit = PAGE_LIST_ROWS + 1};
    out->view = view.p ? vocabulary_inbox_view_of(view) : inbox_first(&c->who);
    out->severity = risk.p ? vocabulary_severity_of(vocabulary_of_key(risk))
                           : SEVERITY__MAX;
    for (size_t i = 0; i < countof(dues); i++) {
        if (str_is(due, dues[i].word))
            out->due = now + dues[i].minutes * MINUTE;
    }
    return !(view.p && (out->view == INBOX_VIEW__MAX ||
                        c->who.role == ROLE_USER)) &&
           page_list_kind(c, &out->kind) &&
           !(risk.p && out->severity == SEVERITY__MAX) &&
           !(due.p && !out->due) &&
           (!sort.p || out->by_deadline || str_is(sort, "risk")) &&
           str_runes(out->words) <= PAGE_LIST_WORDS &&
           str_runes(out->agent) <= PRINCIPAL_AGENT_NAME_MAX;
}

static void list_put_pair(struct buf *b, struct str key, struct str value)
{
    if (b->n > 0)
        buf_char(b, '&');
    buf_escape(b, key);
    buf_char(b, '=');
    buf_escape(b, value);
}

/* The parts of an address that are of one page: its place in the list, and
 * what was ticked or answered. */
static bool list_of_page(struct str key)
{
    static const char *const keys[] = {"after", "pinned", "picked",
                                       "answered"};
    size_t i = 0;
    while (i < countof(keys) && !str_is(key, keys[i]))
        i++;
    return i < countof(keys);
}

/* All filters but one. A page begins anew with each, and without ticks. */
static void list_put_others(struct call *c, struct buf *b, const char *but)
{
    for (size_t i = 0; i < c->rq->query.n; i++) {
        const struct pair p = c->rq->query.v[i];
        if (str_trim(p.value).n > 0 && !list_of_page(p.key) &&
            !(but && str_is(p.key, but)))
            list_put_pair(b, p.key, str_trim(p.value));
    }
}

struct str page_list_query(struct call *c)
{
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX * 3);
    list_put_others(c, &b, NULL);
    return b.n > 0 ? buf_text(&b) : STR("");
}

struct str page_list_url(struct call *c, const char *path, const char *key,
                         struct str value)
{
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX * 3);
    struct buf out = buf_make(c->a, REQUEST_TARGET_MAX * 4);
    list_put_others(c, &b, key);
    if (value.p)
        list_put_pair(&b, str_of(key), value);
    buf_put(&out, path);
    buf_put(&out, b.n > 0 ? "?" : "");
    buf_str(&out, buf_text(&b));
    return buf_text(&out);
}

struct str page_list_here(struct call *c, const char *path)
{
    const struct str after = page_list_filter(c, "after");
    const struct str pinned = page_list_filter(c, "pinned");
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX * 5);
    buf_str(&b, page_list_url(c, path, "after", after));
    if (after.p && pinned.p) {
        buf_put(&b, "&pinned=");
        buf_escape(&b, pinned);
    }
    return buf_text(&b);
}

struct str page_list_save(struct call *c, const char *path)
{
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX * 10);
    buf_put(&b, "/views?path=");
    buf_escape(&b, str_of(path));
    buf_put(&b, "&query=");
    buf_escape(&b, page_list_query(c));
    return buf_text(&b);
}

void page_list_chip(struct json *list, struct arena *a,
                    const struct page_list_chip *chip)
{
    struct json *o = json_object(a);
    json_set_text(o, "url", chip->url);
    json_set_text(o, "label", chip->label);
    json_set_text(o, "count", chip->count);
    json_set_text(o, "icon", str_of(chip->icon));
    json_set_bool(o, "here", chip->here);
    json_add_json(list, o);
}

bool page_list_link(struct call *c, struct json *list,
                    const struct page_list_link *link)
{
    const struct str now = page_list_filter(c, link->key);
    const struct page_list_chip chip = {
        .url = page_list_url(c, link->path, link->key, link->word),
        .label = link->label,
        .count = link->count,
        .icon = link->icon,
        .here = link->word.p ? str_eq(now, link->word) : !now.p};
    if (chip.here || !link->word.p || !link->none)
        page_list_chip(list, c->a, &chip);
    return chip.here;
}

struct str page_list_count(struct arena *a, int64_t n, int64_t max)
{
    return arena_join(a, words_count(a, n > max ? max : n),
                      str_of(n > max ? "+" : ""));
}

struct str page_list_open(struct arena *a, int64_t n)
{
    return page_list_count(a, n, INBOX_COUNT_MAX);
}

struct json *page_list_pager(struct call *c, const struct page_list_pager *p)
{
    struct json *o = json_object(c->a);
    if (p->first && !p->older.p)
        return NULL;
    json_set_text(o, "shown_text", p->shown);
    json_set_json(o, "first_url", NULL);
    json_set_json(o, "older_url", NULL);
    json_set_text(o, "onward", p->onward ? str_of(p->onward) : STR("Older"));
    if (!p->first)
        json_set_text(o, "first_url",
                      page_list_url(c, p->path, "after", STR_NONE));
    if (p->older.p)
        json_set_text(o, "older_url",
                      page_list_url(c, p->path, "after", p->older));
    return o;
}

struct str page_list_part(bool first, bool more)
{
    return first  ? STR("The newest ")
           : more ? STR("Another ")
                  : STR("The last ");
}

const struct err *page_list_bad(void)
{
    return ERROR(ERR_BAD_REQUEST, "request.query",
                 "Invalid link. Open the list again.");
}

void page_list_row_begin(struct page_list_row *r, struct call *c,
                         struct page_view *v)
{
    *r = (struct page_list_row){
        .call = *c, .view = *v, .page = c, .page_view = v};
    r->call.a = r->view.a = arena_within(c->a);
}

struct json *page_list_row_end(struct page_list_row *r,
                               const struct json *built)
{
    struct json *kept = json_copy(r->page->a, built);
    r->view.a = r->page->a;
    *r->page_view = r->view; /* its counters have changed */
    arena_free(r->call.a);
    return kept;
}
