/* The typed confirmation of a grave permission. */
#include "doors/page_typed.h"

#define WORD_MAX 60 /* characters that a person is asked to type */
#define DIGITS 8    /* of the digest, in place of a target */

/* A target that a keyboard has, in one line. */
static bool is_typed(struct str target)
{
    for (size_t i = 0; i < target.n; i++) {
        if ((unsigned char)target.p[i] < ' ')
            return false;
    }
    return target.n > 0 && str_runes(target) <= WORD_MAX &&
           page_view_hidden(target) == 0;
}

struct str page_typed_word(struct arena *a, const struct suspension *s,
                           const struct json *choice)
{
    const struct str effect = json_get_text(choice, "effect");
    struct json *subject = NULL;
    if (!kind_typed(s->kind, s->severity) ||
        (!str_is(effect, "authorize") && !str_is(effect, "authorize_modified")))
        return STR_NONE;
    if (json_parse(a, s->subject, &subject))
        subject = NULL;
    const struct str target = str_trim(json_get_text(subject, "target"));
    return is_typed(target) ? target : str_head(s->subject_sha256, DIGITS);
}

const struct err *page_typed_check(struct arena *a, const struct suspension *s,
                                   const struct json *choice,
                                   const struct pairs *posted)
{
    const struct str word = page_typed_word(a, s, choice);
    const struct str typed = str_trim(pairs_get(*posted, "typed"));
    if (!word.p || str_eq(typed, word))
        return NULL;
    return typed.n == 0 ? ERROR(ERR_INVALID, "typed.differs",
                                "Type it, to say that this is what you "
                                "allow.")
                        : ERROR(ERR_INVALID, "typed.differs",
                                "This is not what stands there.");
}

struct json *page_typed(struct page_view *v, const struct suspension *s,
                        const struct json *choice, const struct pairs *typed,
                        const struct err *error)
{
    const struct str word = page_typed_word(v->a, s, choice);
    const struct str value =
        typed ? pairs_get(*typed, "typed") : STR_NONE;
    const bool differs = error && str_is(str_of(error->code), "typed.differs");
    struct json *o = json_object(v->a);
    if (!word.p)
        return NULL;
    json_set_json(o, "word", page_view_text(v, word));
    json_set_text(o, "value", value.p ? value : STR(""));
    json_set_text(o, "error", differs ? error->say : STR(""));
    return o;
}
