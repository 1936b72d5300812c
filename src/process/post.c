/* The kinds of process that a pool has. */
#include "process/post.h"

#include <assert.h>

#include "base/log.h"
#include "process/deliver.h"
#include "process/erase.h"
#include "process/seal.h"
#include "process/tick.h"
#include "process/wait/wait.h"
#include "process/web.h"

const struct post_row post_rows[POST__MAX] = {
    [POST_WEB] = {"sayso: web", web_run, USER_WEB, WAKE__MAX, true},
    [POST_WAIT] = {"sayso: wait", wait_run, USER_WAIT, WAKE_WAIT, false},
    [POST_TICK] = {"sayso: tick", tick_run, USER_TICK, WAKE__MAX, true},
    [POST_DELIVER] = {"sayso: deliver", deliver_run, USER_DELIVER,
                      WAKE_DELIVER, true},
    [POST_SEAL] = {"sayso: seal", seal_run, USER_SEAL, WAKE_SEAL, true},
    [POST_ERASE] = {"sayso: erase", erase_run, USER_ERASE, WAKE__MAX, false},
};
static_assert((int)POST__MAX <= (int)POOL_MEMBERS, "a place for each kind");

const char *post_word(enum post_kind k)
{
    return post_rows[k].name + sizeof "sayso: " - 1;
}

enum post_kind post_find(struct str word)
{
    enum post_kind k = POST_WEB;
    while (k < POST__MAX && !str_is(word, post_word(k)))
        k++;
    return k;
}

size_t post_first(enum post_kind k)
{
    const size_t each =
        (METRICS_SLOTS_MAX - METRICS_WORKERS_MAX) / (POST__MAX - 1);
    return k == POST_WEB ? 0 : METRICS_WORKERS_MAX + each * (k - 1);
}

bool post_users(struct user out[POST__MAX])
{
    for (enum post_kind k = POST_WEB; k < POST__MAX; k++) {
        if (user_find(post_rows[k].user, &out[k]))
            continue;
        log_line(LOG_ERR, "supervisor: there is no system user %s; "
                          "systemd-sysusers creates it", post_rows[k].user);
        return false;
    }
    return true;
}

struct pool_member post_member(enum post_kind k, const struct user *u)
{
    return (struct pool_member){.uid = u->uid,
                                .hears = post_rows[k].hears,
                                .tells = post_rows[k].tells,
                                .holds = k == POST_WAIT};
}
