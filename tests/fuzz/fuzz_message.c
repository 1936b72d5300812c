/* Any bytes as an agent's words in a notice, and as a channel's addresses:
 *
 * the mail has the headers that we gave it and lines that a mail may have;
 * what goes to Slack is JSON without its special characters; an address can
 * not leave its place. Also as the notice itself. */
#include "base/crypt.h"
#include "notify/mail.h"
#include "notify/message.h"
#include "notify/slack.h"
#include "fuzz.h"

static void check_mail(struct str mail)
{
    size_t headers = 0;
    bool in_head = true;
    while (mail.p) {
        struct str line = str_cut(&mail, '\n');
        must(!mail.p || str_ends(line, STR("\r")));
        must(line.n < 200);
        for (size_t i = 0; i + 1 < line.n; i++)
            must(line.p[i] >= ' ' && line.p[i] < 0x7F);
        in_head = in_head && line.n > 1;
        headers += in_head && line.p[0] != ' ';
    }
    must(headers == 8);
}

static void check_slack(struct arena *a, struct str body)
{
    struct json *o = NULL;
    must(!json_parse(a, body, &o));
    must(str_find(body, '<', 0) == body.n && str_find(body, '>', 0) == body.n);
}

static void check_body(struct arena *a, struct str body, bool ours)
{
    static struct templates *page;
    static struct arena *kept;
    const struct str to = STR("a@example.org");
    struct mail m = {.id = STR("id"),
                     .body = body,
                     .from = STR("s@example.org"),
                     .to = &to,
                     .to_n = 1,
                     .now = 1};
    struct str out;
    const struct err *e = slack_write(a, body, &out);
    must(!e || !ours);
    if (!e)
        check_slack(a, out);
    if (!page) {
        kept = arena_make(ARENA_PROCESS_MAX);
        must(crypt_init() && !template_load(kept, STR("templates"), true,
                                            &page));
    }
    m.templates = page;
    e = mail_write(a, &m, &out);
    must(!e || !ours);
    if (!e)
        check_mail(out);
}

static struct str notice(struct arena *a, struct str s)
{
    static const char *const texts[] = {"title", "question", "explanation",
                                        "agent", "severity", "notify_to",
                                        "on_expiry", "asked_at"};
    struct json *o = json_object(a), *words = json_object(a);
    struct json *choices = json_array(a), *context = json_object(a);
    for (size_t i = 0; i < countof(texts); i++)
        json_set_text(words, texts[i], s);
    json_add_text(choices, s);
    json_set_text(context, "k", s);
    json_set_json(words, "choices", choices);
    json_set_json(words, "context", context);
    json_set_text(words, "url", STR("https://sayso.example.org/"));
    json_set_json(o, "data", words);
    return json_dump(a, o, (size_t)4 << 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str s = arena_str(a, (struct str){(const char *)data, size});
    struct str v[4];
    const size_t n = mail_addresses(s, v, 4);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < v[i].n; k++)
            must(v[i].p[k] > ' ' && v[i].p[k] < 0x7F && v[i].p[k] != '<' &&
                 v[i].p[k] != '>' && v[i].p[k] != ',');
    check_body(a, s, false);
    if (s.n > 0 && s.n < 4000 && str_utf8(s))
        check_body(a, notice(a, s), true);
    return 0;
}
