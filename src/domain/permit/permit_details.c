/* Authorization details: read, made and narrowed. */
#include "domain/permit/permit_details.h"

#include "base/json/fields.h"
#include "domain/permit/tool_call.h"
#include "domain/question/amend.h"

const char permit_details_type[] = "tool_call";
const char permit_details_wrong[] = "permit.details";

/* ---- reading -------------------------------------------------------- */

static const struct err *details_wrong(struct arena *a, struct str at,
                                       const char *say)
{
    return err_at(a, ERR_INVALID, permit_details_wrong, at, "%s", say);
}

/* May the value be a limit? */
static bool details_is_limit(const struct json *v)
{
    switch (json_type(v)) {
    case JSON_INT:
    case JSON_DOUBLE:
        return json_double(v) >= 0;
    case JSON_BOOL:
    case JSON_STRING:
        return true;
    case JSON_ARRAY:
        return json_count(v) > 0 && json_count(v) <= PERMIT_DETAILS_LIST_MAX;
    case JSON_NULL:
    case JSON_OBJECT:
    case JSON__MAX:
    default:
        return false;
    }
}

static const struct err *details_check_limits(struct arena *a, struct str path,
                                              const struct json *arguments,
                                              const struct json *limits)
{
    for (struct json_iter i = json_iter(limits); json_next(&i);) {
        if (!details_is_limit(i.value))
            return details_wrong(
                a, fields_path(a, path, arena_z(a, i.key)),
                "A constraint is a number from 0 on, a text, true or "
                "false, or a list of what is allowed.");
        if (json_has(arguments, i.key.p))
            return details_wrong(
                a, fields_path(a, path, i.key.p),
                "A member is exact or has a limit, not both.");
    }
    return NULL;
}

static const struct err *
details_check_detail(struct arena *a, const struct json *v, struct str path)
{
    const struct json *arguments = json_get(v, "arguments");
    const struct json *limits = json_get(v, "constraints");
    if (!json_is(v, JSON_OBJECT))
        return details_wrong(a, path, "A detail is an object.");
    if (!str_is(json_get_text(v, "type"), permit_details_type))
        return details_wrong(a, fields_path(a, path, "type"),
                             "The only supported type is tool_call.");
    for (struct json_iter i = json_iter(v); json_next(&i);) {
        if (!str_listed(STR("type tool arguments constraints"), i.key))
            return details_wrong(a, fields_path(a, path, i.key.p),
                                 "A detail has type, tool, arguments and "
                                 "constraints, and nothing else.");
    }
    if (!tool_call_name(json_get_text(v, "tool")))
        return details_wrong(
            a, fields_path(a, path, "tool"),
            "A detail needs a \"tool\" of visible characters.");
    if (!json_is(arguments, JSON_OBJECT))
        return details_wrong(
            a, fields_path(a, path, "arguments"),
            "\"arguments\" is the object of the members that are "
            "exact; {} where there are none.");
    if (json_has(v, "constraints") && !json_is(limits, JSON_OBJECT))
        return details_wrong(a, fields_path(a, path, "constraints"),
                             "\"constraints\" is an object of limits.");
    return details_check_limits(a, fields_path(a, path, "constraints"),
                                arguments, limits);
}

const struct err *permit_details_check(struct arena *a,
                                       const struct json *list,
                                       struct str path)
{
    const size_t n = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    if (n < 1 || n > PERMIT_DETAILS_MAX)
        return err_at(a, ERR_INVALID, permit_details_wrong, path,
                      "This is a list of 1 to %d details.",
                      PERMIT_DETAILS_MAX);
    for (size_t i = 0; i < n; i++)
        TRY(details_check_detail(a, json_at(list, i),
                                 fields_element(a, path, i)));
    return NULL;
}

/* ---- made of calls -------------------------------------------------- */

struct json *permit_details_of_calls(struct arena *a, const struct json *list,
                                     bool args_needed)
{
    struct json *made = json_array(a);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *call = json_at(list, i);
        const struct json *args = json_get(call, "args");
        struct json *detail = json_object(a);
        if (!json_get(call, "tool") || (args_needed && !args))
            continue;
        json_set_text(detail, "type", str_of(permit_details_type));
        json_set_json(detail, "tool", json_get(call, "tool"));
        json_set_json(detail, "arguments", args ? args : json_object(a));
        json_add_json(made, detail);
    }
    return permit_details_check(a, made, STR("calls")) ? NULL : made;
}

const struct err *permit_details_of_action(struct arena *a,
                                           const struct json *v,
                                           struct str path,
                                           struct json **out)
{
    struct fields f = fields(a, v, path);
    struct str provider, action;
    const struct json *params = NULL;
    fields_only(&f, "provider action params");
    fields_need(&f, "provider");
    fields_need(&f, "action");
    fields_text(&f, "provider", TOOL_CALL_NAME_MAX, &provider);
    fields_text(&f, "action", TOOL_CALL_NAME_MAX, &action);
    fields_json(&f, "params", JSON_OBJECT, &params);
    TRY(fields_error(&f));
    struct json *call = json_object(a), *calls = json_array(a);
    json_set_text(call, "tool", arena_join(a, provider, STR("."), action));
    if (params)
        json_set_json(call, "args", params);
    json_add_json(calls, call);
    *out = provider.n > 0 && action.n > 0
               ? permit_details_of_calls(a, calls, false)
               : NULL;
    return *out ? NULL
                : details_wrong(
                      a, path,
                      "An action has a provider and a name, in visible "
                      "characters without a space.");
}

const struct err *permit_details_limit(struct arena *a, struct json *list,
                                       const struct json *limits,
                                       struct str path)
{
    struct json *detail = json_at(list, 0);
    struct json *exact = json_object(a);
    if (json_count(list) != 1)
        return details_wrong(a, path,
                             "Limits can be given for a single call only.");
    const struct json *arguments = json_get(detail, "arguments");
    for (struct json_iter i = json_iter(arguments); json_next(&i);) {
        if (!json_has(limits, i.key.p))
            json_set_key(exact, i.key, i.value);
    }
    json_set_json(detail, "arguments", exact);
    json_set_json(detail, "constraints", limits);
    return details_check_limits(a, path, exact, limits);
}

/* ---- limits --------------------------------------------------------- */

/* "amount", or "2.amount" where there are several details. */
static struct str details_limit_name(struct arena *a, const struct json *list,
                                     size_t place, struct str name)
{
    return json_count(list) > 1
               ? arena_join(a, arena_number(a, (int64_t)place + 1), STR("."),
                            name)
               : name;
}

struct json *permit_details_limits(struct arena *a, const struct json *list)
{
    struct json *all = json_object(a);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *limits =
            json_get(json_at(list, i), "constraints");
        for (struct json_iter k = json_iter(limits); json_next(&k);)
            json_set_key(all, details_limit_name(a, list, i, k.key), k.value);
    }
    return json_count(all) ? all : NULL;
}

/* Puts the new value of a limit where it belongs. */
static void details_put_limit(struct arena *a, struct json *list,
                              struct str name, const struct json *v)
{
    for (size_t i = 0; i < json_count(list); i++) {
        struct json *limits = json_get(json_at(list, i), "constraints");
        for (struct json_iter k = json_iter(limits); json_next(&k);) {
            if (str_eq(details_limit_name(a, list, i, k.key), name)) {
                json_set_key(limits, k.key, v);
                return;
            }
        }
    }
}

const struct err *permit_details_narrow(struct arena *a,
                                        const struct json *asked,
                                        const struct json *limits,
                                        struct json **out)
{
    const struct json *was = permit_details_limits(a, asked);
    struct json *now = json_copy(a, asked);
    for (struct json_iter i = json_iter(limits); json_next(&i);) {
        const struct str at = fields_path(a, STR("constraints"), i.key.p);
        if (!json_has(was, i.key.p))
            return err_at(a, ERR_INVALID, amend_unknown, at,
                          "The permit has no such limit.");
        if (!amend_tighter(a, json_get_str(was, i.key), i.value))
            return err_at(a, ERR_INVALID, amend_wider, at,
                          "This is not tighter than what was asked for. An "
                          "answer may only allow less.");
        details_put_limit(a, now, i.key, i.value);
    }
    *out = now;
    return NULL;
}

const struct err *permit_details_text(struct arena *a, const struct json *list,
                                      struct str *out)
{
    struct buf b = buf_make(a, PERMIT_DETAILS_TEXT);
    if (!json_exact(list))
        return err_at(a, ERR_INVALID, permit_details_wrong, STR(""),
                      "A number of the permit has more digits than a double "
                      "holds. Send it as a string.");
    json_write_canonical(&b, list);
    if (b.over)
        return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                     "A permit may have at most 512 kB.");
    *out = buf_text(&b);
    return NULL;
}
