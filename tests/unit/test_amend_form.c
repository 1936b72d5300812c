/* The fields by which a yes allows less: what they show, and what comes back
 * from them. */
#include "doors/pages/answer/amend.h"
#include "doors/pages/answer/amend_form.h"
#include "doors/pages/answer/amend_groups.h"

#include "suite.h"

SUITE(answer_amend);

static struct pairs posted(const char *text)
{
    struct pairs p;
    cr_assert_null(request_form(a, str_of(text), REQUEST_PAIRS_MAX, &p));
    return p;
}

static struct json *choice_of(const char *takes)
{
    struct json *o = json_object(a);
    json_set_text(o, "takes", str_of(takes));
    return o;
}

/* The parsed values, or the errors, as JSON. */
static const char *read_back(const char *takes, const char *subject,
                             const char *form)
{
    const struct suspension s = {.subject = str_of(subject)};
    const struct pairs p = posted(form);
    struct amend_sent sent;
    const struct err *e =
        answer_amend_form_read(a, &s, choice_of(takes), &p, &sent);
    cr_expect(!e || str_is(str_of(e->code), "amend.field"));
    const struct json *shown = e                  ? json_get(e->more, "fields")
                               : sent.constraints ? sent.constraints
                                                  : sent.subject;
    return shown ? arena_z(a, json_dump(a, shown, 1 << 16)) : "none";
}

static const char cost[] = "{\"limit\":{\"amount\":18.50,\"unit\":\"USD\"}}";
static const char time_of[] = "{\"duration\":{\"seconds\":7200}}";

Test(answer_amend, one_number)
{
    static const char *const cases[][4] = {
        {"limit", cost, "f1=7.25", "{\"limit\":7.25}"},
        {"limit", cost, "f1=+18.50+", "{\"limit\":18.50}"},
        {"limit", cost, "", "none"},
        {"limit", cost, "f1=",
         "{\"constraints.limit\":\"Enter a number, such as 1500 or "
         "1500.5.\"}"},
        {"seconds", time_of, "f1=2&f2=hours", "{\"seconds\":7200}"},
        {"seconds", time_of, "f1=90&f2=minutes", "{\"seconds\":5400}"},
        {"seconds", time_of, "f1=1&f2=weeks", "{\"unit\":\"Choose a unit.\"}"},
        {"seconds", time_of, "f1=31622401&f2=days",
         "{\"constraints.seconds\":\"Enter a whole number, 1 or more.\"}"},
    };
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_str_eq(read_back(cases[i][0], cases[i][1], cases[i][2]),
                         cases[i][3], "%zu", i);
}

Test(answer_amend, named_limits)
{
    const char *subject = "{\"constraints\":{\"unit\":\"EUR\",\"max\":500,"
                          "\"\":[1,\"1\",{\"a\":2}],\"none\":[]}}";
    cr_expect_str_eq(read_back("constraints", subject,
                               "f1=20&f2[]=2&f2[]=0&f2[]=7&f2[]=0"),
                     "{\"max\":20,\"\":[1,{\"a\":2}]}");
    cr_expect_str_eq(read_back("constraints", subject, "f1=500"),
                     "{\"max\":500,\"\":[]}");
    cr_expect_str_eq(read_back("constraints", subject, "f1=[500]"),
                     "{\"constraints.max\":\"Enter a number, such as 1500 or "
                     "1500.5.\"}");
}

Test(answer_amend, decimal_texts_are_limits_that_stay_texts)
{
    const char *subject =
        "{\"constraints\":{\"amount\":\"50.00\",\"unit\":\"EUR\"}}";
    cr_expect_str_eq(read_back("constraints", subject, "f1=30.00"),
                     "{\"amount\":\"30.00\"}");
    cr_expect_str_eq(read_back("constraints", subject, "f1=+30+"),
                     "{\"amount\":\"30\"}");
    cr_expect_str_eq(read_back("constraints", subject, "f1=3e1"),
                     "{\"constraints.amount\":\"Enter a number with at most "
                     "six decimals, such as 49.90.\"}");
}

Test(answer_amend, what_was_not_touched_stays)
{
    const char *subject = "{\"a\":\"x\\r\\ny\\rz\",\"n\":1.50,\"b\":false,"
                          "\"l\":[\"\",2]}";
    cr_expect_str_eq(
        read_back("subject", subject,
                  "f1=x%0D%0Ay%0D%0Az&f2=1.50&f3=false&f4=&f5=2"),
        "{\"a\":\"x\\r\\ny\\rz\",\"n\":1.50,\"b\":false,\"l\":[\"\",2]}");
    cr_expect_str_eq(read_back("subject", subject,
                               "f1=x&f2=1.5&f3=true&f4=new&f5=02"),
                     "{\"subject.l[1]\":\"Enter a number, such as 1500 or "
                     "1500.5.\"}");
    cr_expect_str_eq(read_back("subject", subject,
                               "f1=&f2=2&f3=true&f4=new&f5=3"),
                     "{\"a\":\"\",\"n\":2,\"b\":true,\"l\":[\"new\",3]}");
}

Test(answer_amend, which_subjects_have_fields)
{
    struct buf many = buf_make(a, 4096);
    buf_put(&many, "[0");
    for (int i = 0; i < 40; i++)
        buf_put(&many, ",0");
    buf_put(&many, "]");
    static const char *const flat[] = {"{\"a\":1}", "{\"a\":[{\"b\":true}]}"};
    const char *const not[] = {
        "{\"a\":null}",    "{\"a\":{}}",   "{\"a\":[]}",
        "{\"a.b\":1}",     "{\"\":1}",     "{\"a b\":1}",
        "[[[[[[[1]]]]]]]", arena_z(a, buf_text(&many))};
    for (size_t i = 0; i < countof(flat); i++)
        cr_expect(answer_amend_form_flat(tree(flat[i])), "%s", flat[i]);
    for (size_t i = 0; i < countof(not); i++)
        cr_expect(!answer_amend_form_flat(tree(not [i])), "%s", not [i]);
}

Test(answer_amend, a_value_has_the_name_that_the_page_gives_it)
{
    static const char *const cases[][2] = {
        {"subject.calls[0].args.amount", "amount"},
        {"subject.calls[1].args.to[0].name", "to[0].name"},
        {"subject.calls[1].tool", "Tool of call 2"},
        {"subject.calls[0].target", "Target of call 1"},
        {"subject.calls[0].dry", "dry of call 1"},
        {"subject.action.name", "Action"},
        {"subject.action.provider", "Provider"},
        {"subject.action.way", "action.way"},
        {"subject.target", "Target"},
        {"subject.target.id", "target.id"},
        {"subject.scope_summary", "Scope"},
        {"subject.consequence", "Consequence"},
        {"subject.reversible", "Reversible"},
        {"subject.safe_input.fields.order", "order"},
        {"subject.safe_input.rows", "rows"},
        {"subject.constraints.max_amount", "max_amount"},
        {"subject.authorization_details[0].type", "[0].type"},
        {"subject.note", "note"}};
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_str_eq(
            arena_z(a, answer_amend_groups_label(a, str_of(cases[i][0]))),
            cases[i][1]);
}

Test(answer_amend, each_value_is_in_one_group)
{
    struct page_view v = page_view(a, 1);
    const struct suspension s = {
        .subject = STR("{\"action\":{\"name\":\"a\"},\"target\":\"t\","
                       "\"calls\":[{\"tool\":\"x\",\"args\":{\"n\":1}},"
                       "{\"tool\":\"y\",\"args\":{\"n\":2,\"m\":3}}],"
                       "\"consequence\":\"c\",\"note\":\"o\"}")};
    const struct json *form = answer_amend_form(a, &s, TAKES_SUBJECT);
    const struct json *groups =
        answer_amend_groups(&v, suspension_subject(a, &s), form, form);
    struct buf b = buf_make(a, 1024);
    for (size_t i = 0; i < json_count(groups); i++) {
        const struct json *one = json_at(groups, i);
        const struct json *fields = json_get(one, "fields");
        buf_put(&b, i ? "; " : "");
        buf_str(&b, json_get_text(one, "heading"));
        buf_str(&b, json_get_text(one, "tool"));
        for (size_t k = 0; k < json_count(fields); k++) {
            buf_put(&b, k ? ", " : ": ");
            buf_str(&b, json_get_text(json_at(fields, k), "label"));
        }
    }
    cr_expect(str_is(buf_text(&b),
                     "x: n; y: n, m; Action: Action, Target, Tool of call 1, "
                     "Tool of call 2; Additional data: note; Consequence: "
                     "Consequence"),
              "%s", arena_z(a, buf_text(&b)));
}

Test(answer_amend, a_form_stays_within_the_pairs_of_a_post)
{
    struct json *subject = json_object(a), *limits = json_object(a);
    struct json *list = json_array(a);
    for (int64_t i = 0; i < 40; i++)
        json_add_json(list, json_integer(a, i));
    for (int i = 0; i < 60; i++) {
        struct buf key = buf_make(a, 32);
        buf_printf(&key, "k%d", i);
        json_set_key(limits, buf_text(&key),
                     i % 2 ? list : json_integer(a, 5));
    }
    json_set_json(subject, "constraints", limits);
    const struct suspension s = {.subject = json_dump(a, subject, 1 << 20)};
    const struct json *form = answer_amend_form(a, &s, TAKES_CONSTRAINTS);
    size_t pairs = 0;
    for (size_t i = 0; i < json_count(form); i++) {
        const struct json *options = json_get(json_at(form, i), "options");
        pairs += options ? json_count(options) : 1;
    }
    cr_expect_gt(json_count(form), 30);
    cr_expect_lt(pairs, REQUEST_PAIRS_MAX - 20);
}

Test(answer_amend, only_a_change_has_to_be_seen)
{
    const struct json *choice = choice_of("limit");
    struct suspension s = {.kind = KIND_COST_CONFIRMATION,
                           .subject = str_of(cost),
                           .constraints = STR_NONE};
    const struct pairs plain = posted("value=confirm");
    const struct pairs look = posted("look=confirm&value=confirm");
    cr_expect(!answer_amend_unseen(a, &s, choice, &plain));
    cr_expect(answer_amend_unseen(a, &s, choice, &look));
    s.constraints = STR("{\"limit\":18.50}");
    cr_expect(!answer_amend_unseen(a, &s, choice, &plain));
    s.constraints = STR("{\"limit\":18}");
    cr_expect(answer_amend_unseen(a, &s, choice, &plain));
    cr_expect(answer_amend_unseen(a, &s, choice_of("steps"), &plain));
    cr_expect(!answer_amend_unseen(a, &s, choice_of("nothing"), &plain));
}
