#include <stdio.h>

#include "suite.h"

#include "domain/containers/workflow.h"

SUITE(workflow);

static const struct workflow_step step = {.id = {"t-1", 3},
                                          .name = {"Write", 5}};

Test(workflow, the_references_of_inputs)
{
    static const struct {
        const char *text, *phase, *key; /* NULL: none */
    } cases[] = {
        {"research.findings", "research", "findings"},
        {"research.a.b", "research", "a.b"},
        {"$trigger.order", NULL, "order"},
        {"$initial_state.order", NULL, "order"},
        {"$other.order", "$other", "order"},
        {"research", NULL, NULL},
        {".findings", NULL, NULL},
        {"research.", NULL, NULL},
        {"", NULL, NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct json *io = json_object(a), *inputs = json_object(a);
        struct workflow_refs refs;
        json_set_text(inputs, "x", str_of(cases[i].text));
        json_set_json(io, "_io_inputs", inputs);
        workflow_refs(io, &refs);
        cr_assert_eq(refs.n, 1, "case %zu", i);
        const struct workflow_ref *ref = &refs.v[0];
        cr_expect(str_is(ref->text, cases[i].text), "case %zu", i);
        cr_expect_eq(ref->phase.p != NULL, cases[i].phase != NULL);
        cr_expect_eq(ref->key.p != NULL, cases[i].key != NULL);
        if (ref->phase.p && cases[i].phase)
            cr_expect(str_is(ref->phase, cases[i].phase), "case %zu", i);
        if (ref->key.p && cases[i].key)
            cr_expect(str_is(ref->key, cases[i].key), "case %zu", i);
    }
}

Test(workflow, too_many_references_end_with_one_that_cannot_be_read)
{
    struct json *io = json_object(a), *inputs = json_object(a);
    struct workflow_refs refs;
    for (int i = 0; i <= WORKFLOW_REFS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "i%d", i);
        json_set_text(inputs, name, STR("$trigger.x"));
    }
    json_set_json(io, "_io_inputs", inputs);
    workflow_refs(io, &refs);
    cr_assert_eq(refs.n, WORKFLOW_REFS_MAX);
    cr_expect(refs.v[WORKFLOW_REFS_MAX - 2].key.p);
    cr_expect_not(refs.v[WORKFLOW_REFS_MAX - 1].key.p);
}

Test(workflow, a_phase_is_a_title_or_its_name)
{
    const struct json *io =
        tree("{'_io_dep_title_to_name':{'The research':'research','x':7}}");
    const struct workflow_ref ref = {.phase = STR("research"),
                                     .key = STR("k")};
    cr_expect(workflow_means(io, &ref, STR("The research")));
    cr_expect(workflow_means(io, &ref, STR("research")));
    cr_expect_not(workflow_means(io, &ref, STR("x")));
    cr_expect(workflow_means(tree("{'_io_dep_title_to_name':[]}"), &ref,
                             STR("research")));
}

Test(workflow, its_own_value_must_not_be_null)
{
    const struct json *state = tree("{'a':null,'b':0}");
    struct workflow_ref own = {.key = STR("a")};
    struct workflow_ref other = {.phase = STR("p"), .key = STR("a")};
    cr_expect_not(workflow_has(a, &own, state));
    cr_expect(workflow_has(a, &other, state));
    own.key = STR("b");
    cr_expect(workflow_has(a, &own, state));
    other.key = (struct str){"b\0c", 3};
    cr_expect_not(workflow_has(a, &other, state));
    cr_expect_not(workflow_has(a, &own, NULL));
}

/* The declaration with types, the outputs, and the code and the key of the
 * error; NULL: none. */
Test(workflow, outputs)
{
    static const struct {
        const char *io, *outputs, *code, *key;
    } cases[] = {
        {"{}", "{}", NULL, NULL},
        {"{'_io_outputs':null}", "{}", NULL, NULL},
        {"{'_io_outputs':{'a':'string'}}", "{}", "io.missing_output", NULL},
        {"{'_io_outputs':{'a':'string'}}", "{'a':null}", "io.type", "a"},
        {"{'_io_outputs':{'a':'any','b':'number'}}", "{'a':1,'b':'x'}",
         "io.type", "b"},
        /* A missing output is told first. */
        {"{'_io_outputs':{'a':'string','b':'any'}}", "{'a':1}",
         "io.missing_output", NULL},
        {"{'_io_outputs':{'a':'t'},'_io_types':{'t':{'enum':[1]}}}",
         "{'a':1.0}", NULL, NULL},
        {"{'_io_outputs':{'a':'t'},'_io_types':{'t':{'enum':[1]}}}",
         "{'a':2}", "io.type", "a"},
        {"{'_io_outputs':{'a':'t'},'_io_types':{'t':{'k':'string'}}}",
         "{'a':{'k':null}}", NULL, NULL},
        {"{'_io_outputs':{'a':'t'},'_io_types':{'t':{'k':'string'}}}",
         "{'a':{}}", "io.type", "a"},
        {"{'_io_outputs':[]}", "{}", "io.type", "_io_outputs"},
        {"{'_io_types':[]}", "{}", "io.type", "_io_types"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct err *e = workflow_check_outputs(
            a, &step, tree(cases[i].io), tree(cases[i].outputs));
        cr_assert_eq(e != NULL, cases[i].code != NULL, "case %zu", i);
        if (!e)
            continue;
        cr_expect_str_eq(e->code, cases[i].code, "case %zu", i);
        cr_expect_eq(e->kind, ERR_INVALID);
        cr_expect(str_is(json_get_text(e->more, "phase_name"), "Write"));
        cr_expect(str_is(json_get_text(e->more, "task_id"), "t-1"));
        if (cases[i].key)
            cr_expect(str_is(json_get_text(e->more, "key"), cases[i].key),
                      "case %zu", i);
    }
}
