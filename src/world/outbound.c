/* The one door to libcurl: many transfers at once, HTTPS and SMTP.
 *
 * Each transfer has a slot with its own memory, which is reused. Never logs:
 * errors are in the result, without a secret. */
#include "world/outbound.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "world/address.h"

#define CONNECT_MS 5000L
#define RESPONSE_S 10L /* one answer of a mail server */
#define READ_MAX ((size_t)64 << 10)
#define CONNECTIONS_MAX 128L
#define TRANSFER_ARENA ((size_t)8 << 20)

struct transfer {
    CURL *easy;
    struct arena *arena;
    struct curl_slist *headers, *recipients;
    void *own;
    int64_t begun;
    struct str mail; /* the unsent part */
    bool used, internal;
    bool plain;   /* http, to this machine alone */
    bool refused; /* an address of it was private */
    bool over;    /* the answer was longer than its ceiling */
    size_t read, kept;
    struct buf *whole; /* NULL: not wanted */
    char answer[OUTBOUND_ANSWER_MAX];
    char error[CURL_ERROR_SIZE];
};

struct outbound {
    CURLM *multi;
    const char *ca_file; /* NULL: the system's */
    const char *smtp_url, *smtp_user, *smtp_password;
    bool smtp_local;
    struct transfer place[OUTBOUND_AT_ONCE];
};

/* ---- making --------------------------------------------------------- */

struct outbound *outbound_make(struct arena *process,
                               const struct outbound_settings *settings)
{
    struct outbound *o = arena_new(process, struct outbound);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        o->multi = curl_multi_init();
    if (!o->multi) {
        log_line(LOG_ERR, "outbound: libcurl cannot be started");
        return NULL;
    }
    curl_multi_setopt(o->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      CONNECTIONS_MAX);
    o->ca_file = arena_str(process, settings->ca_file).p;
    o->smtp_url = arena_str(process, settings->smtp_url).p;
    o->smtp_user = arena_str(process, settings->smtp_user).p;
    o->smtp_password = arena_str(process, settings->smtp_password).p;
    o->smtp_local = o->smtp_url && address_here(settings->smtp_url);
    return o;
}

static void outbound_clear(struct transfer *t)
{
    curl_slist_free_all(t->headers);
    curl_slist_free_all(t->recipients);
    curl_easy_reset(t->easy);
    arena_reset(t->arena);
    *t = (struct transfer){.easy = t->easy, .arena = t->arena};
}

void outbound_close(struct outbound *o)
{
    for (size_t i = 0; i < OUTBOUND_AT_ONCE; i++) {
        struct transfer *t = &o->place[i];
        if (!t->easy)
            continue;
        if (t->used)
            curl_multi_remove_handle(o->multi, t->easy);
        outbound_clear(t);
        curl_easy_cleanup(t->easy);
        arena_free(t->arena);
    }
    curl_multi_cleanup(o->multi);
    curl_global_cleanup();
}

/* ---- callbacks of libcurl -------------------------------------------- */

/* Checks the resolved address before anything is sent to it. */
static curl_socket_t outbound_socket(void *context, curlsocktype purpose,
                                     struct curl_sockaddr *to)
{
    struct transfer *t = context;
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if ((!t->internal && address_private(&to->addr, to->addrlen)) ||
        (t->plain && !address_loopback(&to->addr, to->addrlen))) {
        t->refused = true;
        return CURL_SOCKET_BAD;
    }
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* Checks the address again for each request: the connection may have been
 * opened for another transfer, which was allowed more. */
static int outbound_before(void *context, char *ip, char *local_ip, int port,
                           int local_port)
{
    struct transfer *t = context;
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    bool private = true;
    (void)local_ip;
    (void)port;
    (void)local_port;
    if (inet_pton(AF_INET, ip, &in.sin_addr) == 1)
        private = address_private((const struct sockaddr *)&in, sizeof in);
    else if (inet_pton(AF_INET6, ip, &in6.sin6_addr) == 1)
        private = address_private((const struct sockaddr *)&in6, sizeof in6);
    if (t->internal || !private)
        return CURL_PREREQFUNC_OK;
    t->refused = true;
    return CURL_PREREQFUNC_ABORT;
}

static size_t on_answer(char *p, size_t size, size_t n, void *context)
{
    struct transfer *t = context;
    const size_t got = size * n;
    const size_t room = OUTBOUND_ANSWER_MAX - t->kept;
    const size_t keep = got < room ? got : room;
    memcpy(t->answer + t->kept, p, keep);
    t->kept += keep;
    t->read += got;
    if (t->whole)
        buf_str(t->whole, (struct str){p, got});
    t->over = t->read > READ_MAX;
    return t->over ? 0 : got;
}

static size_t on_mail(char *p, size_t size, size_t n, void *context)
{
    struct transfer *t = context;
    const struct str piece = str_sub(t->mail, 0, size * n);
    if (piece.n)
        memcpy(p, piece.p, piece.n);
    t->mail = str_sub(t->mail, piece.n, t->mail.n);
    return piece.n;
}

/* ---- starting ------------------------------------------------------- */

#define SET(easy, option, value)                                               \
    (curl_easy_setopt((easy), (option), (value)) == CURLE_OK)

/* QUICK_EXIT: a slow name lookup is left to its thread; otherwise all transfers
 * would wait for it. */
static bool outbound_set(const struct outbound *o, struct transfer *t,
                         int64_t time)
{
    CURL *easy = t->easy;
    const long ms = (long)((time > 0 ? time : OUTBOUND_TIME) / 1000);
    return SET(easy, CURLOPT_PRIVATE, (void *)t) &&
           SET(easy, CURLOPT_ERRORBUFFER, t->error) &&
           SET(easy, CURLOPT_NOSIGNAL, 1L) && SET(easy, CURLOPT_PROXY, "") &&
           SET(easy, CURLOPT_QUICK_EXIT, 1L) &&
           SET(easy, CURLOPT_FOLLOWLOCATION, 0L) &&
           SET(easy, CURLOPT_TIMEOUT_MS, ms) &&
           SET(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) &&
           SET(easy, CURLOPT_OPENSOCKETFUNCTION, outbound_socket) &&
           SET(easy, CURLOPT_OPENSOCKETDATA, (void *)t) &&
           SET(easy, CURLOPT_PREREQFUNCTION, outbound_before) &&
           SET(easy, CURLOPT_PREREQDATA, (void *)t) &&
           SET(easy, CURLOPT_WRITEFUNCTION, on_answer) &&
           SET(easy, CURLOPT_WRITEDATA, (void *)t) &&
           SET(easy, CURLOPT_SSL_VERIFYPEER, 1L) &&
           SET(easy, CURLOPT_SSL_VERIFYHOST, 2L) &&
           SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
           (!o->ca_file || (SET(easy, CURLOPT_CAINFO, o->ca_file) &&
                            SET(easy, CURLOPT_CAPATH, (const char *)NULL)));
}

static bool outbound_append(struct curl_slist **list, const char *z)
{
    struct curl_slist *longer = curl_slist_append(*list, z);
    if (longer)
        *list = longer;
    return longer != NULL;
}

static bool outbound_set_http(struct transfer *t,
                              const struct outbound_request *rq)
{
    CURL *easy = t->easy;
    const struct str body = arena_str(t->arena, rq->body);
    bool ok = outbound_append(&t->headers, "Expect:");
    for (size_t i = 0; i < rq->headers && i < OUTBOUND_HEADERS_MAX; i++)
        ok = ok &&
             outbound_append(&t->headers, arena_z(t->arena, rq->header[i]));
    return ok &&
           SET(easy, CURLOPT_PROTOCOLS_STR, t->plain ? "http" : "https") &&
           SET(easy, CURLOPT_URL, arena_z(t->arena, rq->url)) &&
           SET(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) &&
           SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
           SET(easy, CURLOPT_HTTPHEADER, t->headers) &&
           SET(easy, CURLOPT_POST, 1L) &&
           SET(easy, CURLOPT_POSTFIELDS, body.p ? body.p : "") &&
           SET(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
}

/* The connection is not kept: mail is rare, and servers close idle connections
 * soon. One refused recipient does not stop the mail to the others. */
static bool outbound_set_mail(const struct outbound *o, struct transfer *t,
                              const struct outbound_request *rq)
{
    CURL *easy = t->easy;
    bool ok = o->smtp_url && rq->recipients > 0;
    t->mail = arena_str(t->arena, rq->body);
    for (size_t i = 0; i < rq->recipients && i < OUTBOUND_RECIPIENTS_MAX; i++)
        ok = ok &&
             outbound_append(&t->recipients, arena_z(t->arena, rq->to[i]));
    return ok && SET(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps") &&
           SET(easy, CURLOPT_URL, o->smtp_url) &&
           SET(easy, CURLOPT_USE_SSL,
               (long)(o->smtp_local ? CURLUSESSL_NONE : CURLUSESSL_ALL)) &&
           (!o->smtp_user || SET(easy, CURLOPT_USERNAME, o->smtp_user)) &&
           (!o->smtp_password ||
            SET(easy, CURLOPT_PASSWORD, o->smtp_password)) &&
           SET(easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, RESPONSE_S) &&
           SET(easy, CURLOPT_FORBID_REUSE, 1L) &&
           SET(easy, CURLOPT_MAIL_FROM, arena_z(t->arena, rq->from)) &&
           SET(easy, CURLOPT_MAIL_RCPT, t->recipients) &&
           SET(easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L) &&
           SET(easy, CURLOPT_UPLOAD, 1L) &&
           SET(easy, CURLOPT_READFUNCTION, on_mail) &&
           SET(easy, CURLOPT_READDATA, (void *)t) &&
           SET(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)t->mail.n);
}

static struct transfer *outbound_place(struct outbound *o)
{
    for (size_t i = 0; i < OUTBOUND_AT_ONCE; i++) {
        struct transfer *t = &o->place[i];
        if (t->used)
            continue;
        if (!t->easy)
            t->easy = curl_easy_init();
        if (!t->arena)
            t->arena = arena_make(TRANSFER_ARENA);
        return t->easy ? t : NULL;
    }
    return NULL;
}

bool outbound_send(struct outbound *o, const struct outbound_request *rq,
                   void *own)
{
    struct transfer *t = outbound_place(o);
    if (!t)
        return false;
    t->own = own;
    t->begun = clock_mono();
    t->internal = rq->internal || !rq->url.p;
    t->plain = rq->internal && str_starts(rq->url, STR("http://"));
    if (rq->whole) {
        t->whole = arena_new(t->arena, struct buf);
        *t->whole = buf_make(t->arena, READ_MAX);
    }
    t->used = outbound_set(o, t, rq->time) &&
              (rq->url.p ? outbound_set_http(t, rq)
                         : outbound_set_mail(o, t, rq)) &&
              curl_multi_add_handle(o->multi, t->easy) == CURLM_OK;
    if (t->used)
        return true;
    outbound_clear(t);
    return false;
}

/* ---- working -------------------------------------------------------- */

/* At most OUTBOUND_ANSWER_MAX bytes of it as text on one line. */
static struct str outbound_text(struct arena *a, struct str s)
{
    struct buf b = buf_make(a, OUTBOUND_ANSWER_MAX);
    for (size_t at = 0; at < s.n;) {
        const uint32_t rune = str_rune(s, &at);
        buf_rune(&b, rune < 0x20 || rune == 0x7F ? ' ' : rune);
    }
    return b.n ? str_trim(buf_text(&b)) : STR("");
}

static struct str outbound_say(const struct transfer *t, CURLcode code)
{
    const bool answered = code == CURLE_OK || t->over;
    if (answered)
        return (struct str){t->answer, t->kept};
    if (t->refused)
        return STR("The address is private, and the endpoint is not registered "
                   "as internal.");
    if (code == CURLE_UNSUPPORTED_PROTOCOL)
        return STR("Only https is allowed.");
    return str_of(t->error[0] ? t->error : curl_easy_strerror(code));
}

struct ending {
    void (*done)(void *context, void *own, const struct outbound_result *r);
    void *context;
};

/* Reports the transfers that have ended; returns their number. */
static size_t outbound_reap(struct outbound *o, const struct ending *e)
{
    size_t ended = 0;
    int left;
    const CURLMsg *m;
    while ((m = curl_multi_info_read(o->multi, &left)) != NULL) {
        char *p = NULL;
        const CURLcode code = m->data.result;
        CURL *easy = m->easy_handle;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &p);
        struct transfer *t = (struct transfer *)(void *)p;
        /* An HTTP status counts only with its whole answer; a mail server's
         * refusal counts always. */
        long status = 0;
        curl_off_t wait = 0;
        curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait);
        if (code != CURLE_OK && !t->over && (!t->recipients || status < 400))
            status = 0;
        const struct outbound_result r =
            {.status = (int)status,
             .said = outbound_text(t->arena, outbound_say(t, code)),
             .body = t->whole && !t->whole->over ? buf_text(t->whole)
                                                 : STR_NONE,
             .retry_after = wait > 0 ? wait : 0,
             .ms = (clock_mono() - t->begun) / 1000,
             .late = code == CURLE_OPERATION_TIMEDOUT};
        curl_multi_remove_handle(o->multi, easy);
        e->done(e->context, t->own, &r);
        outbound_clear(t);
        ended++;
    }
    return ended;
}

size_t outbound_work(struct outbound *o, int64_t us, int fd,
                     void (*done)(void *context, void *own,
                                  const struct outbound_result *r),
                     void *context)
{
    const struct ending e = {done, context};
    const int64_t end = clock_mono() + us;
    struct curl_waitfd extra = {.fd = fd, .events = CURL_WAIT_POLLIN};
    for (;;) {
        int alive;
        curl_multi_perform(o->multi, &alive);
        const int64_t left = end - clock_mono();
        if (outbound_reap(o, &e) > 0 || left <= 0 || extra.revents)
            break;
        if (curl_multi_poll(o->multi, &extra, fd >= 0 ? 1 : 0,
                            (int)(left / 1000 + 1), NULL) != CURLM_OK)
            break;
    }
    size_t n = 0;
    for (size_t i = 0; i < OUTBOUND_AT_ONCE; i++)
        n += o->place[i].used;
    return n;
}

/* ---- calls of commands ------------------------------------------------ */

static size_t on_body(char *p, size_t size, size_t n, void *context)
{
    struct buf *b = context;
    buf_str(b, (struct str){p, size * n});
    return b->over ? 0 : size * n;
}

/* libcurl asks about once a second. */
static int on_progress(void *context, curl_off_t down, curl_off_t downloaded,
                       curl_off_t up, curl_off_t uploaded)
{
    const struct outbound_call *call = context;
    (void)down, (void)downloaded, (void)up, (void)uploaded;
    return call->stop && *call->stop;
}

static bool outbound_set_call(CURL *easy, struct arena *a,
                              const struct outbound_call *call)
{
    return SET(easy, CURLOPT_URL, arena_z(a, call->url)) &&
           SET(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
           SET(easy, CURLOPT_NOSIGNAL, 1L) &&
           SET(easy, CURLOPT_NOPROGRESS, 0L) &&
           SET(easy, CURLOPT_XFERINFOFUNCTION, on_progress) &&
           SET(easy, CURLOPT_XFERINFODATA, (const void *)call) &&
           SET(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) &&
           SET(easy, CURLOPT_TIMEOUT_MS, (long)(call->time / 1000)) &&
           (!call->ca_file.p ||
            SET(easy, CURLOPT_CAINFO, arena_z(a, call->ca_file))) &&
           (!call->body.p ||
            (SET(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                 (curl_off_t)call->body.n) &&
             SET(easy, CURLOPT_COPYPOSTFIELDS, call->body.p)));
}

static void outbound_run(CURL *easy, struct arena *a,
                         const struct outbound_call *call,
                         struct outbound_answer *out)
{
    struct buf body = buf_make(a, OUTBOUND_CALL_MAX);
    struct curl_slist *headers = NULL;
    for (size_t i = 0; i < call->headers && i < OUTBOUND_HEADERS_MAX; i++)
        (void)outbound_append(&headers, arena_z(a, call->header[i]));
    char error[CURL_ERROR_SIZE] = "";
    long status = 0;
    curl_off_t again = 0;
    const bool ready =
        outbound_set_call(easy, a, call) &&
        SET(easy, CURLOPT_HTTPHEADER, headers) &&
        SET(easy, CURLOPT_ERRORBUFFER, error) &&
        SET(easy, CURLOPT_WRITEFUNCTION, on_body) &&
        SET(easy, CURLOPT_WRITEDATA, (void *)&body);
    const CURLcode code =
        ready ? curl_easy_perform(easy) : CURLE_FAILED_INIT;
    curl_slist_free_all(headers);
    if (code != CURLE_OK) {
        out->body = arena_str(
            a, str_of(error[0] ? error : curl_easy_strerror(code)));
        return;
    }
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &again);
    *out = (struct outbound_answer){.status = (int)status,
                            .body = buf_text(&body),
                            .retry_after = again > 0 ? again : 0};
}

void outbound_call(struct arena *a, const struct outbound_call *call,
                   struct outbound_answer *out)
{
    *out = (struct outbound_answer){.body = STR("libcurl cannot be started")};
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return;
    CURL *easy = curl_easy_init();
    if (easy) {
        outbound_run(easy, a, call, out);
        curl_easy_cleanup(easy);
    }
    curl_global_cleanup();
}
