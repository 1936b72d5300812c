/* Any bytes as the body of a form that an OAuth client posts and, before a
 * line feed, as its Authorization header:
 *
 * a client that is read has a name and a secret; a body that is made of the
 * parameters has details that hold; every refusal is a word of OAuth with the
 * characters that a description may have. */
#include "base/crypt.h"
#include "domain/permit/oauth.h"
#include "fuzz.h"
#include "world/web/request.h"

static void check_error(struct arena *a, const struct err *e)
{
    if (!e)
        return;
    const struct err *told = oauth_error(a, e);
    must(told->kind == ERR_BAD_REQUEST || told->kind == ERR_UNAUTHENTICATED ||
         told->kind == ERR_TOO_LARGE);
    must(str_find(str_of(told->code), '.', 0) == strlen(told->code));
    must(str_eq(oauth_description(a, told->say), told->say));
}

static void check(struct arena *a, struct str header,
                  const struct oauth_params *params)
{
    struct oauth_client c;
    struct json *body = NULL;
    struct str details = STR_NONE;
    const struct err *e = oauth_client(a, header, false, params, &c);
    check_error(a, e);
    must(e || (c.id.n > 0 && c.secret.n > 0 && str_utf8(c.id)));
    check_error(a, oauth_check(a, params));
    e = oauth_ask(a, params, &body, &details);
    check_error(a, e);
    if (e)
        return;
    const struct json *list = json_get(body, "authorization_details");
    must(!permit_details_check(a, list, STR("d")) && details.n > 0);
    must(json_has(body, "resource"));
    must(!json_check(a, json_dump(a, body, (size_t)8 << 20)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    const struct str header = str_cut(&rest, '\n');
    struct pairs pairs = {NULL, 0};
    must(crypt_init());
    if (!request_form(a, rest.p ? rest : STR(""), REQUEST_PAIRS_MAX, &pairs)) {
        struct oauth_param *v = arena_many(a, pairs.n + 1, struct oauth_param);
        for (size_t i = 0; i < pairs.n; i++)
            v[i] = (struct oauth_param){pairs.v[i].key, pairs.v[i].value};
        const struct oauth_params params = {v, pairs.n};
        check(a, header, &params);
    }
    return 0;
}
