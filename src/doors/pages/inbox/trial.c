/* A test request: a real one, which people ask themselves to see how
 * requests arrive and how they are answered. It is asked as the request of any
 * agent is, under a name that no agent has. Nobody waits for its answer, which
 * completes its task. */
#include "base/log.h"
#include "doors/asking/question.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/shell/page.h"
#include "store/question/inbox.h"

#define BODY_MAX ((size_t)4 << 10)

static void trial_add_choice(struct arena *a, struct json *list,
                             const char *value, const char *label,
                             const char *effect)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", str_of(value));
    json_set_text(o, "label", str_of(label));
    json_set_text(o, "effect", str_of(effect));
    json_add_json(list, o);
}

static struct json *trial_body(struct call *c)
{
    struct json *o = json_object(c->a), *choices = json_array(c->a);
    struct json *context = json_object(c->a);
    json_set_text(o, "title", STR("Say hello to the team?"));
    json_set_text(o, "question",
                  STR("May the test agent say hello to the team?"));
    json_set_text(o, "explanation",
                  STR("This is a test request. Nothing is sent, whatever you "
                      "answer: no agent waits for it, and its task ends with "
                      "your answer."));
    json_set_text(o, "severity", STR("low"));
    json_set_text(o, "response_type", STR("choice"));
    trial_add_choice(c->a, choices, "reject", "Reject", "veto");
    trial_add_choice(c->a, choices, "approve", "Say hello", "authorize");
    json_set_json(o, "choices", choices);
    json_set_text(context, "greeting", STR("Hello from Sayso"));
    json_set_text(context, "sent_by", c->who.title);
    json_set_json(o, "context", context);
    json_set_text(o, "fallback_policy", STR("fail"));
    json_set_int(o, "timeout_seconds", 3600);
    return o;
}

/* Does one wait already for this person? */
static const struct err *trial_waits(struct call *c, bool *out)
{
    const struct inbox_query query = {.reader = &c->who,
                                      .view = INBOX_MINE,
                                      .kind = KIND__MAX,
                                      .severity = SEVERITY__MAX,
                                      .agent = STR(PRINCIPAL_TRIAL_AGENT),
                                      .limit = 1};
    struct suspension_rows rows;
    TRY(inbox_list(c->pg, c->a, &query, &rows));
    *out = rows.n > 0;
    return NULL;
}

static const struct err *trial_ask(struct call *c)
{
    struct call asker = *c;
    struct question q;
    struct work w;
    const struct json *body = trial_body(c);
    asker.who = (struct principal){.role = ROLE_AGENT,
                                   .agent = STR(PRINCIPAL_TRIAL_AGENT)};
    TRY(question_read(c->a, body, json_dump(c->a, body, BODY_MAX), &q));
    q.suspension.responder = (struct responder){.mode = RESPONDER_NAMED,
                                                .who = c->who.name};
    TRY(question_ask(&asker, &w, &q));
    TRY(work_commit(&w, NULL));
    log_line(LOG_NOTICE, "inbox by=%.*s did=trial suspension=%.*s",
             STR_FMT(c->who.name), STR_FMT(w.suspension.id));
    return NULL;
}

const struct err *inbox_trial(struct call *c)
{
    struct pairs posted;
    bool waits = false;
    TRY(page_form(c, &posted));
    TRY(trial_waits(c, &waits));
    if (!waits)
        TRY(trial_ask(c));
    response_see_other(c->rs, STR("/inbox"));
    return NULL;
}
