/* Any bytes as the body of a check of tool calls:
 *
 * what is read of a call is what was sent, byte for byte, and its canonical
 * form is the same; ids are unique; the question passes the gate, is one of
 * its kind, and is the same for the same calls in the plainest shape. */
#include "base/crypt.h"
#include "domain/kind/kind.h"
#include "domain/permit/tool_call.h"
#include "fuzz.h"

static const struct json *parsed(struct arena *a, struct str text)
{
    struct json *v = NULL;
    must(text.p && !json_parse(a, text, &v));
    return v;
}

static void check_call(struct arena *a, struct str body,
                       const struct tool_call *c)
{
    must(c->sent.p >= body.p && c->sent.p + c->sent.n <= body.p + body.n);
    must(tool_call_name(c->tool) && c->id.n > 0);
    must(c->raw.n <= TOOL_CALL_ARGUMENTS_MAX);
    const struct json *v = parsed(a, c->raw);
    must(json_is(v, JSON_OBJECT) && json_equal(v, c->tree));
    must(json_equal(parsed(a, c->arguments), c->tree));
    must(str_eq(crypt_sha256_hex(a, c->arguments), c->arguments_sha256));
}

/* The same calls as Sayso's own shape has them. */
static struct str plain(struct arena *a, const struct tool_calls *calls)
{
    struct buf b = buf_make(a, (size_t)8 << 20);
    for (size_t i = 0; i < calls->n; i++) {
        const struct tool_call *c = &calls->v[i];
        buf_put(&b, i ? ",{\"id\":" : "{\"tool_calls\":[{\"id\":");
        json_write_string(&b, c->id);
        buf_put(&b, ",\"tool\":");
        json_write_string(&b, c->tool);
        buf_put(&b, ",\"arguments\":");
        buf_str(&b, c->raw);
        buf_char(&b, '}');
    }
    buf_put(&b, "]}");
    return buf_text(&b);
}

static void check(struct arena *a, struct str body,
                  const struct tool_calls *calls)
{
    const struct tool_call_about about = {.consequence = STR("c")};
    const struct str subject = tool_call_subject(a, calls, &about);
    const struct kind_ask ask = {
        .kind = calls->n ? KIND_APPROVAL : KIND_CREDENTIAL_NEEDED,
        .severity = SEVERITY_HIGH,
        .subject = parsed(a, subject)};
    struct tool_calls again;
    must(calls->n <= TOOL_CALL_MAX);
    for (size_t i = 0; i < calls->n; i++) {
        check_call(a, body, &calls->v[i]);
        for (size_t k = 0; k < i; k++)
            must(!str_eq(calls->v[i].id, calls->v[k].id));
    }
    if (calls->n == 0)
        return;
    must(!kind_check_subject(a, &ask));
    const struct str text = plain(a, calls);
    must(!tool_call_read(a, parsed(a, text), text, &again));
    must(str_eq(tool_call_subject(a, &again, &about), subject));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str body =
        arena_str(a, (struct str){(const char *)data, size});
    struct json *v = NULL;
    struct tool_calls calls;
    if (crypt_init() && body.n > 0 && !json_parse(a, body, &v) &&
        json_is(v, JSON_OBJECT)) {
        const struct err *e = tool_call_read(a, v, body, &calls);
        must(!e || (e->kind == ERR_INVALID && e->say.n > 0));
        if (!e)
            check(a, body, &calls);
    }
    return 0;
}
