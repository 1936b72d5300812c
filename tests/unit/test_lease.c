/* Leases: one holder for a scope of an intent, for a time. */
#include <criterion/criterion.h>

#include "domain/intent/lease.h"

TestSuite(lease);

#define END INT64_C(1000000)

static const struct {
    const char *status;
    bool suspended;
    int64_t now;
    const char *reads;
} statuses[] = {
    {"active", false, END - 1, "active"},
    {"active", false, END, "expired"},
    {"active", false, END + 1, "expired"},
    /* An agent that waits for a person keeps its leases: RFC-0025 2. */
    {"active", true, END - 1, "active"},
    {"active", true, END, "active"},
    {"active", true, 1000 * END, "active"},
    {"released", false, END - 1, "released"},
    {"released", false, END + 1, "released"},
    {"released", true, END + 1, "released"},
    {"revoked", false, END - 1, "revoked"},
    {"revoked", false, END + 1, "revoked"},
    {"revoked", true, END + 1, "revoked"},
    {"expired", false, END - 1, "expired"},
    {"expired", true, END + 1, "expired"},
};

Test(lease, status)
{
    for (size_t i = 0; i < countof(statuses); i++) {
        const struct lease l = {.status = vocabulary_lease_status_of(
                                    str_of(statuses[i].status)),
                                .expires_at = END};
        cr_assert_str_eq(
            vocabulary_lease_status(lease_status(&l, statuses[i].suspended,
                                                 statuses[i].now))
                ->wire.p,
            statuses[i].reads, "case %zu", i);
    }
}

static const struct {
    const char *status, *holder;
    const char *newest; /* id of the scope's row that was acquired last */
    const char *code;  /* NULL: renewed */
    enum err_kind kind;
} renewals[] = {
    {"active", "me", "own", NULL, ERR__MAX},
    /* It lapsed, and nobody took the scope. */
    {"expired", "me", "own", NULL, ERR__MAX},
    {"active", "me", "another", "lease.taken", ERR_LEASE},
    {"expired", "me", "another", "lease.taken", ERR_LEASE},
    {"released", "me", "own", "lease.ended", ERR_LEASE},
    {"revoked", "me", "own", "lease.ended", ERR_LEASE},
    {"released", "me", "another", "lease.ended", ERR_LEASE},
    {"active", "you", "own", "lease.not_holder", ERR_FORBIDDEN},
    {"expired", "you", "own", "lease.not_holder", ERR_FORBIDDEN},
    {"expired", "you", "another", "lease.not_holder", ERR_FORBIDDEN},
    {"released", "you", "own", "lease.not_holder", ERR_FORBIDDEN},
    {"active", "ME", "own", "lease.not_holder", ERR_FORBIDDEN},
    {"active", "", "own", "lease.not_holder", ERR_FORBIDDEN},
};

Test(lease, renew)
{
    for (size_t i = 0; i < countof(renewals); i++) {
        const struct lease l = {.id = STR("own"),
                                .agent_id = str_of(renewals[i].holder),
                                .status = vocabulary_lease_status_of(
                                    str_of(renewals[i].status))};
        const struct lease newest = {.id = str_of(renewals[i].newest)};
        const struct err *e = lease_renew(&l, &newest, STR("me"));
        if (!renewals[i].code) {
            cr_assert(e == NULL, "case %zu: %s", i, e ? e->code : "");
            continue;
        }
        cr_assert(e != NULL, "case %zu", i);
        cr_assert_str_eq(e->code, renewals[i].code, "case %zu", i);
        cr_assert_eq(e->kind, renewals[i].kind, "case %zu", i);
    }
}
