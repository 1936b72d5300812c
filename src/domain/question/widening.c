/* The parts of an edited subject that go beyond what was asked for. */
#include "domain/question/widening.h"

#include "base/json/fields.h"
#include "domain/question/amend.h"

#define PROSE 60  /* characters; a longer text is prose, not a name */
#define QUOTED 60 /* characters of a value in a sentence */

/* The meaning of a part of a subject. */
enum area {
    AREA_VALUE,  /* arguments and all else */
    AREA_LIMIT,  /* "constraints" */
    AREA_TOOL,   /* the action, and the tool of a call */
    AREA_CALL,   /* a call as a whole */
    AREA_TARGET, /* "target" */
    AREA_CLAIM,  /* statements about the consequence */
    AREA_RIGHT   /* "authorization_details" */
};

struct walk {
    struct arena *a;
    struct widening *out;
    const struct json *limits; /* as asked */
    struct str target;         /* as asked */
};

/* A pair of nodes on the way down. */
struct at {
    struct str path, key;
    enum area area;
    bool tighter; /* in a limit that became no wider */
    bool element; /* of a list */
    bool had, has;
    const struct json *asked, *allowed;
};

/* ---- findings -------------------------------------------------------- */

static void widening_add(struct walk *w, const struct at *at,
                         enum widening_grade grade, struct str why)
{
    struct widening *e = w->out;
    e->grade = grade > e->grade ? grade : e->grade;
    if (e->n == WIDENING_ROWS) {
        e->more++;
        return;
    }
    e->rows[e->n++] = (struct widening_row){.path = at->path,
                                            .why = why,
                                            .grade = grade,
                                            .asked = at->asked,
                                            .allowed = at->allowed};
}

/* "Above the stated limit, 499.99." */
static struct str widening_sentence(struct walk *w, const char *words,
                                    const struct json *v)
{
    struct buf b = buf_make(w->a, 512);
    const struct str text =
        json_is(v, JSON_STRING) ? json_text(v) : json_dump(w->a, v, 128);
    buf_put(&b, words);
    if (text.n > 0 && str_runes(text) <= QUOTED) {
        buf_put(&b, ", ");
        buf_str(&b, text);
    }
    buf_char(&b, '.');
    return buf_text(&b);
}

/* ---- numbers and their limits --------------------------------------- */

/* A number, or one that is written as a text; NULL for anything else. */
static const struct json *widening_number_of(struct arena *a,
                                             const struct json *v)
{
    struct json *n = NULL;
    if (json_is_number(v))
        return v;
    if (!json_is(v, JSON_STRING) || json_text(v).n > JSON_NUMBER_MAX ||
        json_parse(a, str_trim(json_text(v)), &n))
        return NULL;
    return json_is_number(n) ? n : NULL;
}

/* "amount" is limited by "amount", "max_amount", "amount_max" and
 * "amount_limit". */
static const struct json *widening_limit_of(struct walk *w, struct str key,
                                            bool *found)
{
    static const char *const names[][2] = {
        {"", ""}, {"max_", ""}, {"", "_max"}, {"", "_limit"}};
    for (size_t i = 0; key.n > 0 && i < countof(names); i++) {
        struct buf b = buf_make(w->a, key.n + 16);
        buf_put(&b, names[i][0]);
        buf_str(&b, key);
        buf_put(&b, names[i][1]);
        *found = json_has(w->limits, arena_z(w->a, buf_text(&b)));
        if (*found)
            return json_get_str(w->limits, buf_text(&b));
    }
    return NULL;
}

/* Is the value outside of the limit of its name? */
static bool widening_over_limit(struct walk *w, const struct at *at,
                                const struct json **limit)
{
    bool found = false;
    *limit = widening_limit_of(w, at->key, &found);
    const struct json *most = widening_number_of(w->a, *limit);
    const struct json *n = widening_number_of(w->a, at->allowed);
    if (!found)
        return false;
    if (most)
        return !n || json_compare(n, most) > 0;
    if (json_is(*limit, JSON_ARRAY) && !json_is(at->allowed, JSON_ARRAY))
        return !json_lists(*limit, at->allowed);
    return json_is(*limit, JSON_STRING) &&
           json_is(at->allowed, JSON_STRING) &&
           !json_equal(*limit, at->allowed);
}

/* ---- one value ------------------------------------------------------ */

static bool widening_is_prose(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t')
            return true;
    }
    return str_runes(s) > PROSE;
}

/* A quantity, of which less is less: no name of something, and as a text only
 * with its decimal point. */
static const struct json *
widening_quantity(struct walk *w, const struct at *at, const struct json *v)
{
    const struct str text = json_text(v);
    if (str_is(at->key, "id") || str_ends(at->key, STR("_id")) ||
        str_ends(at->key, STR("Id")) ||
        (json_is(v, JSON_STRING) && str_find(text, '.', 0) == text.n))
        return NULL;
    return widening_number_of(w->a, v);
}

/* Judges a value that is on both sides and differs. */
static void widening_judge_change(struct walk *w, const struct at *at)
{
    const struct json *was = widening_quantity(w, at, at->asked);
    const struct json *now = widening_quantity(w, at, at->allowed);
    const struct str text = json_text(at->asked);
    const bool numbers =
        json_is_number(at->asked) && json_is_number(at->allowed);
    if (!numbers && json_type(at->asked) != json_type(at->allowed)) {
        widening_add(w, at, WIDENING_REASON, STR("Different type."));
    } else if (was && now) {
        if (json_compare(now, was) > 0)
            widening_add(
                w, at, WIDENING_REASON,
                widening_sentence(w, "Above the requested value", at->asked));
        else if (json_double(now) < 0)
            widening_add(w, at, WIDENING_REASON,
                         STR("Below zero, where less may mean more."));
    } else if (json_is(at->allowed, JSON_BOOL)) {
        widening_add(w, at, WIDENING_REASON, STR("Switched to the opposite."));
    } else if (w->target.n > 0 && str_eq(str_trim(text), w->target)) {
        widening_add(w, at, WIDENING_TYPED, STR("Different target."));
    } else if (at->area == AREA_RIGHT) {
        widening_add(w, at, WIDENING_TYPED, STR("Different permission."));
    } else if (!widening_is_prose(text) ||
               !widening_is_prose(json_text(at->allowed))) {
        widening_add(w, at, WIDENING_REASON, STR("Different value."));
    }
}

static void widening_judge_value(struct walk *w, const struct at *at)
{
    const struct json *limit = NULL;
    if (at->has && widening_over_limit(w, at, &limit))
        widening_add(w, at, WIDENING_TYPED,
                     widening_sentence(w,
                                       json_is(limit, JSON_STRING) ||
                                               json_is(limit, JSON_ARRAY)
                                           ? "Outside the stated limit"
                                           : "Above the stated limit",
                                       limit));
    else if (at->had && at->has)
        widening_judge_change(w, at);
    else if (at->has)
        widening_add(w, at, WIDENING_REASON,
                     at->element ? STR("More than was requested.")
                                 : STR("Not in the request."));
    else if (!at->element)
        widening_add(w, at, WIDENING_REASON,
                     STR("Removed. This may allow more."));
}

static void widening_judge(struct walk *w, const struct at *at)
{
    switch (at->area) {
    case AREA_LIMIT:
        if (!at->tighter)
            widening_add(
                w, at, WIDENING_TYPED,
                at->has ? widening_sentence(
                              w, "Different from the stated limit", at->asked)
                        : STR("A stated limit is removed."));
        break;
    case AREA_TOOL:
        widening_add(w, at, WIDENING_TYPED, STR("Different tool."));
        break;
    case AREA_TARGET:
        widening_add(w, at, WIDENING_TYPED, STR("Different target."));
        break;
    case AREA_CALL:
        if (at->has)
            widening_add(w, at, WIDENING_TYPED, STR("Different call."));
        break;
    case AREA_CLAIM:
        widening_add(w, at, WIDENING_REASON,
                     STR("Different statement about the consequence."));
        break;
    case AREA_RIGHT:
    case AREA_VALUE:
    default:
        widening_judge_value(w, at);
    }
}

/* ---- walking the trees ----------------------------------------------- */

static void widening_walk(struct walk *w, const struct at *at);

static enum area widening_area_of_member(const struct at *at, struct str key)
{
    static const struct {
        const char *key;
        enum area area;
    } areas[] = {{"constraints", AREA_LIMIT},
                 {"action", AREA_TOOL},
                 {"target", AREA_TARGET},
                 {"reversible", AREA_CLAIM},
                 {"consequence", AREA_CLAIM},
                 {"scope_summary", AREA_CLAIM},
                 {"calls", AREA_CALL},
                 {"authorization_details", AREA_RIGHT}};
    if (at->area == AREA_CALL)
        return str_is(key, "tool") ? AREA_TOOL : AREA_VALUE;
    for (size_t i = 0; at->path.n == 0 && i < countof(areas); i++) {
        if (str_is(key, areas[i].key))
            return areas[i].area;
    }
    return at->area;
}

static void widening_walk_member(struct walk *w, const struct at *at,
                                 struct str key)
{
    struct at one = {.path = fields_path(w->a, at->path, arena_z(w->a, key)),
                     .key = key,
                     .area = widening_area_of_member(at, key),
                     .tighter = at->tighter,
                     .had = json_has(at->asked, arena_z(w->a, key)),
                     .has = json_has(at->allowed, arena_z(w->a, key)),
                     .asked = json_get_str(at->asked, key),
                     .allowed = json_get_str(at->allowed, key)};
    if (at->area == AREA_LIMIT)
        one.tighter = at->tighter ||
                      (one.had && one.has &&
                       amend_tighter(w->a, one.asked, one.allowed));
    widening_walk(w, &one);
}

/* Are there parts that are judged separately? A page shows them as rows
 * (doors/pages/shell/difference.c). */
static bool widening_has_parts(const struct at *at)
{
    const enum json_type type = json_type(at->allowed);
    return at->had && at->has && json_type(at->asked) == type &&
           (type == JSON_OBJECT || type == JSON_ARRAY) &&
           json_count(at->asked) + json_count(at->allowed) > 0;
}

/* The depth is bounded by the JSON check of the body. */
static void widening_walk(struct walk *w, const struct at *at)
{
    const size_t n = json_count(at->asked), m = json_count(at->allowed);
    if (at->had && at->has && json_equal(at->asked, at->allowed))
        return;
    if (!widening_has_parts(at)) {
        widening_judge(w, at);
    } else if (json_is(at->allowed, JSON_ARRAY)) {
        for (size_t i = 0; i < (n > m ? n : m); i++) {
            const struct at one = {.path = fields_element(w->a, at->path, i),
                                   .key = at->key,
                                   .area = at->area,
                                   .tighter = at->tighter,
                                   .element = true,
                                   .had = i < n,
                                   .has = i < m,
                                   .asked = json_at(at->asked, i),
                                   .allowed = json_at(at->allowed, i)};
            widening_walk(w, &one);
        }
    } else {
        for (struct json_iter i = json_iter(at->asked); json_next(&i);)
            widening_walk_member(w, at, i.key);
        for (struct json_iter i = json_iter(at->allowed); json_next(&i);) {
            if (!json_has(at->asked, i.key.p))
                widening_walk_member(w, at, i.key);
        }
    }
}

void widening_find(struct arena *a, const struct json *asked,
                   const struct json *allowed, struct widening *out)
{
    struct walk w = {.a = a,
                     .out = out,
                     .limits = json_get(asked, "constraints"),
                     .target = str_trim(json_get_text(asked, "target"))};
    const struct at root = {.path = STR(""),
                            .key = STR(""),
                            .had = true,
                            .has = true,
                            .asked = asked,
                            .allowed = allowed};
    *out = (struct widening){
        .rows = arena_many(a, WIDENING_ROWS, struct widening_row)};
    widening_walk(&w, &root);
}

const struct widening_row *widening_row(const struct widening *e,
                                        const struct json *asked,
                                        const struct json *allowed)
{
    for (size_t i = 0; i < e->n; i++) {
        if (e->rows[i].asked == asked && e->rows[i].allowed == allowed)
            return &e->rows[i];
    }
    return NULL;
}
