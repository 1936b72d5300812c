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
#define DIGEST_GROUPS 2 /* of four digits */
#define ISO_SECONDS 19 /* "2026-11-20T03:12:04" */

/* ---- moments -------------------------------------------------------- */

static bool template_format_moment(const struct json *v, int64_t *t)
{
    if (json_is(v, JSON_STRING))
        return clock_parse(json_text(v), t);
    *t = json_int(v);
    return json_is(v, JSON_INT);
}

/* The moment in the reader's zone. */
static bool template_format_there(const struct template_value *v,
                                  struct zone_time *out)
{
    int64_t t = 0;
    const bool known = template_format_moment(v->v, &t);
    zone_at(v->page->zone, t, out);
    return known;
}

static bool template_format_iso(const struct template_value *v,
                                struct str *out)
{
    char text[CLOCK_TEXT];
    int64_t t = 0;
    if (!template_format_moment(v->v, &t))
        return false;
    clock_write(text, t);
    *out = arena_join(v->a, (struct str){text, ISO_SECONDS}, STR("Z"));
    return true;
}

static bool template_format_utc(const struct template_value *v,
                                struct str *out)
{
    int64_t t = 0;
    if (!template_format_moment(v->v, &t))
        return false;
    *out = words_moment(v->a, t);
    return true;
}

static bool template_format_when(const struct template_value *v,
                                 struct str *out)
{
    int64_t t = 0;
    if (!template_format_moment(v->v, &t))
        return false;
    *out = words_when(v->a, v->page->zone, t);
    return true;
}

static bool template_format_brief(const struct template_value *v,
                                  struct str *out)
{
    struct zone_time z;
    if (!template_format_there(v, &z))
        return false;
    *out = words_brief(v->a, z.text);
    return true;
}

static bool template_format_day(const struct template_value *v,
                                struct str *out)
{
    struct zone_time z;
    if (!template_format_there(v, &z))
        return false;
    *out = words_day(v->a, z.text);
    return true;
}

static bool clock_there(const struct template_value *v, struct str *out)
{
    struct zone_time z;
    if (!template_format_there(v, &z))
        return false;
    *out = arena_join(v->a, str_of(z.text + sizeof "2026-11-20T" - 1),
                      STR(" "), str_of(z.word));
    return true;
}

static bool template_format_ago(const struct template_value *v,
                                struct str *out)
{
    int64_t t = 0;
    if (!template_format_moment(v->v, &t))
        return false;
    const int64_t left = t - v->page->now;
    *out = arena_join(v->a, words_span(v->a, left > 0 ? left : -left),
                      str_of(left > 0 ? " left" : " ago"));
    return true;
}

/* ---- texts ---------------------------------------------------------- */

static bool template_format_head(const struct template_value *v,
                                 struct str *out)
{
    *out = words_cut(v->a, json_text(v->v), HEAD_MAX);
    return json_is(v->v, JSON_STRING);
}

static bool template_format_cut(const struct template_value *v,
                                struct str *out)
{
    *out = words_cut(v->a, json_text(v->v), CUT_MAX);
    return json_is(v->v, JSON_STRING);
}

static bool template_format_hidden(const struct template_value *v,
                                   struct str *out)
{
    const size_t n = words_hidden(json_text(v->v));
    if (n > 0)
        *out = arena_join(
            v->a, words_many(v->a, (int64_t)n, "hidden character"),
            STR(" shown"));
    return json_is(v->v, JSON_STRING);
}

static bool template_format_mixed(const struct template_value *v,
                                  struct str *out)
{
    *out = words_mixed(json_text(v->v));
    return json_is(v->v, JSON_STRING);
}

static bool short_id(const struct template_value *v, struct str *out)
{
    *out = words_short_id(v->a, json_text(v->v));
    return json_is(v->v, JSON_STRING);
}

static bool template_format_digest(const struct template_value *v,
                                   struct str *out)
{
    *out = words_groups(v->a, json_text(v->v), DIGEST_GROUPS);
    return json_is(v->v, JSON_STRING);
}

/* ---- numbers -------------------------------------------------------- */

static int64_t template_format_amount(const struct json *v)
{
    return json_is(v, JSON_ARRAY) ? (int64_t)json_count(v) : json_int(v);
}

static bool template_format_count(const struct template_value *v,
                                  struct str *out)
{
    *out = words_count(v->a, template_format_amount(v->v));
    return json_is(v->v, JSON_INT) || json_is(v->v, JSON_ARRAY);
}

static bool template_format_many(const struct template_value *v,
                                 struct str *out)
{
    *out = words_many(v->a, template_format_amount(v->v),
                      arena_z(v->a, v->words));
    return json_is(v->v, JSON_INT) || json_is(v->v, JSON_ARRAY);
}

static bool template_format_verb(const struct template_value *v,
                                 struct str *out)
{
    struct str others = v->words;
    const struct str one = str_cut(&others, ':');
    *out = template_format_amount(v->v) == 1 ? one : others;
    return json_is(v->v, JSON_INT) || json_is(v->v, JSON_ARRAY);
}

static bool template_format_span(const struct template_value *v,
                                 struct str *out)
{
    *out = words_span(v->a, json_int(v->v));
    return json_is(v->v, JSON_INT);
}

/* ---- the list ------------------------------------------------------- */

const struct template_format *template_format_find(struct str name)
{
    static const struct template_format list[] =
        {{"iso", template_format_iso, 0},
         {"utc", template_format_utc, 0},
         {"time", template_format_when, 0},
         {"short", template_format_brief, 0},
         {"day", template_format_day, 0},
         {"clock", clock_there, 0},
         {"ago", template_format_ago, 0},
         {"span", template_format_span, 0},
         {"head", template_format_head, 0},
         {"cut", template_format_cut, 0},
         {"hidden", template_format_hidden, 0},
         {"mixed", template_format_mixed, 0},
         {"id", short_id, 0},
         {"digest", template_format_digest, 0},
         {"count", template_format_count, 0},
         {"many", template_format_many, 1},
         {"verb", template_format_verb, 2}};
    for (size_t i = 0; i < countof(list); i++) {
        if (str_is(name, list[i].name))
            return &list[i];
    }
    return NULL;
}
