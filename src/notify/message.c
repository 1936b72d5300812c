/* A notice's body, read for people. The server made the body, but its texts
 * come from agents: only texts are taken from it, each cut to a length that
 * fits in a message. */
#include "notify/message.h"

#include "base/clock.h"
#include "world/template/words.h"

#define TITLE_MAX 300
#define QUESTION_MAX 4000
#define EXPLANATION_MAX 20000
#define CONTEXT_MAX ((size_t)64 << 10)

struct str message_line(struct arena *a, struct str s, size_t max)
{
    struct buf b = buf_make(a, s.n * 8 + 16);
    const struct str plain = words_plain(a, s, max);
    for (size_t i = 0; i < plain.n; i++)
        buf_char(&b, plain.p[i] == '\n' || plain.p[i] == '\t' ? ' '
                                                              : plain.p[i]);
    return str_trim(b.n ? buf_text(&b) : STR(""));
}

static struct str message_heading(struct arena *a, struct str type,
                                  const struct json *data)
{
    const int64_t attempt = json_int(json_get(data, "attempt"));
    const int64_t max = json_int(json_get(data, "max_attempts"));
    const bool test = json_bool(json_get(data, "test"));
    const struct str reminder = test ? STR("Test: reminder") : STR("Reminder");
    if (str_is(type, "suspension.escalated"))
        return test ? STR("Test: a request was escalated to you")
                    : STR("A request was escalated to you");
    if (str_is(type, "endpoint_test"))
        return STR("Test message");
    if (str_is(type, "coordinator.unresponsive"))
        return STR("A coordinator does not respond");
    if (!str_is(type, "suspension.reminded"))
        return test ? STR("Test: new request") : STR("New request");
    return attempt > 1 && max >= attempt
               ? arena_join(a, reminder, STR(" "),
                            arena_number(a, attempt - 1), STR(" of "),
                            arena_number(a, max - 1))
               : reminder;
}

static void message_add_row(struct arena *a, struct message *m,
                            const char *name, struct str value)
{
    if (value.n == 0 || m->rows == MESSAGE_ROWS_MAX)
        return;
    m->row[m->rows++] =
        (struct message_row){name, message_line(a, value, MESSAGE_LINE_MAX)};
}

static struct str message_moment(struct arena *a, const struct json *data,
                                 const char *key, struct str none)
{
    int64_t t;
    return clock_parse(json_get_text(data, key), &t) ? words_moment(a, t)
                                                     : none;
}

/* "high" as "High"; a word of a vocabulary. */
static struct str message_capital(struct arena *a, struct str s)
{
    if (s.n == 0 || s.p[0] < 'a' || s.p[0] > 'z')
        return s;
    const char first = (char)(s.p[0] - 'a' + 'A');
    return arena_join(a, (struct str){&first, 1}, str_sub(s, 1, s.n));
}

static struct str message_context(struct arena *a, const struct json *data)
{
    const struct json *v = json_get(data, "context");
    struct buf b = buf_make(a, CONTEXT_MAX * 4);
    if (json_count(v) == 0)
        return STR_NONE;
    json_write_pretty(&b, v);
    return b.over ? STR("The text is too long for a message. The page shows "
                        "it.")
                  : buf_text(&b);
}

/* A value in one line; where it has several they are seen. */
static void message_put_value(struct buf *b, struct str value)
{
    const struct str plain = words_plain(b->arena, value, MESSAGE_LINE_MAX);
    struct str rest = str_trim(plain);
    while (rest.p) {
        buf_str(
            b, message_line(b->arena, str_cut(&rest, '\n'), MESSAGE_LINE_MAX));
        buf_put(b, rest.p ? " \xE2\x86\xB5 " : "");
    }
}

static void message_put_left(struct buf *b, const struct json *left,
                             const char *noun)
{
    if (json_int(left) > 0) {
        buf_put(b, "- and ");
        buf_str(b, words_many(b->arena, json_int(left), noun));
        buf_put(b, "\n");
    }
}

static struct str message_calls(struct arena *a, const struct json *data)
{
    const struct json *calls = json_get(data, "calls");
    struct buf b = buf_make(a, MESSAGE_MAX);
    for (size_t i = 0; i < json_count(calls); i++) {
        const struct json *call = json_at(calls, i);
        const struct json *args = json_get(call, "arguments");
        buf_str(&b, words_name(a, message_line(a, json_get_text(call, "tool"),
                                               MESSAGE_LINE_MAX)));
        buf_put(&b, "\n");
        for (size_t k = 0; k < json_count(args); k++) {
            const struct json *arg = json_at(args, k);
            buf_put(&b, "- ");
            message_put_value(&b, json_get_text(arg, "name"));
            buf_put(&b, ": ");
            message_put_value(&b, json_get_text(arg, "value"));
            buf_put(&b, "\n");
        }
        message_put_left(&b, json_get(call, "left"), "more argument");
    }
    message_put_left(&b, json_get(data, "calls_left"), "more call");
    return b.n ? str_trim(buf_text(&b)) : STR_NONE;
}

const struct err *message_read(struct arena *a, struct str body,
                               struct message *out)
{
    const struct err *unreadable =
        ERROR(ERR_INTERNAL, "message.body", "The notice cannot be read.");
    struct json *whole = NULL;
    if (json_parse(a, body, &whole))
        return unreadable;
    const struct json *data = json_get(whole, "data");
    const struct str title = json_get_text(data, "title");
    const struct str question = json_get_text(data, "question");
    const bool repeats = str_eq(question, title);
    *out = (struct message){
        .heading = message_heading(a, json_get_text(whole, "type"), data),
        .title = str_head(title, TITLE_MAX),
        .question = repeats ? STR_NONE : str_head(question, QUESTION_MAX),
        .explanation =
            str_head(json_get_text(data, "explanation"), EXPLANATION_MAX),
        .on_expiry = json_get_text(data, "on_expiry"),
        .context = message_context(a, data),
        .calls = message_calls(a, data),
        .url = json_get_text(data, "url"),
        .chosen_at = json_get_text(data, "chosen_at")};
    if (title.n == 0 || out->url.n == 0)
        return unreadable;
    message_add_row(a, out, "Risk",
                    message_capital(a, json_get_text(data, "severity")));
    message_add_row(a, out, "Amount", json_get_text(data, "amount"));
    message_add_row(a, out, "Target", json_get_text(data, "target"));
    message_add_row(a, out, "Agent",
                    words_name(a, json_get_text(data, "agent")));
    message_add_row(a, out, "For",
                    words_name(a, json_get_text(data, "notify_to")));
    message_add_row(a, out, "Requested",
                    message_moment(a, data, "asked_at", STR_NONE));
    if (str_starts(json_get_text(whole, "type"), STR("suspension.")))
        message_add_row(
            a, out, "Deadline",
            message_moment(a, data, "expires_at", STR("no deadline")));
    const struct json *choices = json_get(data, "choices");
    for (size_t i = 0; i < json_count(choices); i++)
        if (out->choices < MESSAGE_CHOICES_MAX)
            out->choice[out->choices++] =
                words_name(a, json_text(json_at(choices, i)));
    return NULL;
}
