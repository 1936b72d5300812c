/* `sayso export --log FILE`: the log as a file that `sayso verify --bundle`
 * and docs/verify.py check without the server. Changes nothing. */
#include <errno.h>
#include <stdio.h>

#include "domain/log/bundle.h"
#include "process/commands/commands.h"
#include "store/log/log_checkpoints.h"
#include "store/log/signing_keys.h"
#include "store/log/tlogs.h"
#include "store/rows.h"
#include "store/tables.h"
#include "work/log/log_writer.h"

struct export
{
    const struct command *c;
    struct pg *pg;
    struct arena *page;
    FILE *out;
    int64_t epoch, size;
    int64_t events, checkpoints;
};

static void export_line(struct export *x, const struct json *o)
{
    const struct str text = json_dump(x->page, o, BUNDLE_LINE_MAX);
    fwrite(text.p, 1, text.n, x->out);
    fputc('\n', x->out);
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
    json_set_text_or_null(o, "intent_id", STR_NONE);
    json_set_json(o, "keys", list);
    export_line(x, o);
    return NULL;
}

/* One page; *next moves behind it. */
static const struct err *export_events(struct export *x, int64_t *next)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(x->pg, x->page, SQL_TLOG_EXPORT,
                 PG(pg_number(x->epoch), pg_number(*next), pg_number(x->size)),
                 &r));
    if (pg_count(r) == 0 || pg_int(r, 0, 0) != *next)
        return ERROR(ERR_INTERNAL, "log.inconsistent",
                     "An event is missing in the log.");
    for (size_t i = 0; i < pg_count(r); i++) {
        struct json *o = json_object(x->page);
        json_set_text(o, "type", STR("event"));
        json_set_int(o, "position", pg_int(r, i, 0));
        json_set_text(o, "intent_id", pg_str(r, i, 1));
        json_set_int(o, "sequence", pg_int(r, i, 2));
        json_set_text(o, "event_hash", pg_str(r, i, 3));
        json_set_text_or_null(o, "canonical", pg_str(r, i, 4));
        export_line(x, o);
        x->events++;
    }
    *next = pg_int(r, pg_count(r) - 1, 0) + 1;
    return NULL;
}

static const struct err *export_checkpoints(struct export *x, int64_t *at,
                                            struct str *id, bool *more)
{
    struct log_checkpoint_rows rows;
    TRY(rows_list(x->pg, x->page, SQL_LOG_CHECKPOINT_EXPORT,
                  PG(pg_number(x->epoch), pg_number(x->size),
                     *at ? pg_moment(*at) : pg_text(STR("-infinity")),
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

static const struct err *export_log(struct export *x)
{
    struct tlogs_head head;
    struct str id = STR("");
    int64_t next = 0, at = 0;
    bool more = true;
    TRY(tlogs_head(x->pg, x->c->arena, x->epoch, &head));
    x->size = head.head.size;
    if (x->size == 0)
        return ERROR(ERR_NOT_FOUND, "log.no_head",
                     "The log has no signed head. Is there a key?");
    TRY(export_header(x));
    while (next < x->size) {
        arena_reset(x->page);
        TRY(export_events(x, &next));
    }
    while (more) {
        arena_reset(x->page);
        TRY(export_checkpoints(x, &at, &id, &more));
    }
    struct json *o = json_object(x->page);
    json_set_text(o, "type", STR("head"));
    json_set_text(o, "note", head.note);
    export_line(x, o);
    return NULL;
}

int export_run(const struct command *c)
{
    const struct str path = command_option(c, "--log", 0);
    if (!command_options_ok(c, 0, "--log="))
        return 2;
    if (path.n == 0) {
        fputs("sayso: export --log FILE\n", stderr);
        return 2;
    }
    struct export x = {.c = c, .page = arena_make(ARENA_PROCESS_MAX)};
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
    const bool written = fclose(x.out) == 0;
    if (e)
        return command_end(e);
    if (!written) {
        fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), strerror(errno));
        return 2;
    }
    printf("%lld events, %lld checkpoints\n", (long long)x.events,
           (long long)x.checkpoints);
    return 0;
}
