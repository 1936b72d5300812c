/* The fields of a question: the statements' lists, values there and back, and
 * the record. */
#include "domain/question/suspension.h"
#include "store/sql.gen.h"

#include "suite.h"

SUITE(suspension_fields);

static const struct record_field *field(const char *member)
{
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *f = &suspension_record.fields[i];
        if ((f->in & IN_OBJECT) &&
            strcmp(f->member ? f->member : f->name, member) == 0)
            return f;
    }
    return NULL;
}

/* The columns of the table as a statement names them. */
static struct str columns(const char *before, bool asked)
{
    struct buf b = buf_make(a, 4096);
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *f = &suspension_record.fields[i];
        if (!(f->in & (asked ? IN_INSERT : IN_ROW)))
            continue;
        buf_put(&b, b.n ? ", " : "");
        buf_put(&b, before);
        buf_put(&b, f->column ? f->column : f->name);
    }
    return buf_text(&b);
}

Test(suspension_fields, statements_have_the_columns_in_their_order)
{
    static const struct {
        int statement;
        const char *before;
        bool asked;
    } reads[] = {{SQL_SUSPENSION_GET, "s.", false},
                 {SQL_SEARCH_ROWS, "s.", false},
                 {SQL_INBOX_ALL, "s.", false},
                 {SQL_SUSPENSION_ASKED, "", true},
                 {SQL_SUSPENSION_ASKED_NEWEST, "", true}};
    for (size_t i = 0; i < countof(reads); i++)
        cr_assert(str_search(str_of(sql_statements[reads[i].statement].text),
                             columns(reads[i].before, reads[i].asked)) <
                      strlen(sql_statements[reads[i].statement].text),
                  "%s", sql_statements[reads[i].statement].name);
    const struct str insert =
        str_of(sql_statements[SQL_SUSPENSION_INSERT].text);
    const struct str list = columns("", true);
    const size_t at = str_search(insert, list);
    cr_assert(at < insert.n, "%.*s", STR_FMT(insert));
    cr_assert(str_starts(str_sub(insert, at + list.n, insert.n),
                         STR(") VALUES ($6, $7, ")));
}

/* The columns after a word of a statement, up to another, without spaces. */
static struct str listed(int statement, const char *from, const char *to)
{
    const struct str text = str_of(sql_statements[statement].text);
    struct buf b = buf_make(a, 4096);
    const size_t begin = str_search(text, str_of(from)) + strlen(from);
    const struct str rest = str_sub(text, begin, text.n);
    const size_t end = str_search(rest, str_of(to));
    cr_assert(begin < text.n && end < rest.n);
    for (size_t i = 0; i < end; i++) {
        if (rest.p[i] != ' ' && rest.p[i] != '\n')
            buf_char(&b, rest.p[i]);
    }
    return buf_text(&b);
}

Test(suspension_fields, a_decision_is_read_in_the_order_in_which_it_is_written)
{
    size_t fields = 0, commas = 0;
    const struct str written =
        listed(SQL_SUSPENSION_DECIDE, "INSERT INTO decision (", ", kind");
    const struct str read =
        listed(SQL_SUSPENSION_DECIDED, "SELECT ", ",\n       channel_hint");
    cr_assert(str_eq(written, read), "%.*s", STR_FMT(read));
    for (size_t i = 0; i < suspension_record.n; i++)
        fields += (suspension_record.fields[i].in & IN_PART) != 0;
    for (size_t i = 0; i < read.n; i++)
        commas += read.p[i] == ',';
    cr_assert_eq(fields, commas + 1);
}

Test(suspension_fields, what_was_said_is_stored_where_another_counts)
{
    const struct record_field *said = field("severity_said");
    static const struct {
        enum severity counts, said;
        const char *stored;
    } cases[] = {{SEVERITY_HIGH, SEVERITY_HIGH, NULL},
                 {SEVERITY_UNSAID, SEVERITY_UNSAID, NULL},
                 {SEVERITY_HIGH, SEVERITY_LOW, "low"},
                 {SEVERITY_HIGH, SEVERITY_UNSAID, "none"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct suspension s = {.severity = cases[i].counts,
                               .severity_said = cases[i].said};
        const struct str text = record_text(a, said, &s);
        cr_assert(str_eq(text, str_of(cases[i].stored)));
        s.severity_said = SEVERITY__MAX;
        record_take(said, &s, text);
        cr_assert_eq(s.severity_said, cases[i].said);
    }
}

Test(suspension_fields, nothing_is_null_and_reads_back_as_nothing)
{
    const struct suspension none = {.id = STR_NONE};
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *f = &suspension_record.fields[i];
        struct suspension s = none;
        const bool flag = f->type == RECORD_IS_FLAG;
        if (!(f->in & IN_ROW) || record_text(a, f, &none).p)
            continue;
        cr_assert(!flag, "%s", f->name);
        record_take(f, &s, STR_NONE);
        cr_assert(!record_text(a, f, &s).p, "%s", f->name);
    }
}

Test(suspension_fields, values_as_text)
{
    struct suspension s = {.attempt = 3,
                           .suspended_at = INT64_C(1795166773510233),
                           .kind = KIND_COST_CONFIRMATION,
                           .allow_edit = true};
    static const char *const wanted[][2] = {
        {"attempt", "3"},
        {"suspended_at", "2026-11-20T09:26:13.510233Z"},
        {"kind", "cost_confirmation"},
        {"allow_edit", "true"}};
    for (size_t i = 0; i < countof(wanted); i++)
        cr_assert(
            str_is(record_text(a, field(wanted[i][0]), &s), wanted[i][1]));
    record_take(field("suspended_at"), &s,
                STR("1970-01-01 00:00:00.000017+00"));
    record_take(field("allow_edit"), &s, STR("f"));
    cr_assert(s.suspended_at == 17 && !s.allow_edit);
}

Test(suspension_fields, the_record_is_without_what_is_not_given)
{
    struct suspension s = {.id = STR("s-1"), .choices = STR("[]")};
    const struct json *o = record_object(a, &suspension_record, &s);
    cr_assert(json_has(o, "title") && !json_get(o, "title"));
    cr_assert(!json_has(o, "timeout_seconds"));
    cr_assert(!json_has(o, "responded_by_claimed"));
    cr_assert(!json_has(o, "record") && !json_has(o, "asked_by_key"));
    s.timeout_seconds = 60;
    s.responded_by_claimed = STR("bob");
    o = record_object(a, &suspension_record, &s);
    cr_assert_eq(json_int(json_get(o, "timeout_seconds")), 60);
    cr_assert(str_is(json_get_text(o, "responded_by_claimed"), "bob"));
    cr_assert(str_is(json_get_text(o, "suspension_id"), "s-1"));
}
