/* The caller of a request, and the rights of a role. */
#ifndef DOMAIN_INTENT_PRINCIPAL_H
#define DOMAIN_INTENT_PRINCIPAL_H

#include "domain/intent/person.h"

/* The terms of questions, which an admin sets before anybody asks them: their
 * least severity, and the people who decide. Of a key, of a rule about tool
 * calls, and (the severity) of the configuration; risk_settle applies them. */
enum decider_who {
    DECIDER_ANY,       /* nothing is said: those that the agent names */
    DECIDER_OPERATORS, /* operators, or those of them that the agent names */
    DECIDER_GROUP,     /* operators of this group */
    DECIDER_INITIATOR  /* the person for whom the agent works, proven */
};
struct decider {
    enum decider_who who;
    struct str group; /* of DECIDER_GROUP; else p NULL */
};
struct terms {
    enum severity floor; /* SEVERITY_UNSAID: none */
    struct decider by;
};

#define PRINCIPAL_AGENTS_MAX 64
#define PRINCIPAL_AGENT_NAME_MAX 120
/* The name that test requests are asked under: no new agent may have it. */
#define PRINCIPAL_TRIAL_AGENT "sayso-test"

struct principal {
    enum role role;
    bool person;      /* signed in with a session cookie, not with a key */
    struct str id;    /* of the key or the person */
    struct str person_id; /* of the person, by session or by their token */
    struct str name;  /* a person's e-mail, a key's label: as it is recorded */
    struct str title; /* for display: a person's name, a key's label */
    struct str agent; /* the agent that the key acts as; agents only */
    struct str actor; /* of keys of other roles (principal_key_actor) */
    enum reach reach; /* of agents */
    enum access needs; /* what this call needs on an intent: by its route */
    bool admits; /* an agent with admin access to the intent of a request for
                  * access, which may answer it */
    struct str retry_policy; /* the default of its questions; p NULL: none */
    struct terms terms; /* of its questions */
    bool test; /* of agents: it reaches tests alone (reach.h), and a script
                * answers its questions */
    struct str groups; /* of operators: names, a space between; p NULL: none */
    struct str resource_id; /* of resources alone */
    struct str nonce_secret; /* of keys: for the nonces of proofs. The holder of
                              * the key does not know it. */
    struct person account; /* of people who came with a cookie alone */
};

/* May an agent have this name? 1..120 characters, no white space, slash,
 * control or invisible character, not "*", and none of the server's own
 * names. */
bool principal_agent_name(struct str name);
/* May a new agent have this name? As above, in NFKC, and no "@", so that it
 * cannot look like a person's address; and nothing that looks like one of the
 * server's own names. Existing agents keep theirs. */
bool principal_agent_name_new(struct str name);
/* The agent that a key acts as: asked (X-Agent-ID; p NULL: absent) has to be
 * among names, where "*" allows any; absent, it is the first, and for "*" the
 * key's label, or "agent" where the label is not a valid agent name.
 * ERR_FORBIDDEN agent.not_named otherwise. */
const struct err *principal_speak(const struct str *names, size_t n,
                                  struct str asked, struct str label,
                                  struct str *out) MUST;
/* A name belongs to real keys or to test keys. taken: names of the other sort's
 * valid keys, a space between, that the key has as well, and for one of any
 * agent (any) all of them; p NULL: none. ERR_UNAUTHENTICATED key.test for a
 * test key with such a name; ERR_FORBIDDEN agent.not_named for a key of any
 * agent that speaks as one of them. */
const struct err *principal_check_sort(const struct principal *p,
                                       struct str taken, bool any) MUST;
/* The name of the actor in events, and of the maker of what it makes: the
 * agent, or the name. */
struct str principal_actor(const struct principal *p);
/* The id of an agent's key, whose terms and end count for what it made; of
 * others STR_NONE. */
struct str principal_agent_key(const struct principal *p);
/* The same for a key of another role. A label that could be an agent's name
 * gets " (key)" after it, which no agent's name has. */
struct str principal_key_actor(struct arena *a, struct str label);
/* May it answer questions of others? Operators and admins; never an agent. */
bool principal_decides(const struct principal *p);
bool principal_in_group(const struct principal *p, struct str name);

/* "operators", "initiator" or "group:NAME"; "" or p NULL: nothing is said.
 * false for another word. */
#define PRINCIPAL_BY_WORDS "operators, group:NAME or initiator"
#define PRINCIPAL_BY_MAX (PERSON_GROUP_NAME_MAX + 6) /* characters */
bool principal_by(struct str word, struct decider *out);
/* The same as text; p NULL: nothing is said. */
struct str principal_by_text(struct arena *a, const struct decider *by);
/* Both for a column of a record (domain/record.h); at: a struct decider. */
struct str principal_by_column(struct arena *a, const void *at);
void principal_by_take(void *at, struct str text);
/* Terms as they are stored: the word of a severity, and of who decides; p NULL:
 * nothing is said. */
struct terms principal_terms(struct str floor, struct str by);
/* Adds other terms: the higher floor counts, and the first that says who
 * decides. */
void principal_terms_add(struct terms *t, const struct terms *more);
/* The people who may decide what both say together: operators of a group are
 * operators. false: nobody is sure to be both. */
bool principal_by_join(struct decider *by, const struct decider *other);

#endif
