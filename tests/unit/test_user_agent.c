/* The browser and the system of a User-Agent header: words of our own, whatever
 * the header says. */
#include <criterion/criterion.h>

#include "world/web/user_agent.h"

static void expect(const char *header, const char *browser, const char *os)
{
    const struct user_agent u = user_agent_read(str_of(header));
    cr_expect(browser ? str_is(u.browser, browser) : !u.browser.p, "%s",
              header);
    cr_expect(os ? str_is(u.os, os) : !u.os.p, "%s", header);
}

Test(user_agent, browsers_that_name_others_too)
{
    expect("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 "
           "Firefox/140.0",
           "Firefox", "Linux");
    expect("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
           "(KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
           "Chrome", "Windows");
    expect("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
           "(KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
           "Edge", "Windows");
    expect("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15"
           " (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
           "Safari", "macOS");
    expect("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/"
           "605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
           "Chrome", "iPhone");
    expect("Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, "
           "like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
           "Chrome", "Android");
    expect("curl/8.5.0", "curl", NULL);
}

Test(user_agent, what_is_not_known)
{
    expect("", NULL, NULL);
    expect("<script>alert(1)</script>", NULL, NULL);
    cr_expect(!user_agent_read(STR_NONE).browser.p);
}
