/* The access control list of an intent. Pure. */
#include "domain/containers/acl.h"

#include "base/clock.h"
#include "domain/intent/reach.h"

#define ACL_TIME_MAX 64
#define ACL_TYPE_MAX 20
#define ACL_ID_MAX 200

/* ---- fields ---------------------------------------------------------- */

static void acl_check_agent(struct fields *f, const char *key,
                            const void *entry)
{
    const struct acl_entry *e = entry;
    if (!principal_agent_name(e->agent))
        fields_wrong(f, key, "agent.name", "This is not a valid agent name.");
}

static void acl_check_type(struct fields *f, const char *key,
                           const void *entry)
{
    struct str type = STR_NONE;
    (void)entry;
    fields_text(f, key, ACL_TYPE_MAX, &type);
    if (!f->e && role_of(type) != ROLE_AGENT)
        fields_wrong(f, key, "acl.people",
                     "Entries are for agents. People reach every intent.");
}

static const struct json *acl_type(struct arena *a, const void *entry)
{
    (void)entry;
    return json_string(a, STR("agent"));
}

/* granted_at is now. */
static void acl_check_end(struct fields *f, const char *key, const void *entry)
{
    const struct acl_entry *e = entry;
    if (e->expires_at <= e->granted_at)
        fields_wrong(f, key, "field.range",
                     "The time has to be in the future.");
}

/* IN_PART: of a tie in the form of an entry. */
static const struct record_field acl_entry_fields[] = {
    {RECORD_TEXT(acl_entry, id, IN_TABLE | IN_OBJECT | IN_PART)},
    {RECORD_TEXT(acl_entry, intent_id, IN_TABLE)},
    {RECORD_TEXT(acl_entry, agent,
                 IN_TABLE | IN_OBJECT | IN_PART | IN_EVENT | IN_NEED),
     .column = "principal_id", .max = PRINCIPAL_AGENT_NAME_MAX,
     .check = acl_check_agent},
    {RECORD_SHOWN(acl_entry, principal_type, IN_OBJECT | IN_PART | IN_BODY,
                  acl_type),
     .check = acl_check_type},
    {RECORD_WORD(acl_entry, permission,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_PART | IN_EVENT |
                     IN_BODY,
                 vocabulary_access_all)},
    {RECORD_TEXT(acl_entry, reason,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = ACL_REASON_MAX},
    {RECORD_TEXT(acl_entry, granted_by,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_PART)},
    {RECORD_NAIVE(acl_entry, granted_at, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_NAIVE(acl_entry, expires_at,
                  IN_TABLE | IN_UPDATE | IN_OBJECT | IN_PART | IN_EVENT |
                      IN_BODY),
     .none = "infinity", .check = acl_check_end},
};
const struct record acl_entry_record =
    RECORD(acl_entry, "entry", "acl_entry");

/* ---- reading --------------------------------------------------------- */

void acl_end(struct fields *f, int64_t now, int64_t *out)
{
    struct acl_entry e = {.granted_at = now};
    struct str text = STR_NONE;
    fields_text(f, "expires_at", ACL_TIME_MAX, &text);
    if (text.p && !clock_parse(text, &e.expires_at))
        fields_wrong(f, "expires_at", "field.time",
                     "This has to be a time like 2026-11-20T09:26:13.510233.");
    else if (text.p)
        acl_check_end(f, "expires_at", &e);
    *out = e.expires_at;
}

const struct err *acl_entry_read(struct arena *a, const struct json *body,
                                 struct str path, int64_t now,
                                 struct acl_entry *out)
{
    struct fields f = fields(a, body, path);
    *out = (struct acl_entry){.granted_at = now, .permission = ACCESS_READ};
    record_read(&f, &acl_entry_record, out);
    return fields_error(&f);
}

const struct acl_entry *acl_of_agent(const struct acl_entry *v, size_t n,
                                     struct str agent)
{
    for (size_t i = 0; i < n; i++) {
        if (str_eq(v[i].agent, agent))
            return &v[i];
    }
    return NULL;
}

const struct err *acl_read(struct arena *a, const struct json *body,
                           int64_t now, struct acl_list *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *list = NULL;
    struct str policy = STR_NONE;
    *out = (struct acl_list){.n = 0};
    fields_need(&f, "default_policy");
    fields_word(&f, "default_policy", "open closed", &policy);
    fields_json(&f, "entries", JSON_ARRAY, &list);
    TRY(fields_error(&f));
    out->closed = str_is(policy, "closed");
    for (size_t i = 0; i < json_count(list); i++) {
        if (out->n == ACL_ENTRIES_MAX)
            return err_at(a, ERR_INVALID, "acl.too_many", STR("entries"),
                          "An intent may have at most %d entries.",
                          ACL_ENTRIES_MAX);
        const struct json *one = json_at(list, i);
        const struct str path = fields_element(a, STR("entries"), i);
        struct str id = STR_NONE;
        f = fields(a, one, path);
        fields_text(&f, "id", ACL_ID_MAX, &id);
        TRY(fields_error(&f));
        if (id.n > 0 && str_eq(id, json_get_text(one, "principal_id")))
            continue; /* a tie */
        TRY(acl_entry_read(a, one, path, now, &out->v[out->n]));
        if (acl_of_agent(out->v, out->n, out->v[out->n].agent))
            return err_at(a, ERR_INVALID, "acl.twice", path,
                          "An agent may have only one entry.");
        out->n++;
    }
    return NULL;
}

bool acl_same(const struct acl_entry *x, const struct acl_entry *y)
{
    return str_eq(x->agent, y->agent) && x->permission == y->permission &&
           x->expires_at == y->expires_at && str_eq(x->reason, y->reason);
}

/* ---- what clients read ------------------------------------------------ */

struct json *acl_tie_object(struct arena *a, struct str agent,
                            enum access access, int64_t until)
{
    const struct acl_entry e = {.id = agent,
                                .agent = agent,
                                .permission = access,
                                .granted_by = STR("sayso"),
                                .expires_at = until};
    struct json *o = json_object(a);
    record_show(a, o, &acl_entry_record, IN_PART, &e);
    return o;
}

static void acl_put(struct arena *a, struct json *o,
                    const struct acl_entry *e, bool granted)
{
    json_set_text(o, "entry_id", e->id);
    if (granted)
        record_show(a, o, &acl_entry_record, IN_EVENT, e);
    else
        json_set_text(o, "principal_id", e->agent);
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
