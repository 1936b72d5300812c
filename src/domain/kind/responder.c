/* The right to decide a question. Pure: looks nobody up. */
#include "domain/kind/responder.h"

#include "base/buf.h"

const char responder_not_yours[] = "suspension.not_yours";

/* Is p the person for whom the agent works? By id where the initiator is
 * proven, else by the e-mail address that the agent claims. */
static bool responder_initiator(const struct responder_case *c,
                                const struct principal *p)
{
    if (c->initiator_id.p)
        return p->person_id.p && str_eq(c->initiator_id, p->person_id);
    return c->initiated_by.p && str_eq(c->initiated_by, p->name);
}

bool responder_sees(const struct responder_case *c, const struct principal *p)
{
    switch (p->role) {
    case ROLE_AGENT:
        return p->test == c->test &&
               (str_eq(p->agent, c->asked_by) ||
                (c->rule.mode == RESPONDER_AGENT &&
                 str_eq(p->agent, c->rule.who)));
    case ROLE_USER:
        return responder_initiator(c, p);
    case ROLE_OPERATOR:
    case ROLE_ADMIN:
    case ROLE_AUDITOR:
        return true;
    case ROLE_NONE:
    case ROLE_CLOCK:
    case ROLE_RESOURCE:
    default:
        return false;
    }
}

/* Is p the principal, or one of those, that the rule names? */
static bool responder_named(const struct responder_case *c,
                            const struct principal *p)
{
    switch (c->rule.mode) {
    case RESPONDER_OPERATORS:
        return principal_decides(p) || p->admits;
    case RESPONDER_INITIATOR:
        return (principal_decides(p) || p->role == ROLE_USER) &&
               responder_initiator(c, p);
    case RESPONDER_GROUP:
        return principal_decides(p) && principal_in_group(p, c->rule.who);
    case RESPONDER_NAMED:
        return principal_decides(p) && str_eq(p->name, c->rule.who);
    case RESPONDER_AGENT:
        return p->role == ROLE_AGENT && p->test == c->test &&
               str_eq(p->agent, c->rule.who);
    case RESPONDER_MODE__MAX:
    default:
        return false;
    }
}

struct str responder_who(struct arena *a, const struct responder_case *c)
{
    struct buf b = buf_make(a, 1024);
    switch (c->rule.mode) {
    case RESPONDER_INITIATOR:
        buf_put(&b, "Only ");
        buf_str(&b, c->initiated_by.p ? c->initiated_by : STR("the initiator"));
        buf_put(&b, ", for whom the agent works, can");
        break;
    case RESPONDER_GROUP:
        buf_put(&b, "Operators of the group ");
        buf_str(&b, c->rule.who);
        buf_put(&b, " can");
        break;
    case RESPONDER_NAMED:
        buf_put(&b, "Only ");
        buf_str(&b, c->rule.who);
        buf_put(&b, " can");
        break;
    case RESPONDER_AGENT:
        buf_put(&b, "Only the agent ");
        buf_str(&b, c->rule.who);
        buf_put(&b, " can, with its key");
        break;
    case RESPONDER_OPERATORS:
    case RESPONDER_MODE__MAX:
    default:
        buf_put(&b, "Any operator or admin can");
        break;
    }
    if (c->rule.not_initiator && c->initiated_by.p) {
        buf_put(&b, ", but not ");
        buf_str(&b, c->initiated_by);
    }
    buf_char(&b, '.');
    return buf_text(&b);
}

const struct err *responder_check(struct arena *a,
                                  const struct responder_case *c,
                                  const struct principal *p)
{
    const bool asked =
        (p->role == ROLE_AGENT && str_eq(p->agent, c->asked_by)) ||
        (!p->person && c->asked_by_key.p && str_eq(p->id, c->asked_by_key));
    if (c->test && p->test && p->role == ROLE_OPERATOR)
        return NULL; /* the script of a test */
    if (asked)
        return ERROR(ERR_FORBIDDEN, "suspension.own_question",
                     "An agent cannot answer its own request.");
    if (!responder_named(c, p)) {
        const struct str who = responder_who(a, c);
        return err_at(a, ERR_FORBIDDEN, responder_not_yours, STR(""),
                      "You cannot answer this request. %.*s",
                      STR_FMT(who));
    }
    if (c->rule.not_initiator && responder_initiator(c, p))
        return ERROR(ERR_FORBIDDEN, "suspension.initiator",
                     "The agent works on your behalf here. Somebody else has "
                     "to decide.");
    return NULL;
}
