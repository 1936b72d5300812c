/* Mail to people about requests, in the database. */
#include "store/person/person_mails.h"

#include "base/clock_text.h"
#include "store/rows.h"

#define PAGE 500 /* events; person_mail.sql */

const struct err *person_mails_get(struct pg *pg, struct arena *a,
                                   struct str person_id,
                                   struct person_mail *out, bool *found)
{
    return rows_find(pg, a, SQL_PERSON_MAIL_GET, PG(pg_text(person_id)),
                     &person_mail_record, out, found);
}

const struct err *person_mails_put(struct pg *pg, struct arena *a,
                                   const struct person_mail *m)
{
    rows_queue(pg, a, SQL_PERSON_MAIL_PUT, NULL, &person_mail_record,
               IN_INSERT, m);
    return pg_run(pg, a, NULL);
}

const struct err *person_mails_delete(struct pg *pg, struct arena *a,
                                      struct str person_id)
{
    return pg_query(pg, a, SQL_PERSON_MAIL_DELETE, PG(pg_text(person_id)),
                    NULL);
}

/* ---- the clock's part ------------------------------------------------ */

const struct err *person_mails_look(struct pg *pg, struct arena *a,
                                    int64_t now, int64_t soon,
                                    struct person_mails_work *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_DUE_MAIL_LOOK, PG(pg_moment(now), pg_moment(soon)),
                 &r));
    *out = (struct person_mails_work){.wanted = pg_bool(r, 0, 0),
                                      .digests = pg_bool(r, 0, 1),
                                      .again = pg_bool(r, 0, 2),
                                      .placed = pg_bool(r, 0, 3),
                                      .news = pg_bool(r, 0, 4)};
    return NULL;
}

const struct err *person_mails_begin(struct pg *pg, struct arena *a,
                                     bool *begun)
{
    struct pg_rows *r[2] = {NULL};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, NULL, SQL_DUE_MAIL_PLACE, NULL);
    TRY(pg_run(pg, a, r));
    *begun = pg_count(r[1]) > 0;
    if (!*begun)
        pg_rollback(pg);
    return NULL;
}

const struct err *person_mails_asked(struct pg *pg, struct arena *a,
                                     bool wanted, struct suspension_rows *out,
                                     bool *more)
{
    struct pg_rows *place = NULL, *events = NULL, *rows = NULL;
    struct str ids[PAGE];
    size_t n = 0;
    *out = (struct suspension_rows){.n = 0};
    *more = false;
    TRY(pg_query(pg, a, SQL_DUE_MAIL_PLACE, NULL, &place));
    if (!wanted || !pg_str(place, 0, 0).p)
        return pg_query(pg, a, SQL_DUE_MAIL_BEGIN, PG(pg_flag(!wanted)), NULL);
    TRY(pg_query(pg, a, SQL_DUE_MAIL_EVENTS,
                 PG(pg_text(pg_str(place, 0, 0)), pg_text(pg_str(place, 0, 1)),
                    pg_number(pg_int(place, 0, 2))),
                 &events));
    const size_t last = pg_count(events);
    if (last == 0)
        return NULL;
    for (size_t i = 0; i < last; i++) {
        const struct str id = pg_str(events, i, 3);
        if (id.p)
            ids[n++] = id;
    }
    *more = last == PAGE;
    TRY(pg_query(pg, a, SQL_DUE_MAIL_MOVE,
                 PG(pg_text(pg_str(events, last - 1, 0)),
                    pg_text(pg_str(events, last - 1, 1)),
                    pg_number(pg_int(events, last - 1, 2))),
                 NULL));
    if (n == 0)
        return NULL;
    TRY(pg_query(pg, a, SQL_DUE_MAIL_QUESTIONS, PG(pg_texts(ids, n)), &rows));
    *out = suspensions_rows(a, rows);
    return NULL;
}

const struct err *person_mails_people(struct pg *pg, struct arena *a,
                                      const struct suspension_rows *asked,
                                      struct person_mails_ones *out)
{
    struct pg_rows *r = NULL;
    struct str *ids = arena_many(a, asked->n + 1, struct str);
    for (size_t i = 0; i < asked->n; i++)
        ids[i] = asked->v[i].id;
    TRY(pg_query(pg, a, SQL_DUE_MAIL_PEOPLE, PG(pg_texts(ids, asked->n)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct person_mails_one);
    for (size_t i = 0; i < out->n; i++) {
        rows_read(&person_mail_record, r, i, &out->v[i].mail);
        out->v[i].suspension_id =
            pg_str(r, i, rows_columns(&person_mail_record));
    }
    return NULL;
}

static const struct err *person_mails_digests(struct pg *pg, struct arena *a,
                                              int statement,
                                              const struct pg_args *args,
                                              struct person_mails_digests *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct person_mails_digest);
    for (size_t i = 0; i < out->n; i++) {
        rows_read(&person_mail_record, r, i, &out->v[i].mail);
        out->v[i].waits = pg_bool(r, i, rows_columns(&person_mail_record));
    }
    return NULL;
}

const struct err *person_mails_due(struct pg *pg, struct arena *a, int64_t now,
                                   struct person_mails_digests *out)
{
    return person_mails_digests(pg, a, SQL_DUE_MAIL_DIGESTS,
                                PG(pg_moment(now)), out);
}

const struct err *person_mails_again(struct pg *pg, struct arena *a,
                                     int64_t now, int64_t soon, int64_t old,
                                     struct person_mails_digests *out)
{
    return person_mails_digests(
        pg, a, SQL_DUE_MAIL_AGAIN,
        PG(pg_moment(now), pg_moment(soon), pg_text(clock_rfc3339(a, old))),
        out);
}

void person_mails_queue_keep(struct pg *pg, struct arena *a,
                             const struct person_mail *m)
{
    rows_queue(pg, a, SQL_DUE_MAIL_KEEP,
               PG(pg_text(m->person_id), pg_moment(m->since)),
               &person_mail_record, IN_PART, m);
}

void person_mails_queue(struct pg *pg, struct arena *a,
                        const struct person_mails_message *m)
{
    pg_queue(pg, a, SQL_DUE_MAIL_QUEUE,
             PG(pg_text(m->id), pg_text(m->endpoint_id),
                pg_text(m->suspension_id), pg_number(m->sequence),
                pg_text(str_of(m->type)), pg_text(m->recipient),
                pg_text(m->body), pg_moment(m->now)));
}

void person_mails_queue_anew(struct pg *pg, struct arena *a, struct str id,
                             struct str body, int64_t now)
{
    if (body.p)
        pg_queue(pg, a, SQL_DUE_MAIL_ANEW, PG(pg_text(id), pg_text(body)));
    else
        pg_queue(pg, a, SQL_DUE_MAIL_END, PG(pg_text(id), pg_moment(now)));
}
