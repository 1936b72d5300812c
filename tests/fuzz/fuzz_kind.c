/* Any bytes as a question and, behind a line feed, as an answer to it:
 *
 * what is read of a kind has a way to say yes and one to say no; what an
 * answer may change is never more than what was asked for, and is kept whole;
 * an answer counts once. The question is read at both doors. */
#include "base/clock.h"
#include "base/crypt.h"
#include "domain/answer/agent_ui.h"
#include "domain/answer/resolve.h"
#include "domain/decimal.h"
#include "domain/question/suspension_read.h"
#include "domain/question/suspension_seal.h"
#include "fuzz.h"

#define WRITTEN_MAX ((size_t)8 << 20)

static const struct json *parsed(struct arena *a, struct str text)
{
    struct json *v = NULL;
    must(text.p && !json_parse(a, text, &v));
    return v;
}

static bool has_effect(const struct json *choices, unsigned effects)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        if (effects & KIND_BIT(effect_of_choice(json_at(choices, i))))
            return true;
    }
    return false;
}

/* ---- never more than what was asked for ----------------------------- */

static void check_number(const struct json *asked, const struct json *v)
{
    must(json_compare(v, asked) <= 0);
    must(json_double(v) >= 0 || json_equal(v, asked));
}

static void check_list(const struct json *asked, const struct json *v)
{
    must(json_count(v) <= json_count(asked));
    for (size_t i = 0; i < json_count(v); i++) {
        bool there = false;
        for (size_t k = 0; k < json_count(asked); k++)
            there = there || json_equal(json_at(asked, k), json_at(v, i));
        must(there);
    }
}

static void check_decimal(const struct json *asked, const struct json *v)
{
    struct decimal was, now;
    must(decimal_read(json_text(asked), &was) &&
         decimal_read(json_text(v), &now) && decimal_compare(now, was) < 0);
}

static void check_limits(const struct json *asked, const struct json *kept)
{
    must(json_count(asked) == json_count(kept));
    for (struct json_iter i = json_iter(kept); json_next(&i);) {
        const struct json *was = json_get_str(asked, i.key);
        must(json_has(asked, i.key.p));
        if (json_is(was, JSON_INT) || json_is(was, JSON_DOUBLE))
            check_number(was, i.value);
        else if (json_is(was, JSON_ARRAY))
            check_list(was, i.value);
        else if (!json_equal(was, i.value))
            check_decimal(was, i.value);
    }
}

static void check_steps(const struct json *asked, const struct json *kept)
{
    must(json_count(kept) > 0 && json_count(kept) <= json_count(asked));
    for (size_t i = 0; i < json_count(kept); i++) {
        size_t found = 0;
        const struct json *step = json_at(kept, i);
        for (size_t k = 0; k < json_count(asked); k++) {
            const struct json *was = json_at(asked, k);
            found += str_eq(json_get_text(was, "id"),
                            json_get_text(step, "id")) &&
                     str_eq(json_get_text(was, "title"),
                            json_get_text(step, "title"));
        }
        must(found == 1);
    }
}

/* A plain answer changes nothing, but that once may be less than was asked
 * for. */
static void check_once(const struct suspension *s, const struct json *choice,
                       const struct json *limits, const struct json *other)
{
    must(!other);
    must(!limits || (s->kind == KIND_PERMISSION && json_count(limits) == 1 &&
                     str_is(json_get_text(choice, "value"), "allow_once") &&
                     str_is(json_get_text(choice, "effect"), "authorize") &&
                     json_int(json_get(limits, "uses")) == 1));
}

static void check_amend(struct arena *a, const struct suspension *s,
                        const struct json *choice, const struct amend *got)
{
    const struct str takes = json_get_text(choice, "takes");
    const struct json *subject = parsed(a, s->subject);
    const struct json *limits =
        got->constraints.p ? parsed(a, got->constraints) : NULL;
    const struct json *other = got->subject.p ? parsed(a, got->subject) : NULL;
    if (!takes.p)
        check_once(s, choice, limits, other);
    else if (str_is(takes, "limit") && limits)
        check_number(json_get(json_get(subject, "limit"), "amount"),
                     json_get(limits, "limit"));
    else if (str_is(takes, "seconds"))
        check_number(json_get(json_get(subject, "duration"), "seconds"),
                     json_get(limits, "seconds"));
    else if (str_is(takes, "constraints"))
        check_limits(json_get(subject, "constraints"), limits);
    else if (str_is(takes, "steps"))
        check_steps(json_get(json_get(subject, "plan"), "steps"),
                    json_get(json_get(other, "plan"), "steps"));
    else if (str_is(takes, "subject"))
        must(other && !json_equal(other, subject));
}

/* ---- answering ------------------------------------------------------ */

static struct answer answer_of(struct arena *a, struct str text,
                               const struct json *body)
{
    const struct json *constraints = json_get(body, "constraints");
    const struct json *subject = json_get(body, "subject");
    struct answer w = {.value = json_get(body, "value"),
                       .choice = json_get_text(body, "choice"),
                       .reason = json_get_text(body, "reason"),
                       .via = VIA_NATIVE};
    if (json_is(constraints, JSON_OBJECT))
        w.amend.constraints = constraints;
    if (json_is(subject, JSON_OBJECT)) {
        w.amend.subject = subject;
        w.amend.subject_text = json_raw_member(a, text, STR("subject"));
    }
    return w;
}

static void decide(struct arena *a, struct suspension *s,
                   const struct answer *w)
{
    const struct principal who = {.role = ROLE_ADMIN, .person = true,
                                  .id = STR("p"), .name = STR("ada")};
    struct intent goal = {.id = STR("i"), .state = STR("{}"),
                          .status = INTENT_SUSPENDED};
    struct event_list events = {.n = 0};
    struct decision d = {.intent = &goal, .suspension = s,
                         .dependencies_done = true, .events = &events,
                         .now = s->suspended_at};
    s->responder = (struct responder){.mode = RESPONDER_OPERATORS};
    const struct err *e = resolve_respond(a, &d, w, &who);
    if (e)
        return;
    must(s->state == SUSPENSION_RESOLVED);
    must(s->outcome != OUTCOME_UNDECIDED);
    must(s->audit_summary.p && s->response.p);
    must((s->approved_subject.p != NULL) == (s->approved_sha256.p != NULL));
    must(goal.status != INTENT_SUSPENDED && events.n > 0);
    must(json_has(parsed(a, goal.state), "_suspension"));
    must((goal.owner.p != NULL) == (s->outcome == OUTCOME_ACCEPTED &&
                                    s->kind == KIND_HANDOFF_ACCEPTANCE));
    must(json_dump(a, agent_ui_event(a, &goal, s), WRITTEN_MAX).p != NULL);
    must(resolve_respond(a, &d, w, &who) != NULL);
}

static void check(struct arena *a, struct suspension *s, struct str text,
                  const struct json *body)
{
    const struct kind_rule *rule = kind_rule(s->kind);
    struct suspension copy = *s;
    if (!copy.id.p)
        copy.id = STR("s");
    copy.asked_by = STR("bot");
    if (suspension_seal(a, &copy, CLOCK_SECOND))
        return;
    const struct json *choices = suspension_choices(a, &copy);
    const bool worded = copy.response_type == ANSWER_TEXT ||
                        copy.response_type == ANSWER_FORM;
    must(!rule || (has_effect(choices, rule->yes) &&
                   has_effect(choices, rule->no)));
    must(worded || !rule || json_count(choices) >= 2);
    const struct answer w = answer_of(a, text, body);
    for (size_t i = 0; rule && i < json_count(choices); i++) {
        struct amend got;
        if (!amend_check(a, &copy, json_at(choices, i), &w.amend, &got))
            check_amend(a, &copy, json_at(choices, i), &got);
    }
    decide(a, &copy, &w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str sent = arena_str(a, (struct str){(const char *)data, size});
    const struct str question = str_cut(&sent, '\n');
    struct suspension s = {.intent_id = STR("i")};
    struct json *asked = NULL, *body = NULL;
    if (sent.p && json_parse(a, sent, &body))
        body = NULL;
    if (crypt_init() && !json_parse(a, question, &asked)) {
        if (!suspension_read(a, asked, question, &s))
            check(a, &s, sent, body);
        s = (struct suspension){.intent_id = STR("i")};
        if (!suspension_read_record(a, asked, question, &s))
            check(a, &s, sent, body);
    }
    return 0;
}
