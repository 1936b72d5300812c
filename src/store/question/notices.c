/* Notices to the processes of other hosts: notes as one line of words.
 *
 * "SELF INTENT VERSION DECIDED INTENT VERSION DECIDED ...", where DECIDED is
 * "-" for none. Every role of the database can send one, so it is parsed
 * strictly; its only effect is that a process reads again. */
#include "store/question/notices.h"

#include "base/id.h"
#include "store/sql.gen.h"

const struct err *notices_listen(struct pg *pg, struct arena *a)
{
    (void)pg_spent(pg);
    return pg_query(pg, a, SQL_NOTICE_LISTEN, NULL, NULL);
}

size_t notices_write(struct buf *b, struct str self,
                     const struct wake_note *v, size_t n)
{
    buf_str(b, self);
    for (size_t i = 0; i < n; i++) {
        if (b->n + sizeof v[i] + 24 > NOTICES_BYTES)
            return i;
        buf_char(b, ' ');
        buf_put(b, v[i].intent_id);
        buf_char(b, ' ');
        buf_int(b, v[i].version);
        buf_char(b, ' ');
        buf_put(b, v[i].decided[0] ? v[i].decided : "-");
    }
    return n;
}

const struct err *notices_send(struct pg *pg, struct arena *a,
                               struct str self, const struct wake_note *v,
                               size_t n)
{
    (void)pg_spent(pg);
    for (size_t at = 0; at < n;) {
        struct buf b = buf_make(a, NOTICES_BYTES);
        at += notices_write(&b, self, v + at, n - at);
        pg_queue(pg, a, SQL_NOTICE_SEND, PG(pg_text(buf_text(&b))));
    }
    return n > 0 ? pg_run(pg, a, NULL) : NULL;
}

/* Three words are a note; false at the end, or where it is malformed. */
static bool notices_read_one(struct str *rest, struct wake_note *out)
{
    const struct str id = str_cut(rest, ' ');
    const struct str version = str_cut(rest, ' ');
    const struct str decided = str_cut(rest, ' ');
    *out = (struct wake_note){.version = 0};
    if (!id_uuid(id) || !str_int(version, 0, INT64_MAX, &out->version) ||
        !id_token(decided))
        return false;
    return str_copy(out->intent_id, sizeof out->intent_id, id) &&
           str_copy(out->decided, sizeof out->decided,
                    str_is(decided, "-") ? STR("") : decided);
}

size_t notices_read(struct str text, struct str self, struct wake_note *v,
                    size_t n)
{
    size_t k = 0;
    if (str_eq(str_cut(&text, ' '), self))
        return 0;
    while (k < n && text.p && notices_read_one(&text, &v[k]))
        k++;
    return k;
}

bool notices_next(struct pg *pg, struct arena *a, struct str self,
                  struct wake_note *v, size_t *n)
{
    struct str text = STR_NONE;
    if (!pg_notification(pg, a, &text))
        return false;
    *n = notices_read(text, self, v, *n);
    return true;
}
