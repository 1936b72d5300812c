/* `sayso ask`: asks a person from a shell or a CI job, and waits.
 *
 * A client of the API like every other: it needs a server's address and an
 * agent's key, and no configuration. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock_text.h"
#include "base/crypt.h"
#include "base/id.h"
#include "base/json/json.h"
#include "domain/kind/label.h"
#include "domain/vocabulary.h"
#include "process/commands/commands.h"
#include "world/outbound.h"
#include "world/template/words.h"

#define ASK_BODY_MAX ((size_t)64 << 10)
#define HOLD 50 /* seconds of one read */
#define PAUSE 2 /* seconds before another try */
#define WAIT_DEFAULT INT64_C(3600)
#define WAIT_MAX (INT64_C(366) * 24 * 3600)
#define ONCE_MAX 255 /* characters of an Idempotency-Key */

enum ask_status { ASK_YES, ASK_NO, ASK_NOBODY, ASK_FAILED };

struct asking {
    struct arena *arena;
    struct str url, key, agent; /* agent p NULL: the key's own */
    struct str once;
    bool named;   /* by the caller: a later run finds the question again */
    int64_t wait; /* seconds */
    bool choices;
};

/* ---- an end from outside --------------------------------------------- */

static volatile int interrupted;

static void ask_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* ---- values ---------------------------------------------------------- */

static struct str ask_variable(const char *name)
{
    const struct str value = str_trim(str_of(getenv(name)));
    return value.n > 0 ? value : STR_NONE;
}

/* Only characters of low to high and, where wide, those beyond ASCII: no line
 * can be added by a value that goes into a header or an address. */
static bool ask_within(struct str s, char low, bool wide)
{
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.p[i];
        if (c < (unsigned char)low || c == 0x7f || (c > 0x7f && !wide))
            return false;
    }
    return true;
}

static bool ask_refuse(const char *name)
{
    fprintf(stderr, "sayso: %s has a character that it cannot have\n", name);
    return false;
}

static struct str ask_line(struct arena *a, const char *name, struct str value)
{
    return arena_join(a, str_of(name), STR(": "), value);
}

static struct outbound_call ask_call(const struct asking *x, const char *path,
                                     struct str behind)
{
    struct str server = x->url;
    while (str_ends(server, STR("/")))
        server.n--;
    struct outbound_call f = {
        .url = arena_join(x->arena, server, str_of(path), behind),
        .time = (HOLD + 25) * CLOCK_SECOND};
    f.header[f.headers++] = ask_line(x->arena, "X-API-Key", x->key);
    if (x->agent.p)
        f.header[f.headers++] = ask_line(x->arena, "X-Agent-ID", x->agent);
    return f;
}

/* ---- asking --------------------------------------------------------- */

static struct str ask_body(const struct command *c, const struct asking *x)
{
    struct json *o = json_object(x->arena), *list = json_array(x->arena);
    json_set_text(o, "question", str_of(c->argv[0]));
    for (size_t i = 0; command_option(c, "--choice", i).p; i++)
        json_add_text(list, command_option(c, "--choice", i));
    if (x->choices)
        json_set_json(o, "choices", list);
    else
        json_set_text(o, "response_type", STR("confirm"));
    const struct str severity = command_option(c, "--severity", 0);
    json_set_text_given(o, "severity", severity);
    const struct str why = command_option(c, "--explanation", 0);
    json_set_text_given(o, "explanation", why);
    json_set_int(o, "timeout_seconds", x->wait);
    return json_dump(x->arena, o, ASK_BODY_MAX);
}

static void ask_complain(const struct outbound_answer *got,
                         const struct json *said)
{
    const struct str detail = json_get_text(said, "detail");
    const struct str code = json_get_text(said, "code");
    if (got->status == 0)
        fprintf(stderr, "sayso: no answer from the server: %.*s\n",
                STR_FMT(got->body));
    else if (code.p)
        fprintf(stderr, "sayso: %.*s (%.*s)\n", STR_FMT(detail),
                STR_FMT(code));
    else
        fprintf(stderr, "sayso: the server answered %d\n", got->status);
}

/* Is it worth another try? */
static bool ask_passing(const struct outbound_answer *got)
{
    return got->status == 0 || got->status == 429 || got->status >= 502;
}

static void ask_rest(const struct outbound_answer *got)
{
    const int64_t seconds =
        got->retry_after > 0 && got->retry_after < 60 ? got->retry_after
                                                      : PAUSE;
    sleep((unsigned)seconds);
}

/* The question's record; NULL: it could not be asked. A first call that does
 * not get through is an error at once: the address is probably wrong. */
static struct json *ask_put(const struct command *c, const struct asking *x)
{
    struct outbound_call f = ask_call(x, "/api/v1/suspensions", STR(""));
    struct json *said = NULL;
    struct outbound_answer got;
    f.body = ask_body(c, x);
    f.header[f.headers++] = STR("Content-Type: application/json");
    f.header[f.headers++] = ask_line(x->arena, "Idempotency-Key", x->once);
    for (int i = 0; i < 5; i++) {
        outbound_call(x->arena, &f, &got);
        if (got.status == 0 || !ask_passing(&got) || interrupted)
            break;
        ask_rest(&got);
    }
    said = got.status ? json_read(x->arena, got.body) : NULL;
    if (got.status == 201 && id_token(json_get_text(said, "suspension_id")))
        return said;
    ask_complain(&got, said);
    return NULL;
}

/* ---- waiting -------------------------------------------------------- */

static enum suspension_state ask_state(const struct json *asked)
{
    return vocabulary_suspension_state_of(json_get_text(asked, "state"));
}

/* Reads until there is an answer or the time is over. A server that is away for
 * a while is asked again. */
static struct json *ask_await(const struct asking *x, struct json *asked)
{
    const int64_t end = clock_mono() + (x->wait + HOLD) * CLOCK_SECOND;
    struct outbound_call f =
        ask_call(x, "/api/v1/suspensions/",
                 arena_join(x->arena, json_get_text(asked, "suspension_id"),
                            STR("?wait="), arena_number(x->arena, HOLD)));
    struct arena *one = arena_within(x->arena);
    bool open = true, refused = false;
    f.stop = &interrupted;
    while (open && !refused && !interrupted && clock_mono() < end) {
        struct outbound_answer got;
        arena_reset(one);
        outbound_call(one, &f, &got);
        const struct json *said = json_read(one, got.body);
        if (got.status == 200 && said) {
            open = ask_state(said) == SUSPENSION_PENDING;
            if (!open)
                asked = json_read(x->arena, got.body);
        } else if (ask_passing(&got)) {
            ask_rest(&got);
        } else {
            ask_complain(&got, said);
            refused = true;
        }
    }
    arena_free(one);
    return refused ? NULL : asked;
}

/* A question that nobody waits for is withdrawn; one that was named stays for
 * the run that comes after. */
static enum ask_status ask_leave(const struct asking *x,
                                 const struct json *asked)
{
    struct outbound_answer got;
    struct outbound_call f =
        ask_call(x, "/api/v1/suspensions/",
                 arena_join(x->arena, json_get_text(asked, "suspension_id"),
                            STR("/cancel")));
    f.body = STR("{\"reason\":\"The program that asked was interrupted.\"}");
    f.header[f.headers++] = STR("Content-Type: application/json");
    f.time = 10 * CLOCK_SECOND;
    if (!x->named)
        outbound_call(x->arena, &f, &got);
    fprintf(stderr, "sayso: interrupted; the question %s\n",
            x->named              ? "stays, by the name of --once"
            : got.status == 200 ? "was withdrawn"
                                : "could not be withdrawn");
    return ASK_NOBODY;
}

/* ---- using the yes ----------------------------------------------------- */

/* A yes counts once: the same --once is the same use for five minutes. */
static enum ask_status ask_redeem(const struct asking *x,
                                  const struct json *asked)
{
    struct outbound_call f = ask_call(x, "/api/v1/redemptions", STR(""));
    struct outbound_answer got;
    struct json *o = json_object(x->arena);
    json_set_text(o, "suspension_id", json_get_text(asked, "suspension_id"));
    json_set_text(o, "operation_id", crypt_sha256_hex(x->arena, x->once));
    f.body = json_dump(x->arena, o, ASK_BODY_MAX);
    f.header[f.headers++] = STR("Content-Type: application/json");
    for (int i = 0; i < 5; i++) {
        outbound_call(x->arena, &f, &got);
        if (!ask_passing(&got))
            break;
        ask_rest(&got);
    }
    if (got.status == 201 || got.status == 200)
        return ASK_YES;
    ask_complain(&got, got.status ? json_read(x->arena, got.body) : NULL);
    return got.status == 409 ? ASK_NO : ASK_FAILED;
}

static enum ask_status ask_told(const struct asking *x,
                                const struct json *asked)
{
    const struct str reason = json_get_text(asked, "reason");
    const struct str value = json_get_text(asked, "value");
    if (ask_state(asked) != SUSPENSION_RESOLVED) {
        fprintf(stderr, "sayso: nobody answered\n");
        return ASK_NOBODY;
    }
    if (reason.n > 0)
        fprintf(stderr, "sayso: %.*s\n",
                STR_FMT(words_plain(x->arena, reason, 4000)));
    /* A choice is an answer, unless it is a word for a no; without choices
     * only yes is yes. */
    const struct str outcome = json_get_text(asked, "outcome");
    const bool no = x->choices
                        ? label_says(x->arena, value) == EFFECT_NO
                        : vocabulary_outcome_of(outcome) != OUTCOME_AUTHORIZED;
    const enum ask_status status = no ? ASK_NO : ask_redeem(x, asked);
    if (status != ASK_FAILED)
        printf("%.*s\n", STR_FMT(value));
    return status;
}

/* ---- the command ---------------------------------------------------- */

static bool ask_read(const struct command *c, struct asking *x)
{
    const struct str wait = command_option(c, "--wait", 0);
    if (c->argc < 1 || c->argv[0][0] == '-' ||
        !command_options_ok(c, 1,
                            "--choice= --wait= --severity= --explanation= "
                            "--once=")) {
        fprintf(stderr, "sayso: ask needs the question first; see `sayso "
                        "help`\n");
        return false;
    }
    if (wait.p && !clock_span(wait, WAIT_MAX, &x->wait)) {
        fputs("sayso: --wait has to be a time like 90s, 30m, 1h or 2d\n",
              stderr);
        return false;
    }
    if (!x->url.p || !x->key.p) {
        fprintf(stderr, "sayso: set SAYSO_URL and SAYSO_AGENT_KEY\n");
        return false;
    }
    const struct str once = command_option(c, "--once", 0);
    x->named = once.p != NULL;
    if (x->named && str_trim(once).n == 0) {
        fprintf(stderr, "sayso: --once needs a name\n");
        return false;
    }
    x->choices = command_option(c, "--choice", 0).p != NULL;
    x->once = x->named ? (once.n <= ONCE_MAX && ask_within(once, '!', false)
                              ? once
                              : crypt_sha256_hex(x->arena, once))
                       : id_new(x->arena);
    return !ask_within(x->url, ' ', false)    ? ask_refuse("SAYSO_URL")
           : !ask_within(x->key, '!', false)  ? ask_refuse("SAYSO_AGENT_KEY")
           : !ask_within(x->agent, ' ', true) ? ask_refuse("SAYSO_AGENT")
                                              : true;
}

int ask_run(const struct command *c)
{
    struct asking x = {.arena = c->arena,
                       .url = ask_variable("SAYSO_URL"),
                       .key = ask_variable("SAYSO_AGENT_KEY"),
                       .agent = ask_variable("SAYSO_AGENT"),
                       .wait = WAIT_DEFAULT};
    if (!ask_read(c, &x))
        return ASK_FAILED;
    /* The first of these signals ends the waiting, a second one the program.
     * One that the caller ignores stays ignored. */
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction end = {.sa_handler = ask_signal,
                                  .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < countof(ends); i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(ends[i], &end, NULL);
    }
    struct json *asked = ask_put(c, &x);
    if (!asked)
        return ASK_FAILED;
    const struct str page = json_get_text(asked, "url");
    fprintf(stderr, "sayso: waiting for an answer: %.*s\n", STR_FMT(page));
    asked = ask_await(&x, asked);
    if (asked && interrupted && ask_state(asked) == SUSPENSION_PENDING)
        return (int)ask_leave(&x, asked);
    return asked ? (int)ask_told(&x, asked) : (int)ASK_FAILED;
}
