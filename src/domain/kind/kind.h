/* The seven kinds of question: the facts that each has to show, its answers,
 * and the effect of an answer.
 *
 * One table, in kind.c: every difference between the kinds is in a row of it. A
 * question without a kind is a plain card, as in OpenIntent. Pure. */
#ifndef DOMAIN_KIND_KIND_H
#define DOMAIN_KIND_KIND_H

#include "base/err.h"
#include "base/json/json.h"
#include "domain/kind/effect.h"

enum kind {
    KIND_NONE, /* a plain card */
    KIND_APPROVAL,
    KIND_PERMISSION,
    KIND_PLAN_REVIEW,
    KIND_ELICITATION,
    KIND_CREDENTIAL_NEEDED,
    KIND_COST_CONFIRMATION,
    KIND_HANDOFF_ACCEPTANCE,
    KIND__MAX
};

struct fields;

enum kind_type { KIND_TEXT, KIND_NUMBER, KIND_BOOLEAN, KIND_OBJECT, KIND_LIST };

enum kind_need {
    KIND_OPTIONAL,
    KIND_NEEDED,
    KIND_NEEDED_HIGH /* at the severities high and critical */
};

#define KIND_UNIT_MAX 40 /* characters of the unit of a cost */

/* A fact of the subject. path: members joined by dots; "[]" stands for each
 * element of a list. */
struct kind_fact {
    const char *path;
    enum kind_type type;
    enum kind_need need;
};

/* The condition under which a kind offers a choice of its own. */
enum kind_offer {
    KIND_ALWAYS,
    KIND_IF_EDIT,   /* the agent allows edits */
    KIND_IF_LIMITS, /* the subject has constraints */
    KIND_IF_SECONDS /* the permission asked for lasts a time, not just once */
};

/* A choice that the kind offers. */
struct kind_choice {
    const char *value, *label, *style;
    enum effect effect;
    enum reason_need reason;
    enum takes takes; /* the change that its answer may make
                       * (domain/question/amend.h) */
    enum kind_offer offer;
};

struct kind_facts; /* the facts of one question, being checked */

#define KIND_BIT(value_) (1U << (value_)) /* of an enum, in a set of them */

struct kind_rule {
    struct vocabulary_word words;
    enum answer_type answer; /* where the question names no response type */
    unsigned answers;        /* a set of response types */
    unsigned effects;        /* that an agent's own choices may have */
    unsigned yes, no;        /* of these effects each at least one */
    bool permits;            /* a yes makes a permit (domain/permit/permit.h) */
    bool edits;              /* the agent may allow edits of the subject */
    bool hands_over; /* the goal changes hands: an agent may answer, and the one
                      * that accepts becomes the intent's owner */
    bool typed; /* a grave yes needs its target typed, one question at a time */
    const struct kind_fact *facts;
    size_t facts_n;
    /* Checks that the facts are consistent. NULL: each stands for itself. */
    void (*agree)(struct kind_facts *f, const struct json *subject);
    const struct kind_choice *choices;
    size_t choices_n;
};

/* The row of a kind; NULL for KIND_NONE and KIND__MAX. */
const struct kind_rule *kind_rule(enum kind k);
/* Does a yes need its target typed by the person who gives it? */
bool kind_typed(enum kind k, enum severity severity);
/* Its words, as those of domain/vocabulary.h; KIND_NONE has none on the
 * wire. */
const struct vocabulary_word *kind_words(enum kind k);
/* The same as a vocabulary. */
extern const struct vocabulary kind_all;
/* The kind of a word on the wire: KIND_NONE for p NULL, KIND__MAX for an
 * unknown one. */
enum kind kind_of(struct str word);
/* Reads member "kind" of what an agent sent; KIND_NONE when absent. */
enum kind kind_read(struct fields *f);
/* May a question of this kind be answered in this way? Always for
 * KIND_NONE. */
bool kind_answered_by(enum kind k, enum answer_type type);

/* A question as an agent asks it. */
struct kind_ask {
    enum kind kind;
    enum severity severity;     /* as the agent gave it */
    enum answer_type response_type;
    const struct json *subject; /* an object */
    bool allow_edit;
};

/* A code that callers compare: kind.facts. */
extern const char kind_facts[];

/* The .agree of a permission: a lasting one needs an end. */
void kind_check_duration(struct kind_facts *f, const struct json *subject);
/* Of a plan: it has steps, each of an id of its own. */
void kind_check_steps(struct kind_facts *f, const struct json *subject);
/* Of a cost: one unit, and an estimate between its bounds. */
void kind_check_cost(struct kind_facts *f, const struct json *subject);
/* Are all facts there, of their type, and do they agree with each other?
 * ERR_INVALID kind.facts: .at is the first mistake, subject.PATH, and
 * more.missing lists the paths of all facts that are absent or empty.
 * KIND_NONE has none. */
const struct err *kind_check_subject(struct arena *a,
                                     const struct kind_ask *ask) MUST;
/* The fact of a credential's settings has to lead to own (the server's public
 * address, scheme and host) or to https and one of the hosts. ERR_INVALID
 * kind.facts at subject.settings_url. Other kinds pass. */
struct kind_places {
    struct str own;
    struct str hosts; /* a space between; p NULL: none */
};
const struct err *kind_check_places(struct arena *a, const struct kind_ask *ask,
                                    const struct kind_places *places) MUST;
/* Does a form ask for a secret (a password, a key)? ERR_INVALID kind.secret at
 * form[i]. form: a field list. */
const struct err *kind_check_form(struct arena *a, const struct json *form)
    MUST;
/* The choices on offer, a JSON list with effects: the agent's own in place of
 * the kind's yes and no, or the kind's, with what may be changed. own: a list,
 * empty where the agent sends none. ERR_INVALID kind.effect at
 * choices[i].effect; kind.choices where a yes or a no is missing, or two
 * choices would have the same value. */
const struct err *kind_choices(struct arena *a, const struct kind_ask *ask,
                               const struct json *own, struct json **out) MUST;

#endif
