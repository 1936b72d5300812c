/* The days of a list of decided questions. */
#include "doors/pages/inbox/decided_days.h"

#include "base/clock.h"
#include "world/template/words.h"
#include "world/template/zone.h"

#define DATE 10 /* characters: 2026-11-20 */

/* In the order of a heading. An answer without an effect counts as answered. */
static const enum outcome order[] = {
    OUTCOME_VETOED,   OUTCOME_CHANGES_REQUESTED, OUTCOME_DECLINED,
    OUTCOME_ANSWERED, OUTCOME_ACCEPTED,          OUTCOME_AUTHORIZED,
    OUTCOME_EXPIRED,  OUTCOME_WITHDRAWN};

static struct zone_time decided_days_at(const struct call *c, int64_t t)
{
    struct zone_time at;
    zone_at(c->who.account.time_zone, t, &at);
    return at;
}

static bool decided_days_same(const struct zone_time *a,
                              const struct zone_time *b)
{
    return memcmp(a->text, b->text, DATE) == 0;
}

/* "Wed 18 Nov"; with the year where it is another one than now's. */
static struct str decided_days_name(const struct call *c,
                                    const struct zone_time *at)
{
    static const char *const names[] = {"Sun", "Mon", "Tue", "Wed",
                                        "Thu", "Fri", "Sat"};
    static const int shift[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    const struct zone_time now = decided_days_at(c, clock_now());
    const struct str text = str_of(at->text);
    const struct str day = words_day(c->a, at->text);
    int64_t y = 0, m = 1, d = 1;
    (void)str_int(str_sub(text, 0, 4), 0, 9999, &y);
    (void)str_int(str_sub(text, 5, 7), 1, 12, &m);
    (void)str_int(str_sub(text, 8, 10), 1, 31, &d);
    y -= m < 3;
    const int64_t week =
        (y + y / 4 - y / 100 + y / 400 + shift[m - 1] + d) % 7;
    const bool this_year = memcmp(now.text, at->text, 4) == 0;
    return arena_join(c->a, str_of(names[week]), STR(" "),
                      this_year ? str_sub(day, 0, day.n - sizeof " 2026" + 1)
                                : day);
}

static struct str decided_days_sums(struct call *c,
                                    const int64_t n[OUTCOME__MAX])
{
    struct buf b = buf_make(c->a, 512);
    for (size_t i = 0; i < countof(order); i++) {
        int64_t sum = n[order[i]];
        if (order[i] == OUTCOME_ANSWERED)
            sum += n[OUTCOME_NONE] + n[OUTCOME_FALLBACK];
        if (sum == 0)
            continue;
        buf_put(&b, b.n > 0 ? ", " : "");
        buf_str(&b, words_count(c->a, sum));
        buf_char(&b, ' ');
        buf_lower(&b, str_of(vocabulary_outcome(order[i])->label));
    }
    return buf_text(&b);
}

/* How the questions of a day ended, of the found ones from *i on, which it
 * moves behind them. false: the day goes on behind the last that was found. */
static bool decided_days_count(struct call *c, const struct decided_rows *d,
                               const struct decided_query *w, size_t *i,
                               int64_t n[OUTCOME__MAX])
{
    const struct zone_time day = decided_days_at(c, d->v[*i].at);
    for (; *i < d->n; (*i)++) {
        const struct zone_time at = decided_days_at(c, d->v[*i].at);
        if (!decided_days_same(&at, &day))
            return true;
        if (d->v[*i].ending < OUTCOME__MAX)
            n[d->v[*i].ending]++;
    }
    return !d->further && (int64_t)d->n < w->found;
}

struct json *inbox_decided_days(struct call *c, const struct decided_rows *d,
                                const struct decided_query *w,
                                const struct json *rows)
{
    struct json *days = json_array(c->a);
    /* Where the page before ended on this day, the sums would lack its rows. */
    bool begun = w->after_at != 0;
    const struct zone_time before = decided_days_at(c, w->after_at);
    for (size_t i = 0, row = 0; i < d->n && row < json_count(rows);) {
        int64_t n[OUTCOME__MAX] = {0};
        const struct zone_time at = decided_days_at(c, d->v[i].at);
        struct json *o = json_object(c->a), *own = json_array(c->a);
        const bool whole = decided_days_count(c, d, w, &i, n);
        begun = begun && decided_days_same(&at, &before);
        for (; row < json_count(rows) && row < i; row++)
            json_add_json(own, json_at(rows, row));
        json_set_text(o, "name", decided_days_name(c, &at));
        json_set_text(o, "sums",
                      whole && !begun ? decided_days_sums(c, n) : STR(""));
        json_set_json(o, "rows", own);
        json_add_json(days, o);
    }
    return days;
}
