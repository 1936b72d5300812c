/* Settings: the groups that there are. A group is a name: it begins with the
 * first who is in it and ends with the last. Reads only. */
#include "doors/page.h"
#include "doors/page_roster.h"
#include "store/people.h"

static const struct page_roster_words words = {
    .path = "/settings/groups",
    .title = "Groups",
    .heading = "Groups",
    .about = "A group is there as long as somebody is in it. Who is in one is "
             "said with the person, or with the key.",
    .empty_heading = "No group yet",
    .empty_sentence = "A group appears here when a person or a key is put "
                      "into it.",
    .heads = {"Group", "People", "Keys", "Open questions"}};

/* How many, and who. */
static void add_members(struct page_roster *r, int64_t n, struct str who)
{
    if (n == 0)
        page_roster_text(r, STR("none"), STR_NONE, STR(""));
    else
        page_roster_text(r, words_count(r->c->a, n), who, STR(""));
}

static void add_row(struct page_roster *r, const struct group *g)
{
    const bool nobody = g->people_n == 0 && g->keys_n == 0;
    page_roster_row(r);
    page_roster_text(r, g->name,
                     nobody ? STR("nobody can answer for it") : STR_NONE,
                     STR(""));
    add_members(r, g->people_n, g->people);
    add_members(r, g->keys_n, g->keys);
    page_roster_text(r, g->open == 0 ? STR("none waiting")
                                     : page_settings_count(r->c->a, g->open,
                                                           PEOPLE_OPEN_MAX),
                     STR_NONE, STR(""));
}

const struct err *page_groups(struct call *c)
{
    struct page_roster r = page_roster(c, &words);
    struct group_rows found;
    TRY(people_groups(c->pg, c->a, &found));
    for (size_t i = 0; i < found.n; i++)
        add_row(&r, &found.v[i]);
    return page_roster_show(
        &r, 200,
        found.n ? words_many(c->a, (int64_t)found.n, "group") : STR(""));
}
