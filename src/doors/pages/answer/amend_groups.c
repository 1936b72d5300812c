/* The groups of an edit: their headings, and the names of the values. */
#include "doors/pages/answer/amend_groups.h"

#include "doors/pages/kinds/card.h"

/* The place of the values at a path on the page of the request; the first row
 * that fits counts. */
static const struct amend_part {
    const char *path; /* it begins with this */
    const char *heading;
    const char *label; /* NULL: what follows in the path */
} parts[] = {
    {"action.name", "Action", "Action"},
    {"action.provider", "Action", "Provider"},
    {"target", "Action", "Target"},
    {"safe_input.fields.", "Input", NULL},
    {"safe_input.", "Input", NULL},
    {"constraints.", "Limits", NULL},
    {"authorization_details", "Requested authorization", NULL},
    {"scope_summary", "Consequence", "Scope"},
    {"consequence", "Consequence", "Consequence"},
    {"reversible", "Consequence", "Reversible"},
};

/* The order of the headings, which is that of the page. named: its values have
 * labels of the page, and are sentences. */
static const struct {
    const char *words;
    bool named;
} headings[] = {{"Action", true},           {"Input", false},
                {"Limits", false},          {"Requested authorization", false},
                {"Additional data", false}, {"Consequence", true}};

/* A value's place: an argument of a call, or under a heading. */
struct place {
    size_t call; /* whose argument it is, from 1 on; 0: of none */
    const char *heading;
    struct str label;
};

/* Of calls[0].args.amount, or of another member of a call. */
static struct place amend_groups_of_call(struct arena *a, struct str path)
{
    const size_t open = strlen("calls["), end = str_find(path, ']', 0);
    const struct str args = STR("].args.");
    const struct str rest = str_sub(path, end, path.n);
    int64_t i = 0;
    if (!str_int(str_sub(path, open, end), 0, INT32_MAX, &i))
        return (struct place){.heading = "Additional data", .label = path};
    if (str_starts(rest, args))
        return (struct place){.call = (size_t)i + 1,
                              .label = str_sub(rest, args.n, rest.n)};
    const struct str member = str_sub(rest, strlen("]."), rest.n);
    return (struct place){
        .heading = "Action",
        .label = arena_join(a,
                            str_is(member, "tool")     ? STR("Tool")
                            : str_is(member, "target") ? STR("Target")
                                                       : member,
                            STR(" of call "), arena_number(a, i + 1))};
}

static struct place amend_groups_place(struct arena *a, struct str path)
{
    const struct str whole = STR("subject.");
    if (str_starts(path, whole))
        path = str_sub(path, whole.n, path.n);
    if (str_starts(path, STR("calls[")))
        return amend_groups_of_call(a, path);
    for (size_t i = 0; i < countof(parts); i++) {
        const struct str begin = str_of(parts[i].path);
        if (parts[i].label ? str_eq(path, begin) : str_starts(path, begin))
            return (struct place){
                .heading = parts[i].heading,
                .label = parts[i].label ? str_of(parts[i].label)
                                        : str_sub(path, begin.n, path.n)};
    }
    return (struct place){.heading = "Additional data", .label = path};
}

struct str answer_amend_groups_label(struct arena *a, struct str path)
{
    return amend_groups_place(a, path).label;
}

struct str answer_amend_groups_name(struct arena *a,
                                    const struct json *subject,
                                    struct str path)
{
    const struct place p = amend_groups_place(a, path);
    return p.call && json_count(json_get(subject, "calls")) > 1
               ? arena_join(a, p.label, STR(" of call "),
                            arena_number(a, (int64_t)p.call))
               : p.label;
}

/* The fields of one call (from 1 on), or of one heading. */
static struct json *amend_groups_fields(struct arena *a, size_t call,
                                        const char *heading,
                                        const struct json *form,
                                        const struct json *faces)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(faces); i++) {
        const struct place p =
            amend_groups_place(a, json_get_text(json_at(form, i), "key"));
        if (call ? p.call == call
                 : !p.call && str_is(str_of(p.heading), heading))
            json_add_json(list, json_at(faces, i));
    }
    return list;
}

/* Adds a group, where it has any fields. */
static void amend_groups_add(struct page_view *v, struct json *list,
                             const struct kinds_card_heading *of, bool named,
                             const struct json *fields)
{
    struct json *o = json_object(v->a);
    if (json_count(fields) == 0)
        return;
    kinds_card_set_heading(o, of);
    json_set_bool(o, "headed", of->heading[0] || of->tool.p);
    json_set_bool(o, "named", named);
    json_set_json(o, "fields", fields);
    json_add_json(list, o);
}

struct json *answer_amend_groups(struct page_view *v,
                                 const struct json *subject,
                                 const struct json *form,
                                 const struct json *faces)
{
    const struct json *calls = json_get(subject, "calls");
    const size_t n = json_count(calls);
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < n; i++) {
        const struct json *call = json_at(calls, i);
        const struct str own = json_get_text(call, "target");
        const struct kinds_card_heading of = {
            .n = i + 1,
            .heading = "",
            .tool = json_get_text(call, "tool"),
            .target = own.p || n > 1 ? own : json_get_text(subject, "target")};
        amend_groups_add(v, list, &of, false,
                         amend_groups_fields(v->a, i + 1, "", form, faces));
    }
    for (size_t i = 0; i < countof(headings); i++) {
        const struct kinds_card_heading of = {.heading = headings[i].words};
        amend_groups_add(
            v, list, &of, headings[i].named,
            amend_groups_fields(v->a, 0, headings[i].words, form, faces));
    }
    return list;
}

struct json *answer_amend_groups_one(struct page_view *v,
                                     const struct json *faces)
{
    const struct kinds_card_heading none = {.heading = ""};
    struct json *list = json_array(v->a);
    amend_groups_add(v, list, &none, false, faces);
    return list;
}
