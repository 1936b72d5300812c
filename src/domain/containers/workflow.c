/* Workflow inputs and outputs (OpenIntent RFC-0024). Pure. */
#include "domain/containers/workflow.h"

#include "base/clock_text.h"

/* ---- inputs ---------------------------------------------------------- */

static struct workflow_ref workflow_ref(struct str name,
                                        const struct json *value)
{
    const struct str text = json_text(value);
    const size_t dot = str_find(text, '.', 0);
    struct workflow_ref ref = {.text = text.p ? text : name};
    if (!text.p || dot == 0 || dot + 1 >= text.n)
        return ref;
    const struct str phase = str_sub(text, 0, dot);
    ref.key = str_sub(text, dot + 1, text.n);
    if (!str_is(phase, "$trigger") && !str_is(phase, "$initial_state"))
        ref.phase = phase;
    return ref;
}

static void workflow_add(struct workflow_refs *out, struct workflow_ref ref)
{
    if (out->n < WORKFLOW_REFS_MAX)
        out->v[out->n++] = ref;
    else /* too many: the last one says so */
        out->v[out->n - 1] = (struct workflow_ref){.text = ref.text};
}

/* A member of a declaration that has to be an object, or to be absent. */
static bool workflow_object(const struct json *io, const char *member)
{
    const struct json *v = json_get(io, member);
    return !v || json_is(v, JSON_NULL) || json_is(v, JSON_OBJECT);
}

void workflow_refs(const struct json *io, struct workflow_refs *out)
{
    static const char *const members[] = {"_io_inputs",
                                          "_io_dep_title_to_name"};
    out->n = 0;
    for (size_t i = 0; i < countof(members); i++) {
        if (!workflow_object(io, members[i]))
            workflow_add(out,
                         (struct workflow_ref){.text = str_of(members[i])});
    }
    if (out->n > 0 || !json_is(json_get(io, "_io_inputs"), JSON_OBJECT))
        return;
    for (struct json_iter i = json_iter(json_get(io, "_io_inputs"));
         json_next(&i);)
        workflow_add(out, workflow_ref(i.key, i.value));
}

bool workflow_means(const struct json *io, const struct workflow_ref *ref,
                    struct str title)
{
    const struct json *names = json_get(io, "_io_dep_title_to_name");
    const struct str name = json_text(
        json_is(names, JSON_OBJECT) ? json_get_str(names, title) : NULL);
    return str_eq(name.p ? name : title, ref->phase);
}

bool workflow_has(struct arena *a, const struct workflow_ref *ref,
                  const struct json *state)
{
    if (!ref->key.p || str_find(ref->key, '\0', 0) < ref->key.n)
        return false;
    return ref->phase.p ? json_has(state, arena_z(a, ref->key))
                        : json_get_str(state, ref->key) != NULL;
}

/* ---- errors ---------------------------------------------------------- */

static struct json *workflow_detail(struct arena *a, const char *error,
                                    const char *rule,
                                    const struct workflow_step *step)
{
    struct json *o = json_object(a);
    json_set_text(o, "error", str_of(error));
    json_set_text(o, "rule", str_of(rule));
    json_set_text(o, "task_id", step->id);
    json_set_text(o, "phase_name", step->name);
    return o;
}

const struct err *workflow_upstream(struct arena *a,
                                    const struct workflow_step *step,
                                    struct str intent_id, int64_t expires_at)
{
    struct json *o = workflow_detail(a, "UpstreamIntentSuspendedError",
                                     WORKFLOW_INPUTS, step);
    json_set_text(o, "reason", STR("upstream_intent_suspended"));
    json_set_text(o, "suspended_intent_id", intent_id);
    json_set_text_or_null(o, "expected_resume_at", clock_naive(a, expires_at));
    return err_more(a,
                    ERROR(ERR_INVALID, "io.upstream_suspended",
                          "An intent whose output is needed waits for a "
                          "person. Try again after the answer."),
                    o);
}

const struct err *workflow_unresolvable(struct arena *a,
                                        const struct workflow_step *step,
                                        const struct json *refs)
{
    struct json *o = workflow_detail(a, "UnresolvableInputError",
                                     WORKFLOW_INPUTS, step);
    json_set_json(o, "unresolvable_refs", refs);
    return err_more(a,
                    ERROR(ERR_INVALID, "io.unresolvable",
                          "A declared input has no value: the dependency is "
                          "not completed, or its state has no such key."),
                    o);
}

/* ---- outputs --------------------------------------------------------- */

/* A declared output and its value. */
struct workflow_output {
    struct str key, type; /* type: p NULL: cannot be read */
    const struct json *value;
};

static const char *workflow_type(const struct json *v)
{
    static const char *const words[] = {
        [JSON_NULL] = "null",     [JSON_BOOL] = "boolean",
        [JSON_INT] = "number",    [JSON_DOUBLE] = "number",
        [JSON_STRING] = "string", [JSON_ARRAY] = "array",
        [JSON_OBJECT] = "object"};
    return words[json_type(v)];
}

static const struct err *workflow_mismatch(struct arena *a,
                                           const struct workflow_step *step,
                                           const struct workflow_output *out,
                                           struct str expected)
{
    struct json *o = workflow_detail(a, "OutputTypeMismatchError",
                                     WORKFLOW_OUTPUTS, step);
    json_set_text(o, "key", out->key);
    json_set_text(o, "expected_type", expected);
    json_set_text(o, "actual_type", str_of(workflow_type(out->value)));
    return err_more(a,
                    ERROR(ERR_INVALID, "io.type",
                          "A declared output has another type."),
                    o);
}

/* Has the value its declared type: one that every JSON value has, or one of
 * the named types? A name that is not declared fits. */
static bool workflow_fits(const struct json *types,
                          const struct workflow_output *out)
{
    if (!out->type.p)
        return false;
    if (str_listed(STR("string number boolean object array"), out->type))
        return str_is(out->type, workflow_type(out->value));
    const struct json *type = json_get_str(types, out->type);
    if (!json_is(type, JSON_OBJECT))
        return true;
    if (json_is(json_get(type, "enum"), JSON_ARRAY))
        return json_lists(json_get(type, "enum"), out->value);
    if (!json_is(out->value, JSON_OBJECT))
        return false;
    for (struct json_iter i = json_iter(type); json_next(&i);) {
        if (!json_has(out->value, i.key.p))
            return false;
    }
    return true;
}

static struct workflow_output workflow_declared(struct str key,
                                                const struct json *type,
                                                bool *required)
{
    struct workflow_output out = {.key = key, .type = json_text(type)};
    const struct json *need = json_get(type, "required");
    *required = !json_is(need, JSON_BOOL) || json_bool(need);
    if (json_is(type, JSON_OBJECT))
        out.type = json_has(type, "type") ? json_get_text(type, "type")
                                          : STR("any");
    return out;
}

const struct err *workflow_check_outputs(struct arena *a,
                                         const struct workflow_step *step,
                                         const struct json *io,
                                         const struct json *outputs)
{
    static const char *const members[] = {"_io_outputs", "_io_types"};
    const struct json *declared = json_get(io, "_io_outputs");
    struct json *missing = json_array(a);
    const struct err *wrong = NULL;
    for (size_t i = 0; i < countof(members); i++) {
        const struct workflow_output out = {.key = str_of(members[i]),
                                            .value = json_get(io, members[i])};
        if (!workflow_object(io, members[i]))
            return workflow_mismatch(a, step, &out, STR("object"));
    }
    if (!json_is(declared, JSON_OBJECT))
        return NULL;
    for (struct json_iter i = json_iter(declared); json_next(&i);) {
        bool required;
        struct workflow_output out =
            workflow_declared(i.key, i.value, &required);
        out.value = json_get_str(outputs, i.key);
        if (!json_has(outputs, i.key.p)) {
            if (required && json_count(missing) < WORKFLOW_REFS_MAX)
                json_add_text(missing, i.key);
        } else if (!wrong && !workflow_fits(json_get(io, "_io_types"), &out)) {
            wrong = workflow_mismatch(
                a, step, &out, out.type.p ? out.type : STR("a type's name"));
        }
    }
    if (json_count(missing) == 0)
        return wrong;
    struct json *o =
        workflow_detail(a, "MissingOutputError", WORKFLOW_OUTPUTS, step);
    json_set_json(o, "missing_keys", missing);
    json_set_json(o, "type_errors", json_array(a));
    return err_more(a,
                    ERROR(ERR_INVALID, "io.missing_output",
                          "A declared output is missing."),
                    o);
}
