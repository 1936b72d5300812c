/* The position of an open question in its reader's inbox. */
#include "doors/pages/question/position.h"

#include "doors/pages/shell/view.h"
#include "store/question/inbox.h"

/* Both are counted up to a ceiling. at: null beyond it. */
static void set_place(struct json *o, int64_t before, int64_t all)
{
    const bool known = before < INBOX_COUNT_MAX;
    const int64_t n = known && all <= before ? before + 1 : all;
    const bool more = !known || n > INBOX_COUNT_MAX;
    page_view_set_count(o, "at", known ? (size_t)before + 1 : 0);
    json_set_int(o, "all", more ? INBOX_COUNT_MAX : n);
    json_set_bool(o, "more", more);
}

const struct err *question_position(struct call *c, const struct suspension *s,
                                    struct json **out)
{
    const struct responder_case rule = suspension_case(s);
    const enum inbox_view view =
        responder_check(c->a, &rule, &c->who) ? INBOX_ALL : INBOX_MAY;
    int64_t all[INBOX_VIEW__MAX];
    struct inbox_place place;
    TRY(inbox_place(c->pg, c->a, &c->who, view, s, &place));
    TRY(inbox_badges(c->pg, c->a, &c->who, all));
    *out = json_object(c->a);
    set_place(*out, place.before, all[view]);
    json_set_text(*out, "previous", place.previous);
    json_set_text(*out, "next", place.next);
    return NULL;
}
