/* Events: the closed list of types, and the hash chain. */
#include "base/crypt.h"
#include "domain/intent/event.h"

#include "suite.h"

SUITE(event);

/* ---- types ---------------------------------------------------------- */

/* Types that any agent on the intent may report. */
static const char reports[] =
    "constraint_added constraint_removed "
    "comment "
    "engagement.decision "
    "task.progress task.delegated task.escalated "
    "coordinator.heartbeat coordinator.paused "
    "coordinator.resumed coordinator.replaced "
    "coordinator.failed_over coordinator.plan_overridden "
    "coordinator.guardrails_updated "
    "tool_call_started tool_call_completed tool_call_failed "
    "llm_request_started llm_request_completed llm_request_failed "
    "stream_started stream_chunk stream_completed stream_cancelled "
    "tool.invoked tool.denied memory.created memory.updated memory.deleted "
    "memory.archived memory.evicted memory.expired agent.lifecycle "
    "agent.registered agent.status_changed agent.dead trigger.fired "
    "trigger.skipped trigger.cascade_limit trigger.namespace_blocked "
    "channel.created channel.closed channel.message federation.dispatched "
    "federation.received federation.callback federation.budget_warning "
    "federation.completed federation.failed";

/* Types of the server's acts and of decisions: a forgery from anybody else. */
static const char servers[] =
    "intent_created state_patched status_changed agent_assigned "
    "agent_unassigned dependency_added dependency_removed lease_acquired "
    "lease_released arbitration_requested decision_recorded "
    "attachment_added failure_recorded "
    "portfolio_created added_to_portfolio "
    "removed_from_portfolio intent.resumed intent.suspension_expired "
    "portfolio.member_suspended portfolio.member_resumed access_granted "
    "access_revoked access_expired access_requested "
    "access_request_approved "
    "access_request_denied "
    "task.created task.ready task.claimed task.started task.completed "
    "task.failed task.retrying task.blocked task.unblocked task.cancelled "
    "task.skipped plan.created plan.activated plan.paused plan.resumed "
    "plan.completed plan.failed plan.checkpoint_reached "
    "plan.checkpoint_approved plan.checkpoint_rejected "
    "coordinator.escalation_resolved coordinator.handoff "
    "coordinator.decision coordinator.stalled coordinator.unresponsive "
    "governance.policy_set "
    "governance.policy_removed governance.approval_granted "
    "governance.approval_denied governance.approval_enforced "
    "governance.violation grant.created grant.delegated grant.revoked "
    "grant.expired grant.suspended grant.resumed credential.created "
    "credential.rotated credential.expired credential.revoked "
    "agent.identity.registered agent.identity.rotated agent.identity.revoked "
    "agent.identity.challenge_issued agent.identity.verified "
    "log.checkpoint.created log.checkpoint.anchored";

/* Types that the SDK posts beside the server's own. */
static const char echoes[] =
    "intent.suspended intent.suspension_renotified "
    "intent.suspension_escalated";

/* Written somewhere in the specifications, but unknown to the client, which
 * raises on them; or not a type at all. */
static const char *const unknown[] = {
    "lease_renewed", "lease_expired", "fallback_triggered",
    "escalation_initiated", "escalation_resolved", "coordinator.registered",
    "coordinator.assigned", "coordinator.completed",
    "coordinator.escalation_initiated", "coordinator.escalation_required",
    "coordinator.guardrail_warning", "coordinator.guardrail_violation",
    "plan.approved_by_supervisor", "plan.rejected_by_supervisor",
    "decision.auto_approved", "task.force_escalated", "intent.cancelled",
    "", "Comment", "COMMENT", "comment ", " comment", "commen", "comments",
    "comment\n", "intent.suspende", "intent", "task.", "state_patched,comment"};

struct kind {
    const char *types;
    bool postable, echoed;
};
static const struct kind kinds[] = {{reports, true, false},
                                    {servers, false, false},
                                    {echoes, false, true}};

Test(event, every_type_is_known_and_who_may_post_it)
{
    size_t all = 0;
    for (size_t k = 0; k < countof(kinds); k++) {
        struct str rest = str_of(kinds[k].types);
        while (rest.p) {
            const struct str t = str_cut(&rest, ' ');
            const bool post = kinds[k].postable;
            all++;
            cr_assert(event_type_known(t), "%.*s", STR_FMT(t));
            cr_assert_eq(event_type_echoed(t), kinds[k].echoed, "%.*s",
                         STR_FMT(t));
            cr_assert_eq(event_type_postable(t, ROLE_AGENT), post, "%.*s",
                         STR_FMT(t));
            cr_assert_eq(event_type_postable(t, ROLE_OPERATOR), post);
            cr_assert_eq(event_type_postable(t, ROLE_ADMIN), post);
            cr_assert(!event_type_postable(t, ROLE_AUDITOR), "%.*s",
                      STR_FMT(t));
            cr_assert(!event_type_postable(t, ROLE_NONE), "%.*s", STR_FMT(t));
        }
    }
    /* As many as the client's enumeration has in 0.17.0. */
    cr_assert_eq(all, 126);
}

Test(event, other_types_are_unknown_to_all)
{
    for (size_t i = 0; i < countof(unknown); i++) {
        const struct str t = str_of(unknown[i]);
        cr_assert(!event_type_known(t), "%s", unknown[i]);
        cr_assert(!event_type_echoed(t), "%s", unknown[i]);
        cr_assert(!event_type_postable(t, ROLE_ADMIN), "%s", unknown[i]);
    }
    cr_assert(!event_type_known(STR_NONE));
}

/* ---- appending ------------------------------------------------------ */

#define BY_ADA {.name = STR("ada"), .type = EVENT_ACTOR_PERSON}
#define INTENT STR("0190c2a4-7e1f-7abc-8def-0123456789ab")
#define OTHER STR("0190c2a4-7e1f-7abc-8def-0123456789ac")
/* 2026-11-20T09:26:13.510233Z */
#define NOW INT64_C(1795166773510233)

static struct str hash_of(struct str canonical)
{
    struct buf b = buf_make(a, 64);
    buf_put(&b, "sha256:");
    buf_str(&b, crypt_sha256_b64(a, canonical));
    return buf_text(&b);
}

static const struct err *add(struct event_tail *tail, struct event_list *list,
                             const char *type, const struct json *payload)
{
    const struct event_draft d = {
        .type = type, .by = BY_ADA, .payload = payload};
    return event_append(a, INTENT, &d, NOW, tail, list);
}

/* The canonical form, with the id's place filled in. */
static void is_canonical(const struct event *e, const char *fmt)
{
    struct buf b = buf_make(a, 1 << 16);
    const struct str form = json_of(fmt);
    const struct str salt = json_get_text(tree_of(e->canonical), "salt");
    const size_t at = str_search(form, STR("ID"));
    const size_t end = str_search(form, STR("SALT"));
    cr_assert_eq(salt.n, 22);
    buf_str(&b, str_sub(form, 0, at));
    buf_str(&b, e->id);
    buf_str(&b, str_sub(form, at + 2, end));
    buf_str(&b, salt);
    buf_str(&b, str_sub(form, end + 4, form.n));
    cr_assert(str_eq(e->canonical, buf_text(&b)), "%.*s",
              STR_FMT(e->canonical));
}

Test(event, the_first_event)
{
    struct event_tail tail = {.sequence = 0};
    struct event_list list = {.n = 0};
    cr_assert(
        !add(&tail, &list, "comment", tree("{'b':[true,null],'a':1.50}")));
    const struct event *e = &list.v[0];
    cr_assert(list.n == 1 && e->sequence == 1 && !e->previous.p);
    cr_assert(e->created_at == NOW && str_is(e->type, "comment"));
    cr_assert_eq(e->id.n, 36);
    is_canonical(e, "{'actor':'ada','actor_type':'person',"
                    "'created_at':'2026-11-20T09:26:13.510233',"
                    "'event_type':'comment','id':'ID','intent_id':"
                    "'0190c2a4-7e1f-7abc-8def-0123456789ab','payload':"
                    "{'a':1.5,'b':[true,null]},'previous_event_hash':null,"
                    "'salt':'SALT','sequence':1}");
    cr_assert(str_eq(e->hash, hash_of(e->canonical)));
    cr_assert_eq(e->hash.n, 7 + 43);
    cr_assert(tail.sequence == 1 && str_eq(tail.hash, e->hash));
}

/* Whatever the payload says of it. */
Test(event, the_payload_says_that_it_is_a_test)
{
    struct event_tail tail = {.test = true};
    struct event_list list = {.n = 0};
    cr_assert(!add(&tail, &list, "comment", tree("{'b':1,'test':false}")));
    cr_assert(!add(&tail, &list, "comment", NULL));
    for (size_t i = 0; i < list.n; i++) {
        const struct json *payload =
            json_get(json_read(a, list.v[i].canonical), "payload");
        cr_assert(json_bool(json_get(payload, "test")), "event %zu", i);
        cr_assert(json_has(payload, "b") == (i == 0), "event %zu", i);
    }
}

Test(event, the_next_names_its_predecessor)
{
    struct event_tail tail = {.sequence = 0};
    struct event_list list = {.n = 0};
    cr_assert(!add(&tail, &list, "comment", json_object(a)));
    cr_assert(!add(&tail, &list, "comment", json_object(a)));
    cr_assert(list.n == 2 && list.v[1].sequence == 2);
    cr_assert(str_eq(list.v[1].previous, list.v[0].hash));
    cr_assert(!str_eq(list.v[1].id, list.v[0].id));
    struct json *o = tree_of(list.v[1].canonical);
    cr_assert(str_eq(json_get_text(o, "previous_event_hash"), list.v[0].hash));
    cr_assert(str_eq(tail.hash, list.v[1].hash) && tail.sequence == 2);
}

Test(event, absent_fields_are_left_out_and_given_ones_are_hashed)
{
    struct event_tail tail = {.sequence = 41, .hash = STR("sha256:before")};
    struct event_list list = {.n = 0};
    const struct event_draft d = {.type = "comment",
                                  .by = BY_ADA,
                                  .payload = json_object(a),
                                  .trace_id = STR("t-1"),
                                  .parent_event_id = STR("p-1")};
    cr_assert(!event_append(a, INTENT, &d, NOW, &tail, &list));
    is_canonical(&list.v[0],
                 "{'actor':'ada','actor_type':'person',"
                 "'created_at':'2026-11-20T09:26:13.510233',"
                 "'event_type':'comment','id':'ID','intent_id':"
                 "'0190c2a4-7e1f-7abc-8def-0123456789ab','parent_event_id':"
                 "'p-1','payload':{},'previous_event_hash':'sha256:before',"
                 "'salt':'SALT','sequence':42,'trace_id':'t-1'}");
}

Test(event, who_acts_has_a_type)
{
    static const struct {
        struct principal who;
        const char *name, *type;
    } callers[] = {
        {{.role = ROLE_AGENT, .agent = {"bot", 3}, .name = {"k", 1}},
         "bot", "agent"},
        {{.role = ROLE_OPERATOR, .person = true, .name = {"ada", 3}},
         "ada", "person"},
        {{.role = ROLE_ADMIN, .person = true, .name = {"ada", 3}},
         "ada", "person"},
        {{.role = ROLE_OPERATOR, .name = {"desk", 4}}, "desk", "key"},
        {{.role = ROLE_ADMIN, .name = {"desk", 4}}, "desk", "key"}};
    for (size_t i = 0; i < countof(callers); i++) {
        const struct event_by by = event_by(&callers[i].who);
        cr_assert(str_is(by.name, callers[i].name), "%zu", i);
        cr_assert_str_eq(event_actor_word(by.type), callers[i].type);
    }
    const struct event_by clock = event_by_clock(), own = event_by_server();
    cr_assert(str_is(clock.name, "clock") && str_is(own.name, "sayso"));
    cr_assert_str_eq(event_actor_word(clock.type), "clock");
    cr_assert_str_eq(event_actor_word(own.type), "sayso");
}

Test(event, a_log_has_an_end)
{
    struct event_tail tail = {.sequence = EVENTS_OF_INTENT_MAX,
                              .hash = STR("sha256:h")};
    struct event_list list = {.n = 0};
    const struct err *e = add(&tail, &list, "comment", json_object(a));
    cr_assert(e && e->kind == ERR_CONFLICT);
    cr_assert_str_eq(e->code, "event.log_full");
    cr_assert(list.n == 0 && tail.sequence == EVENTS_OF_INTENT_MAX);
    cr_assert(str_is(tail.hash, "sha256:h"));
}

Test(event, a_transaction_has_room_for_some)
{
    struct event_tail tail = {.sequence = 0};
    struct event_list list = {.n = 0};
    for (size_t i = 0; i < EVENTS_AT_ONCE; i++)
        cr_assert(!add(&tail, &list, "comment", json_object(a)));
    const struct str hash = tail.hash;
    cr_assert(add(&tail, &list, "comment", json_object(a)));
    cr_assert(list.n == EVENTS_AT_ONCE && tail.sequence == EVENTS_AT_ONCE);
    cr_assert(str_eq(tail.hash, hash));
}

Test(event, an_event_has_a_size)
{
    struct event_tail none = {.sequence = 0};
    struct event_list small = {.n = 0};
    cr_assert(!add(&none, &small, "comment", tree("{'a':''}")));
    const size_t room = EVENT_CANONICAL_MAX - small.v[0].canonical.n;
    for (int over = 0; over < 2; over++) {
        struct event_tail tail = {.sequence = 0};
        struct event_list list = {.n = 0};
        const size_t n = room + (size_t)over;
        char *text = arena_alloc(a, n);
        memset(text, 'x', n);
        struct json *payload = json_object(a);
        json_set_text(payload, "a", (struct str){text, n});
        const struct err *e = add(&tail, &list, "comment", payload);
        if (!over) {
            cr_assert(!e, "%s", e ? e->code : "");
            cr_assert_eq(list.v[0].canonical.n, EVENT_CANONICAL_MAX);
            continue;
        }
        cr_assert(e && e->kind == ERR_INVALID);
        cr_assert_str_eq(e->code, "event.too_large");
        cr_assert(list.n == 0 && tail.sequence == 0 && !tail.hash.p);
    }
}

Test(event, clients_read_the_hashed_bytes)
{
    struct event_tail tail = {.sequence = 0};
    struct event_list list = {.n = 0};
    cr_assert(!add(&tail, &list, "comment", tree("{'text':'\\u00e9/'}")));
    struct buf b = buf_make(a, 1 << 16);
    event_write(&b, list.v[0].canonical, list.v[0].hash);
    struct json *o = tree_of(buf_text(&b));
    cr_assert(str_eq(json_get_text(o, "event_hash"), list.v[0].hash));
    /* Every byte that was hashed, but for the brace, stands at the end. */
    cr_assert(str_ends(buf_text(&b), str_sub(list.v[0].canonical, 1,
                                             list.v[0].canonical.n)));
    json_unset(o, STR("event_hash"));
    struct buf again = buf_make(a, 1 << 16);
    json_write_canonical(&again, o);
    cr_assert(str_eq(hash_of(buf_text(&again)), list.v[0].hash));
}

/* ---- checking ------------------------------------------------------- */

#define LENGTH 5

struct chain {
    struct event v[LENGTH + 1];
    size_t n;
    struct event_tail tail;
};

static struct chain chain(void)
{
    struct chain c = {.n = 0};
    struct event_list list = {.n = 0};
    for (size_t i = 0; i < LENGTH; i++) {
        struct json *payload = json_object(a);
        json_set_int(payload, "i", (int64_t)i);
        const struct event_draft d = {
            .type = i % 2 ? "comment" : "task.progress",
            .by = BY_ADA,
            .payload = payload};
        cr_assert(!event_append(a, INTENT, &d, NOW + (int64_t)i, &c.tail,
                                &list));
    }
    for (; c.n < LENGTH; c.n++)
        c.v[c.n] = list.v[c.n];
    return c;
}

static struct event_check check(const struct chain *c, struct str intent)
{
    struct event_check k = {.broken = 0};
    bool held = true;
    for (size_t i = 0; i < c->n; i++) {
        held = event_check(a, &k, intent, &c->v[i]) && held;
        cr_assert_eq(held, k.broken == 0);
        cr_assert_eq(k.broken == 0, k.reason == NULL);
    }
    return k;
}

#define MISSING "an event is missing before it"
#define BYTES "its bytes do not match its hash"
#define FOLLOWS "it does not follow its predecessor"
#define NO_EVENT "its bytes are not an event"
#define COLUMNS "its columns do not match its bytes"
#define OTHERS "its bytes are another event's"
#define GONE "its bytes are missing, and no rule erased them"

static void broken(const struct chain *c, int64_t at, const char *reason,
                   const char *what)
{
    const struct event_check k = check(c, INTENT);
    cr_assert_eq(k.broken, at, "%s: %d, %s", what, (int)k.broken,
                 k.reason ? k.reason : "");
    if (reason)
        cr_assert_str_eq(k.reason, reason, "%s", what);
    /* The tail before the break is still known. */
    if (at)
        cr_assert(k.tail.sequence <= at);
}

Test(event, a_whole_chain_holds)
{
    const struct chain c = chain();
    const struct event_check k = check(&c, INTENT);
    cr_assert(k.broken == 0 && !k.reason);
    cr_assert(k.tail.sequence == LENGTH && str_eq(k.tail.hash, c.tail.hash));
}

/* The members before the payload, and it, are of any text. */
Test(event, a_chain_of_any_names_and_payloads_holds)
{
    static const char *const names[] = {
        "\u0430da", "\U0001F600\u00e9\u4e2d", "a\"b\\", "{\"payload\":1}",
        "[,]}\t\n"};
    static const char *const payloads[] = {
        "{}", "{\"payload\":{\"payload\":[1,\"}\"]},\"sequence\":9}",
        "{\"x\":\"\\\\\\\"}],{[\",\"y\":[[],{},[{\"z\":null}]]}",
        "{\"\u00e9\":\"\U0001F600\",\"n\":[-1.5e3,true,0]}"};
    struct event_tail tail = {.sequence = 0};
    struct event_list list = {.n = 0};
    struct event_check k = {.broken = 0};
    for (size_t i = 0; i < countof(names); i++) {
        for (size_t n = 0; n < countof(payloads); n++) {
            const struct event_draft d = {
                .type = "comment",
                .by = {.name = str_of(names[i]), .type = EVENT_ACTOR_AGENT},
                .payload = tree_of(str_of(payloads[n]))};
            list.n = 0;
            cr_assert(!event_append(a, INTENT, &d, NOW, &tail, &list));
            cr_assert(event_check(a, &k, INTENT, &list.v[0]), "%s, %s: %s",
                      names[i], payloads[n], k.reason);
        }
    }
}

/* Chains that are there go on. */
Test(event, an_event_from_before_actor_types_holds)
{
    struct event e[2] = {{.id = STR("0190c2a4-7e1f-7abc-8def-0123456789aa"),
                          .sequence = 1,
                          .type = STR("comment"),
                          .created_at = NOW}};
    struct event_list list = {.n = 0};
    struct event_check c = {.broken = 0};
    e[0].canonical = json_of(
        "{'actor':'ada','created_at':'2026-11-20T09:26:13.510233',"
        "'event_type':'comment','id':'0190c2a4-7e1f-7abc-8def-0123456789aa',"
        "'intent_id':'0190c2a4-7e1f-7abc-8def-0123456789ab','payload':{},"
        "'previous_event_hash':null,'sequence':1}");
    e[0].hash = hash_of(e[0].canonical);
    struct event_tail tail = {.sequence = 1, .hash = e[0].hash};
    cr_assert(!add(&tail, &list, "comment", json_object(a)));
    e[1] = list.v[0];
    for (size_t i = 0; i < countof(e); i++)
        cr_assert(event_check(a, &c, INTENT, &e[i]), "%s", c.reason);
    event_check_end(&c, &tail, &tail);
    cr_assert_eq(c.broken, 0);
}

Test(event, a_chain_of_another_intent_is_no_chain_of_this)
{
    const struct chain c = chain();
    const struct event_check k = check(&c, OTHER);
    cr_assert_eq(k.broken, 1);
    cr_assert_str_eq(k.reason, OTHERS);
}

Test(event, a_lost_event_is_missed)
{
    for (size_t lost = 0; lost + 1 < LENGTH; lost++) {
        struct chain c = chain();
        memmove(&c.v[lost], &c.v[lost + 1],
                (c.n - lost - 1) * sizeof c.v[0]);
        c.n--;
        broken(&c, (int64_t)lost + 2, MISSING, "lost");
    }
    /* The last one is missed at the tail. */
    struct chain c = chain();
    c.n--;
    const struct event_check k = check(&c, INTENT);
    cr_assert(k.broken == 0 && k.tail.sequence != c.tail.sequence);
}

Test(event, a_repeated_event_is_noticed)
{
    for (size_t i = 0; i < LENGTH; i++) {
        struct chain c = chain();
        memmove(&c.v[i + 1], &c.v[i], (c.n - i) * sizeof c.v[0]);
        c.n++;
        broken(&c, (int64_t)i + 1, MISSING, "repeated");
    }
}

Test(event, changed_order_is_noticed)
{
    for (size_t i = 0; i + 1 < LENGTH; i++) {
        struct chain c = chain();
        const struct event first = c.v[i];
        c.v[i] = c.v[i + 1];
        c.v[i + 1] = first;
        broken(&c, (int64_t)i + 2, MISSING, "order");
    }
}

Test(event, a_row_with_a_number_of_no_event_is_named_by_its_place)
{
    struct chain c = chain();
    c.v[2].sequence = 0;
    broken(&c, 3, MISSING, "zero");
    c.v[2].sequence = -7;
    broken(&c, 3, MISSING, "negative");
}

static struct str with_byte(struct str s, size_t i, char c)
{
    char *p = arena_alloc(a, s.n);
    memcpy(p, s.p, s.n);
    p[i] = c;
    return (struct str){p, s.n};
}

Test(event, every_changed_byte_is_noticed)
{
    for (size_t at = 0; at < LENGTH; at++) {
        const struct chain whole = chain();
        for (size_t i = 0; i < whole.v[at].canonical.n; i++) {
            struct chain c = whole;
            c.v[at].canonical =
                with_byte(whole.v[at].canonical, i,
                          whole.v[at].canonical.p[i] == 'x' ? 'y' : 'x');
            broken(&c, (int64_t)at + 1, BYTES, "byte");
        }
    }
}

Test(event, a_cut_or_longer_event_is_noticed)
{
    struct chain c = chain();
    c.v[1].canonical.n--;
    broken(&c, 2, BYTES, "cut");
    c = chain();
    c.v[1].canonical = STR_NONE;
    broken(&c, 2, GONE, "gone");
    c = chain();
    struct buf b = buf_make(a, 1 << 16);
    buf_str(&b, c.v[1].canonical);
    buf_char(&b, ' ');
    c.v[1].canonical = buf_text(&b);
    broken(&c, 2, BYTES, "longer");
}

/* The chain goes on from the hash of an event that a rule erased; nothing else
 * of it can be wrong. */
Test(event, an_erased_event_is_known)
{
    for (size_t at = 0; at < LENGTH; at++) {
        struct chain c = chain();
        c.v[at].canonical = STR("");
        c.v[at].rule = STR("contents-90d");
        broken(&c, 0, NULL, "erased");
        cr_assert(str_eq(check(&c, INTENT).tail.hash, c.tail.hash));
        c.v[at].previous = STR("sha256:x");
        broken(&c, (int64_t)at + 1, FOLLOWS, "link");
        c.v[at].rule = STR_NONE;
        broken(&c, (int64_t)at + 1, GONE, "no rule");
    }
    struct chain c = chain();
    c.v[2].canonical = STR("");
    c.v[2].rule = STR("contents-90d");
    c.v[2].hash = STR("sha256:x");
    broken(&c, 4, FOLLOWS, "its hash");
    c.v[2].sequence = 9;
    broken(&c, 9, MISSING, "its place");
}

Test(event, a_changed_hash_is_noticed)
{
    for (size_t at = 0; at < LENGTH; at++) {
        struct chain c = chain();
        c.v[at].hash = with_byte(c.v[at].hash, 20, '!');
        broken(&c, (int64_t)at + 1, BYTES, "hash");
        c = chain();
        c.v[at].hash = STR_NONE;
        broken(&c, (int64_t)at + 1, BYTES, "no hash");
        c = chain();
        c.v[at].hash = str_sub(c.v[at].hash, 7, c.v[at].hash.n);
        broken(&c, (int64_t)at + 1, BYTES, "no prefix");
    }
}

Test(event, a_changed_link_is_noticed)
{
    for (size_t at = 0; at < LENGTH; at++) {
        struct chain c = chain();
        c.v[at].previous = c.v[at].hash;
        broken(&c, (int64_t)at + 1, FOLLOWS, "own hash");
        c = chain();
        c.v[at].previous = at ? STR_NONE : STR("");
        broken(&c, (int64_t)at + 1, FOLLOWS, "none");
    }
    struct chain c = chain();
    c.v[3].previous = c.v[1].hash;
    broken(&c, 4, FOLLOWS, "an earlier one");
}

/* A forger who also computes the hash anew; the next event tells on them, and
 * after the last one the tail. */
Test(event, a_rewritten_event_breaks_the_next)
{
    for (size_t at = 0; at < LENGTH; at++) {
        struct chain c = chain();
        const size_t i = str_search(c.v[at].canonical, STR("\"ada\""));
        c.v[at].canonical = with_byte(c.v[at].canonical, i + 1, 'e');
        c.v[at].hash = hash_of(c.v[at].canonical);
        if (at + 1 < LENGTH)
            broken(&c, (int64_t)at + 2, FOLLOWS, "rewritten");
        else
            cr_assert(!str_eq(check(&c, INTENT).tail.hash, c.tail.hash));
    }
}

/* The columns beside the bytes are what lists filter by. */
Test(event, changed_columns_are_noticed)
{
    for (size_t at = 0; at < LENGTH; at++) {
        struct chain c = chain();
        c.v[at].type = STR("intent.resumed");
        broken(&c, (int64_t)at + 1, COLUMNS, "type");
        c = chain();
        c.v[at].type = STR_NONE;
        broken(&c, (int64_t)at + 1, COLUMNS, "no type");
        c = chain();
        c.v[at].id = c.v[(at + 1) % LENGTH].id;
        broken(&c, (int64_t)at + 1, COLUMNS, "id");
        c = chain();
        c.v[at].id = STR_NONE;
        broken(&c, (int64_t)at + 1, COLUMNS, "no id");
    }
}

Test(event, a_changed_time_is_noticed)
{
    for (size_t at = 0; at < LENGTH; at++) {
        struct chain c = chain();
        c.v[at].created_at += 1;
        broken(&c, (int64_t)at + 1, COLUMNS, "created_at");
    }
}

/* The bytes of event 3 made anew, with a hash that fits them. */
static struct chain forged(const char *key, const struct json *v)
{
    struct chain c = chain();
    struct json *o = tree_of(c.v[2].canonical);
    if (v)
        json_set_json(o, key, v);
    else
        json_unset(o, str_of(key));
    struct buf b = buf_make(a, 1 << 16);
    json_write_canonical(&b, o);
    c.v[2].canonical = buf_text(&b);
    c.v[2].hash = hash_of(c.v[2].canonical);
    return c;
}

Test(event, bytes_that_name_something_else_are_noticed)
{
    static const struct {
        const char *key, *reason;
    } cases[] = {{"id", COLUMNS},
                 {"intent_id", OTHERS},
                 {"event_type", COLUMNS},
                 {"previous_event_hash", FOLLOWS}};
    for (size_t i = 0; i < countof(cases); i++) {
        const char *key = cases[i].key;
        struct chain c = forged(key, json_string(a, STR("other")));
        broken(&c, 3, cases[i].reason, key);
        c = forged(key, NULL);
        broken(&c, 3, cases[i].reason, key);
        c = forged(key, json_integer(a, 3));
        broken(&c, 3, cases[i].reason, key);
    }
    struct chain c = forged("sequence", json_integer(a, 4));
    broken(&c, 3, OTHERS, "sequence");
    c = forged("sequence", json_string(a, STR("3")));
    broken(&c, 3, OTHERS, "sequence");
    c = forged("sequence", NULL);
    broken(&c, 3, OTHERS, "sequence");
}

Test(event, bytes_that_are_no_event_are_noticed)
{
    static const char *const others[] = {"null", "[]", "1", "{", "x"};
    for (size_t i = 0; i < countof(others); i++) {
        struct chain c = chain();
        c.v[2].canonical = str_of(others[i]);
        c.v[2].hash = hash_of(c.v[2].canonical);
        broken(&c, 3, NO_EVENT, others[i]);
    }
}

Test(event, the_first_break_is_the_one_that_is_told)
{
    struct chain c = chain();
    c.v[1].hash = STR("sha256:x");
    c.v[3].type = STR("comment ");
    c.v[4].sequence = 9;
    broken(&c, 2, BYTES, "first");
}
