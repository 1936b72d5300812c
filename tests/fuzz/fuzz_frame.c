/* Any bytes as an event's type, record, agents and canonical form, one for
 * each line, and as the id that a stream goes on from:
 *
 * what is written is whole frames of one data line each, whatever a reader
 * takes for the end of a line; the parts of an event join; and an id that is
 * taken is one that we could have written. */
#include "domain/sending/frame.h"
#include "fuzz.h"

static struct str write_all(struct arena *a, const struct frame_event *e,
                            enum frame_audience to, size_t skip, size_t *n)
{
    struct buf b = buf_make(a, FRAME_MAX);
    *n = frame_write(a, &b, e, to, skip);
    must(!b.over);
    return buf_text(&b);
}

static void check_lines(struct str text, size_t frames)
{
    static const char *const ends[] = {"\r", "\v", "\f", "\xC2\x85",
                                       "\xE2\x80\xA8", "\xE2\x80\xA9"};
    size_t lines = 0;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    must(lines == 4 * frames);
    for (size_t i = 0; i < countof(ends); i++)
        must(str_search(text, str_of(ends[i])) == text.n);
}

static void check_event(struct arena *a, const struct frame_event *e)
{
    for (int to = FRAME_INTENT; to < FRAME_AUDIENCE__MAX; to++) {
        const enum frame_audience who = (enum frame_audience)to;
        size_t n = 0, again = 0;
        (void)frame_goes(a, e, who, STR("a"));
        const struct str all = write_all(a, e, who, 0, &n);
        const struct str rest = write_all(a, e, who, 1, &again);
        must(n == again && n >= 1 && n <= 2);
        must(str_ends(all, rest));
        must(n == 1 ? rest.n == 0 : rest.n > 0 && rest.n < all.n);
        check_lines(all, n);
    }
    (void)frame_decides(a, e);
}

static void check_id(struct arena *a, struct str text)
{
    for (int to = FRAME_INTENT; to < FRAME_AUDIENCE__MAX; to++) {
        struct frame_id id;
        if (!frame_id_read(text, (enum frame_audience)to, &id))
            continue;
        struct buf b = buf_make(a, 128);
        frame_id_epoch(&b, id.epoch);
        if (to != FRAME_INTENT)
            buf_int(&b, (int64_t)id.xid);
        if (id.intent_id.p) {
            buf_char(&b, '.');
            buf_str(&b, id.intent_id);
            buf_char(&b, '.');
        }
        if (to == FRAME_INTENT || id.intent_id.p)
            buf_int(&b, id.sequence);
        if (id.part) {
            buf_char(&b, '.');
            buf_int(&b, (int64_t)id.part);
        }
        must(str_eq(buf_text(&b), text));
    }
}

/* A value of the database: JSON that has passed the check, or nothing. */
static struct str checked(struct arena *a, struct str s, const char *other)
{
    return s.p && !json_check(a, s) ? s : str_of(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {
        "agent_assigned",  "status_changed", "state_patched",
        "lease_released",  "intent.resumed", "intent.suspended",
        "access_requested", "comment",       "intent.suspension_expired"};
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    check_id(a, rest);
    struct frame_event e = {
        .cursor = STR("7"),
        .intent_id = STR("0198a5b2-7c0e-7abc-8def-0123456789ab"),
        .sequence = 1,
        .hash = STR("h")};
    e.type = str_of(types[size ? data[0] % countof(types) : 0]);
    (void)str_cut(&rest, '\n');
    e.record = checked(a, str_cut(&rest, '\n'), NULL);
    e.agents = checked(a, str_cut(&rest, '\n'), NULL);
    /* Canonical JSON is one line itself. */
    e.canonical = checked(a, str_sub(rest, 0, str_find(rest, '\n', 0)), "{}");
    if (str_find(e.canonical, '\r', 0) == e.canonical.n &&
        str_starts(e.canonical, STR("{")))
        check_event(a, &e);
    return 0;
}
