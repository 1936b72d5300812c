/* The facts of a question in a notice of a channel that shows all. A value
 * that is cut ends in an ellipsis; the page has the whole. */
#include "domain/sending/channel_facts.h"

#include "domain/kind/amount.h"

static struct str facts_cut(struct arena *a, struct str s, size_t max)
{
    const struct str head = str_head(s, max);
    return head.n == s.n ? s : arena_join(a, head, STR("\xE2\x80\xA6"));
}

/* A text as it is; another value as JSON. */
static struct str facts_value(struct arena *a, const struct json *v)
{
    const struct str whole = json_is(v, JSON_STRING)
                                 ? json_text(v)
                                 : json_dump(a, v, SUSPENSION_RECORD_MAX);
    return facts_cut(a, whole.p ? whole : STR("\xE2\x80\xA6"),
                     CHANNEL_FACTS_VALUE);
}

static struct json *facts_call(struct arena *a, const struct json *call)
{
    struct json *o = json_object(a), *list = json_array(a);
    const struct json *args = json_get(call, "args");
    const size_t n = json_count(args);
    if (json_is(args, JSON_OBJECT)) {
        for (struct json_iter i = json_iter(args);
             json_count(list) < CHANNEL_FACTS_ARGS && json_next(&i);) {
            struct json *arg = json_object(a);
            json_set_text(arg, "name",
                          facts_cut(a, i.key, CHANNEL_FACTS_NAME));
            json_set_text(arg, "value", facts_value(a, i.value));
            json_add_json(list, arg);
        }
    }
    const struct str tool = json_get_text(call, "tool");
    json_set_text(o, "tool",
                  facts_cut(a, tool.p ? tool : STR(""), CHANNEL_FACTS_NAME));
    json_set_int(o, "left", (int64_t)(n - json_count(list)));
    json_set_json(o, "arguments", list);
    return o;
}

void channel_facts(struct arena *a, struct json *data,
                   const struct suspension *s)
{
    const struct json *subject =
        s->kind == KIND_NONE ? NULL : suspension_subject(a, s);
    const struct json *member = json_get(subject, "calls");
    const struct json *calls = json_is(member, JSON_ARRAY) ? member : NULL;
    const struct str target = json_get_text(subject, "target");
    const struct amount amount = amount_of(s->kind, subject);
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(calls) && i < CHANNEL_FACTS_CALLS; i++)
        json_add_json(list, facts_call(a, json_at(calls, i)));
    json_set_text_or_null(data, "target",
                          target.n ? facts_cut(a, target, CHANNEL_FACTS_VALUE)
                                   : STR_NONE);
    json_set_text_or_null(
        data, "amount",
        amount.unit.p
            ? arena_join(a, amount_plain(a, &amount), STR(" "), amount.unit)
            : STR_NONE);
    json_set_json(data, "calls", json_count(list) ? list : NULL);
    json_set_int(data, "calls_left",
                 (int64_t)(json_count(calls) - json_count(list)));
}
