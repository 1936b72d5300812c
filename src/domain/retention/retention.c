/* Rules of retention. */
#include "domain/retention/retention.h"

static const struct record_field retention_fields[] = {
    {RECORD_TEXT(retention, name, IN_TABLE)},
    {RECORD_NUMBER(retention, days, IN_TABLE)},
    {RECORD_TEXT(retention, kind, IN_TABLE)},
    {RECORD_TEXT(retention, outcome, IN_TABLE)},
    {RECORD_TIME(retention, created_at, IN_TABLE)},
    {RECORD_TEXT(retention, created_by, IN_TABLE)},
    {RECORD_TIME(retention, started_at, IN_ROW)},
    {RECORD_TEXT(retention, started_by, IN_ROW)},
    {RECORD_TIME(retention, removed_at, IN_ROW)},
    {RECORD_TEXT(retention, removed_by, IN_ROW)},
    {RECORD_NUMBER(retention, erased, IN_ROW)},
    {RECORD_TIME(retention, passed_at, IN_ROW)},
};
const struct record retention_record =
    RECORD(retention, "rule of retention", "retention_rule");

/* A letter or a digit first, then these. */
static bool retention_name_ok(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!plain && (i == 0 || (c != '.' && c != '_' && c != '-')))
            return false;
    }
    return name.n > 0 && name.n <= RETENTION_NAME_MAX &&
           !str_is(name, "person"); /* erased on request */
}

const struct err *retention_check(struct arena *a, const struct retention *r)
{
    if (!retention_name_ok(r->name))
        return err_at(a, ERR_INVALID, "field.value", STR("name"),
                      "A name has 1 to %d lower-case letters, digits, dots, "
                      "dashes and underscores, and begins with a letter or a "
                      "digit.",
                      RETENTION_NAME_MAX);
    if (r->days < RETENTION_DAYS_MIN || r->days > RETENTION_DAYS_MAX)
        return err_at(a, ERR_INVALID, "field.range", STR("days"),
                      "The days are a whole number from %d to %d.",
                      RETENTION_DAYS_MIN, RETENTION_DAYS_MAX);
    if (r->kind.p && vocabulary_of_key(r->kind).p &&
        kind_of(r->kind) >= KIND__MAX)
        return err_at(a, ERR_INVALID, "field.value", STR("kind"),
                      "There is no such kind of request.");
    if (r->outcome.p && vocabulary_outcome_of(r->outcome) >= OUTCOME__MAX)
        return err_at(a, ERR_INVALID, "field.value", STR("outcome"),
                      "There is no such outcome.");
    return NULL;
}

struct str retention_text(struct arena *a, const struct retention *r)
{
    const enum kind kind = kind_of(
        r->kind.p ? vocabulary_of_key(r->kind) : STR_NONE);
    const enum outcome outcome = vocabulary_outcome_of(r->outcome);
    return arena_join(
        a, r->kind.p ? str_of(kind_words(kind)->label) : STR("All requests"),
        STR(", "),
        r->outcome.p ? str_of(vocabulary_outcome(outcome)->label)
                     : STR("any outcome"));
}
