/* The formats of templates: a value as text for people.
 *
 * A closed list; a template that names another one is refused at load. The
 * result of a format is escaped like any other text. */
#include "base/buf.h"
#include "base/clock.h"
#include "world/template/template_parts.h"
#include "world/template/words.h"
#include "world/template/zone.h"

#define HEAD_MAX 300 /* characters of a text that is a heading */
#define CUT_MAX 200  /* of one in a row */
#define ISO_SECONDS 19 /* "2026-11-20T03:12:04" */

/* ---- moments -------------------------------------------------------- */

static bool moment(const struct json *v, int64_t *t)
{
    if (json_is(v, JSON_STRING))
        return clock_parse(json_text(v), t);
    *t = json_int(v);
    return json_is(v, JSON_INT);
}

/* The moment in the reader's zone. */
static bool there(const struct template_page *page, const struct json *v,
                  struct zone_time *out)
{
    int64_t t = 0;
    const bool known = moment(v, &t);
    zone_at(page->zone, t, out);
    return known;
}

static bool iso(struct arena *a, const struct template_page *page,
                const struct json *v, struct str *out)
{
    char text[CLOCK_TEXT];
    int64_t t = 0;
    (void)page;
    if (!moment(v, &t))
        return false;
    clock_write(text, t);
    *out = arena_join(a, (struct str){text, ISO_SECONDS}, STR("Z"));
    return true;
}

static bool utc(struct arena *a, const struct template_page *page,
                const struct json *v, struct str *out)
{
    int64_t t = 0;
    (void)page;
    if (!moment(v, &t))
        return false;
    *out = words_moment(a, t);
    return true;
}

static bool when(struct arena *a, const struct template_page *page,
                 const struct json *v, struct str *out)
{
    int64_t t = 0;
    if (!moment(v, &t))
        return false;
    *out = words_when(a, page->zone, t);
    return true;
}

static bool brief(struct arena *a, const struct template_page *page,
                  const struct json *v, struct str *out)
{
    struct zone_time z;
    if (!there(page, v, &z))
        return false;
    *out = words_brief(a, z.text);
    return true;
}

static bool day(struct arena *a, const struct template_page *page,
                const struct json *v, struct str *out)
{
    struct zone_time z;
    if (!there(page, v, &z))
        return false;
    *out = words_day(a, z.text);
    return true;
}

static bool clock_there(struct arena *a, const struct template_page *page,
                        const struct json *v, struct str *out)
{
    struct zone_time z;
    if (!there(page, v, &z))
        return false;
    *out = arena_join(a, str_of(z.text + sizeof "2026-11-20T" - 1), STR(" "),
                      str_of(z.word));
    return true;
}

static bool ago(struct arena *a, const struct template_page *page,
                const struct json *v, struct str *out)
{
    int64_t t = 0;
    if (!moment(v, &t))
        return false;
    const bool later = t > page->now;
    *out = arena_join(a, words_span(a, later ? t - page->now : page->now - t),
                      str_of(later ? " left" : " ago"));
    return true;
}

/* ---- texts ---------------------------------------------------------- */

static bool head(struct arena *a, const struct template_page *page,
                 const struct json *v, struct str *out)
{
    (void)page;
    *out = words_cut(a, json_text(v), HEAD_MAX);
    return json_is(v, JSON_STRING);
}

static bool cut(struct arena *a, const struct template_page *page,
                const struct json *v, struct str *out)
{
    (void)page;
    *out = words_cut(a, json_text(v), CUT_MAX);
    return json_is(v, JSON_STRING);
}

static bool hidden(struct arena *a, const struct template_page *page,
                   const struct json *v, struct str *out)
{
    struct buf b = buf_make(a, 64);
    const size_t n = words_hidden(json_text(v));
    (void)page;
    if (n > 0) {
        buf_str(&b, words_many(a, (int64_t)n, "hidden character"));
        buf_put(&b, " shown");
        *out = buf_text(&b);
    }
    return json_is(v, JSON_STRING);
}

static bool mixed(struct arena *a, const struct template_page *page,
                  const struct json *v, struct str *out)
{
    (void)a;
    (void)page;
    *out = words_mixed(json_text(v));
    return json_is(v, JSON_STRING);
}

/* ---- the list ------------------------------------------------------- */

const struct template_format *template_format_find(struct str name)
{
    static const struct template_format list[] = {
        {"iso", iso},         {"utc", utc}, {"time", when},
        {"short", brief},     {"day", day}, {"clock", clock_there},
        {"ago", ago},         {"cut", cut}, {"head", head},
        {"hidden", hidden},   {"mixed", mixed}};
    for (size_t i = 0; i < countof(list); i++) {
        if (str_is(name, list[i].name))
            return &list[i];
    }
    return NULL;
}
