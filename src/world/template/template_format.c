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

static struct str format_iso(const struct template_value *v, int64_t t)
{
    char text[CLOCK_TEXT];
    clock_write(text, t);
    return arena_join(v->a, (struct str){text, ISO_SECONDS}, STR("Z"));
}

static struct str format_utc(const struct template_value *v, int64_t t)
{
    return words_moment(v->a, t);
}

static struct str format_when(const struct template_value *v, int64_t t)
{
    return words_when(v->a, v->page->zone, t);
}

static struct str format_brief(const struct template_value *v, int64_t t)
{
    struct zone_time there;
    zone_at(v->page->zone, t, &there);
    return words_brief(v->a, there.text);
}

static struct str format_day(const struct template_value *v, int64_t t)
{
    struct zone_time there;
    zone_at(v->page->zone, t, &there);
    return words_day(v->a, there.text);
}

static struct str format_clock(const struct template_value *v, int64_t t)
{
    struct zone_time there;
    zone_at(v->page->zone, t, &there);
    return arena_join(v->a, str_of(there.text + sizeof "2026-11-20T" - 1),
                      STR(" "), str_of(there.word));
}

/* "21:55" */
static struct str format_minute(const struct template_value *v, int64_t t)
{
    struct zone_time there;
    zone_at(v->page->zone, t, &there);
    const size_t day = sizeof "2026-11-20T" - 1;
    return arena_str(v->a, str_sub(str_of(there.text), day,
                                   day + sizeof "21:55" - 1));
}

static struct str format_ago(const struct template_value *v, int64_t t)
{
    const int64_t left = t - v->page->now;
    return arena_join(v->a, words_span(v->a, left > 0 ? left : -left),
                      str_of(left > 0 ? " left" : " ago"));
}

/* ---- texts ---------------------------------------------------------- */

static struct str format_head(const struct template_value *v, int64_t n)
{
    (void)n;
    return words_cut(v->a, json_text(v->v), HEAD_MAX);
}

static struct str format_cut(const struct template_value *v, int64_t n)
{
    (void)n;
    return words_cut(v->a, json_text(v->v), CUT_MAX);
}

static struct str format_hidden(const struct template_value *v, int64_t n)
{
    n = (int64_t)words_hidden(json_text(v->v));
    return n > 0 ? arena_join(v->a, words_many(v->a, n, "hidden character"),
                              STR(" shown"))
                 : STR("");
}

static struct str format_mixed(const struct template_value *v, int64_t n)
{
    (void)n;
    return words_mixed(json_text(v->v));
}

static struct str format_id(const struct template_value *v, int64_t n)
{
    (void)n;
    return words_short_id(v->a, json_text(v->v));
}

static struct str format_digest(const struct template_value *v, int64_t n)
{
    (void)n;
    return words_groups(v->a, json_text(v->v), DIGEST_GROUPS);
}

/* ---- numbers -------------------------------------------------------- */

static struct str format_count(const struct template_value *v, int64_t n)
{
    return words_count(v->a, n);
}

static struct str format_many(const struct template_value *v, int64_t n)
{
    return words_many(v->a, n, arena_z(v->a, v->words));
}

static struct str format_verb(const struct template_value *v, int64_t n)
{
    struct str others = v->words;
    const struct str one = str_cut(&others, ':');
    return n == 1 ? one : others;
}

static struct str format_span(const struct template_value *v, int64_t n)
{
    return words_span(v->a, n);
}

/* ---- the list ------------------------------------------------------- */

const struct template_format *template_format_find(struct str name)
{
    static const struct template_format list[] =
        {{"iso", TEMPLATE_MOMENT, format_iso, 0},
         {"utc", TEMPLATE_MOMENT, format_utc, 0},
         {"time", TEMPLATE_MOMENT, format_when, 0},
         {"short", TEMPLATE_MOMENT, format_brief, 0},
         {"day", TEMPLATE_MOMENT, format_day, 0},
         {"clock", TEMPLATE_MOMENT, format_clock, 0},
         {"minute", TEMPLATE_MOMENT, format_minute, 0},
         {"ago", TEMPLATE_MOMENT, format_ago, 0},
         {"span", TEMPLATE_NUMBER, format_span, 0},
         {"head", TEMPLATE_WORDS, format_head, 0},
         {"cut", TEMPLATE_WORDS, format_cut, 0},
         {"hidden", TEMPLATE_WORDS, format_hidden, 0},
         {"mixed", TEMPLATE_WORDS, format_mixed, 0},
         {"id", TEMPLATE_WORDS, format_id, 0},
         {"digest", TEMPLATE_WORDS, format_digest, 0},
         {"count", TEMPLATE_AMOUNT, format_count, 0},
         {"many", TEMPLATE_AMOUNT, format_many, 1},
         {"verb", TEMPLATE_AMOUNT, format_verb, 2}};
    for (size_t i = 0; i < countof(list); i++) {
        if (str_is(name, list[i].name))
            return &list[i];
    }
    return NULL;
}

bool template_format_print(const struct template_format *f,
                           const struct template_value *v, struct str *out)
{
    const bool array = f->takes == TEMPLATE_AMOUNT && json_is(v->v, JSON_ARRAY);
    const bool text = json_is(v->v, JSON_STRING);
    int64_t n = array ? (int64_t)json_count(v->v) : json_int(v->v);
    if (f->takes == TEMPLATE_WORDS
            ? !text
            : !array && !json_is(v->v, JSON_INT) &&
                  !(f->takes == TEMPLATE_MOMENT && text &&
                    clock_parse(json_text(v->v), &n)))
        return false;
    *out = f->print(v, n);
    return true;
}
