/* Addresses: which of them nobody outside may name as a receiver. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>

#include "world/address.h"

static bool private(const char *text, size_t cut)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
        return address_private((struct sockaddr *)&in, sizeof in - cut);
    cr_assert(inet_pton(AF_INET6, text, &in6.sin6_addr) == 1, "%s", text);
    return address_private((struct sockaddr *)&in6, sizeof in6 - cut);
}

Test(address, what_is_private)
{
    static const char *const list[] = {
        "0.0.0.0",        "0.255.255.255",   "10.0.0.0",
        "10.255.255.255", "100.64.0.0",      "100.127.255.255",
        "127.0.0.1",      "127.255.255.255", "169.254.0.0",
        "169.254.169.254", "172.16.0.0",     "172.31.255.255",
        "192.0.0.0",      "192.0.0.255",     "192.0.2.7",
        "192.88.99.1",    "192.168.0.0",     "192.168.255.255",
        "198.18.0.0",     "198.19.255.255",  "198.51.100.1",
        "203.0.113.255",  "224.0.0.0",       "239.255.255.255",
        "240.0.0.0",      "255.255.255.255",
        /* IPv6 of its own */
        "::", "::1", "100::1", "fc00::1", "fdff:ffff::1", "fe80::1",
        "febf::1", "fec0::1", "ff00::", "ff02::1", "5f00::1", "4000::1",
        "2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff::1",
        "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1",
        /* IPv4 in its dresses: compatible, mapped, translated, NAT64 well
         * known and local, 6to4, Teredo; a public one in there too */
        "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:7f00:1::",
        "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:80ff:fffe"};
    for (size_t i = 0; i < countof(list); i++)
        cr_expect(private(list[i], 0), "%s is private", list[i]);
}

Test(address, what_is_everybodys)
{
    static const char *const list[] = {
        "1.0.0.0",         "8.8.8.8",         "9.255.255.255",
        "11.0.0.0",        "100.63.255.255",  "100.128.0.0",
        "126.255.255.255", "128.0.0.0",       "169.253.255.255",
        "169.255.0.0",     "172.15.255.255",  "172.32.0.0",
        "191.255.255.255", "192.0.1.0",       "192.0.3.0",
        "192.88.98.255",   "192.88.100.0",    "192.167.255.255",
        "192.169.0.0",     "198.17.255.255",  "198.20.0.0",
        "198.51.99.255",   "198.51.101.0",    "203.0.112.255",
        "203.0.114.0",     "223.255.255.255",
        "2000::1", "2001:200::1", "2001:db7::1", "2001:db9::1",
        "2001:4860:4860::8888", "2003::1", "2606:4700::1111",
        "2a00:1450::1", "3ffe::1", "3fff:1000::1"};
    for (size_t i = 0; i < countof(list); i++)
        cr_expect(!private(list[i], 0), "%s is everybody's", list[i]);
}

Test(address, what_cannot_be_read_is_private)
{
    const struct sockaddr other = {.sa_family = AF_UNIX};
    cr_expect(address_private(&other, sizeof other));
    cr_expect(address_private(&other, 1));
    cr_expect(private("8.8.8.8", 1));
    cr_expect(private("2606:4700::1111", 1));
}

Test(address, what_is_this_machine)
{
    static const struct {
        const char *text;
        bool here;
    } list[] = {{"127.0.0.1", true},   {"127.255.0.9", true},
                {"128.0.0.1", false},  {"126.0.0.1", false},
                {"0.0.0.0", false},    {"10.0.0.1", false},
                {"::1", true},         {"::", false},
                {"::ffff:127.0.0.1", false}, {"fe80::1", false}};
    for (size_t i = 0; i < countof(list); i++) {
        struct sockaddr_in in = {.sin_family = AF_INET};
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        const bool v4 = inet_pton(AF_INET, list[i].text, &in.sin_addr) == 1;
        cr_assert(v4 ||
                  inet_pton(AF_INET6, list[i].text, &in6.sin6_addr) == 1);
        const bool here =
            v4 ? address_loopback((struct sockaddr *)&in, sizeof in)
               : address_loopback((struct sockaddr *)&in6, sizeof in6);
        cr_expect(here == list[i].here, "%s", list[i].text);
    }
}

Test(address, the_network_of_one)
{
    static const struct {
        const char *text, *network;
    } list[] = {
        {"203.0.113.7", "203.0.113.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
        {"2001:db8:1:2::1", "2001:db8:1:2::"},
        {"2001:db8::1", "2001:db8::"},
        {"::1", "::"},
        {"::ffff:203.0.113.7", "203.0.113.7"},
        {"unix:", "unix:"},
        {"", ""},
        {"2001:db8:1:2:3:4:5:6:7:8:9:2001:db8:1:2:3:4:5:6:2001:db8:1:2:3:4:5:6",
         "2001:db8:1:2:3:4:5:6:7:8:9:2001:db8:1:2:3:4:5:6:2001:db8:1:2:3:4"},
    };
    struct arena *a = arena_make((size_t)1 << 16);
    for (size_t i = 0; i < countof(list); i++)
        cr_expect(str_is(address_network(a, str_of(list[i].text)),
                         list[i].network),
                  "%s", list[i].text);
    arena_free(a);
}

Test(address, what_names_this_machine)
{
    static const struct {
        const char *text;
        bool here;
    } rows[] = {
        {"localhost", true}, {"LOCALHOST:1", true}, {"127.0.0.1", true},
        {"127.9.8.7:8080", true}, {"[::1]", true}, {"[::1]:25", true},
        {"http://127.0.0.1:8080", true}, {"smtp://localhost:25", true},
        {"https://[::1]/x", true}, {"", false}, {"127.evil.test", false},
        {"127.0.0.1.evil.test", false}, {"127.", false}, {"127.1", false},
        {"127.0.0.1x", false}, {"127..0.1", false}, {"localhost.x", false},
        {"xlocalhost", false}, {"[::1].evil.test", false},
        {"http://127.0.0.1.evil.test", false}, {"http://localhost.x", false},
        {"http://evil.test/http://127.0.0.1", false},
        {"https://evil.test/localhost", false}, {"128.0.0.1", false},
        {"[::2]", false}, {"0127.0.0.1", false}, {"127.0.0.1@x", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(address_here(str_of(rows[i].text)), rows[i].here, "%s",
                     rows[i].text);
}
