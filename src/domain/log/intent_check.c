/* Compares the row of an intent with its events. */
#include "domain/log/intent_check.h"

#include <stddef.h>

/* The members of events that say something of the intent, or what the event
 * says by itself. */
static const struct intent_fact {
    const char *type, *member, *word;
    size_t fact; /* its place in intent_check */
} intent_facts[] = {
    {"intent_created", "title", NULL, offsetof(struct intent_check, title)},
    {"intent_created", "status", NULL, offsetof(struct intent_check, status)},
    {"intent_created", "state_sha256", NULL,
     offsetof(struct intent_check, state_sha256)},
    {"state_patched", "state_sha256", NULL,
     offsetof(struct intent_check, state_sha256)},
    {"status_changed", "new_status", NULL,
     offsetof(struct intent_check, status)},
    {"intent.suspended", NULL, "suspended_awaiting_input",
     offsetof(struct intent_check, status)},
    {"intent.resumed", NULL, "active", offsetof(struct intent_check, status)},
};

void intent_check_event(struct arena *a, struct intent_check *c,
                        const struct event *e)
{
    const struct json *payload = NULL;
    bool read = false;
    for (size_t i = 0; i < countof(intent_facts); i++) {
        const struct intent_fact *f = &intent_facts[i];
        if (!str_is(e->type, f->type))
            continue;
        if (f->member && !read) {
            payload = json_get(json_read(a, e->canonical), "payload");
            read = true;
        }
        struct str *said = (struct str *)((char *)c + f->fact);
        *said = f->word
                    ? str_of(f->word)
                    : arena_str(c->arena, json_get_text(payload, f->member));
    }
}

const char *intent_check_row(struct arena *a, const struct intent_check *c,
                             const struct intent *i)
{
    const struct str status = vocabulary_intent_status(i->status)->wire;
    if (c->title.p && !str_eq(c->title, i->title))
        return "its title is not that of its events";
    if (c->status.p && !str_eq(c->status, status))
        return "its status is not that of its events";
    if (c->state_sha256.p &&
        !str_eq(c->state_sha256,
                intent_state_sha256(a, json_read(a, i->state))))
        return "its state is not that of its events";
    return NULL;
}
