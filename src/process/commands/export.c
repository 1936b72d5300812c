/* `sayso export --log FILE`: the log, or the part of one intent, as a file that
 * `sayso verify --bundle` and docs/verify.py check without the server.
 * `sayso export --decided FILE`: all that was decided. Changes nothing. */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/clock_text.h"
#include "base/id.h"
#include "domain/log/bundle.h"
#include "doors/pages/inbox/inbox.h"
#include "process/commands/commands.h"
#include "store/log/log_checkpoints.h"
#include "store/log/signing_keys.h"
#include "store/log/tlogs.h"
#include "store/question/decided.h"
#include "store/rows.h"
#include "store/tables.h"
#include "work/log/log_writer.h"

struct export
{
    const struct command *c;
    struct pg *pg;
    struct arena *page;
    FILE *out;
    struct str intent_id; /* p NULL: of all */
    int64_t epoch, size;
    int64_t events, checkpoints;
};

static void export_line(struct export *x, const struct json *o)
{
    const struct str text = json_dump(x->page, o, BUNDLE_LINE_MAX);
    fwrite(text.p, 1, text.n, x->out);
    fputc('\n', x->out);
}

/* Is all of it in the file? */
static bool export_close(struct export *x, struct str path)
{
    const bool written = fflush(x->out) == 0 && !ferror(x->out);
    if (fclose(x->out) == 0 && written)
        return true;
    fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), strerror(errno));
    return false;
}

static const struct err *export_header(struct export *x)
{
    struct signing_key_rows keys;
    struct json *o = json_object(x->page), *list = json_array(x->page);
    const struct str origin = log_writer_origin(x->page, x->c->conf, x->epoch);
    TRY(signing_keys_list(x->pg, x->page, &keys));
    for (size_t i = 0; i < keys.n; i++) {
        struct signer_public key;
        if (!signing_key_public(x->page, &keys.v[i], &key))
            continue;
        const struct note_key vkey = {
            .name = origin, .algorithm = NOTE_ED25519, .key = key};
        struct json *k =
            record_object(x->page, &signing_key_record, &keys.v[i]);
        json_set_text(k, "vkey", note_key_text(x->page, &vkey));
        json_add_json(list, k);
    }
    json_set_text(o, "type", STR("header"));
    json_set_text(o, "format", STR(BUNDLE_FORMAT));
    json_set_text(o, "origin", origin);
    json_set_int(o, "epoch", x->epoch);
    json_set_text_or_null(o, "intent_id", x->intent_id);
    json_set_int(o, "size", x->size);
    json_set_json(o, "keys", list);
    export_line(x, o);
    return NULL;
}

static void export_hashes(struct export *x, struct json *o, const char *key,
                          const struct tlog_proof *p)
{
    struct json *list = json_array(x->page);
    for (size_t i = 0; i < p->n; i++)
        json_add_text(
            list, crypt_base64(x->page, (struct str){(const char *)p->v[i].b,
                                                     sizeof p->v[i].b}));
    json_set_json(o, key, list);
}

/* An event; in the export of an intent with the proof that the head has it. */
static const struct err *export_event(struct export *x,
                                      const struct pg_rows *r, size_t i,
                                      const struct tlog_source *tree)
{
    struct json *o = json_object(x->page);
    const struct str rule = pg_str(r, i, 5), bytes = pg_str(r, i, 4);
    json_set_text(o, "type", STR("event"));
    json_set_int(o, "position", pg_int(r, i, 0));
    json_set_text(o, "intent_id", pg_str(r, i, 1));
    json_set_int(o, "sequence", pg_int(r, i, 2));
    json_set_text(o, "event_hash", pg_str(r, i, 3));
    json_set_text_or_null(o, "canonical", bytes.n ? bytes : STR_NONE);
    if (rule.p) {
        struct json *erased = json_object(x->page);
        json_set_text(erased, "rule", rule);
        json_set_text(erased, "at", clock_rfc3339(x->page, pg_int(r, i, 6)));
        json_set_json(o, "erased", erased);
    }
    if (x->intent_id.p) {
        struct tlog_proof p;
        TRY(tlog_inclusion(tree, pg_int(r, i, 0), x->size, &p));
        export_hashes(x, o, "proof", &p);
    }
    export_line(x, o);
    x->events++;
    return NULL;
}

/* One page of events, by position or, of an intent, by sequence; *next moves
 * behind it. */
static const struct err *export_events(struct export *x, int64_t *next,
                                       bool *more)
{
    struct pg_rows *r = NULL;
    struct tlogs_source stored = {
        .pg = x->pg, .arena = x->page, .epoch = x->epoch};
    const struct tlog_source tree = tlogs_source(&stored);
    const bool part = x->intent_id.p != NULL;
    TRY(part ? pg_query(x->pg, x->page, SQL_TLOG_EXPORT_OF,
                        PG(pg_number(x->epoch), pg_number(*next),
                           pg_number(x->size), pg_text(x->intent_id)),
                        &r)
             : pg_query(x->pg, x->page, SQL_TLOG_EXPORT,
                        PG(pg_number(x->epoch), pg_number(*next),
                           pg_number(x->size)),
                        &r));
    const size_t n = pg_count(r);
    if (!part && n == 0)
        return ERROR(ERR_INTERNAL, tlogs_inconsistent,
                     "An event is missing in the log.");
    for (size_t i = 0; i < n; i++)
        TRY(export_event(x, r, i, &tree));
    if (n > 0)
        *next = pg_int(r, n - 1, part ? 2 : 0) + 1;
    *more = part ? n > 0 : *next < x->size;
    return NULL;
}

static const struct err *export_checkpoints(struct export *x, int64_t *at,
                                            struct str *id, bool *more)
{
    struct log_checkpoint_rows rows;
    const struct pg_value after =
        *at ? pg_moment(*at) : pg_text(STR("-infinity"));
    TRY(x->intent_id.p
            ? rows_list(x->pg, x->page, SQL_LOG_CHECKPOINT_EXPORT_OF,
                        PG(pg_number(x->epoch), pg_number(x->size), after,
                           pg_text(*id), pg_text(x->intent_id)),
                        &log_checkpoint_record, &rows.v, &rows.n)
            : rows_list(x->pg, x->page, SQL_LOG_CHECKPOINT_EXPORT,
                        PG(pg_number(x->epoch), pg_number(x->size), after,
                           pg_text(*id)),
                        &log_checkpoint_record, &rows.v, &rows.n));
    for (size_t i = 0; i < rows.n; i++) {
        struct json *o =
            record_object(x->page, &log_checkpoint_record, &rows.v[i]);
        json_set_text(o, "type", STR("checkpoint"));
        export_line(x, o);
        x->checkpoints++;
        *at = rows.v[i].created_at;
        *id = arena_str(x->c->arena, rows.v[i].id);
    }
    *more = rows.n > 0;
    return NULL;
}

/* That the log of an older head, which somebody kept, begins this one. */
static const struct err *export_consistency(struct export *x)
{
    const struct str name = command_option(x->c, "--head", 0);
    struct arena *a = x->c->arena;
    struct buf text = buf_make(a, NOTE_MAX);
    struct note *note = arena_new(a, struct note);
    struct tlogs_source stored = {
        .pg = x->pg, .arena = x->page, .epoch = x->epoch};
    const struct tlog_source tree = tlogs_source(&stored);
    struct note_head old;
    struct tlog_proof p;
    if (!name.p)
        return NULL;
    if (!buf_file(&text, arena_z(a, name)) ||
        note_read(a, buf_text(&text), note) ||
        note_head_read(a, note->text, &old) || old.size > x->size)
        return err_at(a, ERR_INVALID, "field.value", name,
                      "%.*s is no head of this log, or one that is newer than "
                      "the log.",
                      STR_FMT(name));
    TRY(tlog_consistency(&tree, old.size, x->size, &p));
    struct json *o = json_object(x->page);
    json_set_text(o, "type", STR("consistency"));
    json_set_int(o, "from_size", old.size);
    export_hashes(x, o, "hashes", &p);
    export_line(x, o);
    return NULL;
}

static const struct err *export_log(struct export *x)
{
    struct tlogs_head head;
    struct str id = STR("");
    int64_t next = x->intent_id.p != NULL, at = 0;
    bool more = true;
    TRY(tlogs_head(x->pg, x->c->arena, x->epoch, &head));
    x->size = head.head.size;
    if (x->size == 0)
        return ERROR(ERR_NOT_FOUND, "log.no_head",
                     "The log has no signed head. Is there a key?");
    TRY(export_header(x));
    while (more) {
        arena_reset(x->page);
        TRY(export_events(x, &next, &more));
    }
    if (x->events == 0)
        return ERROR(ERR_NOT_FOUND, "log.not_covered",
                     "The log has no event of this intent.");
    for (more = true; more;) {
        arena_reset(x->page);
        TRY(export_checkpoints(x, &at, &id, &more));
    }
    TRY(export_consistency(x));
    struct json *o = json_object(x->page);
    json_set_text(o, "type", STR("head"));
    json_set_text(o, "note", head.note);
    export_line(x, o);
    return NULL;
}

/* ---- what was decided ------------------------------------------------- */

#define DECIDED_PAGE 50 /* questions in memory at once */
#define DECIDED_LINE ((size_t)4 << 20)

/* The newest first, page by page, however many there are. */
static const struct err *export_decided(struct export *x, int64_t since,
                                        bool csv)
{
    struct decided_query w = {.kind = KIND__MAX,
                              .outcome = OUTCOME__MAX,
                              .via = VIA__MAX,
                              .severity = SEVERITY__MAX,
                              .from = since,
                              .limit = DECIDED_PAGE,
                              .found = DECIDED_PAGE};
    struct arena *page = arena_within(x->page), *row = arena_within(x->page);
    char after[72] = ""; /* a question's id has at most 64 bytes */
    bool more = true, whole = true;
    TRY(decided_prepare(x->pg, x->c->arena, &w));
    struct buf head = buf_make(x->c->arena, DECIDED_LINE);
    inbox_export_head(&head, csv);
    fwrite(buf_text(&head).p, 1, head.n, x->out);
    while (more) {
        struct decided_rows d = {.further = false};
        arena_reset(page);
        TRY(decided_list(x->pg, page, &w, &d));
        for (size_t i = 0; i < d.rows.n; i++) {
            arena_reset(row);
            struct buf line = buf_make(row, DECIDED_LINE);
            inbox_export_row(&line, row, &d.rows.v[i], csv);
            fwrite(buf_text(&line).p, 1, line.n, x->out);
            w.after_at = d.rows.v[i].responded_at;
            whole = str_copy(after, sizeof after, d.rows.v[i].id);
        }
        more = whole && (d.rows.n == DECIDED_PAGE || d.further);
        if (d.rows.n < DECIDED_PAGE && d.further) {
            w.after_at = d.at;
            whole = str_copy(after, sizeof after, d.id);
        }
        w.after_id = str_of(after);
        x->events += (int64_t)d.rows.n;
    }
    arena_free(row);
    arena_free(page);
    return NULL;
}

static int export_decided_run(struct export *x, struct str path)
{
    const struct str since = command_option(x->c, "--since", 0);
    int64_t from = 0;
    if (!command_options_ok(x->c, 0, "--decided= --since= --csv"))
        return 2;
    if (since.p && !clock_parse(since, &from)) {
        fputs("sayso: --since has to be a time such as "
              "2026-11-25T03:00:00Z\n",
              stderr);
        return 2;
    }
    x->out = fopen(arena_z(x->c->arena, path), "w");
    if (!x->out) {
        fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), strerror(errno));
        return 2;
    }
    x->pg = x->c->pg;
    const struct err *e =
        export_decided(x, from, command_flag(x->c, "--csv"));
    const int status = command_end(e);
    if (!export_close(x, path))
        return 2;
    if (!e)
        printf("%lld requests\n", (long long)x->events);
    return status;
}

int export_run(const struct command *c)
{
    const struct str decided = command_option(c, "--decided", 0);
    const struct str path = command_option(c, "--log", 0);
    const struct str intent = command_option(c, "--intent", 0);
    if (decided.n > 0) {
        struct export x = {.c = c, .page = arena_make(ARENA_PROCESS_MAX)};
        const int status = export_decided_run(&x, decided);
        arena_free(x.page);
        return status;
    }
    if (!command_options_ok(c, 0, "--log= --intent= --head="))
        return 2;
    if (path.n == 0 || (intent.p && !id_uuid(intent))) {
        fputs("sayso: export --log FILE [--intent ID [--head FILE]] | "
              "--decided FILE [--since TIME] [--csv]\n",
              stderr);
        return 2;
    }
    struct export x = {.c = c,
                       .page = arena_make(ARENA_PROCESS_MAX),
                       .intent_id =
                           intent.p ? id_lower(c->arena, intent) : STR_NONE};
    x.out = fopen(arena_z(c->arena, path), "w");
    if (!x.out) {
        fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), strerror(errno));
        return 2;
    }
    x.pg = c->pg;
    const struct err *e = pg_query(x.pg, c->arena, SQL_PING, NULL, NULL);
    x.epoch = tables_restore().epoch;
    if (!e)
        e = export_log(&x);
    arena_free(x.page);
    const bool written = export_close(&x, path);
    if (e)
        return command_end(e);
    if (!written)
        return 2;
    printf("%lld events, %lld checkpoints\n", (long long)x.events,
           (long long)x.checkpoints);
    return 0;
}
