/* Mail and chat messages: an agent's text never becomes a header, markup or a
 * mention, its hidden characters are shown, and it fits. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypt.h"
#include "notify/mail.h"
#include "notify/message.h"
#include "notify/slack.h"

#include "suite.h"

#define ID "0193a5b2-7c00-7000-8000-000000000001"
#define NOW (INT64_C(1795166773) * 1000000) /* 2026-11-20T09:26:13Z */
#define URL "https://sayso.example.org/suspensions/s-1"

SUITE(message);

static struct str notice(const char *type, struct json *data)
{
    struct json *o = json_object(a);
    json_set_text(o, "type", str_of(type));
    json_set_json(o, "data", data);
    return json_dump(a, o, (size_t)4 << 20);
}

static struct json *data(struct str title)
{
    struct json *o = json_object(a);
    json_set_text(o, "title", title);
    json_set_text(o, "url", STR(URL));
    return o;
}

static struct str times(const char *piece, size_t n)
{
    struct buf b = buf_make(a, (size_t)4 << 20);
    while (n--)
        buf_put(&b, piece);
    return buf_text(&b);
}

static const char *z(struct str s)
{
    return arena_z(a, s);
}

/* ---- reading -------------------------------------------------------- */

Test(message, headings)
{
    static const struct {
        const char *type;
        int64_t attempt, max;
        const char *heading;
    } rows[] = {
        {"suspension.asked", 1, 3, "New request"},
        {"suspension.reminded", 2, 3, "Reminder 1 of 2"},
        {"suspension.reminded", 3, 3, "Reminder 2 of 2"},
        {"suspension.reminded", 0, 0, "Reminder"},
        {"suspension.reminded", 4, 3, "Reminder"},
        {"suspension.escalated", 2, 3, "A request was escalated to you"},
        {"coordinator.unresponsive", 1, 1, "A coordinator does not respond"},
        {"something.else", 2, 3, "New request"}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct json *d = data(STR("x"));
        struct message m;
        json_set_int(d, "attempt", rows[i].attempt);
        json_set_int(d, "max_attempts", rows[i].max);
        cr_assert(!message_read(a, notice(rows[i].type, d), &m));
        cr_expect(str_is(m.heading, rows[i].heading), "%s", z(m.heading));
    }
}

Test(message, a_test_says_so)
{
    static const char *const rows[][2] = {
        {"suspension.asked", "Test: new request"},
        {"suspension.reminded", "Test: reminder 1 of 2"},
        {"suspension.escalated", "Test: a request was escalated to you"}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct json *d = data(STR("x"));
        struct message m;
        json_set_int(d, "attempt", 2);
        json_set_int(d, "max_attempts", 3);
        json_set_bool(d, "test", true);
        cr_assert(!message_read(a, notice(rows[i][0], d), &m));
        cr_expect(str_is(m.heading, rows[i][1]), "%s", z(m.heading));
    }
}

Test(message, what_is_no_notice)
{
    static const char *const bodies[] = {
        "", "{", "null", "[]", "{}", "{\"data\":null}", "{\"data\":{}}",
        "{\"data\":{\"title\":\"x\"}}", "{\"data\":{\"url\":\"x\"}}",
        "{\"data\":{\"title\":3,\"url\":[]}}"};
    for (size_t i = 0; i < countof(bodies); i++) {
        struct message m;
        const struct err *e = message_read(a, str_of(bodies[i]), &m);
        cr_assert(e, "%s", bodies[i]);
        cr_expect(str_is(str_of(e->code), "message.body"));
    }
}

Test(message, rows_and_what_repeats)
{
    struct json *d = data(STR("Refund?"));
    struct message m;
    json_set_text(d, "question", STR("Refund?"));
    json_set_text(d, "severity", STR("critical"));
    json_set_text(d, "agent", STR("a\nb\xE2\x80\x8B"));
    json_set_text(d, "asked_at", STR("2026-11-20T03:12:04.5Z"));
    json_set_text(d, "expires_at", STR("nonsense"));
    cr_assert(!message_read(a, notice("suspension.asked", d), &m));
    cr_expect(!m.question.p, "it only repeats the title");
    static const char *const rows[][2] = {
        {"Risk", "Critical"}, {"Agent", "a b[U+200B]"},
        {"Requested", "20 Nov 2026 03:12:04 UTC"},
        {"Deadline", "no deadline"}};
    cr_assert(m.rows == countof(rows));
    for (size_t i = 0; i < countof(rows); i++) {
        cr_expect(str_is(str_of(m.row[i].name), rows[i][0]));
        cr_expect(str_is(m.row[i].value, rows[i][1]), "%s",
                  z(m.row[i].value));
    }
}

Test(message, a_name_of_several_alphabets_says_so)
{
    struct json *d = data(STR("Refund?"));
    struct message m;
    json_set_text(d, "agent", STR("refund-b\xD0\xBEt"));
    json_set_text(d, "notify_to", STR("m\xD0\xB0ra@example.com"));
    struct json *choices = json_array(a);
    json_add_text(choices, STR("Approve: P\xD0\xB0y"));
    json_add_text(choices, STR("Reject"));
    json_set_json(d, "choices", choices);
    cr_assert(!message_read(a, notice("suspension.asked", d), &m));
    cr_expect_str_eq(z(m.row[0].value), "refund-b\xD0\xBEt (letters of "
                                        "several alphabets)");
    cr_expect_str_eq(z(m.row[1].value), "m\xD0\xB0ra@example.com (letters of "
                                        "several alphabets)");
    cr_expect_str_eq(z(m.choice[0]), "Approve: P\xD0\xB0y (letters of "
                                     "several alphabets)");
    cr_expect_str_eq(z(m.choice[1]), "Reject");
}

/* The calls of a notice that shows all; the agent's texts cannot look like
 * further lines. */
Test(message, calls_with_their_arguments)
{
    struct json *d = data(STR("x"));
    struct message m;
    json_set_json(
        d, "calls",
        tree_of(json_of(
            "[{'tool':'pay','arguments':[{'name':'amount','value':'499.99'},"
            "{'name':'a\\nb','value':'rm x\\n- order: 2\\u200b'}],'left':3},"
            "{'tool':'tell','arguments':[],'left':0}]")));
    json_set_int(d, "calls_left", 1);
    json_set_text(d, "amount", STR("499.99 EUR"));
    json_set_text(d, "target", STR("KES-1"));
    cr_assert(!message_read(a, notice("suspension.asked", d), &m));
    cr_expect_str_eq(m.row[0].name, "Amount");
    cr_expect_str_eq(z(m.row[0].value), "499.99 EUR");
    cr_expect_str_eq(m.row[1].name, "Target");
    cr_expect_str_eq(z(m.row[1].value), "KES-1");
    cr_expect_str_eq(z(m.calls),
                     "pay\n- amount: 499.99\n"
                     "- a \xE2\x86\xB5 b: rm x \xE2\x86\xB5 - order: "
                     "2[U+200B]\n- and 3 more arguments\ntell\n"
                     "- and 1 more call");
    struct str body;
    cr_assert(!slack_write(a, notice("suspension.asked", d), &body));
    cr_expect(str_search(body, STR("Calls\\npay\\n- amount: 499.99")) <
              body.n);
}

/* ---- Slack ---------------------------------------------------------- */

static struct json *slack(struct json *d)
{
    struct str body;
    cr_assert(!slack_write(a, notice("suspension.asked", d), &body));
    struct json *o = tree_of(body);
    return o;
}

static struct str header(const struct json *o)
{
    const struct json *first = json_at(json_get(o, "blocks"), 0);
    cr_assert(str_is(json_get_text(first, "type"), "header"));
    return json_get_text(json_get(first, "text"), "text");
}

/* Every text object is plain text within its limit. */
static void check_text(const struct json *t, size_t max)
{
    const struct str s = json_get_text(t, "text");
    cr_expect(str_is(json_get_text(t, "type"), "plain_text"));
    cr_expect(json_get(t, "emoji") && !json_bool(json_get(t, "emoji")));
    cr_expect(s.n > 0 && str_runes(s) <= max, "%zu", str_runes(s));
    cr_expect(str_find(s, '<', 0) == s.n && str_find(s, '>', 0) == s.n);
}

static void check_blocks(const struct json *o)
{
    const struct json *blocks = json_get(o, "blocks");
    cr_expect(json_count(blocks) <= 50);
    for (size_t i = 0; i < json_count(blocks); i++) {
        const struct json *b = json_at(blocks, i);
        const struct json *fields = json_get(b, "fields");
        if (json_has(b, "text"))
            check_text(json_get(b, "text"), i ? 3000 : 150);
        cr_expect(json_count(fields) <= 10);
        for (size_t k = 0; k < json_count(fields); k++)
            check_text(json_at(fields, k), 2000);
    }
}

Test(message, slack_escapes_and_cuts)
{
    static const struct {
        const char *piece;
        size_t n;
        const char *begins;
        size_t runes;
    } rows[] = {{"<!here> & *x* ", 1, "&lt;!here&gt; &amp; *x*", 23},
                {"&", 30, "&amp;&amp;", 150},
                {"&", 31, "&amp;&amp;", 146},
                {"\xC3\xA4", 150, "\xC3\xA4", 150},
                {"\xC3\xA4", 151, "\xC3\xA4", 150},
                {"a\nb\t", 1, "a b", 3},
                {"\xE2\x80\xAE", 100, "[U+202E]", 150}};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct json *o = slack(data(times(rows[i].piece, rows[i].n)));
        const struct str s = header(o);
        cr_expect(str_starts(s, str_of(rows[i].begins)), "%zu: %s", i, z(s));
        cr_expect(str_runes(s) == rows[i].runes, "%zu: %zu", i, str_runes(s));
        check_blocks(o);
    }
}

Test(message, slack_at_its_limits)
{
    struct json *d = data(times("<", 300)), *choices = json_array(a);
    struct json *context = json_object(a);
    for (size_t i = 0; i < 40; i++)
        json_add_text(choices, times("&<>", 200));
    json_set_text(context, "k", times("\xE2\x80\x8B", 9000));
    json_set_text(d, "question", times("&", 4000));
    json_set_text(d, "explanation", times("\xE2\x80\xAE", 20000));
    json_set_text(d, "severity", times("h", 5000));
    json_set_text(d, "agent", times(">", 5000));
    json_set_text(d, "notify_to", times("<", 5000));
    json_set_text(d, "on_expiry", times(">", 5000));
    json_set_json(d, "choices", choices);
    json_set_json(d, "context", context);
    const struct json *o = slack(d);
    check_blocks(o);
    cr_expect(str_runes(json_get_text(o, "text")) <= 300);
}

Test(message, slack_links_to_the_page)
{
    const struct json *blocks = json_get(slack(data(STR("x"))), "blocks");
    const struct json *last = json_at(blocks, json_count(blocks) - 1);
    const struct json *button = json_at(json_get(last, "elements"), 0);
    cr_expect(str_is(json_get_text(last, "type"), "actions"));
    cr_expect(str_is(json_get_text(button, "type"), "button"));
    cr_expect(str_is(json_get_text(button, "url"), URL));
    cr_expect(!json_has(button, "value") && !json_has(button, "action_id"));
}

/* ---- mail ----------------------------------------------------------- */

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void remove_file(const char *dir, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert(unlink(path) == 0);
}

static struct templates *page(void)
{
    struct templates *t = NULL;
    char dir[] = "/tmp/sayso-message-XXXXXX";
    cr_assert(mkdtemp(dir));
    char mails[sizeof dir + 8];
    snprintf(mails, sizeof mails, "%s/mail", dir);
    cr_assert(mkdir(mails, 0700) == 0);
    write_file(mails, "question.html", "<h1>{{mail.title}}</h1>\n");
    cr_assert(!template_load(a, str_of(dir), false, &t));
    remove_file(mails, "question.html");
    cr_assert(rmdir(mails) == 0 && rmdir(dir) == 0);
    return t;
}

static struct str mail(struct json *d)
{
    const struct str to[] = {STR("a@example.org"), STR("b@example.org")};
    const struct mail m = {.id = STR(ID),
                           .body = notice("suspension.asked", d),
                           .from = STR("sayso@example.org"),
                           .to = to,
                           .to_n = countof(to),
                           .now = NOW,
                           .templates = page()};
    struct str out;
    cr_assert(!mail_write(a, &m, &out));
    return out;
}

Test(message, the_headers)
{
    static const char head[] =
        "Date: Fri, 20 Nov 2026 09:26:13 +0000\r\n"
        "From: Sayso <sayso@example.org>\r\n"
        "To: a@example.org,\r\n b@example.org\r\n"
        "Message-ID: <" ID "@example.org>\r\n"
        "Subject: New request: Refund <b>?\r\n"
        "Auto-Submitted: auto-generated\r\n"
        "MIME-Version: 1.0\r\n"
        "Content-Type: multipart/alternative;\r\n"
        " boundary=\"sayso-" ID "\"\r\n\r\n"
        "--sayso-" ID "\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: base64\r\n\r\n";
    const struct str s = mail(data(STR("Refund <b>?")));
    cr_expect(str_starts(s, str_of(head)), "%s", z(s));
    cr_expect(str_ends(s, STR("\r\n--sayso-" ID "--\r\n")));
    const struct str html =
        crypt_base64(a, STR("<h1>Refund &lt;b&gt;?</h1>\n"));
    cr_expect(str_search(s, html) < s.n);
}

/* The subject with its encoded words put together again. */
static struct str subject(struct str m)
{
    struct str s = str_sub(m, str_search(m, STR("\r\nSubject: ")) + 11, m.n);
    struct buf b = buf_make(a, 1 << 16);
    s = str_sub(s, 0, str_search(s, STR("\r\nAuto-Submitted")));
    while (s.p) {
        struct str line = str_trim(str_cut(&s, '\n'));
        cr_expect(line.n <= 75, "%s", z(line));
        cr_assert(str_starts(line, STR("=?UTF-8?B?")) &&
                  str_ends(line, STR("?=")), "%s", z(line));
        line = crypt_base64_read(a, str_sub(line, 10, line.n - 2));
        cr_expect(str_utf8(line), "whole characters in each word");
        buf_str(&b, line);
    }
    return buf_text(&b);
}

Test(message, a_title_makes_no_header)
{
    static const struct {
        const char *title, *subject;
    } rows[] = {
        {"Pay the invoice of November?\r\nBcc: victim@example.org",
         "Pay the invoice of November?[U+000D] Bcc: victim@example.org"},
        {"Gr\xC3\xB6\xC3\x9F" "e?", "Gr\xC3\xB6\xC3\x9F" "e?"},
        {"=?UTF-8?B?SGk=?=", "=?UTF-8?B?SGk=?="},
        {"a and some more words than a line has room for\xE2\x80\xAEz",
         "a and some more words than a line has room for[U+202E]z"},
        {"\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80"
         "\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80",
         "\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80"
         "\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80"},
        {"plain but longer than the line that stands as it is", NULL}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 1024);
        buf_put(&b, "New request: ");
        buf_put(&b, rows[i].subject ? rows[i].subject : rows[i].title);
        const struct str s = mail(data(str_of(rows[i].title)));
        cr_expect(str_eq(subject(s), buf_text(&b)), "%s", z(s));
        cr_expect(str_search(s, STR("\nBcc")) == s.n);
    }
}

/* The text of a mail, decoded. */
static struct str text_of_mail(struct str m)
{
    const struct str head = STR("base64\r\n\r\n");
    struct buf b = buf_make(a, m.n + 1);
    struct str s = str_sub(m, str_search(m, head) + head.n, m.n);
    s = str_sub(s, 0, str_search(s, STR("\r\n--")));
    while (s.p)
        buf_str(&b, str_trim(str_cut(&s, '\n')));
    return crypt_base64_read(a, buf_text(&b));
}

/* One of each class of hidden characters in every text. */
Test(message, nothing_hidden_in_any_text)
{
    static const struct {
        const char *sign, *shown;
    } v[] = {{"\u202E", "[U+202E]"}, {"\u2067", "[U+2067]"},
             {"\u200B", "[U+200B]"}, {"\uFEFF", "[U+FEFF]"},
             {"\u00AD", "[U+00AD]"}, {"\U000E0041", "[U+E0041]"},
             {"\uFE0E", "[U+FE0E]"}, {"\U000E0100", "[U+E0100]"},
             {"\u3164", "[U+3164]"}, {"\u115F", "[U+115F]"},
             {"\uFFA0", "[U+FFA0]"}, {"\u2800", "[U+2800]"},
             {"\u0301\u0301\u0301\u0301\u0301", "[U+0301]"}};
    static const char *const keys[] = {"title",     "question", "explanation",
                                       "agent",     "notify_to", "severity",
                                       "on_expiry"};
    for (size_t i = 0; i < countof(v); i++) {
        struct json *d = data(STR("x")), *choices = json_array(a);
        struct json *context = json_object(a);
        struct buf b = buf_make(a, 128);
        buf_printf(&b, "Pay%sout", v[i].sign);
        const struct str bad = buf_text(&b);
        for (size_t k = 0; k < countof(keys); k++)
            json_set_text(d, keys[k], bad);
        json_add_text(choices, bad);
        json_set_key(context, bad, json_string(a, bad));
        json_set_json(d, "choices", choices);
        json_set_json(d, "context", context);
        const struct str mailed = text_of_mail(mail(d));
        const struct str chat = json_dump(a, slack(d), 1 << 20);
        cr_expect_eq(str_search(mailed, str_of(v[i].sign)), mailed.n, "%zu", i);
        cr_expect_eq(str_search(chat, str_of(v[i].sign)), chat.n, "%zu", i);
        cr_expect(str_search(mailed, str_of(v[i].shown)) < mailed.n, "%zu", i);
        cr_expect(str_search(chat, str_of(v[i].shown)) < chat.n, "%zu", i);
    }
}

Test(message, no_line_is_long_and_none_is_the_end)
{
    struct json *d = data(times("\xF0\x9F\x9A\x80", 400));
    json_set_text(d, "question", times("\n.\n.\r\n", 600));
    json_set_text(d, "explanation", times("x", 20000));
    struct str s = mail(d);
    while (s.p) {
        struct str line = str_cut(&s, '\n');
        cr_expect(!s.p || str_ends(line, STR("\r")));
        cr_expect(line.n <= 79 && line.n != 2, "%zu", line.n);
        for (size_t i = 0; i < line.n; i++)
            cr_assert((unsigned char)line.p[i] < 0x80);
    }
}

Test(message, addresses)
{
    static const struct {
        const char *list, *kept;
    } rows[] = {
        {"a@example.org", "a@example.org"},
        {" a@example.org , b.c+d@x.example ", "a@example.org|b.c+d@x.example"},
        {"", ""},
        {",,", ""},
        {"a", ""},
        {"@example.org", ""},
        {"a@", ""},
        {"a@b@c", ""},
        {"a b@example.org", ""},
        {"a@example.org\r\nBcc: b@example.org", ""},
        {"a@example.org\n, b@example.org", "a@example.org|b@example.org"},
        {"<a@example.org>", ""},
        {"\"a\"@example.org", ""},
        {"a;b@example.org", ""},
        {"a@example.org:25", ""},
        {"\xC3\xA4@example.org", ""},
        {"a@example.org\x7f", ""}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct str v[4];
        struct buf b = buf_make(a, 1024);
        const size_t n = mail_addresses(str_of(rows[i].list), v, 4);
        for (size_t k = 0; k < n; k++) {
            buf_put(&b, k ? "|" : "");
            buf_str(&b, v[k]);
        }
        cr_expect(str_is(b.n ? buf_text(&b) : STR(""), rows[i].kept),
                  "%s: %zu", rows[i].list, n);
    }
    struct str v[2];
    cr_expect(
        mail_addresses(STR("a@x.example,b@x.example,c@x.example"), v, 2) == 2);
}

Test(message, a_long_address_is_none)
{
    struct buf b = buf_make(a, 1024);
    struct str v[1];
    buf_str(&b, times("x", 242));
    buf_put(&b, "@example.org");
    cr_expect(mail_addresses(buf_text(&b), v, 1) == 1);
    buf_put(&b, "x");
    cr_expect(mail_addresses(buf_text(&b), v, 1) == 0);
}
