/* The size limits of a question's subject. */
#include "domain/kind/subject.h"

/* The depth is bounded by the JSON check of the body. */
size_t subject_values(const struct json *v)
{
    const bool object = json_is(v, JSON_OBJECT);
    struct json_iter m = json_iter(v);
    size_t n = json_count(v) == 0;
    for (size_t i = 0; i < json_count(v); i++) {
        if (object && !json_next(&m))
            break;
        n += subject_values(object ? m.value : json_at(v, i));
    }
    return n;
}

const struct err *subject_check(struct arena *a, const struct json *v,
                                struct str text)
{
    if (text.n <= SUBJECT_MAX && subject_values(v) <= SUBJECT_VALUES_MAX)
        return NULL;
    return err_at(a, ERR_INVALID, "subject.too_large", STR("subject"),
                  "The facts of a question may have at most 256 kB and %d "
                  "values, so that a person can read what they approve.",
                  SUBJECT_VALUES_MAX);
}
