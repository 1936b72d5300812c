/* The access control list of an intent. Pure. */
#include "domain/containers/acl.h"

#include "base/clock.h"
#include "base/clock_text.h"
#include "domain/intent/reach.h"

#define ACL_TIME_MAX 64
#define ACL_TYPE_MAX 20
#define ACL_ID_MAX 200

/* ---- reading --------------------------------------------------------- */

static enum access acl_permission(struct fields *f)
{
    struct str word = STR_NONE;
    fields_word(f, "permission", "read write admin", &word);
    return word.p ? reach_access_of(word) : ACCESS_READ;
}

void acl_end(struct fields *f, int64_t now, int64_t *out)
{
    struct str text = STR_NONE;
    *out = 0;
    fields_text(f, "expires_at", ACL_TIME_MAX, &text);
    if (f->e || !text.p)
        return;
    if (!clock_parse(text, out))
        fields_wrong(f, "expires_at", "field.time",
                     "This has to be a time like 2026-11-20T09:26:13.510233.");
    else if (*out <= now)
        fields_wrong(f, "expires_at", "field.range",
                     "The time has to be in the future.");
}

static void acl_members(struct fields *f, int64_t now, struct acl_entry *out)
{
    struct str type = STR_NONE;
    *out = (struct acl_entry){.granted_at = now};
    fields_need(f, "principal_id");
    fields_text(f, "principal_id", PRINCIPAL_AGENT_NAME_MAX, &out->agent);
    fields_text(f, "principal_type", ACL_TYPE_MAX, &type);
    if (!f->e && type.p && role_of(type) != ROLE_AGENT)
        fields_wrong(f, "principal_type", "acl.people",
                     "Entries are for agents. People reach every intent.");
    if (!f->e && !principal_agent_name(out->agent))
        fields_wrong(f, "principal_id", "agent.name",
                     "This is not a valid agent name.");
    out->permission = acl_permission(f);
    fields_text(f, "reason", ACL_REASON_MAX, &out->reason);
    acl_end(f, now, &out->expires_at);
}

const struct err *acl_entry_read(struct arena *a, const struct json *body,
                                 int64_t now, struct acl_entry *out)
{
    struct fields f = fields(a, body, STR(""));
    acl_members(&f, now, out);
    return fields_error(&f);
}

static bool acl_has(const struct acl_wish *w, struct str agent)
{
    for (size_t i = 0; i < w->n; i++) {
        if (str_eq(w->v[i].agent, agent))
            return true;
    }
    return false;
}

static const struct err *acl_one(struct arena *a, const struct json *one,
                                 size_t i, int64_t now, struct acl_wish *out)
{
    const struct str path = fields_element(a, STR("entries"), i);
    struct fields f = fields(a, one, path);
    struct acl_entry e;
    struct str id = STR_NONE;
    fields_text(&f, "id", ACL_ID_MAX, &id);
    TRY(fields_error(&f));
    if (id.n > 0 && str_eq(id, json_get_text(one, "principal_id")))
        return NULL; /* a tie */
    acl_members(&f, now, &e);
    TRY(fields_error(&f));
    if (acl_has(out, e.agent))
        return err_at(a, ERR_INVALID, "acl.twice", path,
                      "An agent has one entry. This is its second.");
    out->v[out->n++] = e;
    return NULL;
}

const struct err *acl_read(struct arena *a, const struct json *body,
                           int64_t now, struct acl_wish *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *list = NULL;
    struct str policy = STR_NONE;
    *out = (struct acl_wish){.n = 0};
    fields_need(&f, "default_policy");
    fields_word(&f, "default_policy", "open closed", &policy);
    fields_json(&f, "entries", JSON_ARRAY, &list);
    TRY(fields_error(&f));
    out->closed = str_is(policy, "closed");
    for (size_t i = 0; i < json_count(list); i++) {
        if (out->n == ACL_ENTRIES_MAX)
            return err_at(a, ERR_INVALID, "acl.too_many", STR("entries"),
                          "An intent may have %d entries.", ACL_ENTRIES_MAX);
        TRY(acl_one(a, json_at(list, i), i, now, out));
    }
    return NULL;
}

bool acl_same(const struct acl_entry *x, const struct acl_entry *y)
{
    return str_eq(x->agent, y->agent) && x->permission == y->permission &&
           x->expires_at == y->expires_at && str_eq(x->reason, y->reason);
}

/* ---- what clients read ------------------------------------------------ */

static void acl_set_permission(struct json *o, enum access access)
{
    json_set_text(o, "permission", vocabulary_access(access)->wire);
}

struct json *acl_entry_json(struct arena *a, const struct acl_entry *e)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", e->id);
    json_set_text(o, "principal_id", e->agent);
    json_set_text(o, "principal_type", STR("agent"));
    acl_set_permission(o, e->permission);
    json_set_text(o, "granted_by", e->granted_by);
    json_set_text(o, "granted_at", clock_naive(a, e->granted_at));
    json_set_text_or_null(o, "expires_at", clock_naive(a, e->expires_at));
    json_set_text_or_null(o, "reason", e->reason);
    return o;
}

struct json *acl_tie_json(struct arena *a, struct str agent,
                          enum access access, int64_t until)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", agent);
    json_set_text(o, "principal_id", agent);
    json_set_text(o, "principal_type", STR("agent"));
    acl_set_permission(o, access);
    json_set_text(o, "granted_by", STR("sayso"));
    json_set_text_or_null(o, "expires_at", clock_naive(a, until));
    return o;
}

static void acl_put(struct arena *a, struct json *o,
                    const struct acl_entry *e, bool granted)
{
    json_set_text(o, "entry_id", e->id);
    json_set_text(o, "principal_id", e->agent);
    if (!granted)
        return;
    acl_set_permission(o, e->permission);
    json_set_text_or_null(o, "expires_at", clock_naive(a, e->expires_at));
}

struct json *acl_payload(struct arena *a, const struct acl_entry *v, size_t n,
                         bool granted)
{
    struct json *o = json_object(a), *list = json_array(a);
    if (n == 1) {
        acl_put(a, o, &v[0], granted);
        return o;
    }
    for (size_t i = 0; i < n; i++) {
        struct json *one = json_object(a);
        acl_put(a, one, &v[i], granted);
        json_add_json(list, one);
    }
    json_set_json(o, "entries", list);
    return o;
}
