/* A notice as a mail: RFC 5322 headers and two parts, text and HTML.
 *
 * Untrusted text is never put into a header unchanged: the subject is one line,
 * encoded (RFC 2047) where it is not plain; addresses have a narrow alphabet.
 * Both parts are base64, so that no line is too long and none can end the
 * mail. */
#include "notify/mail.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "notify/digest.h"
#include "notify/message.h"
#include "world/template/words.h"

#define SUBJECT_MAX 150 /* characters */
#define PLAIN_MAX 60    /* of a subject that is not encoded, bytes */
#define WORD_MAX 42     /* of an encoded word's text, bytes */
#define LINE_MAX 76     /* of base64 */
#define ADDRESS_MAX 254
#define TEXT_MAX 24000  /* characters of one text */
#define LINES_MAX 500   /* of one text, in HTML */
#define CRLF "\r\n"

/* ---- addresses ------------------------------------------------------ */

size_t mail_addresses(struct str list, struct str *out, size_t max)
{
    size_t n = 0;
    while (list.p && n < max) {
        const struct str one = str_trim(str_cut(&list, ','));
        /* local@domain of RFC 5322 atoms and dots. */
        const struct str special = STR("()<>[]:;@\\,\"");
        const size_t at = str_find(one, '@', 0);
        bool fine = one.n <= ADDRESS_MAX && at > 0 && at + 1 < one.n;
        for (size_t i = 0; i < one.n; i++)
            fine = fine && one.p[i] > ' ' && one.p[i] < 0x7F &&
                   (i == at || str_find(special, one.p[i], 0) == special.n);
        if (fine)
            out[n++] = one;
    }
    return n;
}

/* ---- headers -------------------------------------------------------- */

/* Unstructured text: as it is, or as encoded words of whole characters, one
 * on each line. */
static void mail_put_text(struct buf *b, struct str s)
{
    bool plain = s.n <= PLAIN_MAX && str_search(s, STR("=?")) == s.n;
    for (size_t i = 0; i < s.n; i++)
        plain = plain && s.p[i] >= ' ' && s.p[i] < 0x7F;
    if (plain) {
        buf_str(b, s);
        return;
    }
    for (size_t from = 0, at = 0; from < s.n; from = at) {
        for (size_t next = from; next < s.n;) {
            str_rune(s, &next);
            if (next - from > WORD_MAX)
                break;
            at = next;
        }
        buf_put(b, from ? CRLF " =?UTF-8?B?" : "=?UTF-8?B?");
        buf_str(b, crypt_base64(b->arena, str_sub(s, from, at)));
        buf_put(b, "?=");
    }
}

static void mail_put_headers(struct buf *b, const struct mail *m,
                             struct str about, struct str boundary)
{
    const size_t at = str_find(m->from, '@', 0);
    /* Fri, 20 Nov 2026 09:26:13 +0000 */
    static const char *const days[] = {"Thu", "Fri", "Sat", "Sun",
                                       "Mon", "Tue", "Wed"};
    const int64_t day = m->now / (86400 * CLOCK_SECOND); /* since a Thursday */
    const struct str moment = words_moment(b->arena, m->now);
    /* Without its " UTC". */
    const struct str date = str_sub(moment, 0, moment.n - 4);
    buf_str(b, arena_join(b->arena, STR("Date: "),
                          str_of(days[day > 0 ? day % 7 : 0]), STR(", "), date,
                          STR(" +0000" CRLF "From: Sayso <"), m->from,
                          STR(">" CRLF "To: ")));
    for (size_t i = 0; i < m->to_n; i++) {
        buf_put(b, i ? "," CRLF " " : "");
        buf_str(b, m->to[i]);
    }
    buf_str(b, arena_join(b->arena, STR(CRLF "Message-ID: <"), m->id,
                          str_sub(m->from, at, m->from.n),
                          STR(">" CRLF "Subject: ")));
    mail_put_text(b, about);
    buf_put(b, CRLF "Auto-Submitted: auto-generated" CRLF
                    "MIME-Version: 1.0" CRLF
                    "Content-Type: multipart/alternative;" CRLF
                    " boundary=\"");
    buf_str(b, boundary);
    buf_put(b, "\"" CRLF CRLF);
}

static void mail_put_part(struct buf *b, struct str boundary, const char *type,
                          struct str s)
{
    const struct str coded = crypt_base64(b->arena, s);
    buf_str(b, arena_join(b->arena, STR("--"), boundary,
                          STR(CRLF "Content-Type: "), str_of(type),
                          STR("; charset=utf-8" CRLF
                              "Content-Transfer-Encoding: base64" CRLF CRLF)));
    for (size_t i = 0; i < coded.n; i += LINE_MAX) {
        buf_str(b, str_sub(coded, i, i + LINE_MAX));
        buf_put(b, CRLF);
    }
}

/* ---- the text ------------------------------------------------------- */

static void mail_put_paragraph(struct buf *b, const char *name, struct str s)
{
    if (s.n == 0)
        return;
    if (name) {
        buf_put(b, name);
        buf_put(b, "\n");
    }
    buf_str(b, words_plain(b->arena, s, TEXT_MAX));
    buf_put(b, "\n\n");
}

static struct str mail_text(struct arena *a, const struct message *m)
{
    struct buf b = buf_make(a, MESSAGE_MAX);
    mail_put_paragraph(&b, NULL, m->heading);
    mail_put_paragraph(&b, NULL, m->title);
    mail_put_paragraph(&b, NULL, m->question);
    for (size_t i = 0; i < m->rows; i++) {
        buf_put(&b, m->row[i].name);
        buf_put(&b, ": ");
        buf_str(&b, m->row[i].value);
        buf_put(&b, "\n");
    }
    buf_put(&b, "\n");
    mail_put_paragraph(&b, "Calls:", m->calls);
    mail_put_paragraph(&b, NULL, m->on_expiry);
    mail_put_paragraph(&b, "Reason given by the agent:", m->explanation);
    for (size_t i = 0; i < m->choices; i++) {
        buf_put(&b, i ? "- " : "Choices:\n- ");
        buf_str(&b, message_line(a, m->choice[i], MESSAGE_LINE_MAX));
        buf_put(&b, i + 1 < m->choices ? "\n" : "\n\n");
    }
    mail_put_paragraph(&b, "Context:", m->context);
    buf_put(&b, "Review and answer:\n");
    buf_str(&b, m->url);
    buf_put(&b, "\n\nOpening the page does not answer the request.\n");
    if (m->chosen_at.n > 0)
        buf_str(&b, arena_join(a, STR("You chose these mails on this page:\n"),
                               m->chosen_at, STR("\n")));
    return buf_text(&b);
}

/* ---- the page ------------------------------------------------------- */

/* A text as a list of its lines. */
static struct json *mail_lines(struct arena *a, struct str s)
{
    struct json *list = json_array(a);
    struct str rest = s.n ? str_head(s, TEXT_MAX) : STR_NONE;
    for (size_t i = 0; rest.p && i < LINES_MAX; i++)
        json_add_text(list, str_cut(&rest, '\n'));
    return list;
}

static struct json *mail_view(struct arena *a, const struct message *m)
{
    struct json *o = json_object(a), *rows = json_array(a);
    struct json *choices = json_array(a), *mail = json_object(a);
    json_set_text(o, "heading", m->heading);
    json_set_text(o, "title", m->title);
    json_set_json(o, "question", mail_lines(a, m->question));
    for (size_t i = 0; i < m->rows; i++) {
        struct json *row = json_object(a);
        json_set_text(row, "name", str_of(m->row[i].name));
        json_set_text(row, "value", m->row[i].value);
        json_add_json(rows, row);
    }
    json_set_json(o, "rows", rows);
    json_set_json(o, "calls", mail_lines(a, m->calls));
    json_set_text(o, "silence", m->on_expiry.p ? m->on_expiry : STR(""));
    json_set_json(o, "explanation", mail_lines(a, m->explanation));
    for (size_t i = 0; i < m->choices; i++)
        json_add_text(choices,
                      words_cut(a, m->choice[i], MESSAGE_LINE_MAX));
    json_set_json(o, "choices", choices);
    json_set_json(o, "context", mail_lines(a, m->context));
    json_set_text(o, "url", m->url);
    json_set_text(o, "chosen_at", m->chosen_at.n ? m->chosen_at : STR(""));
    json_set_json(mail, "mail", o);
    return mail;
}

/* The parts that differ between mails. */
struct content {
    struct str about, text;
    struct template_page page;
};

static const struct err *mail_question(struct arena *a, const struct mail *m,
                                       struct content *out)
{
    struct message said;
    TRY(message_read(a, m->body, &said));
    *out = (struct content){
        .about = arena_join(a, said.heading, STR(": "),
                            message_line(a, said.title, SUBJECT_MAX)),
        .text = mail_text(a, &said),
        .page = {.name = "mail/question", .view = mail_view(a, &said)}};
    return NULL;
}

static const struct err *mail_digest(struct arena *a, const struct mail *m,
                                     struct content *out)
{
    struct digest_mail said;
    TRY(digest_read(a, m->body, &said));
    *out =
        (struct content){.about = said.about,
                         .text = said.text,
                         .page = {.name = "mail/digest", .view = said.view}};
    return NULL;
}

const struct err *mail_write(struct arena *a, const struct mail *m,
                             struct str *out)
{
    const struct str boundary = arena_join(a, STR("sayso-"), m->id);
    struct content content;
    struct buf b = buf_make(a, MESSAGE_MAX * 4);
    struct buf html = buf_make(a, MESSAGE_MAX);
    TRY(digest_is(a, m->body) ? mail_digest(a, m, &content)
                              : mail_question(a, m, &content));
    content.page.now = m->now;
    TRY(template_render(a, m->templates, &content.page, &html));
    mail_put_headers(&b, m, content.about, boundary);
    mail_put_part(&b, boundary, "text/plain", content.text);
    mail_put_part(&b, boundary, "text/html", buf_text(&html));
    buf_str(&b, arena_join(a, STR("--"), boundary, STR("--" CRLF)));
    *out = buf_text(&b);
    return b.over ? ERROR(ERR_INTERNAL, "internal",
                          "The message is too long to send.")
                  : NULL;
}
