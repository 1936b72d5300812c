/* A digest as a mail. Its texts come from agents: each is one line, cut, and
 * its hidden characters are marked. */
#include "notify/digest.h"

#include "base/clock.h"
#include "domain/sending/digest.h"
#include "notify/message.h"
#include "world/template/words.h"

#define TITLE_MAX 300

static struct str digest_title(struct arena *a, const struct json *row)
{
    return arena_join(
        a, json_bool(json_get(row, "test")) ? STR("Test: ") : STR(""),
        message_line(a, json_get_text(row, "title"), TITLE_MAX));
}

/* "refunds-agent, 499.99 EUR, until 20 Nov 2026 04:12:04 CET" */
static struct str digest_second(struct arena *a, const struct json *row,
                                struct str zone)
{
    const struct str amount =
        message_line(a, json_get_text(row, "amount"), MESSAGE_LINE_MAX);
    int64_t ends = 0;
    const bool deadline = clock_parse(json_get_text(row, "expires_at"), &ends);
    return arena_join(
        a,
        words_name(
            a, message_line(a, json_get_text(row, "agent"), MESSAGE_LINE_MAX)),
        amount.n ? STR(", ") : STR(""), amount,
        deadline ? STR(", until ") : STR(", no deadline"),
        deadline ? words_when(a, zone, ends) : STR(""));
}

static struct json *digest_row(struct arena *a, const struct json *row,
                               struct str zone, struct buf *b)
{
    struct json *o = json_object(a);
    const enum severity severity =
        vocabulary_severity_of(json_get_text(row, "severity"));
    const struct str risk =
        severity > SEVERITY_UNSAID && severity < SEVERITY__MAX
            ? str_of(vocabulary_severity(severity)->label)
            : STR("");
    const struct str title = digest_title(a, row);
    const struct str second = digest_second(a, row, zone);
    const struct str url = json_get_text(row, "url");
    buf_str(b, arena_join(a, risk, risk.n ? STR(": ") : STR(""), title,
                          STR("\n"), second, STR("\n"), url, STR("\n\n")));
    json_set_text(o, "risk", risk);
    json_set_text(o, "title", title);
    json_set_text(o, "second", second);
    json_set_text(o, "url", url);
    return o;
}

static struct json *digest_data(struct arena *a, struct str body)
{
    struct json *whole = NULL;
    if (json_parse(a, body, &whole) ||
        !str_is(json_get_text(whole, "type"), digest_type))
        return NULL;
    return json_get(whole, "data");
}

bool digest_is(struct arena *a, struct str body)
{
    return digest_data(a, body) != NULL;
}

const struct err *digest_read(struct arena *a, struct str body,
                              struct digest_mail *out)
{
    const struct json *data = digest_data(a, body);
    const struct json *rows = json_get(data, "requests");
    const struct str zone = json_get_text(data, "time_zone");
    const struct str url = json_get_text(data, "url");
    const struct str chosen = json_get_text(data, "chosen_at");
    const int64_t waiting = json_int(json_get(data, "waiting"));
    const int64_t left = waiting - (int64_t)json_count(rows);
    struct json *o = json_object(a), *list = json_array(a);
    struct buf b = buf_make(a, MESSAGE_MAX);
    if (url.n == 0 || json_count(rows) == 0)
        return ERROR(ERR_INTERNAL, "message.body",
                     "The notice cannot be read.");
    out->about = arena_join(
        a, str_of(json_bool(json_get(data, "over")) ? "More than " : ""),
        words_many(a, waiting, "request"),
        str_of(waiting == 1 ? " waits for you" : " wait for you"));
    buf_str(&b, arena_join(a, out->about, STR("\n\n")));
    for (size_t i = 0; i < json_count(rows); i++)
        json_add_json(list, digest_row(a, json_at(rows, i), zone, &b));
    if (left > 0)
        buf_str(&b, arena_join(a, words_count(a, left), STR(" more:\n"), url,
                               STR("\n\n")));
    buf_str(&b, arena_join(a,
                           STR("Opening a page does not answer a request.\n"
                               "You chose these mails on this page:\n"),
                           chosen, STR("\n")));
    out->text = buf_text(&b);
    json_set_text(o, "heading", out->about);
    json_set_json(o, "requests", list);
    json_set_text(o, "left", left > 0 ? words_count(a, left) : STR(""));
    json_set_text(o, "url", url);
    json_set_text(o, "chosen_at", chosen);
    out->view = json_object(a);
    json_set_json(out->view, "mail", o);
    return NULL;
}
