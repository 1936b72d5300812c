/* Suspensions: the members of a question that depend on its kind.
 *
 * Pure. The rules themselves are in domain/kind/kind.h; here they are applied
 * to one question. */
#include "domain/question/suspension_kind.h"

#include "base/id.h"
#include "domain/intent/person.h"

#define REF_TITLE_MAX 200
#define REF_MAX 2000
#define REF_KIND_MAX 60

/* ---- references ----------------------------------------------------- */

/* kinds: each reference may say what it is. */
static struct str suspension_kind_refs(struct fields *f, const char *key,
                                       bool kinds)
{
    const struct json *list = NULL;
    struct json *out = json_array(f->arena);
    const struct str path = fields_path(f->arena, f->path, key);
    fields_json(f, key, JSON_ARRAY, &list);
    if (json_count(list) > SUSPENSION_REFS_MAX)
        fields_wrong(f, key, "field.too_many",
                     "The list may have at most %d elements.",
                     SUSPENSION_REFS_MAX);
    for (size_t i = 0; !f->e && i < json_count(list); i++) {
        struct fields one = fields(f->arena, json_at(list, i),
                                   fields_element(f->arena, path, i));
        struct json *o = json_object(f->arena);
        struct str title = STR_NONE, kind = STR_NONE, ref = STR_NONE;
        fields_only(&one, kinds ? "title kind ref" : "title ref");
        fields_need(&one, "title");
        fields_need(&one, "ref");
        fields_text(&one, "title", REF_TITLE_MAX, &title);
        fields_text(&one, "ref", REF_MAX, &ref);
        if (kinds)
            fields_text(&one, "kind", REF_KIND_MAX, &kind);
        json_set_text(o, "title", title);
        if (kinds)
            json_set_text_or_null(o, "kind", kind);
        json_set_text(o, "ref", ref);
        json_add_json(out, o);
        f->e = one.e;
    }
    return json_dump(f->arena, out, SUSPENSION_RECORD_MAX);
}

/* ---- responders ----------------------------------------------------- */

static void suspension_kind_check_who(struct fields *f,
                                      const struct responder *r)
{
    const bool needs = r->mode == RESPONDER_GROUP ||
                       r->mode == RESPONDER_NAMED || r->mode == RESPONDER_AGENT;
    if (needs != (r->who.p != NULL))
        fields_wrong(f, "who", needs ? "field.missing" : "field.unused",
                     "\"who\" goes with the modes group, named and agent, "
                     "which need it.");
    else if (r->mode == RESPONDER_GROUP && !person_group_name(r->who))
        fields_wrong(f, "who", "responder.group",
                     "A group's name needs 1 to %d of a-z, 0-9 and the signs "
                     ". _ -",
                     PERSON_GROUP_NAME_MAX);
    else if (r->mode == RESPONDER_AGENT && !principal_agent_name(r->who))
        fields_wrong(f, "who", "responder.agent",
                     "This is not a valid agent name.");
}

static void suspension_kind_responder(struct fields *outer,
                                      struct suspension *s)
{
    const struct json *v = NULL;
    fields_json(outer, "responder", JSON_OBJECT, &v);
    s->responder = (struct responder){.mode = RESPONDER_OPERATORS};
    if (!v)
        return;
    struct fields f = fields(
        outer->arena, v, fields_path(outer->arena, outer->path, "responder"));
    fields_only(&f, "mode who not_initiator");
    fields_need(&f, "mode");
    const enum responder_mode mode = vocabulary_responder_mode_read(&f, "mode");
    fields_text(&f, "who", PRINCIPAL_AGENT_NAME_MAX, &s->responder.who);
    fields_bool(&f, "not_initiator", &s->responder.not_initiator);
    if (mode != RESPONDER_MODE__MAX)
        s->responder.mode = mode;
    if (s->responder.mode == RESPONDER_NAMED)
        s->responder.who = person_reference(f.arena, s->responder.who);
    if (!f.e)
        suspension_kind_check_who(&f, &s->responder);
    if (!f.e && s->responder.mode == RESPONDER_AGENT &&
        !(kind_rule(s->kind) && kind_rule(s->kind)->hands_over))
        fields_wrong(&f, "mode", "responder.agent",
                     "Only a handoff can be answered by an agent.");
    if (!f.e && s->responder.mode == RESPONDER_INITIATOR &&
        s->responder.not_initiator)
        fields_wrong(&f, "not_initiator", "field.unused",
                     "The initiator cannot be the responder and be "
                     "excluded.");
    if (!outer->e)
        outer->e = f.e;
}

/* ---- members -------------------------------------------------------- */

void suspension_kind_read(struct fields *f, struct suspension *s)
{
    s->kind = kind_read(f);
    s->allow_edit = false;
    s->evidence = suspension_kind_refs(f, "evidence", false);
    s->artifacts = suspension_kind_refs(f, "artifacts", true);
    fields_text(f, "supersedes", 64, &s->supersedes);
    fields_bool(f, "allow_edit", &s->allow_edit);
    suspension_kind_responder(f, s);
    if (!f->e && s->supersedes.p && !id_token(s->supersedes))
        fields_wrong(f, "supersedes", "suspension.unknown",
                     "This is not the id of a question.");
    if (!f->e && s->allow_edit &&
        !(kind_rule(s->kind) && kind_rule(s->kind)->edits))
        fields_wrong(f, "allow_edit", "field.unused",
                     "Only the subject of an approval can be edited.");
}

enum answer_type suspension_kind_answer(enum kind k, bool choices, bool form)
{
    if (choices)
        return ANSWER_CHOICE;
    if (form)
        return ANSWER_FORM;
    return k == KIND_NONE ? ANSWER_CONFIRM : kind_rule(k)->answer;
}

/* ---- rules ---------------------------------------------------------- */

const struct err *suspension_kind_settle(
    struct arena *a, struct suspension *s,
    const struct suspension_kind_parts *parts)
{
    const struct kind_ask ask = {
        .kind = s->kind,
        .severity = s->severity_said,
        .response_type = s->response_type,
        .subject = parts->subject ? parts->subject : json_object(a),
        .allow_edit = s->allow_edit};
    struct json *choices = NULL;
    if (s->kind == KIND_NONE)
        return NULL;
    if (!kind_answered_by(s->kind, s->response_type))
        return err_at(a, ERR_INVALID, "kind.response_type",
                      STR("response_type"),
                      "A question of the kind %s is answered by %s.",
                      kind_words(s->kind)->wire.p,
                      vocabulary_list(a, &vocabulary_answer_type_all,
                                      kind_rule(s->kind)->answers));
    TRY(kind_check_subject(a, &ask));
    TRY(kind_check_form(a, parts->form));
    TRY(kind_choices(a, &ask, parts->own, &choices));
    if (json_count(choices) > SUSPENSION_CHOICES_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", STR("choices"),
                      "A question may have at most %d choices, with the "
                      "kind's own.",
                      SUSPENSION_CHOICES_MAX);
    suspension_offer(a, s, choices, SUSPENSION_RECORD_MAX);
    return s->choices.p ? NULL
                        : ERROR(ERR_TOO_LARGE, "suspension.too_large",
                                "The choices are too large.");
}

/* ---- the record ----------------------------------------------------- */

static void suspension_kind_set(struct arena *a, struct json *o,
                                const char *key, struct str text)
{
    struct json *v = NULL;
    if (text.p && !json_parse(a, text, &v) && json_count(v) > 0)
        json_set_json(o, key, v);
}

void suspension_kind_record(struct arena *a, const struct suspension *s,
                            struct json *record)
{
    if (s->kind != KIND_NONE)
        json_set_text(record, "kind", kind_words(s->kind)->wire);
    if (!str_eq(s->subject, s->context) &&
        json_count(suspension_subject(a, s)) > 0)
        json_set_json(record, "subject", suspension_subject(a, s));
    suspension_kind_set(a, record, "evidence", s->evidence);
    suspension_kind_set(a, record, "artifacts", s->artifacts);
    json_set_text_given(record, "supersedes", s->supersedes);
}
