/* Trying a password.
 *
 * A hash takes 64 MB and a tenth of a second of a processor, so at most two are
 * computed at once over all workers. One of the two places is for unknown
 * browsers, the other for known ones; one request of each sort may wait for a
 * place, so that the other workers stay free. */
#include "doors/call/sign_in.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/log.h"
#include "base/shared/semaphore.h"
#include "doors/call/session.h"
#include "store/person/people.h"
#include "store/person/sign_ins.h"
#include "world/address.h"
#include "world/web/user_agent.h"

#define EMAIL_MAX 254
#define ADDRESS_MAX 64
#define FREE_FAILURES 5
#define DELAY_MAX (30 * CLOCK_SECOND)
#define PATIENCE CLOCK_SECOND

enum { PLACE_STRANGERS, PLACE_KNOWN, PLACE_QUEUE_STRANGERS, PLACE_QUEUE_KNOWN };

/* ---- places for hashing ---------------------------------------------- */

static int sign_in_take_place(bool known)
{
    const int last = known ? PLACE_KNOWN : PLACE_STRANGERS;
    const int queue = known ? PLACE_QUEUE_KNOWN : PLACE_QUEUE_STRANGERS;
    int place = semaphore_take(PLACE_STRANGERS, last);
    if (place >= 0 || semaphore_take(queue, queue) < 0)
        return place;
    place = semaphore_wait(PLACE_STRANGERS, last, PATIENCE);
    semaphore_give(queue);
    return place;
}

const struct err *sign_in_hash(struct call *c, struct str password,
                               struct str *hash)
{
    const int place = sign_in_take_place(true);
    if (place < 0)
        return ERROR(ERR_BUSY, "password.busy",
                     "Too many passwords are being checked just now. Try again "
                     "in a moment.");
    *hash = crypt_password(c->a, password, c->serve->conf->password_cost);
    semaphore_give(place);
    return hash->p ? NULL
                   : ERROR(ERR_BUSY, "password.busy",
                           "There is not enough memory for this just now. "
                           "Try again.");
}

/* ---- the log -------------------------------------------------------- */

/* A password typed into the wrong field is not an e-mail address, and is not
 * logged. */
static void sign_in_log(struct call *c, const struct sign_in *s,
                        const struct sign_ins_found *found)
{
    const size_t at = str_find(s->email, '@', 0);
    const bool named =
        at > 0 && at + 1 < s->email.n && s->email.n <= EMAIL_MAX;
    const char *result = "ok";
    const struct str account = named ? call_quoted(c, s->email) : STR("-");
    if (s->result == SIGN_IN_SOON)
        result = "throttled";
    else if (s->result == SIGN_IN_BUSY)
        result = "busy";
    else if (s->result == SIGN_IN_WRONG)
        result = !found->found     ? "unknown"
                 : found->disabled ? "disabled"
                                   : "wrong";
    if (c->serve->metrics)
        metrics_sign_in(c->serve->metrics, result);
    log_line(LOG_NOTICE,
             "sign-in at=%s account=\"%.*s\" address=%.*s result=%s "
             "browser=%s",
             s->at, STR_FMT(account), STR_FMT(c->rq->remote), result,
             found->known ? "known" : "new");
}

/* ---- trying --------------------------------------------------------- */

/* After a few failures each further one delays the next try, up to half a
 * minute. */
static int64_t sign_in_delay(const struct sign_ins_found *f, int64_t now)
{
    if (f->failures < FREE_FAILURES)
        return 0;
    const int64_t steps = f->failures - FREE_FAILURES;
    const int64_t delay = steps >= 5 ? DELAY_MAX : CLOCK_SECOND << steps;
    const int64_t left = delay - (now - f->failed_at);
    return left > 0 ? (left + CLOCK_SECOND - 1) / CLOCK_SECOND : 0;
}

static struct sign_ins_try sign_in_try_of(struct call *c,
                                          const struct sign_in *s)
{
    struct buf email = buf_make(c->a, EMAIL_MAX + 1);
    const struct user_agent from =
        user_agent_read(request_header(c->rq, "User-Agent"));
    const struct str address = str_head(c->rq->remote, ADDRESS_MAX);
    buf_lower(&email, str_head(s->email, EMAIL_MAX));
    return (struct sign_ins_try){.email = buf_text(&email),
                                 .network =
                                     address_network(c->a, c->rq->remote),
                                 .browser = session_browser(c),
                                 .browser_name = from.browser,
                                 .os = from.os,
                                 .address = address.n > 0 ? address
                                                          : STR_NONE};
}

/* An unknown or disabled person takes as long as a wrong password, so that the
 * time reveals nothing. */
static bool sign_in_right(struct call *c, const struct sign_ins_found *f,
                          struct str password)
{
    if (f->found && !f->disabled)
        return crypt_password_ok(c->a, f->password_hash, password);
    crypt_password_pretend(c->a, password, c->serve->conf->password_cost);
    return false;
}

static const struct err *sign_in_check(struct call *c, struct str password,
                                       const struct sign_ins_try *t,
                                       const struct sign_ins_found *f,
                                       struct sign_in *s)
{
    s->wait = sign_in_delay(f, clock_now());
    s->result = SIGN_IN_SOON;
    if (s->wait > 0)
        return NULL;
    const int place = sign_in_take_place(f->known || c->cookie.p);
    s->result = SIGN_IN_BUSY;
    if (place < 0)
        return NULL;
    const bool ok = sign_in_right(c, f, password);
    semaphore_give(place);
    s->result = ok ? SIGN_IN_OK : SIGN_IN_WRONG;
    s->id = f->id;
    s->tried = f->password_hash;
    return ok ? NULL : sign_ins_failed(c->pg, c->a, t, f);
}

const struct err *sign_in_try(struct call *c, struct str password,
                              struct sign_in *s)
{
    struct sign_ins_found f;
    const struct sign_ins_try t = sign_in_try_of(c, s);
    TRY(sign_ins_find(c->pg, c->a, &t, &f));
    TRY(sign_in_check(c, password, &t, &f, s));
    sign_in_log(c, s, &f);
    return NULL;
}

const struct err *sign_in_enter(struct call *c, const struct sign_in *s)
{
    const struct sign_ins_try t = sign_in_try_of(c, s);
    const struct str browser =
        t.browser.p ? t.browser : crypt_token(c->a, SESSION_BYTES);
    struct str cookie = STR_NONE;
    TRY(people_still(c->pg, c->a, s->id, s->tried));
    TRY(sign_ins_enter(c->pg, c->a, &t, s->id, browser, &cookie));
    session_set_browser(c, browser);
    session_set_cookie(c, cookie);
    c->cookie = cookie;
    return NULL;
}
