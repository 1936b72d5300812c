/* Ended questions: by kind and outcome, and the time that people took. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/clock.h"
#include "base/shared/decisions.h"

static void setup(void) { cr_assert(decisions_make()); }

TestSuite(decisions, .init = setup);

static bool mentions(const char *text)
{
    struct arena *a = arena_make((size_t)1 << 20);
    struct buf b = buf_make(a, 4096);
    decisions_render_times(&b);
    const struct str s = buf_text(&b);
    const bool found = str_search(s, str_of(text)) < s.n;
    arena_free(a);
    return found;
}

Test(decisions, by_kind_and_outcome)
{
    decisions_count(2, 3, true, 1);
    decisions_count(2, 3, false, 1);
    decisions_count(0, 0, false, 1);
    decisions_count(DECISIONS_KINDS, 0, true, 1);
    decisions_count(0, DECISIONS_OUTCOMES, true, 1);
    cr_expect(eq(u64, decisions_number(2, 3), 2));
    cr_expect(eq(u64, decisions_number(0, 0), 1));
    cr_expect(eq(u64, decisions_number(3, 2), 0));
    cr_expect(eq(u64, decisions_number(DECISIONS_KINDS, 0), 0));
    cr_expect(mentions("\nsayso_decision_seconds_count 1\n"));
}

Test(decisions, the_time_of_people_alone)
{
    decisions_count(0, 1, true, 10 * CLOCK_SECOND);
    decisions_count(0, 1, true, 11 * CLOCK_SECOND);
    decisions_count(0, 1, true, 1000000 * CLOCK_SECOND);
    decisions_count(0, 1, true, -5 * CLOCK_SECOND);
    decisions_count(0, 1, false, 20 * CLOCK_SECOND);
    cr_expect(mentions("_bucket{le=\"10\"} 2\n"));
    cr_expect(mentions("_bucket{le=\"30\"} 3\n"));
    cr_expect(mentions("_bucket{le=\"604800\"} 3\n"));
    cr_expect(mentions("_bucket{le=\"+Inf\"} 4\n"));
    cr_expect(mentions("_sum 1000021\n"));
}
