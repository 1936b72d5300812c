/* Reading a User-Agent header. The order of the tables counts: most browsers
 * name others as well. */
#include "world/web/user_agent.h"

struct mark {
    const char *sign, *word;
};

static struct str user_agent_find(struct str s, const struct mark *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (str_search(s, str_of(v[i].sign)) < s.n)
            return str_of(v[i].word);
    }
    return STR_NONE;
}

struct user_agent user_agent_read(struct str header)
{
    static const struct mark browsers[] = {
        {"Edg/", "Edge"},       {"EdgA/", "Edge"},
        {"EdgiOS/", "Edge"},    {"OPR/", "Opera"},
        {"SamsungBrowser/", "Samsung Internet"},
        {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
        {"CriOS/", "Chrome"},   {"Chrome/", "Chrome"},
        {"Safari/", "Safari"},  {"curl/", "curl"}};
    static const struct mark systems[] = {
        {"iPhone", "iPhone"},   {"iPad", "iPad"},   {"Android", "Android"},
        {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
        {"Mac OS X", "macOS"},  {"Linux", "Linux"}};
    return (struct user_agent){
        .browser = user_agent_find(header, browsers, countof(browsers)),
        .os = user_agent_find(header, systems, countof(systems))};
}
