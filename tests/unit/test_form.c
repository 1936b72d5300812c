/* Forms: reading field lists, what a context defines, and browser text. */
#include "domain/kind/form.h"

#include "suite.h"

SUITE(form);

/* ---- reading -------------------------------------------------------- */

static const struct {
    const char *sent, *read;
} fields[] = {
    /* defaults of absent members */
    {"{'key':'k'}",
     "{'key':'k','label':'k','type':'string','required':false}"},
    {"{'key':'k','label':null,'type':null,'required':null,'help':null,"
     "'default':null,'min':null,'max':null,'min_length':null,"
     "'max_length':null,'format':null,'options':null}",
     "{'key':'k','label':'k','type':'string','required':false,"
     "'default':null}"},
    {"{'key':'k','label':'','help':''}",
     "{'key':'k','label':'k','type':'string','required':false}"},
    /* Every type with what belongs to it */
    {"{'key':'k','label':'L','type':'string','required':true,'help':'H',"
     "'default':'abc','min_length':1,'max_length':9}",
     "{'key':'k','label':'L','type':'string','required':true,'help':'H',"
     "'default':'abc','min_length':1,'max_length':9}"},
    {"{'key':'k','type':'text','min_length':0,'max_length':20000}",
     "{'key':'k','label':'k','type':'text','required':false,"
     "'min_length':0,'max_length':20000}"},
    {"{'key':'k','type':'integer','min':-5,'max':5,'default':0}",
     "{'key':'k','label':'k','type':'integer','required':false,'min':-5,"
     "'max':5,'default':0}"},
    {"{'key':'k','type':'integer','min':9007199254740993,"
     "'max':9007199254740993,'default':9007199254740993}",
     "{'key':'k','label':'k','type':'integer','required':false,"
     "'min':9007199254740993,'max':9007199254740993,"
     "'default':9007199254740993}"},
    {"{'key':'k','type':'number','min':0.5,'max':5,'default':0.5}",
     "{'key':'k','label':'k','type':'number','required':false,'min':0.5,"
     "'max':5,'default':0.5}"},
    {"{'key':'k','type':'number','min':3,'max':3}",
     "{'key':'k','label':'k','type':'number','required':false,'min':3,"
     "'max':3}"},
    {"{'key':'k','type':'boolean','default':false}",
     "{'key':'k','label':'k','type':'boolean','required':false,"
     "'default':false}"},
    {"{'key':'k','type':'enum','options':['a','b'],'default':'b'}",
     "{'key':'k','label':'k','type':'enum','required':false,'options':["
     "{'value':'a','label':'a'},{'value':'b','label':'b'}],'default':'b'}"},
    {"{'key':'k','type':'enum','options':[{'value':'a','label':'A'},"
     "{'value':'b'},{'value':'c','label':''}]}",
     "{'key':'k','label':'k','type':'enum','required':false,'options':["
     "{'value':'a','label':'A'},{'value':'b','label':'b'},"
     "{'value':'c','label':'c'}]}"},
    {"{'key':'k','type':'multi','options':['a','b'],'default':['a','b']}",
     "{'key':'k','label':'k','type':'multi','required':false,'options':["
     "{'value':'a','label':'a'},{'value':'b','label':'b'}],"
     "'default':['a','b']}"},
    /* Every format */
    {"{'key':'k','format':'email','default':'a@b.example'}",
     "{'key':'k','label':'k','type':'string','required':false,"
     "'format':'email','default':'a@b.example'}"},
    {"{'key':'k','format':'uri','default':'https://a.example/'}",
     "{'key':'k','label':'k','type':'string','required':false,"
     "'format':'uri','default':'https://a.example/'}"},
    {"{'key':'k','format':'date','default':'2026-11-20'}",
     "{'key':'k','label':'k','type':'string','required':false,"
     "'format':'date','default':'2026-11-20'}"},
    {"{'key':'k','format':'date-time','default':'2026-11-20T09:30:00'}",
     "{'key':'k','label':'k','type':'string','required':false,"
     "'format':'date-time','default':'2026-11-20T09:30:00'}"},
};

Test(form, read)
{
    for (size_t i = 0; i < countof(fields); i++) {
        struct json *list = json_array(a), *wanted = json_array(a), *out;
        json_add_json(list, tree(fields[i].sent));
        json_add_json(wanted, tree(fields[i].read));
        expect(form_read(a, list, &out), NULL, NULL, fields[i].sent);
        /* A default of null is no default. */
        if (json_has(json_at(out, 0), "default") &&
            !json_get(json_at(out, 0), "default"))
            json_unset(json_at(out, 0), STR("default"));
        if (!json_get(json_at(wanted, 0), "default"))
            json_unset(json_at(wanted, 0), STR("default"));
        cr_assert(json_equal(out, wanted), "%s: %s", fields[i].sent,
                  text_of(out));
    }
}

Test(form, read_keeps_the_order)
{
    struct json *out = NULL;
    expect(form_read(a, tree("[{'key':'z'},{'key':'a'},{'key':'m'}]"), &out),
           NULL, NULL, "order");
    cr_assert_eq(json_count(out), 3);
    static const char *const keys[] = {"z", "a", "m"};
    for (size_t i = 0; i < 3; i++)
        cr_assert(str_is(json_get_text(json_at(out, i), "key"), keys[i]));
}

static const struct {
    const char *field, *code, *at;
} refused[] = {
    {"5", "body.not_object", "form[0]"},
    {"'k'", "body.not_object", "form[0]"},
    {"null", "body.not_object", "form[0]"},
    {"{}", "field.missing", "form[0].key"},
    {"{'key':null}", "field.missing", "form[0].key"},
    {"{'key':''}", "field.empty", "form[0].key"},
    {"{'key':5}", "field.type", "form[0].key"},
    {"{'key':'k','label':5}", "field.type", "form[0].label"},
    {"{'key':'k','help':5}", "field.type", "form[0].help"},
    {"{'key':'k','required':1}", "field.type", "form[0].required"},
    {"{'key':'k','required':'yes'}", "field.type", "form[0].required"},
    {"{'key':'k','placeholder':'p'}", "field.unknown", "form[0].placeholder"},
    /* types and formats */
    {"{'key':'k','type':'password'}", "field.value", "form[0].type"},
    {"{'key':'k','type':'object'}", "field.value", "form[0].type"},
    {"{'key':'k','type':'String'}", "field.value", "form[0].type"},
    {"{'key':'k','type':''}", "field.value", "form[0].type"},
    {"{'key':'k','type':5}", "field.value", "form[0].type"},
    {"{'key':'k','format':'phone'}", "field.value", "form[0].format"},
    {"{'key':'k','format':'date time'}", "field.value", "form[0].format"},
    /* bounds */
    {"{'key':'k','type':'number','min':'1'}", "field.type", "form[0].min"},
    {"{'key':'k','type':'number','max':true}", "field.type", "form[0].max"},
    {"{'key':'k','type':'number','max':[1]}", "field.type", "form[0].max"},
    {"{'key':'k','min_length':-1}", "field.range", "form[0].min_length"},
    {"{'key':'k','min_length':20001}", "field.range", "form[0].min_length"},
    {"{'key':'k','min_length':1.5}", "field.range", "form[0].min_length"},
    {"{'key':'k','max_length':0}", "field.range", "form[0].max_length"},
    {"{'key':'k','max_length':20001}", "field.range", "form[0].max_length"},
    {"{'key':'k','max_length':'9'}", "field.range", "form[0].max_length"},
    {"{'key':'k','min_length':3,'max_length':2}", "form.bounds",
     "form[0].max_length"},
    /* options */
    {"{'key':'k','type':'enum'}", "form.options", "form[0].options"},
    {"{'key':'k','type':'multi'}", "form.options", "form[0].options"},
    {"{'key':'k','type':'enum','options':[]}", "form.options",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':null}", "form.options",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':{}}", "field.type",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':['']}", "form.option",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':['a',5]}", "form.option",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':[null]}", "form.option",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':[{'label':'A'}]}", "form.option",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':[{'value':5}]}", "form.option",
     "form[0].options"},
    {"{'key':'k','type':'enum','options':[{'value':''}]}", "form.option",
     "form[0].options"},
    {"{'key':'k','options':'a'}", "field.type", "form[0].options"},
    /* a default that is no possible answer */
    {"{'key':'k','default':5}", "form.default", "form[0]"},
    {"{'key':'k','default':'abc','max_length':2}", "form.default", "form[0]"},
    {"{'key':'k','default':'a','min_length':2}", "form.default", "form[0]"},
    {"{'key':'k','default':'x','format':'email'}", "form.default", "form[0]"},
    {"{'key':'k','default':'','required':true}", "form.default", "form[0]"},
    {"{'key':'k','type':'integer','default':1.5}", "form.default", "form[0]"},
    {"{'key':'k','type':'integer','default':'1'}", "form.default", "form[0]"},
    {"{'key':'k','type':'number','default':9,'max':8}", "form.default",
     "form[0]"},
    {"{'key':'k','type':'number','default':1,'min':2}", "form.default",
     "form[0]"},
    {"{'key':'k','type':'boolean','default':'true'}", "form.default",
     "form[0]"},
    {"{'key':'k','type':'enum','options':['a'],'default':'b'}",
     "form.default", "form[0]"},
    {"{'key':'k','type':'multi','options':['a'],'default':'a'}",
     "form.default", "form[0]"},
    {"{'key':'k','type':'multi','options':['a'],'default':['a','b']}",
     "form.default", "form[0]"},
};

Test(form, read_refuses)
{
    for (size_t i = 0; i < countof(refused); i++) {
        struct json *list = json_array(a), *out = NULL;
        json_add_json(list, tree(refused[i].field));
        expect(form_read(a, list, &out), refused[i].code, refused[i].at,
               refused[i].field);
    }
}

Test(form, a_form_never_asks_for_a_secret)
{
    static const char *const keys[] = {
        "password", "Password", "db_password", "PASSWD", "secret",
        "client_secret", "api_key", "API_KEY", "apikey", "myApiKey2", "token",
        "access_token", "private_key", "PRIVATE_KEY_PEM", "credential",
        "credentials", "passphrase", "api-key", "accessToken", "auth_tokens",
        "token_of_tokens", "tokens_token", "secrets", "secretAccessKey"};
    static const char *const others[] = {
        "pass",       "key",       "public_key",  "amount",   "tok", "reason",
        "max_tokens", "MAXTOKENS", "tokenizer",   "secretary"};
    for (size_t i = 0; i < countof(keys) + countof(others); i++) {
        const bool secret = i < countof(keys);
        const char *key = secret ? keys[i] : others[i - countof(keys)];
        struct json *list = tree("[{'key':'first'},{'label':'L'}]"), *out;
        json_set_text(json_at(list, 1), "key", str_of(key));
        expect(form_read(a, list, &out), secret ? "form.secret" : NULL,
               "form[1].key", key);
    }
}

Test(form, nor_by_its_label)
{
    static const struct {
        const char *field;
        bool secret;
    } rows[] = {
        {"{'key':'x','label':'Your Password'}", true},
        {"{'key':'x','label':'API key of the shop'}", true},
        {"{'key':'x','label':'the PRIVATE-KEY','type':'text'}", true},
        {"{'key':'x','label':'Token'}", true},
        {"{'key':'x','label':'Access tokens','format':'uri'}", true},
        {"{'key':'x','label':'Max tokens'}", false},
        {"{'key':'x','label':'Name of the secretary'}", false},
        {"{'key':'x','label':'Tokens','type':'integer'}", false},
        {"{'key':'x','label':'Reset the password?','type':'boolean'}", false},
        {"{'key':'x','label':'Which credential?','type':'enum',"
         "'options':['a','b']}",
         false},
        {"{'key':'x','label':'City'}", false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct json *list = tree("[{'key':'first'}]"), *form = NULL;
        json_add_json(list, tree(rows[i].field));
        expect(form_read(a, list, &form), NULL, NULL, rows[i].field);
        expect(form_check_labels(a, form),
               rows[i].secret ? "form.secret" : NULL, "form[1].label",
               rows[i].field);
    }
    cr_assert(!form_check_labels(a, NULL));
}

/* Nobody could ever answer it. */
Test(form, read_refuses_bounds_that_no_number_meets)
{
    static const char *const lists[] = {
        "[{'key':'k','type':'number','min':2,'max':1}]",
        "[{'key':'k','type':'integer','min':2,'max':1.5}]",
        "[{'key':'k','type':'integer','min':9007199254740993,"
        "'max':9007199254740992}]",
        "[{'key':'k','type':'number','min':9007199254740993,"
        "'max':9007199254740992.0}]"};
    for (size_t i = 0; i < countof(lists); i++) {
        struct json *out = NULL;
        expect(form_read(a, tree(lists[i]), &out), "form.bounds",
               "form[0].max", lists[i]);
    }
}

Test(form, read_refuses_two_fields_of_one_name)
{
    struct json *out = NULL;
    expect(form_read(a, tree("[{'key':'k'},{'key':'m'},{'key':'k'}]"), &out),
           "form.duplicate", "form[2]", "twice");
}

Test(form, read_refuses_two_options_of_one_value)
{
    struct json *out = NULL;
    const struct err *e =
        form_read(a, tree("[{'key':'k','type':'enum','options':["
                          "{'value':'a','label':'A'},"
                          "{'value':'a','label':'B'}]}]"),
                  &out);
    cr_assert(e != NULL && e->kind == ERR_INVALID);
    cr_assert(str_is(e->at, "form[0].options"));
}

Test(form, read_has_ceilings)
{
    static const struct {
        const char *key;
        size_t max;
    } texts[] = {{"key", 64}, {"label", 200}, {"help", 1000}};
    for (size_t i = 0; i < countof(texts); i++) {
        for (size_t over = 0; over < 2; over++) {
            struct buf b = buf_make(a, 4096);
            for (size_t n = 0; n < texts[i].max + over; n++)
                buf_put(&b, "\xC3\xA9");
            struct json *list = tree("[{'key':'k'}]"), *out = NULL;
            json_set_text(json_at(list, 0), texts[i].key, buf_text(&b));
            expect(form_read(a, list, &out), over ? "field.too_long" : NULL,
                   NULL, texts[i].key);
        }
    }
}

Test(form, read_counts_options_and_their_characters)
{
    for (size_t n = FORM_OPTIONS_MAX; n < FORM_OPTIONS_MAX + 2; n++) {
        struct json *list = tree("[{'key':'k','type':'multi'}]"), *out = NULL;
        struct json *options = json_array(a);
        for (size_t i = 0; i < n; i++) {
            struct buf b = buf_make(a, 32);
            buf_printf(&b, "o%zu", i);
            json_add_text(options, buf_text(&b));
        }
        json_set_json(json_at(list, 0), "options", options);
        expect(form_read(a, list, &out),
               n > FORM_OPTIONS_MAX ? "form.options" : NULL, NULL, "options");
    }
    for (size_t n = 200; n < 202; n++) {
        struct buf b = buf_make(a, 1024);
        for (size_t i = 0; i < n; i++)
            buf_put(&b, "\xC3\xA9");
        struct json *list = tree("[{'key':'k','type':'enum'}]"), *out = NULL;
        struct json *options = json_array(a);
        json_add_text(options, buf_text(&b));
        json_set_json(json_at(list, 0), "options", options);
        expect(form_read(a, list, &out), n > 200 ? "field.too_long" : NULL,
               NULL, "option");
    }
}

Test(form, read_counts_fields)
{
    struct json *out = NULL;
    expect(form_read(a, json_array(a), &out), "form.fields", "form", "none");
    for (size_t n = FORM_FIELDS_MAX; n < FORM_FIELDS_MAX + 2; n++) {
        struct json *list = json_array(a);
        for (size_t i = 0; i < n; i++) {
            struct json *field = json_object(a);
            struct buf b = buf_make(a, 32);
            buf_printf(&b, "k%zu", i);
            json_set_text(field, "key", buf_text(&b));
            json_add_json(list, field);
        }
        expect(form_read(a, list, &out),
               n > FORM_FIELDS_MAX ? "form.fields" : NULL, "form", "many");
    }
}

/* ---- what a context defines ----------------------------------------- */

Test(form, of_a_context)
{
    const struct json *form = form_of_context(
        a, tree("{'s':'x','i':5,'d':1.5,'b':true,'n':null,'l':[1],"
                "'o':{'x':1}}"));
    static const char *const wanted[] = {
        "{'key':'s','label':'s','type':'string','required':false,"
        "'default':'x'}",
        "{'key':'i','label':'i','type':'integer','required':false,"
        "'default':5}",
        "{'key':'d','label':'d','type':'number','required':false,"
        "'default':1.5}",
        "{'key':'b','label':'b','type':'boolean','required':false,"
        "'default':true}",
        "{'key':'n','label':'n','type':'string','required':false}",
        "{'key':'l','label':'l','type':'string','required':false}",
        "{'key':'o','label':'o','type':'string','required':false}",
    };
    cr_assert_eq(json_count(form), countof(wanted));
    for (size_t i = 0; i < countof(wanted); i++)
        cr_assert(json_equal(json_at(form, i), tree(wanted[i])), "%s",
                  text_of(json_at(form, i)));
    cr_assert_eq(json_count(form_of_context(a, json_object(a))), 0);
    cr_assert_eq(json_count(form_of_context(a, NULL)), 0);
    cr_assert_eq(json_count(form_of_context(a, tree("['x']"))), 0);
}

Test(form, of_a_large_context)
{
    struct json *context = json_object(a);
    for (size_t i = 0; i < FORM_FIELDS_MAX + 10; i++) {
        struct buf b = buf_make(a, 32);
        buf_printf(&b, "k%zu", i);
        json_set_key(context, buf_text(&b), NULL);
    }
    cr_assert_eq(json_count(form_of_context(a, context)), FORM_FIELDS_MAX);
}

/* ---- text from a browser -------------------------------------------- */

static const struct {
    const char *type, *text, *is; /* is NULL: absent */
} values[] = {
    {"string", "", NULL},        {"integer", "", NULL},
    {"boolean", "", NULL},       {"enum", "", NULL},
    {"string", "x", "'x'"},      {"string", "5", "'5'"},
    {"string", " ", "' '"},      {"text", "true", "'true'"},
    {"text", "a\nb", "'a\\nb'"}, {"enum", "5", "'5'"},
    {"boolean", "true", "true"}, {"boolean", "false", "false"},
    {"boolean", "on", "'on'"},   {"boolean", "True", "'True'"},
    {"integer", "5", "5"},       {"integer", "-5", "-5"},
    {"integer", " 5 ", "5"},     {"integer", "0", "0"},
    {"integer", "9223372036854775807", "9223372036854775807"},
    {"integer", "9223372036854775808", "'9223372036854775808'"},
    {"integer", "5.0", "'5.0'"}, {"integer", "five", "'five'"},
    {"integer", "1e3", "'1e3'"}, {"integer", "5 5", "'5 5'"},
    {"number", "5", "5"},        {"number", "499.90", "499.90"},
    {"number", "-0.5", "-0.5"},  {"number", "1e3", "1e3"},
    {"number", " 7.5\t", "7.5"}, {"number", "1,5", "'1,5'"},
    {"number", "NaN", "'NaN'"},  {"number", "true", "'true'"},
    {"number", "'5'", "'\\u00275\\u0027'"},
    {"number", "[5]", "'[5]'"},  {"number", "null", "'null'"},
    {"number", "1e999", "'1e999'"},
};

Test(form, value_of_text)
{
    for (size_t i = 0; i < countof(values); i++) {
        struct json *field = json_object(a);
        json_set_text(field, "type", str_of(values[i].type));
        bool absent = values[i].is != NULL;
        const struct json *v =
            form_value(a, field, str_of(values[i].text), &absent);
        cr_assert_eq(absent, values[i].is == NULL, "%s", values[i].text);
        if (values[i].is) {
            const struct json *wanted = tree(values[i].is);
            cr_assert(json_equal(v, wanted) &&
                          json_type(v) == json_type(wanted),
                      "%s %s: %s", values[i].type, values[i].text,
                      text_of(v));
        }
    }
}

Test(form, a_number_is_taken_as_it_was_typed)
{
    bool absent = true;
    const struct json *v = form_value(a, tree("{'type':'number'}"),
                                      STR("499.90"), &absent);
    cr_assert_str_eq(text_of(v), "499.90");
}
