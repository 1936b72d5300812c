/* Badges of a question: its kind, its risk and its end in a word or two; and
 * its choices. */
#include "doors/pages/shell/badge.h"

#include "base/buf.h"
#include "domain/intent/event.h"
#include "domain/kind/label.h"
#include "domain/question/side_question.h"

struct json *page_badge(struct arena *a, const struct vocabulary_word *words)
{
    struct json *o = json_object(a);
    json_set_text(o, "word", str_of(words->label));
    json_set_text(o, "tone", str_of(words->tone));
    json_set_text(o, "icon", str_of(words->icon));
    return o;
}

struct json *page_badge_kind(struct arena *a, const struct suspension *s)
{
    const struct vocabulary_word *words =
        side_question_or_plan(s) || side_question(s)
            ? vocabulary_origin(s->origin)
            : kind_words(s->kind);
    struct json *o = json_object(a);
    json_set_text(o, "word", str_of(words->label));
    json_set_text(o, "icon", str_of(words->icon));
    json_set_bool(o, "test", s->test);
    return o;
}

struct json *page_badge_risk(struct arena *a, const struct suspension *s)
{
    const struct vocabulary_word *words = vocabulary_severity(s->severity);
    if (!words->wire.p)
        return NULL;
    struct json *o = json_object(a);
    json_set_text(o, "level", words->wire);
    json_set_text(o, "word", str_of(words->label));
    return o;
}

bool page_badge_once(const struct suspension *s)
{
    return s->kind == KIND_PERMISSION && s->constraints.p &&
           str_is(s->response, "\"allow_once\"");
}

struct json *page_badge_outcome(const struct page_view *v,
                                const struct suspension *s)
{
    static const struct vocabulary_word edited = {
        .label = "Approved with changes",
        .tone = "approved",
        .icon = "pencil"};
    static const struct vocabulary_word once = {
        .label = "Approved once", .tone = "approved", .icon = "check"};
    static const struct vocabulary_word late = {.label = "Expired",
                                                .tone = "plain",
                                                .icon = "clock"};
    const bool due = suspension_due(s, v->now);
    enum outcome ending = suspension_ending(s);
    if (ending == OUTCOME_UNDECIDED && !due)
        return NULL;
    if (ending == OUTCOME_NONE)
        ending = OUTCOME_ANSWERED; /* an answer without an effect */
    return page_badge(v->a,
                      due ? &late
                      : ending == OUTCOME_AUTHORIZED && page_badge_once(s)
                          ? &once
                      : ending == OUTCOME_AUTHORIZED && suspension_modified(s)
                          ? &edited
                          : vocabulary_outcome(ending));
}

struct json *page_badge_choice(struct page_view *v, const struct json *choices,
                               const struct json *choice)
{
    struct json *o = json_object(v->a);
    if (!choice)
        return NULL;
    const struct label l = label_of(v->a, choices, choice);
    json_set_text(o, "word", l.word);
    json_set_text(o, "label", l.label);
    json_set_text(o, "value", l.value);
    return o;
}

bool page_badge_own(const struct suspension *s, const struct principal *reader)
{
    return s->state == SUSPENSION_RESOLVED && reader->person &&
           str_eq(s->responded_by, reader->name);
}

struct str page_badge_name(const struct principal *reader, struct str name)
{
    if (vocabulary_via_of(name) == VIA_CLOCK ||
        str_eq(name, event_by_server().name))
        return STR("System");
    return reader->person && str_eq(name, reader->name) ? reader->title : name;
}

struct str page_badge_who(struct arena *a, const struct suspension *s,
                          const struct principal *reader)
{
    if (s->state == SUSPENSION_EXPIRED)
        return STR("System");
    if (page_badge_own(s, reader))
        return reader->title;
    if (!s->responded_by_claimed.p)
        return s->responded_by;
    return arena_join(a, s->responded_by, STR(", for “"),
                      s->responded_by_claimed, STR("” (not verified)"));
}
