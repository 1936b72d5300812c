/* Forms as MCP servers ask for them: what each rule becomes, and what is
 * refused because no field can hold it. */
#include "domain/kind/form.h"
#include "domain/kind/form_schema.h"

#include "suite.h"

SUITE(form_schema);

static const struct err *read(const char *form, const struct json **out)
{
    struct json *body = json_object(a);
    json_set_json(body, "form", tree(form));
    struct fields f = fields(a, body, STR(""));
    *out = NULL;
    form_schema_member(&f, out);
    return fields_error(&f);
}

/* The property k, and the field that it becomes. */
static const char *const properties[][2] = {
    {"{'type':'string','title':'T','description':'D','minLength':1,"
     "'maxLength':40,'format':'email','default':'a@b.example'}",
     "{'key':'k','type':'string','label':'T','help':'D','min_length':1,"
     "'max_length':40,'format':'email','default':'a@b.example','required':true}"},
    {"{'type':'number','minimum':0.5,'maximum':2}",
     "{'key':'k','type':'number','min':0.5,'max':2,'required':true}"},
    {"{'type':'integer','minimum':1,'default':3}",
     "{'key':'k','type':'integer','min':1,'default':3,'required':true}"},
    {"{'type':'boolean','default':false}",
     "{'key':'k','type':'boolean','default':false,'required':true}"},
    {"{'type':'string','enum':['r','g'],'enumNames':['Red','Green']}",
     "{'key':'k','type':'enum','options':[{'value':'r','label':'Red'},"
     "{'value':'g','label':'Green'}],'required':true}"},
    {"{'type':'string','enum':['r','g']}",
     "{'key':'k','type':'enum','options':[{'value':'r'},{'value':'g'}],"
     "'required':true}"},
    {"{'type':'string','oneOf':[{'const':'r','title':'Red'}],'default':'r'}",
     "{'key':'k','type':'enum','options':[{'value':'r','label':'Red'}],"
     "'default':'r','required':true}"},
    {"{'type':'array','minItems':1,'maxItems':2,"
     "'items':{'type':'string','enum':['r','g','b']}}",
     "{'key':'k','type':'multi','min':1,'max':2,'options':[{'value':'r'},"
     "{'value':'g'},{'value':'b'}],'required':true}"},
    {"{'type':'array','items':{'anyOf':[{'const':'r','title':'Red'}]}}",
     "{'key':'k','type':'multi','options':[{'value':'r','label':'Red'}],"
     "'required':true}"},
    /* As generators write what may be missing: it may be left empty. */
    {"{'anyOf':[{'type':'string','maxLength':9},{'type':'null'}],"
     "'default':null,'title':'T'}",
     "{'key':'k','type':'string','max_length':9,'label':'T',"
     "'required':false}"},
    {"{'oneOf':[{'type':'null'},{'type':'integer','minimum':1}]}",
     "{'key':'k','type':'integer','min':1,'required':false}"},
    {"{'anyOf':[{'enum':['r','g'],'type':'string'},{'type':'null'}],"
     "'default':'r'}",
     "{'key':'k','type':'enum','options':[{'value':'r'},{'value':'g'}],"
     "'default':'r','required':false}"},
    {"{'anyOf':[{'type':'array','items':{'enum':['r'],'type':'string'}},"
     "{'type':'null'}]}",
     "{'key':'k','type':'multi','options':[{'value':'r'}],"
     "'required':false}"},
    {"{'anyOf':[{'type':'boolean'}]}",
     "{'key':'k','type':'boolean','required':true}"},
    {"{'type':['string','null'],'enum':['r',null]}",
     "{'key':'k','type':'enum','options':[{'value':'r'}],'required':false}"},
    {"{'type':'string','default':null}",
     "{'key':'k','type':'string','required':true}"},
    {"{'type':'integer','format':'int32'}",
     "{'key':'k','type':'integer','min':-2147483648,'max':2147483647,"
     "'required':true}"},
    {"{'type':'integer','format':'uint8','maximum':7}",
     "{'key':'k','type':'integer','min':0,'max':7,'required':true}"},
    {"{'type':'integer','format':'int64'}",
     "{'key':'k','type':'integer','required':true}"},
    {"{'type':'number','format':'double','minimum':1}",
     "{'key':'k','type':'number','min':1,'required':true}"},
    {"{'type':'number','format':'float'}",
     "{'key':'k','type':'number','required':true}"},
};

Test(form_schema, each_rule_becomes_a_fields_own)
{
    for (size_t i = 0; i < countof(properties); i++) {
        struct buf b = buf_make(a, 4096);
        const struct json *list = NULL;
        struct json *whole = NULL;
        buf_printf(&b,
                   "{'type':'object','properties':{'k':%s},"
                   "'required':['k']}",
                   properties[i][0]);
        const struct err *e = read(arena_z(a, buf_text(&b)), &list);
        cr_assert(!e, "%s: %s", properties[i][0], e ? e->code : "");
        cr_assert_eq(json_count(list), 1);
        cr_assert(json_equal(json_at(list, 0), tree(properties[i][1])), "%s",
                  properties[i][0]);
        e = form_read(a, list, &whole);
        cr_assert(!e, "%s: %s", properties[i][0], e ? e->code : "");
    }
}

Test(form_schema, a_list_stays_as_it_is)
{
    const struct json *list = NULL;
    cr_assert(!read("[{'key':'k'}]", &list));
    cr_assert(json_equal(list, tree("[{'key':'k'}]")));
    cr_assert(!read("{'type':'object','properties':{'a':{'type':'string'},"
                    "'b':{'type':'boolean'}},'$schema':'x','title':'t'}",
                    &list));
    cr_assert_eq(json_count(list), 2);
    cr_assert(!json_bool(json_get(json_at(list, 0), "required")));
}

Test(form_schema, what_no_field_can_hold_is_refused)
{
    static const char *const wrong[][3] = {
        {"{}", "form.type", "field.missing"},
        {"{'type':'array','properties':{}}", "form.type", "field.value"},
        {"{'type':'object'}", "form.properties", "field.missing"},
        {"{'type':'object','properties':{},'allOf':[]}", "form.allOf",
         "field.unknown"},
        {"{'type':'object','properties':{'k':{}}}", "form.properties.k.type",
         "field.missing"},
        {"{'type':'object','properties':{'k':{'type':'object'}}}",
         "form.properties.k.type", "field.value"},
        {"{'type':'object','properties':{'k':{'type':'string',"
         "'pattern':'^a'}}}",
         "form.properties.k.pattern", "form.schema"},
        {"{'type':'object','properties':{'k':{'type':'boolean',"
         "'minimum':1}}}",
         "form.properties.k.minimum", "form.schema"},
        {"{'type':'object','properties':{'k':{'type':'array'}}}",
         "form.properties.k.items", "form.schema"},
        {"{'type':'object','properties':{'k':{'type':'array',"
         "'items':{'type':'string'}}}}",
         "form.properties.k.items", "form.schema"},
        {"{'type':'object','properties':{'k':{'type':'string'}},"
         "'required':['x']}",
         "form.required", "form.schema"},
        {"{'type':'object','properties':{'k':{'anyOf':["
         "{'type':'string'},{'type':'integer'}]}}}",
         "form.properties.k.anyOf", "form.schema"},
        {"{'type':'object','properties':{'k':{'anyOf':["
         "{'type':'string','pattern':'^a'},{'type':'null'}]}}}",
         "form.properties.k.pattern", "form.schema"},
        {"{'type':'object','properties':{'k':{'type':"
         "['string','integer']}}}",
         "form.properties.k.type", "field.value"},
        {"{'type':'object','properties':{'k':{'type':'integer',"
         "'format':'float'}}}",
         "form.properties.k.format", "form.schema"},
        {"{'type':'object','properties':{'k':{'type':'number',"
         "'format':'money'}}}",
         "form.properties.k.format", "form.schema"},
        {"{'type':'object','properties':{'k':{'anyOf':7}}}",
         "form.properties.k.type", "field.missing"},
        {"{'type':'object','properties':{'k':7}}", "form.properties.k",
         "body.not_object"},
    };
    for (size_t i = 0; i < countof(wrong); i++) {
        const struct json *list = NULL;
        const struct err *e = read(wrong[i][0], &list);
        cr_assert(e, "%s", wrong[i][0]);
        cr_expect_eq(e->kind, ERR_INVALID);
        cr_expect_str_eq(e->code, wrong[i][2], "%s", wrong[i][0]);
        cr_expect(str_is(e->at, wrong[i][1]), "%s: %.*s", wrong[i][0],
                  STR_FMT(e->at));
    }
}

Test(form_schema, as_many_options_as_it_says)
{
    const struct json *list = NULL;
    struct json *form = NULL, *errors = NULL;
    cr_assert(!read("{'type':'object','properties':{'k':{'type':'array',"
                    "'minItems':2,'maxItems':2,'items':{'enum':"
                    "['a','b','c']}}}}",
                    &list));
    cr_assert(!form_read(a, list, &form));
    cr_expect(!form_check(a, form, tree("{'k':['a','b']}"), &errors));
    cr_expect(form_check(a, form, tree("{'k':['a']}"), &errors));
    cr_expect(form_check(a, form, tree("{'k':['a','b','c']}"), &errors));
}
