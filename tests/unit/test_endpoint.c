/* Endpoints and channels as people and agents write them down. */
#include "base/crypt.h"
#include "base/text.h"
#include "domain/sending/channel.h"
#include "domain/sending/endpoint.h"

#include "suite.h"

SUITE(endpoint);

static const struct {
    const char *path;
    bool fine;
} paths[] = {
    {"", true}, {"x", true}, {"/", true}, {"a/b//c/", true},
    {"A-Z.0_9~", true}, {"...", true}, {"a..b/..c", true},
    {"%20", true}, {"%C3%a9", true}, {"a%40b", true}, {"%E2%82%AC", true},
    {".", false}, {"..", false}, {"a/..", false}, {"./a", false},
    {"%2e", false}, {"a%2Eb", false}, {"%2F", false}, {"%5c", false},
    {"%25", false}, {"%252e", false}, {"%3B", false}, {";", false},
    {"a;b", false}, {"a:b", false}, {"a@b", false}, {"\\", false},
    {"%", false}, {"%2", false}, {"%%32e", false}, {"%u002e", false},
    {"%00", false}, {"%1f", false}, {"%7F", false}, {"%C2%85", false},
    {"%C0%AE", false}, {"%E0%80%AE", false}, {"%FF", false},
    {"%EF%BC%8E", false}, {"%EF%BC%8F", false}, {"%EF%BC%BC", false},
    {"%E2%80%A4", false}, {"%E2%80%A5", false}, {"%E2%80%A6", false},
    {"%EF%BC%85", false}, {"%E2%80%8B", false}, {"%C2%AD", false},
    {"%20..", false}, {"..%20", false}, {"a/%20../b", false},
};

Test(endpoint, a_path_that_every_receiver_reads_alike)
{
    for (size_t i = 0; i < countof(paths); i++)
        cr_assert_eq(text_path(a, str_of(paths[i].path)), paths[i].fine,
                     "%s", paths[i].path);
}

static const struct {
    const char *url;
    const char *host; /* NULL: refused */
    bool literal;
} urls[] = {
    {"https://example.org", "example.org", false},
    {"HTTPS://Example.ORG/", "Example.ORG", false},
    {"https://example.org/a?b=c&d=%20", "example.org", false},
    {"https://example.org?x=https://y", "example.org", false},
    {"https://example.org:8443/x", "example.org", false},
    {"https://localhost:1/x", "localhost", false},
    {"https://a-b.c_d.x1/", "a-b.c_d.x1", false},
    {"https://example.org/@x:y", "example.org", false},
    {"https://127.0.0.1:8443/x", "127.0.0.1", true},
    {"https://[::1]/x", "::1", true},
    {"https://[2001:db8::1]:8443", "2001:db8::1", true},
    {"http://127.0.0.1:3000/x", "127.0.0.1", true},
    {"http://127.9.9.9/", "127.9.9.9", true},
    {"http://[::1]:3000/x", "::1", true},
    {"HTTP://localhost:3000/x", "localhost", false},
    {"http://example.org", NULL, false},
    {"http://128.0.0.1/", NULL, false},
    {"http://[::2]/", NULL, false},
    {"http://127.0.0.1.example.org/", NULL, false},
    {"http://localhost.example.org/", NULL, false},
    {"http://xlocalhost/", NULL, false},
    {"http://", NULL, false},
    {"http:///localhost", NULL, false},
    {"ftp://example.org", NULL, false},
    {"example.org", NULL, false},
    {"", NULL, false},
    {"https://", NULL, false},
    {"https:///x", NULL, false},
    {"https://?x", NULL, false},
    {"https:example.org", NULL, false},
    {" https://example.org", NULL, false},
    {"https://example.org ", NULL, false},
    {"https://example.org/a b", NULL, false},
    {"https://example.org/\n", NULL, false},
    {"https://example.org/\x7f", NULL, false},
    {"https://example.org/\xc3\xa4", NULL, false},
    {"https://ex\xc3\xa4mple.org/", NULL, false},
    {"https://example.org/#part", NULL, false},
    {"https://user@example.org", NULL, false},
    {"https://user:pw@example.org", NULL, false},
    {"https://example.org\\@evil.example", NULL, false},
    {"https://example.org:", NULL, false},
    {"https://example.org:0", NULL, false},
    {"https://example.org:65536", NULL, false},
    {"https://example.org:-1", NULL, false},
    {"https://example.org:8a", NULL, false},
    {"https://example.org:80:80", NULL, false},
    {"https://.example.org", NULL, false},
    {"https://example.org./", NULL, false},
    {"https://exa..mple.org/", NULL, false},
    {"https://-x.example.org/", NULL, false},
    {"https://x-.example.org/", NULL, false},
    {"https://%65xample.org/", NULL, false},
    /* Numbers in the spellings that resolvers understand. */
    {"https://2130706433/", NULL, false},
    {"https://127.1/", NULL, false},
    {"https://0x7f.0.0.1/", NULL, false},
    {"https://0177.0.0.01/", NULL, false},
    {"https://127.0.0.1./", NULL, false},
    {"https://0x7f000001/", NULL, false},
    {"https://example.0x1/", NULL, false},
    {"https://[::1/", NULL, false},
    {"https://[::1]x/", NULL, false},
    {"https://[]/", NULL, false},
    {"https://[127.0.0.1]/", NULL, false},
    {"https://[fe80::1%25eth0]/", NULL, false},
    {"https://::1/", NULL, false},
};

Test(endpoint, url)
{
    for (size_t i = 0; i < countof(urls); i++) {
        struct endpoint_host host;
        const struct err *e =
            endpoint_url(a, "url", str_of(urls[i].url), &host);
        if (!urls[i].host) {
            cr_assert(e != NULL, "case %zu: %s", i, urls[i].url);
            cr_assert_eq(e->kind, ERR_INVALID);
            cr_assert_str_eq(e->code, "endpoint.url");
            cr_assert(str_is(e->at, "url"));
            continue;
        }
        cr_assert(e == NULL, "case %zu: %s", i, urls[i].url);
        cr_assert(str_is(host.name, urls[i].host), "case %zu", i);
        cr_assert_eq(host.literal, urls[i].literal, "case %zu", i);
    }
}

static bool url_of_length(size_t n)
{
    struct endpoint_host host;
    struct buf b = buf_make(a, 4096);
    buf_put(&b, "https://example.org/");
    buf_str(&b, copies("x", n - b.n));
    return endpoint_url(a, "url", buf_text(&b), &host) == NULL;
}

Test(endpoint, url_length)
{
    cr_assert(url_of_length(ENDPOINT_URL_MAX));
    cr_assert_not(url_of_length(ENDPOINT_URL_MAX + 1));
}

static const struct {
    const char *name;
    bool fine;
} names[] = {
    {"x", true},       {"On call, \"night\"", true}, {"\xc3\xa4", true},
    {"", false},       {" x", false},                {"x ", false},
    {"a\nb", false},   {"a\x01", false},             {"\x7f", false},
    {"\xff", false},   {"a\xc2\x85" "b", false},     {"\xe2\x80\xa8", false},
};

Test(endpoint, name)
{
    for (size_t i = 0; i < countof(names); i++)
        cr_assert_eq(endpoint_name(a, "name", str_of(names[i].name)) == NULL,
                     names[i].fine, "case %zu", i);
    cr_assert(endpoint_name(a, "name", copies("x", 120)) == NULL);
    const struct err *e = endpoint_name(a, "name", copies("x", 121));
    cr_assert(e && str_is(e->at, "name"));
    cr_assert(endpoint_name(a, "name", STR_NONE) != NULL);
}

static const struct {
    const char *text;
    bool fine;
} mails[] = {
    {"a@b", true},
    {"eva.m+x_y-z@sub.example.org", true},
    {"o'neil@example.org", true},
    {"", false},
    {"eva", false},
    {"@example.org", false},
    {"eva@", false},
    {"eva@@example.org", false},
    {"a@b@c", false},
    {".eva@example.org", false},
    {"eva.@example.org", false},
    {"e..va@example.org", false},
    {"-eva@example.org", false},
    {"e va@example.org", false},
    {"eva@exa mple.org", false},
    {"eva@example.org\n", false},
    {"eva\r@example.org", false},
    {"<eva@example.org>", false},
    {"eva,adam@example.org", false},
    {"eva;adam@example.org", false},
    {"\"eva\"@example.org", false},
    {"eva(x)@example.org", false},
    {"e\xc3\xa4@example.org", false},
    {"eva@-example.org", false},
    {"eva@127.0.0.1", false},
    {"eva@[127.0.0.1]", false},
};

Test(endpoint, mail)
{
    for (size_t i = 0; i < countof(mails); i++)
        cr_assert_eq(endpoint_mail(str_of(mails[i].text)), mails[i].fine,
                     "case %zu: %s", i, mails[i].text);
    cr_assert_not(endpoint_mail((struct str){"a\0b@c", 5}));
    cr_assert_not(endpoint_mail(STR_NONE));
}

static struct str mail_list(size_t n)
{
    struct buf b = buf_make(a, 4096);
    for (size_t i = 0; i < n; i++)
        buf_put(&b, i ? ", a@example.org" : "a@example.org");
    return buf_text(&b);
}

Test(endpoint, mails)
{
    struct str out = STR_NONE;
    cr_assert(endpoint_mails(a, "address", STR(" a@b ,\tc@d "), &out) == NULL);
    cr_assert(str_is(out, "a@b,c@d"));
    cr_assert(endpoint_mails(a, "address", mail_list(16), &out) == NULL);
    cr_assert(endpoint_mails(a, "address", mail_list(17), &out) != NULL);
    cr_assert(endpoint_mails(a, "address", STR(""), &out) != NULL);
    cr_assert(endpoint_mails(a, "address", STR_NONE, &out) != NULL);
    const struct err *e = endpoint_mails(a, "address", STR("a@b,,"), &out);
    cr_assert(e && str_is(e->at, "address"));
    cr_assert_str_eq(e->code, "endpoint.mail");
}

Test(endpoint, address)
{
    struct str out = STR_NONE;
    cr_assert(channel_address(a, "address", ENDPOINT_MAIL, STR("a@b"), &out) ==
              NULL);
    cr_assert(channel_address(a, "address", ENDPOINT_SLACK, STR("a@b"), &out) !=
              NULL);
    cr_assert(channel_address(a, "address", ENDPOINT_WEBHOOK,
                              STR(" https://example.org/x\n"), &out) == NULL);
    cr_assert(str_is(out, "https://example.org/x"));
}

static const struct {
    enum endpoint_kind kind;
    const char *entry;
    bool fine;
} entries[] = {
    {ENDPOINT_MAIL, "eva@example.org", true},
    {ENDPOINT_MAIL, "@example.org", true},
    {ENDPOINT_MAIL, "@", false},
    {ENDPOINT_MAIL, "*", false},
    {ENDPOINT_MAIL, "eva", false},
    {ENDPOINT_MAIL, "", false},
    {ENDPOINT_SLACK, "*", true},
    {ENDPOINT_SLACK, "@oncall", true},
    {ENDPOINT_WEBHOOK, "Night shift", true},
    {ENDPOINT_WEBHOOK, "", false},
    {ENDPOINT_WEBHOOK, "a\nb", false},
};

Test(endpoint, notify_to)
{
    struct str full[CHANNEL_NOTIFY_MAX + 1];
    for (size_t i = 0; i < countof(entries); i++) {
        const struct str v[] = {STR("a@b"), str_of(entries[i].entry)};
        const struct err *e =
            channel_notify_to(a, "notify_to", entries[i].kind, v, 2);
        cr_assert_eq(e == NULL, entries[i].fine, "case %zu", i);
        cr_assert(!e || str_is(e->at, "notify_to[1]"));
        cr_assert(!e || str_is(str_of(e->code), "endpoint.notify_to"));
    }
    for (size_t i = 0; i < countof(full); i++)
        full[i] = STR("x");
    cr_assert(channel_notify_to(a, "notify_to", ENDPOINT_SLACK, full,
                                CHANNEL_NOTIFY_MAX) == NULL);
    cr_assert(channel_notify_to(a, "notify_to", ENDPOINT_SLACK, full,
                                CHANNEL_NOTIFY_MAX + 1) != NULL);
}

Test(endpoint, types)
{
    struct str out = STR_NONE;
    cr_assert(endpoint_types(a, "event_types", NULL, &out) == NULL);
    cr_assert(str_is(out, "[]"));
    cr_assert(endpoint_types(a, "event_types",
                             tree("[\"intent_vetoed\",\"event\"]"),
                             &out) == NULL);
    cr_assert(str_is(out, "[\"intent_vetoed\",\"event\"]"));
    const struct err *e = endpoint_types(
        a, "event_types", tree("[\"event\",\"intent.resumed\"]"), &out);
    cr_assert(e && str_is(e->at, "event_types[1]"));
    cr_assert(endpoint_types(a, "event_types", tree("[7]"), &out) != NULL);
    cr_assert(endpoint_events(a, "event_types", tree("[\"intent.resumed\"]"),
                              &out) == NULL);
    cr_assert(endpoint_events(a, "event_types", tree("[\"intent_vetoed\"]"),
                              &out) != NULL);
}

Test(endpoint, types_have_a_ceiling)
{
    struct json *v = json_array(a);
    struct str out = STR_NONE;
    for (int i = 0; i < ENDPOINT_TYPES_MAX; i++)
        json_add_text(v, STR("comment"));
    cr_assert(endpoint_events(a, "event_types", v, &out) == NULL);
    json_add_text(v, STR("comment"));
    cr_assert(endpoint_events(a, "event_types", v, &out) != NULL);
}

Test(endpoint, secret)
{
    const struct str one = endpoint_secret(a), two = endpoint_secret(a);
    cr_assert(str_starts(one, STR("whsec_")));
    cr_assert_eq(one.n, 6 + 44);
    cr_assert(str_ends(one, STR("=")));
    cr_assert_not(str_eq(one, two));
    cr_assert(str_find(one, '-', 0) == one.n &&
              str_find(one, '_', 6) == one.n);
}
