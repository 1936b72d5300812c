/* People who may sign in: validation of their fields and of changes to them.
 * Pure: the input was typed by a person, on a page or a terminal. */
#include "domain/intent/person.h"

#include "base/buf.h"
#include "base/text.h"
#include "domain/record.h"

#define GROUPS_TEXT 4096

/* IN_UPDATE: what an admin may change; IN_PART: what people change
 * themselves. */
static const struct record_field person_fields[] = {
    {RECORD_TEXT(person, id, IN_TABLE)},
    {RECORD_TEXT(person, email, IN_TABLE)},
    {RECORD_TEXT(person, name, IN_TABLE | IN_UPDATE | IN_PART)},
    {RECORD_OWN(person, role, IN_TABLE | IN_UPDATE, role_column,
                role_take)},
    {RECORD_TEXT(person, groups, IN_TABLE | IN_UPDATE)},
    {RECORD_WORD(person, bulk_limit, IN_TABLE | IN_UPDATE,
                 vocabulary_severity_all)},
    {RECORD_TEXT(person, time_zone, IN_ROW | IN_PART)},
    {RECORD_TEXT(person, theme, IN_ROW | IN_PART)},
    {RECORD_FLAG(person, single_key, IN_ROW | IN_PART)},
    {RECORD_TEXT(person, after_answer, IN_ROW | IN_PART)},
    {RECORD_TIME(person, created_at, IN_TABLE)},
    {RECORD_TIME(person, signed_in_at, IN_ROW)},
    {RECORD_TIME(person, disabled_at, IN_ROW | IN_UPDATE)},
    {RECORD_TEXT(person, password_hash, IN_INSERT)},
};
const struct record person_record = RECORD(person, "person", "principal");

static const struct err *person_wrong(struct arena *a, const char *key,
                                      const char *say)
{
    return err_at(a, ERR_INVALID, "field.value", str_of(key), "%s", say);
}

const struct err *person_email(struct arena *a, struct str typed,
                               struct str *out)
{
    const struct str s = str_trim(typed);
    const size_t at = str_find(s, '@', 0);
    bool fine = s.n >= 3 && s.n <= PERSON_EMAIL_MAX && at > 0 && at + 1 < s.n;
    for (size_t i = 0; fine && i < s.n; i++)
        fine = s.p[i] > ' ' && s.p[i] < 0x7f;
    if (!fine)
        return person_wrong(a, "email", "This is not an e-mail address.");
    *out = person_reference(a, s);
    return NULL;
}

struct str person_reference(struct arena *a, struct str sent)
{
    const struct str s = str_trim(sent);
    if (s.n == 0)
        return STR_NONE;
    if (str_find(s, '@', 0) == s.n)
        return s;
    struct buf b = buf_make(a, s.n + 1);
    buf_lower(&b, s);
    return buf_text(&b);
}

const struct err *person_key_label(struct arena *a, const char *key,
                                   enum role role, struct str typed,
                                   struct str *out)
{
    TRY(person_name(a, key, typed, out));
    if (str_is(*out, "clock") || str_is(*out, "sayso"))
        return person_wrong(a, key, "This name is reserved for the server.");
    if ((role == ROLE_OPERATOR || role == ROLE_ADMIN) &&
        str_find(*out, '@', 0) < out->n)
        return person_wrong(
            a, key,
            "The name of a key that may answer may not look like a "
            "person's address.");
    return NULL;
}

const struct err *person_name(struct arena *a, const char *key,
                              struct str typed, struct str *out)
{
    const struct str s = str_trim(typed);
    if (s.n == 0 || !str_utf8(s) || str_runes(s) > PERSON_NAME_MAX)
        return person_wrong(a, key, "A name needs 1 to 120 characters.");
    *out = s;
    return NULL;
}

const struct err *person_role(struct arena *a, struct str typed,
                              enum role *out)
{
    *out = role_of(typed);
    return *out == ROLE_OPERATOR || *out == ROLE_ADMIN ||
                   *out == ROLE_AUDITOR || *out == ROLE_USER
               ? NULL
               : person_wrong(a, "role",
                              "A role is operator, admin, auditor or user.");
}

const struct err *person_bulk_limit(struct arena *a, struct str typed,
                                    enum severity *out)
{
    *out = typed.p ? vocabulary_severity_of(typed) : SEVERITY__MAX;
    return *out != SEVERITY__MAX
               ? NULL
               : person_wrong(a, "bulk_limit",
                              "A limit is low, medium, high or critical.");
}

/* One of three words. */
static bool person_word(struct str typed, const char *const words[3],
                        struct str *out)
{
    size_t i = 0;
    while (i < 3 && !str_is(typed, words[i]))
        i++;
    if (i < 3)
        *out = str_of(words[i]);
    return i < 3;
}

const struct err *person_theme(struct arena *a, struct str typed,
                               struct str *out)
{
    static const char *const words[] = {"auto", "light", "dark"};
    return person_word(typed, words, out)
               ? NULL
               : person_wrong(a, "theme", "A theme is auto, light or dark.");
}

const struct err *person_after_answer(struct arena *a, struct str typed,
                                      struct str *out)
{
    static const char *const words[] = {"next", "list", "stay"};
    return person_word(typed, words, out)
               ? NULL
               : person_wrong(a, "after_answer",
                              "After an answer comes next, list or stay.");
}

const struct err *person_password(struct arena *a, struct str typed)
{
    const size_t n = text_nfc(a, typed).n;
    return n >= PERSON_PASSWORD_MIN && n <= PERSON_PASSWORD_MAX
               ? NULL
               : person_wrong(a, "password",
                              "A password needs 8 to 200 characters.");
}

/* ---- groups --------------------------------------------------------- */

bool person_group_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
              c == '_' || c == '-'))
            return false;
    }
    return name.n > 0 && name.n <= PERSON_GROUP_NAME_MAX;
}

/* Inserts a name in order; false: the list is full. */
static bool person_put_sorted(struct str *v, size_t *n, struct str name)
{
    size_t at = 0;
    while (at < *n && str_cmp(v[at], name) < 0)
        at++;
    if (at < *n && str_eq(v[at], name))
        return true;
    if (*n == PERSON_GROUPS_MAX)
        return false;
    for (size_t i = *n; i > at; i--)
        v[i] = v[i - 1];
    v[at] = name;
    (*n)++;
    return true;
}

const struct err *person_groups(struct arena *a, struct str typed,
                                struct str *out)
{
    struct str v[PERSON_GROUPS_MAX], rest = typed;
    struct buf b = buf_make(a, GROUPS_TEXT);
    size_t n = 0;
    *out = STR_NONE;
    while (rest.p) {
        struct str part = str_cut(&rest, ',');
        while (part.p) {
            const struct str name = str_trim(str_cut(&part, ' '));
            if (name.n == 0)
                continue;
            if (!person_group_name(name))
                return person_wrong(
                    a, "groups",
                    "A group's name needs 1 to 60 of a-z, 0-9, dot, "
                    "underscore and hyphen.");
            if (!person_put_sorted(v, &n, name))
                return person_wrong(a, "groups",
                                    "A person may be in at most 20 "
                                    "groups.");
        }
    }
    for (size_t i = 0; i < n; i++) {
        buf_put(&b, i ? " " : "");
        buf_str(&b, v[i]);
    }
    if (n > 0)
        *out = buf_text(&b);
    return NULL;
}

/* ---- changes to people ----------------------------------------------- */

const struct err *person_may_become(struct arena *a, struct str by,
                                    const struct person *old,
                                    const struct person *new, size_t admins)
{
    const bool demoted = old->role == ROLE_ADMIN && new->role != ROLE_ADMIN;
    const bool shut = !old->disabled_at && new->disabled_at;
    const struct str at = str_of(demoted ? "role" : "");
    if (str_eq(by, old->id) && (shut || old->role != new->role))
        return err_at(a, ERR_CONFLICT, "person.self", at, "%s",
                      shut ? "You cannot disable yourself. Another admin can "
                             "do it."
                           : "You cannot change your own role. Another admin "
                             "can do it.");
    if (old->role == ROLE_ADMIN && !old->disabled_at && (demoted || shut) &&
        admins == 0)
        return err_at(a, ERR_CONFLICT, "person.last_admin", at,
                      "This is the last admin. Add another one first.");
    return NULL;
}
