/* The part of `sayso doctor` about the log: its keys, and whether it is
 * signed.
 *
 * Run as the user of the signer, which alone may read the file of keys. */
#include "process/commands/doctor/doctor_log.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/clock_text.h"
#include "process/commands/doctor/findings.h"
#include "store/log/signing_keys.h"
#include "store/rows.h"
#include "store/tables.h"
#include "work/log/log_writer.h"

/* Where systemd keeps what LoadCredential= passes to the unit. */
#define CREDENTIAL "/run/credentials/sayso.service/log.key"

static struct str credential; /* p NULL: systemd passes none */

void doctor_log_credential(const struct command *c)
{
    struct buf b = buf_make(c->arena, SIGNER_FILE_MAX);
    if (buf_file(&b, CREDENTIAL))
        credential = buf_text(&b);
}

/* ---- keys ----------------------------------------------------------- */

/* A line for each key that signs or will. */
static void doctor_log_ages(const struct command *c,
                            const struct signing_key_rows *rows)
{
    const struct signing_key *current =
        signing_keys_in(rows, SIGNING_KEY_CURRENT);
    const struct signing_key *next = signing_keys_in(rows, SIGNING_KEY_NEXT);
    if (current)
        printf(
            "note   the key %.*s of the log is the current one since %.*s\n",
            STR_FMT(current->kid),
            STR_FMT(clock_rfc3339(c->arena, current->current_from)));
    if (next)
        printf(
            "note   the key %.*s of the log is the next one, made %.*s; the "
            "current one %s\n",
            STR_FMT(next->kid),
            STR_FMT(clock_rfc3339(c->arena, next->created_at)),
            current && signing_key_names(c->arena, current, next)
                ? "names it"
                : "does not name it yet");
}

/* The text of the file of keys; p NULL where it cannot be read, and *why says
 * what to do. */
static struct str doctor_log_file(const struct command *c, const char **why)
{
    struct buf b = buf_make(c->arena, SIGNER_FILE_MAX);
    const struct str path = c->conf->log_key;
    if (credential.p)
        return credential;
    if (path.n == 0) {
        *why = "`log_key` names no file, and systemd passes no credential "
               "log.key";
        return STR_NONE;
    }
    if (buf_file(&b, arena_z(c->arena, path)))
        return buf_text(&b);
    *why =
        arena_z(c->arena,
                arena_join(c->arena, path, STR(": "), str_of(strerror(errno)),
                           STR("; it has to belong to sayso-seal")));
    return STR_NONE;
}

/* Only this user, the signer's, reads the file. */
static void doctor_log_mode(const struct command *c, struct findings *f)
{
    struct stat st;
    if (credential.p || c->conf->log_key.n == 0 ||
        stat(arena_z(c->arena, c->conf->log_key), &st) != 0)
        return;
    findings_tell(f, (st.st_mode & (S_IRWXG | S_IRWXO)) == 0,
                  "nobody else can read the file of the log's keys",
                  "chmod 0400 the file");
}

static void doctor_log_keys(const struct command *c,
                            const struct signing_key_rows *rows,
                            struct findings *f)
{
    static struct signer found[LOG_WRITER_KEYS];
    const char *why = NULL;
    bool has = false;
    size_t n = 0;
    const struct signing_key *current =
        signing_keys_in(rows, SIGNING_KEY_CURRENT);
    doctor_log_ages(c, rows);
    findings_tell(f, current != NULL, "the log has a current key",
                  "nothing is signed; make one by `sayso log-key new` "
                  "(docs/operations/install.md)");
    if (!current)
        return;
    const struct str text = doctor_log_file(c, &why);
    if (text.p && !signer_read_all(c->arena, text, found, countof(found), &n))
        why = "the file has a text that is not an Ed25519 key";
    for (size_t i = 0; i < n && !has; i++)
        has = str_eq(signer_kid(c->arena, &found[i].key), current->kid);
    findings_tell(
        f, has, "the signer has the current key of the log",
        why ? why
            : "the file has other keys: put the right one back. A "
              "restored database has the public keys alone. Where the "
              "file is lost, see docs/operations/problems.md");
    doctor_log_mode(c, f);
}

/* ---- what is signed ------------------------------------------------- */

static const char *doctor_log_faults(struct arena *a,
                                     const struct tlogs_fault *v, size_t n)
{
    struct str text = STR("nothing of these is signed; see \"verify says "
                          "BROKEN\" in docs/operations/problems.md");
    for (size_t i = 0; i < n && i < TLOGS_NAMED; i++)
        text = arena_join(a, text, STR("; intent "), v[i].intent_id,
                          STR(", event "), arena_number(a, v[i].sequence),
                          STR(": "), v[i].reason);
    return arena_z(
        a, n > TLOGS_NAMED ? arena_join(a, text, STR("; and others")) : text);
}

static const struct err *doctor_log_signed(const struct command *c,
                                           struct pg *pg, struct findings *f)
{
    static const struct log_writer_keys none;
    struct arena *a = c->arena;
    struct pg_rows *r = NULL;
    struct tlogs_waiting waiting;
    struct tlogs_fault *faults = NULL;
    int64_t size = 0;
    size_t n = 0;
    TRY(pg_query(pg, a, SQL_PING, NULL, &r));
    const int64_t epoch = tables_restore_of(pg_str(r, 0, 1)).epoch;
    TRY(tlogs_faults(pg, a, TLOGS_BROKEN, STR_NONE, TLOGS_NAMED + 1, &faults,
                     &n));
    findings_tell(f, n == 0,
                  "no chain of events is broken, as far as it was logged",
                  doctor_log_faults(a, faults, n));
    TRY(rows_number(pg, a, SQL_TLOG_SIZE, PG(pg_number(epoch)), &size));
    const struct err *e = log_writer_fits(pg, a, epoch, size, &none);
    if (e && !err_is(e, tlogs_inconsistent))
        return e;
    findings_tell(
        f, !e, "what is stored of the log fits its last head",
        "nothing is signed until it does: somebody changed the log in "
        "the database; compare it with your backups");
    TRY(tlogs_waiting(pg, a, epoch, &waiting));
    findings_tell(
        f, waiting.since == 0 || clock_now() - waiting.since < TLOGS_BEHIND,
        "the log has all events that are older than a minute",
        "`seal` does not run, has no key, or waits for a transaction; "
        "see the lines above, and `journalctl -u sayso -g seal`");
    return NULL;
}

int doctor_log(const struct command *c, int which)
{
    struct findings f = {.wrong = 0};
    struct signing_key_rows rows;
    struct pg *pg = pg_make(c->arena, c->conf->database_seal, "sayso doctor",
                            sql_statements, sql_statement_count);
    (void)which;
    pg_connect_ms(pg, c->conf->database_connect_ms);
    /* Another check has reported that the database does not answer. */
    const struct err *e = signing_keys_list(pg, c->arena, &rows);
    if (!e)
        doctor_log_keys(c, &rows, &f);
    if (!e)
        e = doctor_log_signed(c, pg, &f);
    if (e && e->kind != ERR_BUSY)
        findings_tell(&f, false, "the log can be read",
                      arena_z(c->arena, e->say));
    pg_close(pg);
    return f.wrong;
}
