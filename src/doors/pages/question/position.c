/* The position of an open question in its reader's inbox. */
#include "doors/pages/question/position.h"

#include "doors/pages/shell/view.h"
#include "store/inbox.h"

static void put_number(struct arena *a, struct buf *b, int64_t n)
{
    const bool more = n > INBOX_COUNT_MAX;
    buf_put(b, more ? "more than " : "");
    buf_str(b, words_count(a, more ? INBOX_COUNT_MAX : n));
}

/* "2 of 40", "2 of more than 200", "after the first 200" */
static struct str text(struct arena *a, int64_t before, int64_t all)
{
    struct buf b = buf_make(a, 64);
    if (before >= INBOX_COUNT_MAX) {
        buf_put(&b, "after the first ");
        buf_str(&b, words_count(a, INBOX_COUNT_MAX));
        return buf_text(&b);
    }
    buf_str(&b, words_count(a, before + 1));
    buf_put(&b, " of ");
    put_number(a, &b, all > before ? all : before + 1);
    return buf_text(&b);
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
    json_set_text(*out, "text", text(c->a, place.before, all[view]));
    json_set_text(*out, "previous", place.previous);
    json_set_text(*out, "next", place.next);
    return NULL;
}
