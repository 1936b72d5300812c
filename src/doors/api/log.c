/* The log for witnesses and monitors, as C2SP tlog-tiles has it: the keys, the
 * newest head, the tiles and their entries. None of it has a word of an
 * event. */
#include "base/clock.h"
#include "base/json/fields.h"
#include "doors/api/api.h"
#include "store/log/signing_keys.h"
#include "store/log/tlogs.h"
#include "store/tables.h"
#include "work/log/log_writer.h"

#define FOR_EVER "max-age=31536000, immutable"
#define LOG_CLOCKS_APART (300 * CLOCK_SECOND) /* a witness's clock from ours */

/* Where it needs a key, no cache between may keep it for others. */
static void log_answer(struct call *c, const char *type, struct str body,
                       const char *cache)
{
    const char *who = c->serve->conf->log_public ? "public, " : "private, ";
    response_json_text(c->rs, 200, body);
    response_header(c->rs, "Content-Type", str_of(type));
    response_header(c->rs, "Cache-Control",
                    arena_join(c->a, str_of(who), str_of(cache)));
}

const struct err *api_log_keys(struct call *c)
{
    const struct str origin = log_writer_origin(c->a, c->serve->conf,
                                                tables_restore().epoch);
    struct signing_key_rows rows;
    struct json *list = json_array(c->a);
    TRY(signing_keys_list(c->pg, c->a, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        struct note_key vkey = {.name = origin, .algorithm = NOTE_ED25519};
        struct json *o =
            record_object(c->a, &signing_key_record, &rows.v[i]);
        if (signing_key_public(c->a, &rows.v[i], &vkey.key))
            json_set_text(o, "vkey", note_key_text(c->a, &vkey));
        json_add_json(list, o);
    }
    response_json(c->rs, 200, list);
    return NULL;
}

/* ---- heads ---------------------------------------------------------- */

/* The epoch of an address, which is as an origin has it: none for the first
 * log, and a number for one that began after a restore. */
static bool log_epoch_read(struct call *c, struct str text, int64_t *out)
{
    *out = 0;
    return !text.p || (str_int(text, 1, INT32_MAX, out) &&
                       str_eq(text, arena_number(c->a, *out)));
}

/* With the lines that witnesses added. */
static const struct err *log_head_answer(struct call *c, int64_t epoch,
                                         const struct tlogs_head *head)
{
    struct str lines;
    if (head->head.size == 0)
        return ERROR(ERR_NOT_FOUND, "log.no_head",
                     "The log has no such head, or does not keep it.");
    TRY(tlogs_cosignatures(c->pg, c->a, epoch, head->head.size, &lines));
    log_answer(c, "text/plain; charset=utf-8",
               arena_join(c->a, head->note, lines), "max-age=2");
    return NULL;
}

/* The newest, or the newest that a witness has signed. */
const struct err *api_log_head(struct call *c)
{
    int64_t epoch = 0;
    struct tlogs_head head = {.signed_at = 0};
    if (log_epoch_read(c, c->param[0], &epoch))
        TRY(str_is(request_query(c->rq, "cosigned"), "yes")
                ? tlogs_head_cosigned(c->pg, c->a, epoch, &head)
                : tlogs_head(c->pg, c->a, epoch, &head));
    return log_head_answer(c, epoch, &head);
}

/* ---- witnesses ------------------------------------------------------ */

/* The note of a body, and the head in it. */
static const struct err *log_note_read(struct call *c, struct note *note,
                                       struct note_head *head)
{
    struct fields f = fields(c->a, c->body, STR(""));
    struct str text;
    const char *why = NULL;
    fields_only(&f, "note");
    fields_need(&f, "note");
    fields_text(&f, "note", NOTE_MAX, &text);
    if (!f.e)
        why = note_read(c->a, text, note);
    if (!f.e && !why)
        why = note_head_read(c->a, note->text, head);
    if (why)
        fields_wrong(&f, "note", "cosignature.note",
                     "This is not a signed head: %s.", why);
    return fields_error(&f);
}

/* Queues the lines of the configured witnesses that hold. */
static const struct err *log_cosign(struct call *c, const struct note *note,
                                    const struct tlogs_head *head)
{
    const int64_t now = clock_now();
    const int64_t first = (head->signed_at - LOG_CLOCKS_APART) / CLOCK_SECOND;
    const int64_t last = (now + LOG_CLOCKS_APART) / CLOCK_SECOND;
    struct tlogs_cosignature row = {.epoch = tables_restore().epoch,
                                    .size = head->head.size,
                                    .by = principal_actor(&c->who),
                                    .at = now};
    struct str rest = c->serve->conf->log_witnesses;
    bool found = false, untimely = false;
    while (rest.p) {
        const struct str word = str_cut(&rest, ' ');
        struct note_key witness;
        int64_t at = 0;
        const struct note_signature *s =
            note_key_read(c->a, word, &witness)
                ? note_signed(c->a, note, &witness, &at)
                : NULL;
        if (!s)
            continue;
        if (at < first || at > last) {
            untimely = true;
            continue;
        }
        row.key = word;
        row.line = s->line;
        tlogs_queue_cosignature(c->pg, c->a, &row);
        found = true;
    }
    if (found)
        return NULL;
    if (untimely)
        return err_at(c->a, ERR_INVALID, "cosignature.time", STR("note"),
                      "The time of the cosignature is before that of the "
                      "head, or in the future.");
    return err_at(c->a, ERR_INVALID, "cosignature.signature", STR("note"),
                  "The note has no signature that holds of a witness that the "
                  "server is configured with.");
}

const struct err *api_log_cosign(struct call *c)
{
    const int64_t epoch = tables_restore().epoch;
    struct note *note = arena_new(c->a, struct note);
    struct note_head said;
    struct tlogs_head head;
    TRY(call_body(c));
    TRY(log_note_read(c, note, &said));
    TRY(tlogs_head_of(c->pg, c->a, epoch, said.size, &head));
    if (!str_starts(head.note, arena_join(c->a, note->text, STR("\n"))))
        head.head.size = 0;
    if (head.head.size > 0) {
        TRY(log_cosign(c, note, &head));
        TRY(pg_run(c->pg, c->a, NULL));
    }
    return log_head_answer(c, epoch, &head);
}

/* ---- tiles ---------------------------------------------------------- */

/* A tile as its address names it: "x001/x234/067" is 1234067, and ".p/5" after
 * it asks for the first 5 of its hashes. */
struct log_tile {
    bool entries; /* of level 0: the entries themselves */
    unsigned level;
    int64_t number;
    size_t width;
};

/* Three digits, after an x but for the last part. */
static bool log_digits(struct str part, bool last, int64_t *number)
{
    int64_t v = 0;
    if (!last && (part.n != 4 || part.p[0] != 'x'))
        return false;
    const struct str digits = last ? part : str_sub(part, 1, part.n);
    if (digits.n != 3 || !str_int(digits, 0, 999, &v))
        return false;
    *number = *number * 1000 + v;
    return true;
}

/* From the level on, n parts of the address. */
static bool log_tile_read(const struct str *param, size_t n,
                          struct log_tile *out)
{
    int64_t level = 0, width = TLOG_TILE;
    *out = (struct log_tile){.entries = str_is(param[0], "entries")};
    if (!out->entries && !str_int(param[0], 0, TLOG_LEVELS - 1, &level))
        return false;
    struct str last = param[n - 1];
    if (n > 2 && str_ends(param[n - 2], STR(".p"))) {
        if (!str_int(last, 1, TLOG_TILE - 1, &width))
            return false;
        last = str_sub(param[n - 2], 0, param[n - 2].n - 2);
        n--;
    }
    for (size_t i = 1; i + 1 < n; i++) {
        if (!log_digits(param[i], false, &out->number))
            return false;
    }
    out->level = (unsigned)level;
    out->width = (size_t)width;
    return log_digits(last, true, &out->number);
}

/* The entries of a tile, each after its length (C2SP tlog-tiles). */
static const struct err *log_entries(struct call *c, int64_t epoch,
                                     const struct log_tile *t)
{
    struct tlog_hash *v = NULL;
    const int64_t first = t->number * TLOG_TILE;
    struct buf b = buf_make(c->a, TLOG_TILE * (CRYPT_SHA256 + 2));
    TRY(tlogs_hashes(c->pg, c->a, epoch, STR_NONE, first + 1,
                     first + (int64_t)t->width, &v));
    for (size_t i = 0; i < t->width; i++) {
        buf_char(&b, 0);
        buf_char(&b, CRYPT_SHA256);
        buf_str(&b, (struct str){(const char *)v[i].b, CRYPT_SHA256});
    }
    log_answer(c, "application/octet-stream", buf_text(&b), FOR_EVER);
    return NULL;
}

/* The level is the parameter at that place. */
static const struct err *log_tile_answer(struct call *c, int64_t epoch,
                                         size_t at)
{
    static const struct err unknown = {
        .kind = ERR_NOT_FOUND,
        .code = "log.no_tile",
        .say = WIRE("The log has no such tile.")};
    struct log_tile t;
    struct tlog_hash *v = NULL;
    size_t n = at;
    while (n < CALL_PARAMS_MAX && c->param[n].p)
        n++;
    if (epoch < 0 || !log_tile_read(c->param + at, n - at, &t))
        return &unknown;
    TRY(tlogs_tile(c->pg, c->a, epoch, t.level, t.number, &v, &n));
    if (n < t.width)
        return &unknown;
    if (t.entries)
        return log_entries(c, epoch, &t);
    log_answer(c, "application/octet-stream",
               (struct str){(const char *)v, t.width * sizeof *v}, FOR_EVER);
    return NULL;
}

const struct err *api_log_tile(struct call *c)
{
    return log_tile_answer(c, 0, 0);
}

const struct err *api_log_tile_of(struct call *c)
{
    int64_t epoch = 0;
    const bool known = log_epoch_read(c, c->param[0], &epoch);
    return log_tile_answer(c, known ? epoch : -1, 1);
}
