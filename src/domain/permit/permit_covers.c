/* Does a permit cover a call? */
#include "domain/permit/permit_covers.h"

#include <string.h>

#include "base/json/fields.h"
#include "domain/kind/kind.h"
#include "domain/permit/tool_call.h"

const char permit_covers_tool[] = "permit.tool";

/* ---- one member ----------------------------------------------------- */

/* Does v keep the limit? For a text that is not a decimal, true and false only
 * an equal value does. */
static bool covers_within(const struct json *limit, const struct json *v)
{
    struct decimal most, now;
    if (json_is_number(limit))
        return json_is_number(v) && json_double(v) >= 0 &&
               json_compare(v, limit) <= 0;
    if (json_is(limit, JSON_ARRAY))
        return json_lists(limit, v);
    if (decimal_read(json_text(limit), &most))
        return decimal_read(json_text(v), &now) &&
               decimal_compare(now, most) <= 0;
    return (json_is(limit, JSON_BOOL) || json_is(limit, JSON_STRING)) &&
           json_equal(limit, v);
}

static const struct err *covers_missing(struct arena *a, struct str name)
{
    return err_at(a, ERR_INVALID, "permit.missing", name,
                  "The permit is for a call that has this member.");
}

/* ---- a call --------------------------------------------------------- */

/* Each exact member has to be there with its value, each limited one within
 * its limit, and no other. */
static const struct err *covers_check_detail(struct arena *a,
                                             const struct json *detail,
                                             const struct json *arguments)
{
    const struct json *exact = json_get(detail, "arguments");
    const struct json *limits = json_get(detail, "constraints");
    for (struct json_iter i = json_iter(exact); json_next(&i);) {
        if (!json_has(arguments, i.key.p))
            return covers_missing(a, i.key);
        if (!json_equal(i.value, json_get_str(arguments, i.key)))
            return err_at(a, ERR_INVALID, "permit.other", i.key,
                          "The permit is for another value of this member.");
    }
    for (struct json_iter i = json_iter(limits); json_next(&i);) {
        if (!json_has(arguments, i.key.p))
            return covers_missing(a, i.key);
        if (!covers_within(i.value, json_get_str(arguments, i.key)))
            return err_at(
                a, ERR_INVALID, "permit.limit", i.key,
                "This exceeds the limit of the permit, or has another type.");
    }
    for (struct json_iter i = json_iter(arguments); json_next(&i);) {
        if (!json_has(exact, i.key.p) && !json_has(limits, i.key.p))
            return err_at(a, ERR_INVALID, "permit.extra", i.key,
                          "The permit is for a call without this member.");
    }
    return NULL;
}

const struct err *permit_covers(struct arena *a, const struct json *granted,
                                struct str tool, const struct json *arguments,
                                const struct json **detail)
{
    const struct err *first = NULL;
    for (size_t i = 0; i < json_count(granted); i++) {
        const struct json *one = json_at(granted, i);
        /* Details of other types cover no call. */
        if (!str_is(json_get_text(one, "type"), permit_details_type) ||
            !str_eq(json_get_text(one, "tool"), tool))
            continue;
        const struct err *e =
            json_is(arguments, JSON_OBJECT)
                ? covers_check_detail(a, one, arguments)
                : err_at(a, ERR_INVALID, tool_call_arguments,
                         STR("arguments"),
                         "The arguments have to be an object.");
        if (!e) {
            if (detail)
                *detail = one;
            return NULL;
        }
        if (!first)
            first = e;
    }
    if (first)
        return first;
    return err_at(a, ERR_INVALID, permit_covers_tool, STR("tool"),
                  "The permit is for another tool.");
}

/* ---- several calls --------------------------------------------------- */

#define NO_CALL SIZE_MAX

/* Which call has which of the details. */
struct matching {
    size_t details;
    bool fits[PERMIT_DETAILS_MAX][PERMIT_DETAILS_MAX]; /* a call, a detail */
    size_t call_of[PERMIT_DETAILS_MAX]; /* the call that has it, or NO_CALL */
    bool tried[PERMIT_DETAILS_MAX];
};

/* Finds a detail for the call; one that has it may go to another. */
static bool covers_match(struct matching *x, size_t call)
{
    for (size_t i = 0; i < x->details; i++) {
        if (x->tried[i] || !x->fits[call][i])
            continue;
        x->tried[i] = true;
        if (x->call_of[i] == NO_CALL || covers_match(x, x->call_of[i])) {
            x->call_of[i] = call;
            return true;
        }
    }
    return false;
}

bool permit_covers_each(struct arena *a, const struct json *granted,
                        const struct permit_covers_call *calls, size_t n)
{
    struct matching *x = arena_new(a, struct matching);
    bool all = n <= PERMIT_DETAILS_MAX &&
               json_count(granted) <= PERMIT_DETAILS_MAX;
    x->details = json_count(granted);
    for (size_t i = 0; all && i < x->details; i++) {
        x->call_of[i] = NO_CALL;
        const struct json *one = json_at(granted, i);
        for (size_t k = 0; k < n; k++)
            x->fits[k][i] =
                str_is(json_get_text(one, "type"), permit_details_type) &&
                str_eq(json_get_text(one, "tool"), calls[k].tool) &&
                json_is(calls[k].arguments, JSON_OBJECT) &&
                !covers_check_detail(a, one, calls[k].arguments);
    }
    for (size_t i = 0; all && i < n; i++) {
        memset(x->tried, 0, sizeof x->tried);
        all = covers_match(x, i);
    }
    return all;
}

/* ---- the budget ----------------------------------------------------- */

static const struct err *covers_wrong(struct arena *a, struct str path,
                                      const char *key, const char *say)
{
    return err_at(a, ERR_INVALID, permit_details_wrong,
                  fields_path(a, path, key), "%s", say);
}

/* A currency that a call may choose is none that a sum can be in. */
static bool covers_fits_unit(const struct json *detail, struct str unit)
{
    struct json_iter limit = json_iter(json_get(detail, "constraints"));
    struct json_iter exact = json_iter(json_get(detail, "arguments"));
    while (json_next(&limit))
        if (str_is_nocase(limit.key, "currency"))
            return false;
    while (json_next(&exact))
        if (str_is_nocase(exact.key, "currency") &&
            !str_eq(json_text(exact.value), unit))
            return false;
    return true;
}

const struct err *permit_covers_budget_read(struct arena *a,
                                            const struct json *v,
                                            struct str path,
                                            const struct json *details,
                                            struct permit_covers_budget *out)
{
    struct fields f = fields(a, v, path);
    struct permit_covers_budget b = {.unit = STR_NONE};
    struct str amount = STR_NONE;
    struct decimal limit;
    fields_only(&f, "amount unit of");
    fields_need(&f, "amount");
    fields_need(&f, "unit");
    fields_need(&f, "of");
    fields_text(&f, "amount", 32, &amount);
    fields_text(&f, "unit", KIND_UNIT_MAX, &b.unit);
    fields_text(&f, "of", 200, &b.of);
    TRY(fields_error(&f));
    if (!decimal_read(amount, &b.amount) || decimal_zero(b.amount))
        return covers_wrong(a, path, "amount",
                            "A budget is a decimal text above zero, such as "
                            "\"100.00\".");
    if (str_trim(b.unit).n == 0)
        return covers_wrong(a, path, "unit",
                            "A budget has a unit, such as EUR.");
    for (size_t i = 0; i < json_count(details); i++) {
        const struct json *one = json_at(details, i);
        const struct json *counted =
            json_get_str(json_get(one, "constraints"), b.of);
        if (!decimal_read(json_text(counted), &limit))
            return covers_wrong(
                a, path, "of",
                "A budget counts a constraint of every detail that "
                "is a decimal text such as \"50.00\".");
        if (!covers_fits_unit(one, b.unit))
            return covers_wrong(
                a, path, "unit",
                "The unit of a budget is the currency of every "
                "detail, which has to be an exact argument there.");
    }
    *out = b;
    return NULL;
}

const struct err *permit_covers_spend(const struct permit_covers_budget *budget,
                                      struct decimal spent,
                                      const struct json *arguments,
                                      struct decimal *amount,
                                      struct decimal *sum)
{
    const struct json *v = json_get_str(arguments, budget->of);
    if (decimal_read(json_text(v), amount) &&
        decimal_add(spent, *amount, sum) &&
        decimal_compare(*sum, budget->amount) <= 0)
        return NULL;
    return ERROR(ERR_CONFLICT, "permit.budget",
                 "This use would take more than is left of the budget.");
}
