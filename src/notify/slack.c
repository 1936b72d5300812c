/* A notice for Slack, in Block Kit.
 *
 * All text is plain_text, so that an agent's text cannot become a link, a
 * mention or an emoji; Slack's three special characters are escaped all the
 * same. The one button is a link to the page. */
#include "notify/slack.h"

#include "notify/message.h"
#include "world/template/words.h"

/* Slack's limits, in characters. */
#define HEADER_MAX 150
#define TEXT_MAX 3000
#define FIELD_MAX 2000
#define URL_MAX 3000
#define SAYS_MAX 300

/* At most max characters after escaping, "…" in place of the rest. */
static struct str slack_escape(struct arena *a, struct str s, size_t max)
{
    struct buf b = buf_make(a, s.n * 5 + 16);
    size_t used = 0;
    for (size_t at = 0; at < s.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(s, &at);
        const char *entity = rune == '&'   ? "&amp;"
                             : rune == '<' ? "&lt;"
                             : rune == '>' ? "&gt;"
                                           : NULL;
        const size_t width = entity ? strlen(entity) : 1;
        const size_t room = at < s.n ? max - 1 : max;
        if (used + width > room) {
            buf_put(&b, "\xE2\x80\xA6");
            break;
        }
        used += width;
        if (entity)
            buf_put(&b, entity);
        else
            buf_str(&b, str_sub(s, from, at));
    }
    return b.n ? buf_text(&b) : STR("");
}

static struct json *slack_text(struct arena *a, struct str s, size_t max)
{
    struct json *o = json_object(a);
    json_set_text(o, "type", STR("plain_text"));
    json_set_text(o, "text", slack_escape(a, s, max));
    json_set_bool(o, "emoji", false);
    return o;
}

static struct json *slack_block(struct arena *a, struct json *blocks,
                                const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "type", str_of(type));
    json_add_json(blocks, o);
    return o;
}

/* A paragraph, with its name above where it has one. */
static void slack_section(struct arena *a, struct json *blocks,
                          const char *name, struct str s)
{
    struct buf b = buf_make(a, s.n * 8 + 64);
    if (s.n == 0)
        return;
    if (name) {
        buf_put(&b, name);
        buf_char(&b, '\n');
    }
    buf_str(&b, words_plain(a, s, TEXT_MAX));
    json_set_json(slack_block(a, blocks, "section"), "text",
                  slack_text(a, buf_text(&b), TEXT_MAX));
}

const struct err *slack_write(struct arena *a, struct str body,
                              struct str *out)
{
    struct message m;
    struct json *o = json_object(a), *blocks = json_array(a);
    TRY(message_read(a, body, &m));
    json_set_json(slack_block(a, blocks, "header"), "text",
                  slack_text(a, message_line(a, m.title, HEADER_MAX),
                             HEADER_MAX));
    slack_section(a, blocks, NULL, m.heading);
    slack_section(a, blocks, NULL, m.question);
    struct json *fields = json_array(a);
    for (size_t i = 0; i < m.rows; i++) {
        const struct str field =
            arena_join(a, str_of(m.row[i].name), STR(": "), m.row[i].value);
        json_add_json(fields, slack_text(a, field, FIELD_MAX));
    }
    if (m.rows > 0)
        json_set_json(slack_block(a, blocks, "section"), "fields", fields);
    slack_section(a, blocks, "Calls", m.calls);
    slack_section(a, blocks, NULL, m.on_expiry);
    slack_section(a, blocks, "Reason", m.explanation);
    struct buf choices = buf_make(a, TEXT_MAX * 16);
    for (size_t i = 0; i < m.choices; i++) {
        buf_put(&choices, i ? "\n- " : "- ");
        buf_str(&choices, message_line(a, m.choice[i], MESSAGE_LINE_MAX));
    }
    slack_section(a, blocks, "Choices", buf_text(&choices));
    slack_section(a, blocks, "Context", m.context);
    if (m.url.n <= URL_MAX) {
        struct json *button = json_object(a), *buttons = json_array(a);
        json_set_text(button, "type", STR("button"));
        json_set_json(button, "text",
                      slack_text(a, STR("Review and answer"), HEADER_MAX));
        json_set_text(button, "url", m.url);
        json_add_json(buttons, button);
        json_set_json(slack_block(a, blocks, "actions"), "elements", buttons);
    }
    const struct str says = arena_join(a, m.heading, STR(": "),
                                       message_line(a, m.title, SAYS_MAX));
    json_set_text(o, "text", slack_escape(a, says, SAYS_MAX));
    json_set_bool(o, "mrkdwn", false);
    json_set_bool(o, "unfurl_links", false);
    json_set_bool(o, "unfurl_media", false);
    json_set_json(o, "blocks", blocks);
    *out = json_dump(a, o, MESSAGE_MAX);
    return out->p ? NULL
                  : ERROR(ERR_INTERNAL, "internal",
                          "The message is too long to send.");
}
