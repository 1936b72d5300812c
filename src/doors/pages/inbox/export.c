/* Decided questions as a file: the filtered list, page by page, up to a ceiling
 * that the file states. A cell that a spreadsheet would take for a formula is
 * made harmless. */
#include "doors/pages/inbox/inbox.h"
#include <assert.h>

#include "base/clock_text.h"
#include "domain/kind/amount.h"
#include "domain/kind/label.h"
#include "doors/pages/inbox/decided_filters.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"

#define PAGE 50                       /* rows at once */
#define ROWS_MAX 5000                 /* of one file */
#define BYTES_MAX ((size_t)8 << 20)
#define LOOKS_MAX 200                 /* pages that are scanned */

#define CUT                                                                    \
    "The file ends here. It holds at most 5,000 rows and 8 MB. The next one "  \
    "begins after this request."

/* One way to write a row. */
struct export_format {
    void (*head)(struct buf *b); /* NULL: none */
    void (*row)(struct buf *b, struct arena *a, const struct suspension *s);
    const char *cut;  /* the last line where the ceiling was reached: before */
    const char *cut_end; /* and after the id that the next file continues
                          * after */
    const char *type, *name;
};

/* ---- rows ----------------------------------------------------------- */

/* JSON values are kept as JSON in a JSON file, and are readable text in a
 * table. New fields come last: a table is also read by its columns'
 * positions. */
static const struct {
    const char *name;
    bool json;
} export_fields[] = {
    {"decided_at", false},     {"outcome", false},   {"kind", false},
    {"risk", false},           {"title", false},     {"question", false},
    {"agent", false},          {"on_behalf", false}, {"decided_by", false},
    {"via", false},            {"reason", false},    {"asked_at", false},
    {"intent_id", false},      {"suspension_id", false},
    {"subject_sha256", false}, {"value", true},      {"label", false},
    {"modified", true},        {"constraints", true},
    {"approved_sha256", false}, {"test", true},      {"amount", false},
    {"unit", false},           {"tool", false},      {"target", false},
    {"arguments", true}};
#define FIELDS countof(export_fields)

/* The tools of the calls, in their order. */
static struct str export_tools(struct arena *a, const struct json *calls)
{
    struct buf b = buf_make(a, BYTES_MAX);
    for (size_t i = 0; i < json_count(calls); i++) {
        buf_put(&b, i ? ", " : "");
        buf_str(&b, json_get_text(json_at(calls, i), "tool"));
    }
    return buf_text(&b);
}

/* The arguments of the call; of several a list. */
static struct str export_arguments(struct arena *a, const struct json *calls)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(calls); i++)
        json_add_json(list, json_get(json_at(calls, i), "args"));
    struct buf b = buf_make(a, BYTES_MAX);
    if (json_count(list) > 0)
        json_write(&b, json_count(list) == 1 ? json_at(list, 0) : list);
    return b.n > 0 ? buf_text(&b) : STR_NONE;
}

/* The facts are those that were approved, else those that were asked for. */
static void export_values(struct arena *a, const struct suspension *s,
                          struct str v[static FIELDS])
{
    const struct json *facts = suspension_final(a, s);
    const struct json *calls = json_get(facts, "calls");
    const struct amount m = amount_of(s->kind, facts);
    const struct str all[] = {
        clock_rfc3339(a, s->responded_at),
        inbox_decided_filters_outcome(suspension_ending(s)),
        kind_words(s->kind)->wire,
        vocabulary_severity(s->severity)->wire,
        s->title,
        s->question,
        s->asked_by,
        s->initiated_by,
        s->responded_by,
        vocabulary_via(s->responded_via)->wire,
        s->reason,
        clock_rfc3339(a, s->suspended_at),
        s->intent_id,
        s->id,
        s->subject_sha256,
        s->response, /* of an expiry: the fallback of the agent */
        label_line(a, suspension_chosen(a, s, json_read(a, s->response))),
        suspension_modified(s) ? STR("true") : STR("false"),
        s->constraints,
        s->approved_sha256,
        s->test ? STR("true") : STR("false"),
        m.unit.p ? amount_plain(a, &m) : STR(""),
        m.unit,
        export_tools(a, calls),
        json_get_text(facts, "target"),
        export_arguments(a, calls)};
    static_assert(countof(all) == FIELDS, "a value for each field");
    memcpy(v, all, sizeof all);
}

/* Could a spreadsheet take a cell with this beginning for a formula? The
 * full-width forms of =, +, - and @ count as well: some programs fold them. */
static bool export_like_formula(struct str s)
{
    static const char *const wide[] = {"\uFF1D", "\uFF0B", "\uFF0D",
                                       "\uFF20"};
    bool found = s.n > 0 && strchr("=+-@\t\r\n|", s.p[0]) != NULL;
    for (size_t i = 0; i < countof(wide); i++)
        found = found || str_starts(s, str_of(wide[i]));
    return found;
}

/* RFC 4180. A cell that a spreadsheet could take for a formula gets an
 * apostrophe in front. People read a table, so hidden characters are spelt. */
static void export_put_cell(struct buf *b, struct arena *a,
                            struct str as_it_is)
{
    const struct str s = words_hidden(as_it_is) > 0
                             ? words_plain(a, as_it_is, as_it_is.n)
                             : as_it_is;
    buf_char(b, '"');
    if (export_like_formula(s))
        buf_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"')
            buf_char(b, '"');
        buf_char(b, s.p[i]);
    }
    buf_char(b, '"');
}

/* Excel takes a file without the mark for one of another encoding. */
static void export_csv_head(struct buf *b)
{
    buf_put(b, "\xEF\xBB\xBF");
    for (size_t i = 0; i < FIELDS; i++) {
        buf_put(b, i ? "," : "");
        buf_put(b, export_fields[i].name);
    }
    buf_put(b, "\r\n");
}

static void export_csv_row(struct buf *b, struct arena *a,
                           const struct suspension *s)
{
    struct str v[FIELDS];
    export_values(a, s, v);
    for (size_t i = 0; i < FIELDS; i++) {
        const struct json *value =
            export_fields[i].json ? json_read(a, v[i]) : NULL;
        buf_put(b, i ? "," : "");
        export_put_cell(b, a,
                        value                   ? page_facts_value(a, value)
                        : export_fields[i].json ? STR("")
                                                : v[i]);
    }
    buf_put(b, "\r\n");
}

static void export_jsonl_row(struct buf *b, struct arena *a,
                             const struct suspension *s)
{
    struct str v[FIELDS];
    struct json *o = json_object(a);
    export_values(a, s, v);
    for (size_t i = 0; i < FIELDS; i++) {
        if (export_fields[i].json)
            json_set_read(a, o, export_fields[i].name, v[i]);
        else
            json_set_text(o, export_fields[i].name, v[i]);
    }
    json_write(b, o);
    buf_char(b, '\n');
}

void inbox_export_head(struct buf *b, bool csv)
{
    if (csv)
        export_csv_head(b);
}

void inbox_export_row(struct buf *b, struct arena *a,
                      const struct suspension *s, bool csv)
{
    if (csv)
        export_csv_row(b, a, s);
    else
        export_jsonl_row(b, a, s);
}

/* ---- the file ------------------------------------------------------- */

/* Writes one page, and frees its memory before the next. Sets *more where the
 * list continues. */
static const struct err *export_page(struct call *c,
                                     struct inbox_decided_filters *t,
                                     const struct export_format *f,
                                     size_t *left, bool *more)
{
    struct arena *own = arena_within(c->a);
    struct arena *row = arena_within(c->a);
    struct buf *out = &c->rs->body;
    struct decided_query *w = &t->query;
    struct decided_rows d = {.further = false};
    w->limit = w->found = PAGE + 1;
    const struct err *e = decided_list(c->pg, own, w, &d);
    const size_t n = d.rows.n > PAGE ? PAGE : d.rows.n;
    size_t i = 0;
    while (!e && i < n && *left > 0) {
        const size_t before = out->n;
        f->row(out, row, &d.rows.v[i]);
        arena_reset(row); /* many long answers need more than one arena's
                           * memory */
        if (out->over || out->n > BYTES_MAX) { /* the file is full */
            out->n = before;
            out->over = false;
            *left = 0;
        } else {
            --*left;
            i++;
        }
    }
    *more = !e && (i < n || d.rows.n > PAGE || d.further);
    if (*more && i > 0 && (i < n || d.rows.n > PAGE)) {
        w->after_at = d.rows.v[i - 1].responded_at;
        w->after_id = arena_str(c->a, d.rows.v[i - 1].id);
    } else if (*more && i == n) {
        w->after_at = d.at;
        w->after_id = arena_str(c->a, d.id);
    }
    const struct err *kept =
        e ? err_at(c->a, e->kind, e->code, STR(""), "%.*s", STR_FMT(e->say))
          : NULL;
    arena_free(row);
    arena_free(own);
    return kept;
}

static const struct err *export_file(struct call *c,
                                     const struct export_format *f)
{
    struct inbox_decided_filters t;
    size_t left = ROWS_MAX;
    bool more = true;
    struct buf name = buf_make(c->a, 128);
    TRY(inbox_decided_filters_read(c, &t));
    c->rs->body = buf_make(c->a, BYTES_MAX + sizeof CUT * 4);
    if (f->head)
        f->head(&c->rs->body);
    for (int i = 0; more && left > 0 && i < LOOKS_MAX; i++)
        TRY(export_page(c, &t, f, &left, &more));
    if (more) {
        buf_put(&c->rs->body, f->cut);
        buf_str(&c->rs->body, t.query.after_id);
        buf_put(&c->rs->body, f->cut_end);
        response_header(c->rs, "Link",
                        arena_join(c->a, STR("<"),
                                   page_list_url(c, arena_z(c->a, c->rq->path),
                                                 "after", t.query.after_id),
                                   STR(">; rel=\"next\"")));
    }
    c->rs->status = 200;
    buf_put(&name, "attachment; filename=\"");
    buf_put(&name, f->name);
    buf_put(&name, "\"");
    response_header(c->rs, "Content-Type", str_of(f->type));
    response_header(c->rs, "Content-Disposition", buf_text(&name));
    return NULL;
}

const struct err *inbox_export_csv(struct call *c)
{
    static const struct export_format csv = {.head = export_csv_head,
                                             .row = export_csv_row,
                                             .cut = "\"" CUT "\",\"",
                                             .cut_end = "\"\r\n",
                                             .type = "text/csv; charset=utf-8",
                                             .name = "decided.csv"};
    return export_file(c, &csv);
}

const struct err *inbox_export_jsonl(struct call *c)
{
    static const struct export_format jsonl = {.row = export_jsonl_row,
                                               .cut = "{\"cut\":\"" CUT
                                                      "\",\"after\":\"",
                                               .cut_end = "\"}\n",
                                               .type = "application/jsonl",
                                               .name = "decided.jsonl"};
    return export_file(c, &jsonl);
}
