/* The buttons of a question: how they look, which key presses them, and what
 * each does. */
#include "doors/page_button.h"

#include "doors/page_answer.h"
#include "doors/page_kind_does.h"
#include "world/request.h"

static bool is_style(const struct json *choice, const char *style)
{
    return str_is(json_get_text(choice, "style"), style);
}

static bool is_effect(const struct json *choice, const char *effect)
{
    return str_is(json_get_text(choice, "effect"), effect);
}

static bool is_limit(const struct json *choice)
{
    return str_is(json_get_text(choice, "takes"), "limit");
}

static bool needs_reason(const struct json *choice)
{
    return str_is(json_get_text(choice, "reason"), "required");
}

/* The one that stands last and is filled: the first of style primary, else
 * the first that authorizes or accepts. The count of choices: none. */
static size_t primary_of(const struct json *choices)
{
    const size_t n = json_count(choices);
    for (size_t i = 0; i < n; i++) {
        if (is_style(json_at(choices, i), "primary"))
            return i;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_effect(json_at(choices, i), "authorize") ||
            is_effect(json_at(choices, i), "accept"))
            return i;
    }
    return n;
}

static struct str tone(const struct json *choice, bool primary)
{
    if (is_effect(choice, "authorize") ||
        is_effect(choice, "authorize_modified"))
        return primary ? STR("auth filled") : STR("auth");
    if (is_effect(choice, "veto") || is_effect(choice, "stop_task"))
        return STR("veto");
    if (is_effect(choice, "none") && is_style(choice, "danger"))
        return STR("veto");
    if (primary && (is_effect(choice, "none") || is_effect(choice, "answer") ||
                    is_effect(choice, "accept")))
        return STR("accent");
    return STR("plain");
}

struct str page_button_sure(const struct json *choices,
                            const struct json *choice)
{
    return tone(choice, json_at(choices, primary_of(choices)) == choice ||
                            is_effect(choice, "authorize_modified"));
}

/* An offered limit can be confirmed as it stands. */
bool page_button_own_page(const struct suspension *s,
                          const struct json *choice)
{
    return page_answer_two_step(s) ||
           (json_has(choice, "takes") && !is_limit(choice));
}

/* ---- keys ----------------------------------------------------------- */

/* Yes by its effect; the plain yes and no of a confirm by their words. */
static bool is_yes(const struct suspension *s, const struct json *choice)
{
    return is_effect(choice, "authorize") || is_effect(choice, "accept") ||
           (s->response_type == ANSWER_CONFIRM &&
            str_is(json_get_text(choice, "value"), "yes") &&
            (is_effect(choice, "none") || is_effect(choice, "answer")));
}

static bool is_no(const struct suspension *s, const struct json *choice)
{
    return is_effect(choice, "veto") || is_effect(choice, "decline") ||
           (s->response_type == ANSWER_CONFIRM &&
            str_is(json_get_text(choice, "value"), "no") &&
            (is_effect(choice, "none") || is_effect(choice, "answer")));
}

static bool is_edit(const struct suspension *s, const struct json *choice)
{
    (void)s;
    return is_effect(choice, "authorize_modified");
}

static const struct json *first(const struct suspension *s,
                                const struct json *choices,
                                bool (*is)(const struct suspension *s,
                                           const struct json *choice))
{
    size_t i = 0;
    while (i < json_count(choices) && !is(s, json_at(choices, i)))
        i++;
    return json_at(choices, i);
}

/* The one that the page offers as its answer, where it is a yes. */
static const struct json *yes_of(const struct suspension *s,
                                 const struct json *choices)
{
    const struct json *primary = json_at(choices, primary_of(choices));
    return primary && (is_yes(s, primary) || is_effect(primary, "answer"))
               ? primary
               : first(s, choices, is_yes);
}

struct str page_button_key(const struct suspension *s,
                           const struct json *choices,
                           const struct json *choice)
{
    return choice == yes_of(s, choices)          ? STR("a")
           : choice == first(s, choices, is_no)   ? STR("r")
           : choice == first(s, choices, is_edit) ? STR("e")
                                                  : STR("");
}

/* Its number among the buttons, where no letter stands for it. */
static void set_key(struct json *o, const struct suspension *s,
                    const struct json *choices, const struct json *choice,
                    size_t n)
{
    static const char digits[] = "123456789";
    struct str key = page_button_key(s, choices, choice);
    if (key.n == 0 && n < countof(digits) - 1)
        key = (struct str){digits + n, 1};
    json_set_text(o, "key", key);
}

/* ---- buttons -------------------------------------------------------- */

static struct json *choice_url(struct arena *a, const struct suspension *s,
                               const struct json *choice)
{
    const struct str url = page_view_path(a, "/suspensions/", s->id, "");
    const struct str value = json_get_text(choice, "value");
    struct buf b = buf_make(a, url.n + value.n * 3 + 16);
    buf_str(&b, url);
    buf_put(&b, "?choice=");
    request_escape(&b, value);
    return json_string(a, buf_text(&b));
}

static void add_button(struct page_view *v, struct json *list,
                       const struct suspension *s, const struct json *choices,
                       size_t i)
{
    struct json *o = json_object(v->a);
    const struct json *choice = json_at(choices, i);
    const struct str more = json_get_text(choice, "description");
    const bool primary = i == primary_of(choices);
    set_key(o, s, choices, choice, json_count(list));
    json_set_json(o, "value", json_get(choice, "value"));
    json_set_json(o, "label",
                  page_view_text(v, json_get_text(choice, "label")));
    json_set_json(o, "description", page_view_text(v, more));
    json_set_text(o, "does", page_kind_does(v->a, s, choice));
    json_set_text(o, "tone", tone(choice, primary));
    json_set_bool(o, "primary", primary);
    json_set_bool(o, "needs_reason", needs_reason(choice));
    const bool page = page_button_own_page(s, choice);
    const struct json *url = choice_url(v->a, s, choice);
    json_set_json(o, "confirm_url", page ? url : NULL);
    json_set_json(o, "lower_url", !page && is_limit(choice) ? url : NULL);
    json_add_json(list, o);
}

struct json *page_buttons_decline(struct page_view *v,
                                  const struct suspension *s,
                                  const struct json *choices)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (is_effect(json_at(choices, i), "decline"))
            add_button(v, list, s, choices, i);
    }
    return list;
}

struct json *page_buttons(struct page_view *v, const struct suspension *s,
                          const struct json *choices)
{
    struct json *list = json_array(v->a);
    const size_t primary = primary_of(choices);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (i != primary)
            add_button(v, list, s, choices, i);
    }
    if (primary < json_count(choices))
        add_button(v, list, s, choices, primary);
    return list;
}
