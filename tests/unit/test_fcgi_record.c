/* FastCGI records: whole, in pieces, and as no front end would send them. */
#include "suite.h"

#include <criterion/new/assert.h>

#include "world/web/fcgi_record.h"

static struct buf in, params;
static struct fcgi_record r;

static void setup(void)
{
    in = buf_make(a, (size_t)1 << 20);
    params = buf_make(a, FCGI_RECORD_PARAMS_MAX);
    r = (struct fcgi_record){.state = FCGI_RECORD_BEGIN};
}

SUITE_WITH(fcgi_record, setup());

/* A record's head; its content follows. */
static void head(int version, int type, int id, size_t n, int padding)
{
    const char bytes[8] = {(char)version, (char)type, (char)(id >> 8),
                           (char)id, (char)(n >> 8), (char)n,
                           (char)padding, 0};
    buf_str(&in, (struct str){bytes, 8});
}

static void record(int type, struct str content)
{
    head(1, type, 1, content.n, 3);
    buf_str(&in, content);
    buf_put(&in, "pad");
}

static void begin_as(int role)
{
    const char body[8] = {0, (char)role};
    record(1, (struct str){body, 8});
}

static struct str pair(const char *key, const char *value)
{
    struct buf b = buf_make(a, 70000);
    const size_t n[2] = {strlen(key), strlen(value)};
    for (int i = 0; i < 2; i++) {
        if (n[i] > 127) {
            const char four[4] = {(char)(n[i] >> 24 | 0x80),
                                  (char)(n[i] >> 16), (char)(n[i] >> 8),
                                  (char)n[i]};
            buf_str(&b, (struct str){four, 4});
        } else {
            buf_char(&b, (char)n[i]);
        }
    }
    buf_put(&b, key);
    buf_put(&b, value);
    return buf_text(&b);
}

static void request(void)
{
    begin_as(1);
    record(4, pair("QUERY_STRING", "intent=1&until=2"));
    record(4, pair("DOCUMENT_URI", "/_wait/poll"));
    record(4, STR(""));
    record(5, STR(""));
}

static size_t read_all(void)
{
    return fcgi_record_read(&r, buf_text(&in), &params);
}

static struct str param(const char *name)
{
    return fcgi_record_param(buf_text(&params), name);
}

Test(fcgi_record, a_request)
{
    request();
    cr_assert(eq(sz, read_all(), in.n));
    cr_assert(eq(int, r.state, FCGI_RECORD_READY));
    cr_assert(eq(int, r.id, 1));
    cr_assert(str_is(param("QUERY_STRING"), "intent=1&until=2"));
    cr_assert(str_is(param("DOCUMENT_URI"), "/_wait/poll"));
    cr_assert(param("QUERY").p == NULL);
}

Test(fcgi_record, in_two_pieces_at_every_byte)
{
    request();
    const struct str all = buf_text(&in);
    for (size_t cut = 0; cut <= all.n; cut++) {
        struct buf p = buf_make(a, FCGI_RECORD_PARAMS_MAX);
        r = (struct fcgi_record){.state = FCGI_RECORD_BEGIN};
        const size_t first = fcgi_record_read(&r, str_sub(all, 0, cut), &p);
        cr_assert(first <= cut, "%zu of %zu", first, cut);
        const struct str rest = str_sub(all, first, all.n);
        cr_assert(eq(sz, fcgi_record_read(&r, rest, &p), rest.n));
        cr_assert(eq(int, r.state, FCGI_RECORD_READY));
        cr_assert(str_is(fcgi_record_param(buf_text(&p), "DOCUMENT_URI"),
                         "/_wait/poll"));
    }
}

Test(fcgi_record, a_pair_may_go_on_in_the_next_record)
{
    const struct str whole = pair("QUERY_STRING", "a=b");
    begin_as(1);
    record(4, str_sub(whole, 0, 5));
    record(4, str_sub(whole, 5, whole.n));
    record(4, STR(""));
    cr_assert(eq(sz, read_all(), in.n));
    cr_assert(str_is(param("QUERY_STRING"), "a=b"));
}

Test(fcgi_record, a_long_value)
{
    char value[5001];
    memset(value, 'v', 5000);
    value[5000] = '\0';
    begin_as(1);
    record(4, pair("QUERY_STRING", value));
    record(4, STR(""));
    cr_assert(eq(sz, read_all(), in.n));
    cr_assert(eq(sz, param("QUERY_STRING").n, 5000));
}

static void broken(const char *what)
{
    (void)read_all();
    cr_assert(eq(int, r.state, FCGI_RECORD_BROKEN), "%s", what);
}

Test(fcgi_record, another_version)
{
    head(2, 1, 1, 8, 0);
    broken("version 2");
}

Test(fcgi_record, other_roles)
{
    for (int role = 0; role < 5; role++) {
        if (role == 1)
            continue;
        setup();
        begin_as(role);
        broken("a role");
    }
}

Test(fcgi_record, no_request_to_begin_with)
{
    for (int type = 0; type < 12; type++) {
        if (type == 1)
            continue;
        setup();
        record(type, STR("12345678"));
        broken("the first record");
    }
}

Test(fcgi_record, a_beginning_of_another_size)
{
    record(1, STR("\0\1"));
    broken("short");
}

Test(fcgi_record, the_request_zero)
{
    head(1, 1, 0, 8, 0);
    buf_str(&in, (struct str){"\0\1\0\0\0\0\0\0", 8});
    broken("a management record");
}

Test(fcgi_record, a_second_request_on_the_connection)
{
    begin_as(1);
    begin_as(1);
    broken("two");
}

Test(fcgi_record, parameters_of_another_request)
{
    begin_as(1);
    head(1, 4, 2, 0, 0);
    broken("another id");
}

Test(fcgi_record, a_body_before_the_parameters_end)
{
    begin_as(1);
    record(5, STR("x"));
    broken("a body");
}

Test(fcgi_record, too_many_parameters_are_refused_before_they_come)
{
    begin_as(1);
    head(1, 4, 1, FCGI_RECORD_PARAMS_MAX + 1, 0);
    broken("one record");
    cr_assert(eq(sz, params.n, 0));
}

Test(fcgi_record, too_many_parameters_in_many_records)
{
    char value[1001] = {0};
    memset(value, 'v', 1000);
    begin_as(1);
    for (int i = 0; i < 9; i++)
        record(4, pair("A", value));
    broken("nine thousand bytes");
    cr_assert(params.n <= FCGI_RECORD_PARAMS_MAX && !params.over);
}

Test(fcgi_record, what_follows_is_ignored_but_an_abort)
{
    request();
    record(5, STR("more"));
    record(11, STR("odd"));
    cr_assert(eq(sz, read_all(), in.n));
    cr_assert(eq(int, r.state, FCGI_RECORD_READY));
    in.n = 0;
    record(2, STR(""));
    broken("an abort");
}

Test(fcgi_record, malformed_pairs)
{
    static const struct str bad[] = {
        {"\x05", 1},             {"\x01\x01" "A", 3},
        {"\x80\x00\x00", 3},     {"\x01\x80\x00\x00", 4},
        {"\xff\xff\xff\xff\x01" "A", 6},
        {"\x01\xff\xff\xff\xff" "A", 6},
        {"\x01\x01" "AB\x09", 5}};
    for (size_t i = 0; i < countof(bad); i++)
        cr_assert(fcgi_record_param(bad[i], "A").p == NULL, "%zu", i);
    cr_assert(fcgi_record_param(STR(""), "A").p == NULL);
    const struct str empty = fcgi_record_param(STR("\x01\0A"), "A");
    cr_assert(empty.p != NULL && empty.n == 0);
}

Test(fcgi_record, an_answer)
{
    struct buf out = buf_make(a, 1024);
    r.id = 0x0102;
    fcgi_record_out(&r, &out, STR("hello"));
    fcgi_record_end(&r, &out);
    static const char want[] = "\1\6\1\2\0\5\0\0hello"
                               "\1\6\1\2\0\0\0\0"
                               "\1\3\1\2\0\10\0\0\0\0\0\0\0\0\0\0";
    cr_assert(str_eq(buf_text(&out), STR(want)));
}

Test(fcgi_record, a_long_answer_is_many_records)
{
    const size_t n = 200000;
    struct buf out = buf_make(a, n * 2), text = buf_make(a, n);
    for (size_t i = 0; i < n; i++)
        buf_char(&text, (char)('a' + i % 26));
    r.id = 1;
    fcgi_record_out(&r, &out, buf_text(&text));
    struct buf back = buf_make(a, n);
    for (size_t at = 0; at < out.n;) {
        const unsigned char *h = (const unsigned char *)out.p + at;
        const size_t size = (size_t)(h[4] << 8 | h[5]);
        cr_assert(h[0] == 1 && h[1] == 6 && size <= 65528 && size > 0);
        buf_str(&back, str_sub(buf_text(&out), at + 8, at + 8 + size));
        at += 8 + size + h[6];
    }
    cr_assert(str_eq(buf_text(&back), buf_text(&text)));
}

Test(fcgi_record, nothing_is_no_record)
{
    struct buf out = buf_make(a, 64);
    fcgi_record_out(&r, &out, STR(""));
    cr_assert(eq(sz, out.n, 0), "an empty one would end the answer");
}

Test(fcgi_record, a_break_is_of_no_version)
{
    const struct str s = fcgi_record_break();
    cr_assert(s.n == 8 && s.p[0] != 1);
}
