/* The texts of browser notifications, as JSON for the script of the pages: the
 * risk and the title of new questions that the reader may answer, and nothing
 * more, because a notification stands on a locked screen too. Decides
 * nothing. */
#include "domain/sending/channel.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/shell/view.h"
#include "store/question/suspensions.h"

#define NOTICES_MAX 10

/* NULL: there is nothing to say to this reader. */
static struct json *notices_one(struct call *c, const struct suspension *s)
{
    const struct responder_case rule = suspension_case(s);
    const bool test = s->test;
    const bool unsaid = s->severity == SEVERITY_UNSAID;
    struct arena *a = c->a;
    struct json *o = json_object(a);
    if (!s->id.p || s->state != SUSPENSION_PENDING ||
        responder_check(a, &rule, &c->who))
        return NULL;
    const struct str title =
        words_plain(a, channel_title(a, s, CHANNEL_TITLE), PAGE_VIEW_TAB);
    json_set_text(o, "id", s->id);
    json_set_text(o, "url", page_view_path(a, "/suspensions/", s->id, ""));
    json_set_text(o, "title",
                  arena_join(a, test ? STR("Test: ") : STR(""), title));
    json_set_text(o, "risk",
                  unsaid ? STR("")
                         : str_of(vocabulary_severity(s->severity)->label));
    /* As in the inbox: without a word it counts as medium. */
    json_set_int(o, "rank", unsaid ? SEVERITY_MEDIUM : s->severity);
    json_set_bool(o, "mine", rule.rule.mode != RESPONDER_OPERATORS);
    return o;
}

const struct err *inbox_notices(struct call *c)
{
    struct str ids[NOTICES_MAX], rest = request_query(c->rq, "of");
    struct suspension found[NOTICES_MAX];
    struct json *o = json_object(c->a), *list = json_array(c->a);
    size_t n = 0;
    while (rest.p && n < NOTICES_MAX) {
        const struct str id = str_cut(&rest, '.');
        if (id.n > 0)
            ids[n++] = id;
    }
    if (n > 0)
        TRY(suspensions_many(c->pg, c->a, ids, n, found));
    for (size_t i = 0; i < n; i++) {
        struct json *one = notices_one(c, &found[i]);
        if (one)
            json_add_json(list, one);
    }
    json_set_json(o, "notices", list);
    response_json(c->rs, 200, o);
    return NULL;
}
