/* The position of an open question in its reader's inbox. */
#include "doors/pages/question/position.h"

#include "doors/pages/shell/view.h"
#include "store/question/inbox.h"

const struct err *question_position(struct call *c, const struct suspension *s,
                                    struct json **out)
{
    const struct responder_case rule = suspension_case(s);
    const enum inbox_view view =
        responder_check(c->a, &rule, &c->who) ? INBOX_ALL : INBOX_MAY;
    int64_t all[INBOX_VIEW__MAX];
    struct inbox_place place;
    struct json *o = json_object(c->a);
    TRY(inbox_place(c->pg, c->a, &c->who, view, s, &place));
    TRY(inbox_badges(c->pg, c->a, &c->who, all));
    /* Both numbers are counted up to a ceiling; the position is null beyond
     * it. A question may be answered between the two counts: the position is
     * never beyond the number. */
    const bool known = place.before < INBOX_COUNT_MAX;
    const int64_t n =
        known && all[view] <= place.before ? place.before + 1 : all[view];
    const bool more = !known || n > INBOX_COUNT_MAX;
    page_view_set_count(o, "at", known ? (size_t)place.before + 1 : 0);
    json_set_int(o, "all", more ? INBOX_COUNT_MAX : n);
    json_set_bool(o, "more", more);
    json_set_text(o, "previous", place.previous);
    json_set_text(o, "next", place.next);
    *out = o;
    return NULL;
}
