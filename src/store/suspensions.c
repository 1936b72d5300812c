/* Suspensions in the database: struct in, struct out. Decides nothing. */
#include "store/suspensions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/id.h"
#include "store/sql.gen.h"

/* The columns of suspension_row, in the order of the view. */
enum {
    ID, INTENT_ID, SEQ, RECORD, TYPE, TITLE, QUESTION, EXPLANATION, SEVERITY,
    SUBJECT, SUBJECT_SHA256, CONTEXT, CHOICES, FORM, CHANNEL_HINT, ASKED_BY,
    ASKED_BY_KEY, INITIATED_BY, SUSPENDED_AT, TIMEOUT, RETRY, EXPIRES_AT,
    POLICY, FALLBACK, ON_REJECT, CONFIDENCE, ASKED_SEQUENCE, STATE, OUTCOME,
    RESPONSE, REASON, METADATA, RESPONDED_BY, CLAIMED, VIA, RESPONDED_AT,
    SUMMARY, SUSPENDED_TIME, RESPONDED_TIME, INBOX_RANK, EXPIRES_TIME, ATTEMPT,
    NEXT_ATTEMPT_AT, KIND, ALLOW_EDIT, RESPONDER_MODE, RESPONDER, NOT_INITIATOR,
    EVIDENCE, ARTIFACTS, SUPERSEDES, CONSTRAINTS, APPROVED_SUBJECT,
    APPROVED_SHA256, SEVERITY_SAID, COLUMNS
};
static_assert(COLUMNS == SUSPENSIONS_COLUMNS, "suspension_row");

static double number(struct str s)
{
    return s.p ? strtod(s.p, NULL) : -1;
}

/* The column has the agent's severity where the server raised it, else NULL. */
static enum severity said(struct str column, enum severity counts)
{
    return column.p ? vocabulary_severity_of(vocabulary_of_key(column))
                    : counts;
}

struct suspension suspensions_row(const struct pg_rows *r, size_t i)
{
    const enum severity severity =
        vocabulary_severity_of(pg_str(r, i, SEVERITY));
    return (struct suspension){
        .id = pg_str(r, i, ID),
        .intent_id = pg_str(r, i, INTENT_ID),
        .seq = pg_int(r, i, SEQ),
        .record = pg_str(r, i, RECORD),
        .response_type = vocabulary_answer_type_of(pg_str(r, i, TYPE)),
        .title = pg_str(r, i, TITLE),
        .question = pg_str(r, i, QUESTION),
        .explanation = pg_str(r, i, EXPLANATION),
        .severity = severity,
        .subject = pg_str(r, i, SUBJECT),
        .subject_sha256 = pg_str(r, i, SUBJECT_SHA256),
        .context = pg_str(r, i, CONTEXT),
        .choices = pg_str(r, i, CHOICES),
        .form = pg_str(r, i, FORM),
        .channel_hint = pg_str(r, i, CHANNEL_HINT),
        .asked_by = pg_str(r, i, ASKED_BY),
        .asked_by_key = pg_str(r, i, ASKED_BY_KEY),
        .initiated_by = pg_str(r, i, INITIATED_BY),
        .suspended_at = pg_int(r, i, SUSPENDED_AT),
        .timeout_seconds = pg_int(r, i, TIMEOUT),
        .retry_policy = pg_str(r, i, RETRY),
        .expires_at = pg_int(r, i, EXPIRES_AT),
        .fallback_policy = vocabulary_fallback_policy_of(pg_str(r, i, POLICY)),
        .fallback_value = pg_str(r, i, FALLBACK),
        .on_reject = vocabulary_on_reject_of(pg_str(r, i, ON_REJECT)),
        .confidence = number(pg_str(r, i, CONFIDENCE)),
        .asked_sequence = pg_int(r, i, ASKED_SEQUENCE),
        .state = vocabulary_suspension_state_of(pg_str(r, i, STATE)),
        .outcome = vocabulary_outcome_of(pg_str(r, i, OUTCOME)),
        .response = pg_str(r, i, RESPONSE),
        .reason = pg_str(r, i, REASON),
        .metadata = pg_str(r, i, METADATA),
        .responded_by = pg_str(r, i, RESPONDED_BY),
        .responded_by_claimed = pg_str(r, i, CLAIMED),
        .responded_via = vocabulary_via_of(pg_str(r, i, VIA)),
        .responded_at = pg_int(r, i, RESPONDED_AT),
        .audit_summary = pg_str(r, i, SUMMARY),
        .attempt = pg_int(r, i, ATTEMPT),
        .next_attempt_at = pg_int(r, i, NEXT_ATTEMPT_AT),
        .kind = kind_of(pg_str(r, i, KIND)),
        .allow_edit = pg_bool(r, i, ALLOW_EDIT),
        .responder = {.mode = vocabulary_responder_mode_of(
                          pg_str(r, i, RESPONDER_MODE)),
                      .who = pg_str(r, i, RESPONDER),
                      .not_initiator = pg_bool(r, i, NOT_INITIATOR)},
        .evidence = pg_str(r, i, EVIDENCE),
        .artifacts = pg_str(r, i, ARTIFACTS),
        .supersedes = pg_str(r, i, SUPERSEDES),
        .constraints = pg_str(r, i, CONSTRAINTS),
        .approved_subject = pg_str(r, i, APPROVED_SUBJECT),
        .approved_sha256 = pg_str(r, i, APPROVED_SHA256),
        .severity_said = said(pg_str(r, i, SEVERITY_SAID), severity),
    };
}

struct suspension_rows suspensions_rows(struct arena *a,
                                        const struct pg_rows *r)
{
    struct suspension_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct suspension);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = suspensions_row(r, i);
    return out;
}

const struct err *suspensions_in_order(struct pg *pg, struct arena *a,
                                       int statement,
                                       const struct pg_args *args,
                                       struct pg_rows **out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, SQL_INBOX_IN_ORDER, NULL);
    pg_queue(pg, statement, args);
    TRY(pg_run(pg, a, rows));
    *out = rows[1];
    return NULL;
}

void suspensions_arg_kinds(struct pg_args *args, enum kind only)
{
    struct str v[KIND__MAX];
    size_t n = 0;
    for (enum kind k = KIND_NONE; k < KIND__MAX; k++) {
        if (only == KIND__MAX || k == only)
            v[n++] = str_of(vocabulary_key(kind_words(k)));
    }
    pg_arg_texts(args, v, n);
}

static const struct err *select_rows(struct pg *pg, struct arena *a,
                                     int statement,
                                     const struct pg_args *args,
                                     struct suspension_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, statement, args, &rows));
    *out = suspensions_rows(a, rows);
    return NULL;
}

const struct err *suspensions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct suspension *out)
{
    struct pg_args args = pg_args(a);
    struct suspension_rows rows = {.n = 0};
    if (id_token(id)) {
        pg_arg(&args, id);
        TRY(select_rows(pg, a, SQL_SUSPENSION_GET, &args, &rows));
    }
    if (rows.n == 0)
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "There is no suspension with this id.");
    *out = rows.v[0];
    return NULL;
}

const struct err *suspensions_many(struct pg *pg, struct arena *a,
                                   const struct str *ids, size_t n,
                                   struct suspension *out)
{
    struct pg_rows **rows = arena_many(a, n + 1, struct pg_rows *);
    for (size_t i = 0; i < n; i++) {
        struct pg_args args = pg_args(a);
        pg_arg(&args, id_token(ids[i]) ? ids[i] : STR_NONE);
        pg_queue(pg, SQL_SUSPENSION_GET, &args);
    }
    TRY(n ? pg_run(pg, a, rows) : NULL);
    for (size_t i = 0; i < n; i++)
        out[i] = pg_count(rows[i]) ? suspensions_row(rows[i], 0)
                                   : (struct suspension){.id = STR_NONE};
    return NULL;
}

const struct err *suspensions_same(struct pg *pg, struct arena *a,
                                   const struct suspensions_same *of,
                                   struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_texts(&args, of->digests, of->digests_n);
    pg_arg_texts(&args, of->ids, of->ids_n);
    pg_arg_int(&args, of->most);
    TRY(suspensions_in_order(pg, a, SQL_SUSPENSION_SAME, &args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct suspension);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct suspension){.id = pg_str(r, i, 0),
                                        .title = pg_str(r, i, 1),
                                        .question = pg_str(r, i, 2),
                                        .subject_sha256 = pg_str(r, i, 3)};
    return NULL;
}

const struct err *suspensions_list(struct pg *pg, struct arena *a,
                                   const struct suspensions_page *page,
                                   struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    const bool open =
        vocabulary_suspension_state_of(page->state) == SUSPENSION_PENDING;
    pg_arg_int(&args, page->limit + 1);
    pg_arg(&args, page->agent);
    pg_arg_time(&args, page->after_at);
    pg_arg(&args, page->after_id);
    pg_arg_int(&args, (int64_t)SUSPENSIONS_PAGE_BYTES);
    if (page->state.p && !open)
        pg_arg(&args, page->state);
    TRY(pg_query(pg, a,
                 !page->state.p ? SQL_SUSPENSION_LIST
                 : open         ? SQL_SUSPENSION_LIST_OPEN
                                : SQL_SUSPENSION_LIST_ENDED,
                 &args, &r));
    *out = suspensions_rows(a, r);
    const int64_t found = out->n ? pg_int(r, 0, pg_columns(r) - 1) : 0;
    if (out->n > (size_t)page->limit)
        out->n = (size_t)page->limit;
    out->more = found > (int64_t)out->n;
    return NULL;
}

const struct err *suspensions_of_intent(struct pg *pg, struct arena *a,
                                        struct str intent_id,
                                        struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, intent_id);
    return select_rows(pg, a, SQL_SUSPENSION_OF_INTENT, &args, out);
}

const struct err *suspensions_revision(struct pg *pg, struct arena *a,
                                       struct str id, int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg(&args, id);
    TRY(pg_query(pg, a, SQL_SUSPENSION_REVISION, &args, &rows));
    *out = pg_int(rows, 0, 0);
    return NULL;
}

const struct err *suspensions_replacing(struct pg *pg, struct arena *a,
                                        struct str id,
                                        struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    return select_rows(pg, a, SQL_SUSPENSION_REPLACING, &args, out);
}

const struct err *suspensions_ages(struct pg *pg, struct arena *a,
                                   int64_t out[static 4])
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_SUSPENSION_AGES, NULL, &rows));
    for (int i = 0; i < 4; i++)
        out[i] = pg_int(rows, 0, i);
    return NULL;
}

const struct err *suspensions_open_of(struct pg *pg, struct arena *a,
                                      struct str key_id, int64_t most,
                                      int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg(&args, key_id);
    pg_arg_int(&args, most);
    TRY(pg_query(pg, a, SQL_SUSPENSION_OPEN_OF, &args, &rows));
    *out = pg_int(rows, 0, 0);
    return NULL;
}

static void arg_number(struct pg_args *args, struct arena *a, double v)
{
    char text[32];
    if (v < 0) {
        pg_arg(args, STR_NONE);
        return;
    }
    const int n = snprintf(text, sizeof text, "%.17g", v);
    pg_arg(args, arena_str(a, (struct str){text, (size_t)n}));
}

static void arg_kind(struct pg_args *args, const struct suspension *s)
{
    pg_arg(args, str_of(kind_words(s->kind)->wire));
    pg_arg_bool(args, s->allow_edit);
    pg_arg(args, str_of(vocabulary_responder_mode(s->responder.mode)->wire));
    pg_arg(args, s->responder.who);
    pg_arg_bool(args, s->responder.not_initiator);
    pg_arg(args, s->evidence);
    pg_arg(args, s->artifacts);
    pg_arg(args, s->supersedes);
    pg_arg(args, s->severity_said == s->severity
                     ? STR_NONE
                     : str_of(vocabulary_key(
                           vocabulary_severity(s->severity_said))));
}

void suspensions_queue_insert(struct pg *pg, struct arena *a,
                              const struct suspension *s)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, s->id);
    pg_arg(&args, s->intent_id);
    pg_arg_int(&args, s->seq);
    pg_arg(&args, s->record);
    pg_arg(&args, str_of(vocabulary_answer_type(s->response_type)->wire));
    pg_arg(&args, s->title);
    pg_arg(&args, s->question);
    pg_arg(&args, s->explanation);
    pg_arg(&args, str_of(vocabulary_severity(s->severity)->wire));
    pg_arg(&args, s->subject);
    pg_arg(&args, s->subject_sha256);
    pg_arg(&args, s->context);
    pg_arg(&args, s->choices);
    pg_arg(&args, s->form);
    pg_arg(&args, s->channel_hint);
    pg_arg(&args, s->asked_by);
    pg_arg(&args, s->asked_by_key);
    pg_arg(&args, s->initiated_by);
    pg_arg_time(&args, s->suspended_at);
    if (s->timeout_seconds)
        pg_arg_int(&args, s->timeout_seconds);
    else
        pg_arg(&args, STR_NONE);
    pg_arg(&args, s->retry_policy);
    pg_arg_time(&args, s->expires_at);
    pg_arg(&args, str_of(vocabulary_fallback_policy(s->fallback_policy)->wire));
    pg_arg(&args, s->fallback_value);
    pg_arg(&args, str_of(vocabulary_on_reject(s->on_reject)->wire));
    arg_number(&args, a, s->confidence);
    pg_arg_int(&args, s->asked_sequence);
    arg_kind(&args, s);
    pg_arg_time(&args, s->next_attempt_at);
    pg_queue(pg, SQL_SUSPENSION_INSERT, &args);
}

void suspensions_queue_decide(struct pg *pg, struct arena *a,
                              const struct suspension *s)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, s->id);
    pg_arg(&args, str_of(vocabulary_suspension_state(s->state)->wire));
    pg_arg(&args, str_of(vocabulary_outcome(s->outcome)->wire));
    pg_arg(&args, s->response);
    pg_arg(&args, s->reason);
    pg_arg(&args, s->metadata);
    pg_arg(&args, s->responded_by);
    pg_arg(&args, s->responded_by_claimed);
    pg_arg(&args, str_of(vocabulary_via(s->responded_via)->wire));
    pg_arg_time(&args, s->responded_at);
    pg_arg(&args, s->audit_summary);
    pg_arg(&args, s->constraints);
    pg_arg(&args, s->approved_subject);
    pg_arg(&args, s->approved_sha256);
    pg_queue(pg, SQL_SUSPENSION_DECIDE, &args);
}
