/* Settings: the rules by which contents are erased. An admin adds, starts and
 * removes them; the page of a rule shows what it would erase. An auditor
 * reads. */
#include "base/clock.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "store/retention/retentions.h"

#define PATH "/settings/retention"

static const struct settings_form_option kinds[] = {
    {"*", "All kinds"},
    {"none", "Question (without a kind)"},
    {"approval", "Approval"},
    {"permission", "Permission"},
    {"plan_review", "Plan review"},
    {"elicitation", "Input"},
    {"credential_needed", "Credential"},
    {"cost_confirmation", "Cost"},
    {"handoff_acceptance", "Handoff"}};
static const struct settings_form_option outcomes[] = {
    {"*", "Any outcome"},
    {"authorized", "Approved"},
    {"vetoed", "Rejected"},
    {"changes_requested", "Changes requested"},
    {"answered", "Answered"},
    {"accepted", "Accepted"},
    {"declined", "Declined"},
    {"none", "Other"},
    {"expired", "Expired"},
    {"withdrawn", "Withdrawn"}};
static const struct settings_form_field retention_fields[] = {
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = RETENTION_NAME_MAX,
     .help = "Lower-case letters, digits, dots and dashes. Everything that "
             "the rule erases names it"},
    {.key = "days", .label = "Days", .type = "integer", .required = true,
     .initial = "365", .help = "From the end of a request, 7 or more"},
    {.key = "kind", .label = "Kind", .type = "enum", .required = true,
     .initial = "*", SETTINGS_FORM_ALL(options, kinds)},
    {.key = "outcome", .label = "Outcome", .type = "enum", .required = true,
     .initial = "*", SETTINGS_FORM_ALL(options, outcomes)},
};

/* ---- the list ------------------------------------------------------- */

static const struct vocabulary_word *retention_state(const struct retention *r)
{
    static const struct vocabulary_word removed = {
        .label = "Removed", .tone = "plain", .icon = "minus"};
    static const struct vocabulary_word waits = {
        .label = "Not started", .tone = "plain", .icon = "clock"};
    return r->removed_at   ? &removed
           : r->started_at ? &settings_page_active
                           : &waits;
}

static const struct err *retention_rows(struct settings_view *v)
{
    struct arena *a = v->c->a;
    struct retentions_rows found;
    TRY(retentions_list(v->c->pg, a, true, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct retention *r = &found.v[i];
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = r->name, .url = page_view_path(a, PATH "/", r->name, "")},
            {.text = retention_text(a, r)},
            {.text = words_many(a, r->days, "day")},
            {.text = words_count(a, r->erased)},
            {.day = r->created_at, .second = r->created_by},
            {.state = retention_state(r)}};
        settings_page_row(v, &(struct settings_row){.cells = cells});
    }
    return NULL;
}

/* The word of a field; p NULL: any. */
static struct str retention_word(const struct json *values, const char *key)
{
    const struct str word = json_get_text(values, key);
    return str_is(word, "*") ? STR_NONE : word;
}

static const struct err *retention_save(struct settings_view *v,
                                        const struct json *values)
{
    struct call *c = v->c;
    const struct retention r = {
        .name = str_trim(json_get_text(values, "name")),
        .days = json_int(json_get(values, "days")),
        .kind = retention_word(values, "kind"),
        .outcome = retention_word(values, "outcome"),
        .created_at = clock_now(),
        .created_by = c->who.name};
    TRY(retention_check(c->a, &r));
    TRY(retentions_insert(c->pg, c->a, &r));
    SETTINGS_PAGE_LOG(c, "retention.add name=%.*s days=%lld",
                      STR_FMT(r.name), (long long)r.days);
    return NULL;
}

/* ---- the page of one ------------------------------------------------ */

static const struct err *retention_load(struct settings_view *v)
{
    struct retention *r = arena_new(v->c->a, struct retention);
    TRY(retentions_get(v->c->pg, v->c->a, v->c->param[0], r));
    v->thing = r;
    v->name = r->name;
    return NULL;
}

static const struct err *retention_start(struct settings_view *v)
{
    struct call *c = v->c;
    TRY(retentions_start(c->pg, c->a, v->name, clock_now(), c->who.name));
    SETTINGS_PAGE_LOG(c, "retention.start name=%.*s", STR_FMT(v->name));
    return NULL;
}

static const struct err *retention_remove(struct settings_view *v)
{
    struct call *c = v->c;
    TRY(retentions_remove(c->pg, c->a, v->name, clock_now(), c->who.name));
    SETTINGS_PAGE_LOG(c, "retention.remove name=%.*s", STR_FMT(v->name));
    v->next = STR(PATH);
    return NULL;
}

enum { START, REMOVE };
static const struct settings_action actions[] = {
    [START] = {.what = "start",
               .heading = "Start",
               .about = "The rule begins to erase, about a hundred requests "
                        "at a time.",
               .label = "Start erasing",
               .warns = true,
               .verb = "Start the rule",
               .sentence = "The contents of the requests below are erased, "
                           "and of others as they get old enough. Nobody can "
                           "bring them back, but from a backup.",
               .none = "Nothing is erased yet.",
               .act = "Start erasing",
               .run = retention_start},
    [REMOVE] = {.what = "remove",
                .heading = "Remove",
                .about = "The rule erases nothing more. What it erased stays "
                         "erased, and its name stays taken.",
                .label = "Remove the rule",
                .verb = "Remove the rule",
                .sentence = "It erases nothing more. What it erased stays "
                            "erased.",
                .act = "Remove the rule",
                .run = retention_remove}};

/* The requests that the rule would erase now. */
static const struct err *retention_parts(struct settings_view *v,
                                         const struct retention *r)
{
    struct arena *a = v->c->a;
    struct retentions_preview p = {.n = 0};
    struct json *list = json_array(a);
    int64_t all = 0, unsealed = 0;
    if (!r->removed_at)
        TRY(retentions_preview(v->c->pg, a, r, clock_now(), &p));
    for (size_t i = 0; i < p.n; i++) {
        const struct retentions_part *x = &p.v[i];
        struct json *o = json_object(a);
        const enum kind kind = kind_of(vocabulary_of_key(x->kind));
        json_set_text(o, "kind", str_of(kind_words(kind)->label));
        json_set_text(
            o, "outcome",
            str_of(vocabulary_outcome(vocabulary_outcome_of(x->outcome))
                       ->label));
        json_set_int(o, "n", x->n);
        json_set_bool(o, "is_one", x->oldest == x->newest);
        page_view_set_time(o, "oldest", x->oldest);
        page_view_set_time(o, "newest", x->newest);
        json_add_json(list, o);
        all += x->n;
        unsealed += x->unsealed;
    }
    json_set_json(v->view, "parts", list);
    json_set_int(v->view, "all", all);
    page_view_set_count(v->view, "unsealed", (size_t)unsealed);
    return NULL;
}

static const struct err *retention_one(struct settings_view *v)
{
    const struct retention *r = v->thing;
    struct arena *a = v->c->a;
    json_set_json(v->view, "state", page_badge(a, retention_state(r)));
    json_set_text(v->view, "kind", retention_text(a, r));
    json_set_text(v->view, "days", words_many(a, r->days, "day"));
    page_view_set_time(v->view, "since", r->created_at);
    json_set_text(v->view, "made_by", r->created_by);
    page_view_set_time(v->view, "started", r->started_at);
    json_set_text(v->view, "started_by", r->started_by);
    page_view_set_time(v->view, "removed", r->removed_at);
    json_set_text(v->view, "removed_by", r->removed_by);
    page_view_set_time(v->view, "passed", r->passed_at);
    json_set_int(v->view, "erased", r->erased);
    TRY(retention_parts(v, r));
    if (r->removed_at || v->c->who.role != ROLE_ADMIN)
        return NULL;
    if (!r->started_at)
        settings_page_act(v, &actions[START], STR_NONE);
    settings_page_act(v, &actions[REMOVE], STR_NONE);
    return NULL;
}

static const struct settings_page page = {
    .path = PATH,
    .heading = "Retention",
    .about = "A rule erases the contents of requests some time after their "
             "end: what was asked and answered, with its files and its events. "
             "Times, outcomes, who decided, hashes and signatures stay, so "
             "that the log can still be checked.",
    .empty_heading = "No rules",
    .empty_sentence = "Nothing is erased.",
    .noun = "rule",
    .heads = {"Name", "Requests", "After", "Erased", "Created", "State"},
    .by = "Created",
    .falls = true,
    SETTINGS_FORM_ALL(actions, actions),
    .writers = ROLE_ADMIN,
    .one_template = "settings/retention",
    .form_heading = "New rule",
    .form_note = "It erases nothing until you start it",
    .form_submit = "Add rule",
    SETTINGS_FORM_ALL(fields, retention_fields),
    .fixed = true,
    .save = retention_save,
    .list = retention_rows,
    .load = retention_load,
    .one = retention_one};

const struct err *settings_retention(struct call *c)
{
    return settings_page_run(c, &page);
}
