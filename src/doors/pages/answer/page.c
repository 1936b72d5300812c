/* One question: open, to be confirmed, closed, or closed by another person
 * while this reader was answering. A GET decides nothing. */
#include "doors/pages/answer/page.h"

#include "domain/answer/resolve.h"
#include "domain/question/ending.h"
#include "domain/question/meant.h"
#include "domain/question/risk.h"
#include "domain/question/side_question.h"
#include "doors/pages/answer/amend.h"
#include "doors/pages/answer/amend_form.h"
#include "doors/pages/answer/button.h"
#include "doors/pages/answer/form.h"
#include "doors/pages/answer/kept.h"
#include "doors/pages/answer/looking.h"
#include "doors/pages/answer/view.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/question/claims.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/files.h"
#include "doors/pages/question/folded.h"
#include "doors/pages/question/head.h"
#include "doors/pages/question/permit.h"
#include "doors/pages/question/timeline.h"
#include "doors/pages/shell/answered.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/fields.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/intent/events.h"
#include "store/plan/plans.h"
#include "store/question/inbox.h"
#include "work/answer.h"
#include "work/probe.h"
#include "work/restores.h"

#define EVENTS_SHOWN 50
#define NEXT_TRIES 5 /* open questions read to find the next one */
#define SAME_COUNTED 9 /* open questions with the same facts */

/* ---- what the pages show besides ------------------------------------ */

static void page_add_event(struct page_view *v, struct answer_view_of *of,
                           const struct event *e)
{
    json_add_json(of->timeline, question_timeline_row(v, e, true));
    if (ending_of(v->a, of->s, e) == ENDING_THIS)
        of->closed = e->sequence;
}

/* The events from the question on, and the one that closed it, where many
 * events lie in between. */
static const struct err *page_load_events(struct call *c, struct page_view *v,
                                          struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    struct event_rows rows;
    of->timeline = json_array(c->a);
    TRY(events_chain(c->pg, c->a, s->intent_id, s->asked_sequence - 1,
                     EVENTS_SHOWN, &rows));
    for (size_t i = 0; i < rows.n && of->closed == 0; i++)
        page_add_event(v, of, &rows.v[i]);
    if (s->state == SUSPENSION_PENDING || of->closed != 0)
        return NULL;
    const struct events_page page = {
        .intent_id = s->intent_id,
        .type = side_question(s)                  ? STR_NONE
                : s->state == SUSPENSION_RESOLVED ? STR("intent.resumed")
                : s->state == SUSPENSION_EXPIRED  ? STR("intent.suspension_"
                                                         "expired")
                                                  : STR("status_changed"),
        .since = s->responded_at,
        .limit = EVENTS_SHOWN};
    TRY(events_list(c->pg, c->a, &page, &rows));
    for (size_t i = rows.n; i > 0 && of->closed == 0; i--) {
        if (ending_of(c->a, s, &rows.v[i - 1]) == ENDING_THIS)
            page_add_event(v, of, &rows.v[i - 1]);
    }
    return NULL;
}

/* The question that it replaces, and the one that replaces it. */
static const struct err *page_load_revision(struct call *c,
                                            struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    struct suspension_rows after = {.n = 0};
    of->revision = 1;
    if (s->supersedes.p) {
        struct suspension *before = arena_new(c->a, struct suspension);
        TRY(suspensions_get(c->pg, c->a, s->supersedes, before));
        TRY(suspensions_revision(c->pg, c->a, s->id, &of->revision));
        of->before = before;
    }
    /* Only a question that has ended can be replaced. */
    if (s->kind != KIND_NONE && s->state != SUSPENSION_PENDING)
        TRY(suspensions_replacing(c->pg, c->a, s->id, &after));
    of->after = after.n > 0 ? &after.v[0] : NULL;
    return NULL;
}

static const struct err *page_load_claims(struct call *c, struct page_view *v,
                                          struct answer_view_of *of)
{
    struct restores_claims list;
    TRY(restores_claims(c->pg, c->a, of->s, &list));
    of->claims = question_claims_view(v, of->s, &list);
    return NULL;
}

/* The position of an open question in its reader's inbox, among the questions
 * that the reader may answer, or among all where that is not one of them. */
static const struct err *page_load_place(struct call *c,
                                         struct answer_view_of *of)
{
    const struct responder_case rule = suspension_case(of->s);
    const enum inbox_view view =
        responder_check(c->a, &rule, &c->who) ? INBOX_ALL : INBOX_MAY;
    int64_t all[INBOX_VIEW__MAX];
    struct inbox_place place;
    TRY(inbox_place(c->pg, c->a, &c->who, view, of->s, &place));
    TRY(inbox_badges(c->pg, c->a, &c->who, all));
    /* Both numbers are counted up to a ceiling; the position is null beyond
     * it. A question may be answered between the two counts: the position is
     * never beyond the number. */
    const bool known = place.before < INBOX_COUNT_MAX;
    const int64_t n =
        known && all[view] <= place.before ? place.before + 1 : all[view];
    of->place = json_object(c->a);
    page_view_set_count(of->place, "at", known ? (size_t)place.before + 1 : 0);
    json_set_text(of->place, "all", page_list_open(c->a, n));
    json_set_int(of->place, "first", INBOX_COUNT_MAX);
    json_set_text(of->place, "previous", place.previous);
    json_set_text(of->place, "next", place.next);
    return NULL;
}

/* Other open questions with the same facts: an answer to this one is none to
 * them. A user may not learn of the questions of others. */
static const struct err *page_load_same(struct call *c, struct page_view *v,
                                        struct answer_view_of *of)
{
    const struct suspensions_same query = {.digests = &of->s->subject_sha256,
                                           .ids = &of->s->id,
                                           .digests_n = 1,
                                           .ids_n = 1,
                                           .most = SAME_COUNTED + 2};
    struct suspension_rows rows;
    if (!question_head_has_facts(of->s) || c->who.role == ROLE_USER)
        return NULL;
    TRY(suspensions_same(c->pg, c->a, &query, &rows));
    if (rows.n == 0)
        return NULL;
    const int64_t others = (int64_t)rows.n - 1;
    of->same = json_object(c->a);
    json_set_json(of->same, "suspension", question_head_brief(v, &rows.v[0]));
    json_set_text(of->same, "others",
                  others ? page_list_count(c->a, others, SAME_COUNTED)
                         : STR(""));
    json_set_bool(of->same, "single", others == 1);
    return NULL;
}

/* The next question of the reader's inbox. */
static const struct err *page_load_next(struct call *c, int64_t now,
                                        struct answer_view_of *of)
{
    struct suspension_rows rows;
    const struct inbox_query query = {.reader = &c->who,
                                    .view = INBOX_MAY,
                                    .kind = KIND__MAX,
                                    .severity = SEVERITY__MAX,
                                    .limit = NEXT_TRIES};
    TRY(inbox_list(c->pg, c->a, &query, &rows));
    for (size_t i = 0; i < rows.n && !of->next; i++) {
        if (!str_eq(rows.v[i].id, of->s->id) &&
            !suspension_due(&rows.v[i], now))
            of->next = &rows.v[i];
    }
    return NULL;
}

/* ---- pages ---------------------------------------------------------- */

static const char *page_tab(struct call *c, const struct suspension *s)
{
    return arena_z(c->a,
                   words_plain(c->a, question_head_title(s), PAGE_VIEW_TAB));
}

static const struct err *page_unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                 "This request does not exist or was removed.");
}

/* A question that the reader may not see is not there. */
static const struct err *page_check_sees(const struct call *c,
                                         const struct suspension *s)
{
    const struct responder_case about = suspension_case(s);
    return responder_sees(&about, &c->who) ? NULL : page_unknown();
}

static const struct err *page_get(struct call *c, struct str id,
                                  struct suspension *s)
{
    const struct err *e = suspensions_get(c->pg, c->a, id, s);
    if (e)
        return e->kind == ERR_NOT_FOUND ? page_unknown() : e;
    return page_check_sees(c, s);
}

static const struct err *page_show_open(struct call *c, int status,
                                        const struct answer_form_of *form)
{
    const struct suspension *s = form->s;
    struct page_view v = page_begin(c);
    struct answer_view_of of = {
        .s = s, .reader = &c->who, .way = page_answered_way(c, form->typed)};
    TRY(question_files_load(c, &v, s));
    TRY(page_load_events(c, &v, &of));
    TRY(page_load_revision(c, &of));
    if (s->origin == ORIGIN_OWN_CHECKPOINT)
        TRY(plans_asked(c->pg, c->a, s->id, &of.checkpoint));
    TRY(page_load_place(c, &of));
    TRY(answer_looking_note(c, s, &of.looking));
    TRY(page_load_same(c, &v, &of));
    TRY(question_permit_asked(c, &v, s, &of.permit));
    TRY(page_load_claims(c, &v, &of));
    return page_render(c, status, "suspension", page_tab(c, s),
                       answer_view_open(&v, &of, form));
}

/* The rest of one whose contents a rule erased. */
static const struct err *page_show_erased(struct call *c,
                                          const struct suspension *s)
{
    struct page_view v = page_begin(c);
    struct answer_view_of of = {.s = s, .reader = &c->who};
    TRY(page_load_events(c, &v, &of));
    return page_render(c, 200, "question/erased", "Erased request",
                       answer_view_erased(&v, &of));
}

static const struct err *page_show_answered(struct call *c,
                                            const struct suspension *s)
{
    struct page_view v = page_begin(c);
    struct answer_view_of of = {.s = s, .reader = &c->who};
    TRY(question_files_load(c, &v, s));
    TRY(page_load_events(c, &v, &of));
    TRY(page_load_next(c, v.now, &of));
    TRY(page_load_revision(c, &of));
    TRY(question_permit(c, &v, s, &of.permit));
    TRY(page_load_claims(c, &v, &of));
    return page_render(c, 200, "answered", page_tab(c, s),
                       answer_view_closed(&v, &of));
}

/* The choice that the address names as a word, or by its value where a button
 * led here; "" for no choice, p NULL where it names none. */
static struct str page_choice(struct call *c, const struct suspension *s)
{
    const struct str asked = request_query(c->rq, "choice");
    if (!asked.p || request_query(c->rq, "exact").p)
        return asked;
    const struct json *choice = meant_choice(
        c->a, s, suspension_choices(c->a, s), asked, MEANT_SAID);
    return choice ? json_get_text(choice, "value") : STR("");
}

const struct err *answer_page(struct call *c)
{
    struct suspension s;
    struct pairs typed;
    if (request_query(c->rq, "kept").p &&
        answer_kept_find(c, c->param[0], &typed)) {
        TRY(answer_page_kept(c, c->param[0], &typed));
        c->rs->status = 200; /* of a page that was asked for */
        return NULL;
    }
    TRY(page_get(c, c->param[0], &s));
    if (s.erased_rule.p)
        return page_show_erased(c, &s);
    if (s.state != SUSPENSION_PENDING)
        return page_show_answered(c, &s);
    struct answer_form_of of = {.s = &s, .reader = &c->who};
    if (answer_form_way(c->a, &s) == ANSWER_WAY_CHOICE)
        of.choice = page_choice(c, &s);
    if (of.choice.p &&
        !suspension_choice(suspension_choices(c->a, &s), of.choice))
        of.error = ERROR(ERR_INVALID, resolve_invalid_choice,
                         "The request offers no such answer.");
    return page_show_open(c, 200, &of);
}

/* ---- answering ------------------------------------------------------ */

/* Typed text is limited before it is shown again. */
static const struct err *page_check_size(const struct pairs *posted)
{
    size_t n = 0;
    for (size_t i = 0; i < posted->n; i++)
        n += posted->v[i].value.n;
    if (n > SUSPENSION_RESPONSE_MAX)
        return ERROR(ERR_TOO_LARGE, resolve_too_large,
                     "The answer may have at most 128 kB. Nothing was sent.");
    return NULL;
}

static const struct err *page_read_answer(struct call *c,
                                          const struct suspension *s,
                                          const struct pairs *posted,
                                          struct answer *out)
{
    struct arena *a = c->a;
    const struct str seen = pairs_get(*posted, "subject_sha256");
    const enum answer_way way = answer_form_way(a, s);
    const bool choosing = way == ANSWER_WAY_CHOICE;
    const struct str text =
        choosing ? answer_amend_value(posted) : pairs_get(*posted, "value");
    *out = (struct answer){.pressed = true,
                           .reason = pairs_get(*posted, "reason"),
                           .seen = seen.p ? seen : STR(""),
                           .restored = pairs_get(*posted, "restored").p != NULL,
                           .via = VIA_BROWSER};
    if (!choosing)
        out->choice = pairs_get(*posted, "choice");
    /* A decline submits only the comment; other typed fields are dropped. */
    if (answer_form_declines(a, s, out->choice))
        return NULL;
    if (way == ANSWER_WAY_FORM)
        out->value = page_fields_read(a, page_fields_form(a, s), posted,
                                      c->who.account.time_zone);
    else if (str_trim(text).n > 0)
        out->value = json_string(a, text);
    if (!choosing)
        return NULL;
    const struct json *choice =
        suspension_choice(suspension_choices(a, s), text);
    /* While a change is only shown nothing has to be typed. */
    out->typed = pairs_get(*posted, "look").p || pairs_get(*posted, "again").p
                     ? risk_typed(a, s, choice)
                     : pairs_get(*posted, "typed");
    const struct err *e = answer_amend_form_read(a, s, choice, posted,
                                                 &out->amend);
    /* A late answer gets that error first, whatever else is wrong with it. */
    return s->state == SUSPENSION_PENDING ? e : NULL;
}

/* The posted changes, with the answer. */
static void page_add_sent(struct page_view *v, struct json *sent,
                          const struct amend_sent *amend)
{
    const struct json *value =
        amend->subject ? amend->subject : amend->constraints;
    struct json *o = json_object(v->a);
    if (!value)
        return;
    json_set_text(o, "name", amend->subject ? STR("Subject") : STR("Limits"));
    json_set_text(o, "value", page_facts_value(v->a, value));
    json_add_json(json_get(sent, "values"), o);
}

static const struct err *page_show_stale(struct call *c,
                                         const struct suspension *s,
                                         const struct answer *answer,
                                         const struct err *e)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *sent = json_object(c->a);
    const bool words = str_trim(answer->reason).n > 0;
    struct answer_view_of of = {.s = s, .reader = &c->who};
    TRY(page_load_events(c, &v, &of));
    TRY(page_load_next(c, v.now, &of));
    question_decision_set_answer(&v, sent, s, answer->value);
    page_add_sent(&v, sent, &answer->amend);
    page_view_set_time(sent, "at", v.now);
    json_set_text(sent, "reason", words ? answer->reason : STR_NONE);
    json_set_json(view, "suspension", question_head(&v, s));
    json_set_text(view, "ago", question_decision_ago(&v, s));
    json_set_json(view, "decision",
                  question_decision(&v, s, &c->who, of.closed));
    json_set_json(view, "next", answer_view_next(&v, of.next));
    json_set_json(view, "sent", sent);
    json_set_text(view, "code", str_of(e->code));
    json_set_text(view, "request_id", c->rq->id);
    return page_render(c, response_status(e->kind), "stale", page_tab(c, s),
                       view);
}

/* The page with what was typed, and with what the reader has not seen yet. */
static const struct err *page_show_again(struct call *c,
                                         const struct answer_form_of *shown)
{
    struct answer_form_of of = *shown;
    const struct question_folded unseen = question_folded(c->a, of.s);
    const struct str value = answer_amend_value(of.typed);
    const struct json *choice =
        suspension_choice(suspension_choices(c->a, of.s), value);
    if (answer_form_way(c->a, of.s) == ANSWER_WAY_CHOICE && choice &&
        (err_is(of.error, resolve_restored) ||
         answer_button_own_page(c->a, of.s, &unseen, choice) ||
         effect_takes(choice) != TAKES_NOTHING))
        of.choice = value;
    return page_show_open(
        c, of.error ? response_status(of.error->kind) : 200, &of);
}

/* Does the answer have to be shown before it counts? s is the question with the
 * answer, with all its facts. */
static bool page_is_unseen(struct call *c, const struct suspension *s,
                           const struct pairs *posted)
{
    const struct json *choice =
        answer_form_way(c->a, s) == ANSWER_WAY_CHOICE
            ? suspension_choice(suspension_choices(c->a, s),
                                answer_amend_value(posted))
            : NULL;
    return choice && (answer_amend_unseen(c->a, s, choice, posted) ||
                      question_folded_skipped(c->a, s, choice, posted));
}

/* Shows the change that an answer brings, or the mistake in it. after: the
 * question with the answer. */
static const struct err *page_show_unsent(struct call *c,
                                          const struct suspension *before,
                                          const struct suspension *after,
                                          const struct pairs *posted,
                                          const struct err *e)
{
    const bool again = pairs_get(*posted, "again").p != NULL;
    /* A missing reason or confirmation is asked for with the shown change. */
    const bool looks =
        (err_is(e, resolve_reason_missing) || err_is(e, risk_typed_differs)) &&
        suspension_modified(after);
    if (looks && (again || pairs_get(*posted, "look").p))
        e = NULL; /* the reader has not confirmed yet */
    const struct answer_form_of of = {.s = before,
                                      .reader = &c->who,
                                      .typed = posted,
                                      .error = e,
                                      .after = again || (e && !looks) ? NULL
                                                                      : after};
    return page_show_again(c, &of);
}

const struct err *answer_page_respond(struct call *c)
{
    const struct work_answer none = {.body = STR("")};
    struct answer answer;
    struct pairs posted;
    struct str behind[INBOX_BEHIND_MAX];
    struct work w = call_work(c);
    TRY(page_form(c, &posted));
    TRY(page_check_size(&posted));
    struct page_answered_way way = page_answered_way(c, &posted);
    way.behind = behind;
    /* The list has the question as long as it is open. */
    if (page_answered_leads(c, &way))
        TRY(inbox_behind(c, way.list, c->param[0], behind, &way.n));
    TRY(work_begin_suspension(&w, c->param[0], NULL));
    TRY(page_check_sees(c, &w.suspension));
    const struct suspension before = w.suspension;
    const struct err *e = page_read_answer(c, &before, &posted, &answer);
    if (!e)
        e = answer_decide(&w, &answer);
    if (!e && !page_is_unseen(c, &w.suspension, &posted)) {
        TRY(work_commit(&w, &none));
        struct str next;
        TRY(page_answered_next(c, &way, w.suspension.id, &next));
        response_see_other(c->rs, next);
        return NULL;
    }
    /* The lock is released while the page is rendered. */
    pg_rollback(c->pg);
    e = call_refusal(c, e);
    if (err_is(e, resolve_already_decided) || err_is(e, resolve_expired))
        return page_show_stale(c, &w.suspension, &answer, e);
    if (!e || err_is(e, resolve_changed) || err_is(e, resolve_restored) ||
        err_is(e, probe_not_found) || err_is(e, probe_unchecked) ||
        e->kind == ERR_INVALID || e->kind == ERR_TOO_LARGE)
        return page_show_unsent(c, &before, &w.suspension, &posted, e);
    return e;
}

const struct err *answer_page_kept(struct call *c, struct str id,
                                   const struct pairs *typed)
{
    struct answer answer;
    struct suspension s;
    TRY(page_get(c, id, &s));
    struct answer_form_of of = {.s = &s, .reader = &c->who, .typed = typed};
    if (s.state == SUSPENSION_PENDING) {
        of.error = ERROR(ERR_INVALID, answer_form_session_ended,
                         "The session had ended.");
        return page_show_again(c, &of);
    }
    TRY(page_read_answer(c, &s, typed, &answer));
    return page_show_stale(c, &s, &answer,
                           ERROR(ERR_CONFLICT, answer_form_session_ended, ""));
}
