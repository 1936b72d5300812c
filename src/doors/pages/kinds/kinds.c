/* The part of a view that depends on the kind, and the kinds that need little:
 * any kind whose page only shows its texts, an elicitation among them; a
 * handoff, with both agents; a permission; a credential that the agent lacks,
 * and the address where a person sets it up. No secret is asked for or shown.
 * Never loads, never decides; work/probe.h checks whether a credential is set
 * up. */
#include "doors/pages/kinds/card.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/refs.h"

/* The texts at the top of the subject that the kind's row names, each under its
 * own name, and all other values in a table. */
static struct json *kinds_simple(struct page_view *v,
                                 const struct kinds_of *of)
{
    const struct kind_rule *rule = kind_rule(of->s->kind);
    struct kinds_card c = kinds_card(v, of->s);
    struct json *o = json_object(v->a);
    json_set_text(o, "agent", of->s->asked_by);
    for (size_t i = 0; i < rule->facts_n; i++) {
        const char *path = rule->facts[i].path;
        if (rule->facts[i].type == KIND_TEXT && !strchr(path, '.'))
            kinds_card_set_text(&c, o, path, path);
    }
    kinds_card_set_rest(&c, o);
    json_set_bool(o, "is_told", json_count(c.subject) > 0);
    return o;
}

/* ---- a handoff ------------------------------------------------------ */

static struct json *kinds_handoff(struct page_view *v,
                                  const struct kinds_of *of)
{
    static const char *const texts[] = {"from",          "to",
                                        "summary",       "reason",
                                        "resume_target", "context_boundary"};
    struct kinds_card c = kinds_card(v, of->s);
    struct json *o = json_object(v->a);
    for (size_t i = 0; i < countof(texts); i++)
        kinds_card_set_text(&c, o, texts[i], texts[i]);
    const size_t n = kinds_card_set_refs(&c, o, "artifacts", true);
    json_set_int(o, "artifacts_count", (int64_t)n);
    kinds_card_set_refs(&c, o, "evidence", false);
    kinds_card_set_list(&c, o, "questions", "open_questions");
    kinds_card_set_rest(&c, o);
    return o;
}

/* ---- a credential --------------------------------------------------- */

/* The address in parts, so that the host stands out. ask.c accepts only the
 * server's own address and https of a host on the list; an address that does
 * not show its host is text. */
static struct json *credential_settings(struct page_view *v, struct str url)
{
    struct json *o = json_object(v->a);
    struct page_refs_url parts = {.host = STR_NONE};
    const bool link = page_refs_url(url, "https://", &parts) ||
                      page_refs_url(url, "http://", &parts);
    if (!url.p)
        return NULL;
    json_set_text_or_null(o, "href", link ? url : STR_NONE);
    json_set_text(o, "before", link ? parts.before : STR(""));
    json_set_text(o, "host", link ? parts.host : STR(""));
    json_set_text(o, "after", link ? parts.after : STR(""));
    json_set_text(o, "text", url);
    return o;
}

static struct json *kinds_credential(struct page_view *v,
                                     const struct kinds_of *of)
{
    struct kinds_card c = kinds_card(v, of->s);
    struct json *o = json_object(v->a);
    const struct str draft = kinds_card_take_text(&c, "draft_ref");
    const bool open = of->s->state == SUSPENSION_PENDING;
    json_set_text(o, "agent", of->s->asked_by);
    kinds_card_set_text(&c, o, "provider", "provider");
    kinds_card_set_text(&c, o, "class", "credential_class");
    kinds_card_set_list(&c, o, "scopes", "scopes");
    json_set_json(
        o, "settings",
        credential_settings(v, kinds_card_take_text(&c, "settings_url")));
    json_set_json(o, "draft",
                  draft.n ? page_refs_one(v, STR_NONE, STR_NONE, draft)
                          : NULL);
    /* The probe's channel, and its result: an answer that the credential is
     * set up counts only once the probe has found it. */
    const bool probe = json_get_text(c.subject, "probe").n > 0;
    const bool checked = probe && of->s->outcome == OUTCOME_ANSWERED;
    kinds_card_set_text(&c, o, "probe", "probe");
    json_set_bool(o, "will_check", probe && open);
    json_set_bool(o, "was_checked", checked);
    json_set_bool(o, "not_checked", !(probe && open) && !checked);
    json_set_bool(o, "is_open", open);
    kinds_card_set_rest(&c, o);
    return o;
}

/* ---- a permission --------------------------------------------------- */

/* "1 hour", "for this task, at most 1 hour" */
static struct str permission_duration(struct kinds_card *c)
{
    static const char *const words[][2] = {{"once", "once"},
                                           {"task", "for this task"},
                                           {"session", "for this session"},
                                           {"until", ""}};
    const struct json *kind = kinds_card_take(c, "duration.kind");
    const struct json *seconds = kinds_card_take(c, "duration.seconds");
    struct buf b = buf_make(c->v->a, 4096);
    size_t i = 0;
    while (i < countof(words) && !str_is(json_text(kind), words[i][0]))
        i++;
    if (i == countof(words))
        return kinds_card_text(c, kind);
    buf_put(&b, words[i][1]);
    if (json_is(seconds, JSON_INT)) {
        buf_put(&b, b.n ? ", at most " : "");
        buf_str(&b, kinds_card_span(c->v->a, json_int(seconds)));
    }
    return b.n ? buf_text(&b) : STR_NONE;
}

static struct json *kinds_permission(struct page_view *v,
                                     const struct kinds_of *of)
{
    struct kinds_card c = kinds_card(v, of->s);
    struct json *o = json_object(v->a), *list = json_array(v->a);
    const struct json *now = kinds_card_take(&c, "current_mode");
    const struct json *asked = kinds_card_take(&c, "requested_mode");
    kinds_card_add_fact(&c, list, "Permission",
                        kinds_card_take(&c, "capability"));
    kinds_card_add_fact(&c, list, "Target", kinds_card_take(&c, "target"));
    kinds_card_add_words(&c, list, "Duration", permission_duration(&c),
                         STR(""));
    kinds_card_add_fact(&c, list, "Risk", kinds_card_take(&c, "risk_text"));
    kinds_card_mark(list, page_badge_risk(v->a, of->s), false);
    kinds_card_add_fact(&c, list, "Consequence",
                        kinds_card_take(&c, "consequence"));
    if (now || asked) {
        kinds_card_add_fact(&c, list, "Current access", now);
        kinds_card_add_fact(&c, list, "Requested access", asked);
        kinds_card_mark(list, NULL, asked != NULL);
    }
    json_set_json(o, "facts", list);
    kinds_card_set_rest(&c, o);
    return o;
}

/* ---- by the kind ---------------------------------------------------- */

struct json *kinds_view(struct page_view *v, const struct kinds_of *of)
{
    static struct json *(*const views[KIND__MAX])(struct page_view *,
                                                  const struct kinds_of *) = {
        [KIND_APPROVAL] = kinds_approval,
        [KIND_PERMISSION] = kinds_permission,
        [KIND_PLAN_REVIEW] = kinds_plan,
        [KIND_CREDENTIAL_NEEDED] = kinds_credential,
        [KIND_COST_CONFIRMATION] = kinds_cost,
        [KIND_HANDOFF_ACCEPTANCE] = kinds_handoff};
    struct json *o = json_object(v->a);
    if (of->s->kind == KIND_NONE)
        return NULL;
    for (enum kind k = KIND_NONE + 1; k < KIND__MAX; k++) {
        struct json *view = NULL;
        if (k == of->s->kind)
            view = views[k] ? views[k](v, of) : kinds_simple(v, of);
        json_set_json(o, kind_words(k)->wire.p, view);
    }
    return o;
}
