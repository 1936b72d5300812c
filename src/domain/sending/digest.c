/* The body of a digest, for notify/digest.c. */
#include "domain/sending/digest.h"

#include "base/clock_text.h"
#include "domain/sending/channel_facts.h"

const char digest_type[] = "digest";

static struct json *digest_row(struct arena *a, const struct digest *d,
                               const struct suspension *s)
{
    struct json *o = json_object(a);
    json_set_text(o, "title", channel_title(a, s, d->detail));
    json_set_text_or_null(o, "severity",
                          vocabulary_severity(s->severity)->wire);
    json_set_text(o, "agent", s->asked_by);
    json_set_text_or_null(o, "expires_at",
                          s->expires_at ? clock_rfc3339(a, s->expires_at)
                                        : STR_NONE);
    if (d->detail == CHANNEL_ALL) {
        struct json *facts = json_object(a);
        channel_facts(a, facts, s);
        json_set_text_or_null(o, "amount", json_get_text(facts, "amount"));
    }
    json_set_text(o, "url",
                  arena_join(a, d->url, STR("/suspensions/"), s->id));
    if (s->test)
        json_set_bool(o, "test", true);
    return o;
}

struct str digest_body(struct arena *a, const struct digest *d)
{
    struct json *o = json_object(a), *data = json_object(a);
    struct json *list = json_array(a);
    for (size_t i = 0; i < d->n && i < DIGEST_ROWS; i++)
        json_add_json(list, digest_row(a, d, &d->v[i]));
    json_set_int(data, "waiting", d->waiting);
    json_set_bool(data, "over", d->over);
    json_set_text_or_null(data, "time_zone", d->time_zone);
    json_set_text(data, "url", arena_join(a, d->url, STR("/inbox")));
    json_set_text(data, "chosen_at",
                  arena_join(a, d->url, STR("/settings/notifications")));
    json_set_json(data, "requests", list);
    json_set_text(o, "type", str_of(digest_type));
    json_set_text(o, "timestamp", clock_rfc3339(a, d->now));
    json_set_json(o, "data", data);
    return json_dump(a, o, CHANNEL_BODY_MAX);
}
