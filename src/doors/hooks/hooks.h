/* The hooks of coding agents (Claude Code, Codex, Gemini CLI, Cursor): a
 * client asks before it runs a tool, and reads the answer in its own form.
 *
 * A translation: the rules and people decide as for the tool-call API. Only a
 * yes is ever reported as one: while nobody has answered, a client gets a no,
 * unless it wants to ask or to wait itself. */
#ifndef DOORS_HOOKS_HOOKS_H
#define DOORS_HOOKS_HOOKS_H

#include "domain/answer/verdict.h"
#include "domain/permit/tool_rule.h"
#include "doors/call/call.h"

#define HOOKS_HOLD_MAX 590 /* seconds */

/* The forms of answers. */
enum hooks_form {
    HOOKS_PRE_TOOL,   /* PreToolUse of Claude Code and Codex */
    HOOKS_PERMISSION, /* PermissionRequest of both */
    HOOKS_PROMPT,     /* --permission-prompt-tool of Claude Code */
    HOOKS_GEMINI,     /* BeforeTool */
    HOOKS_CURSOR,
    HOOKS_FORM__MAX
};

/* The answer while nobody has decided. */
enum hooks_late {
    HOOKS_LATE_DENY,
    HOOKS_LATE_ASK,   /* the person at the client decides */
    HOOKS_LATE_DEFER, /* the client ends and asks again when it is resumed */
    HOOKS_LATE__MAX
};

/* A call of a tool that a client asks about. A name or an id that a question
 * cannot have stands here as its head and its digest. */
struct hooks_call {
    struct call *c;
    enum hooks_form form;
    struct str tool;    /* its name in the question */
    struct str tool_sent; /* its name as it was sent */
    struct str input;   /* its arguments, JSON text of an object */
    struct str id;      /* of the call; p NULL: the client gives none */
    struct str session; /* p NULL: none */
    struct str operation; /* of the use of a yes; p NULL: not asked yet */
    struct str cwd;       /* the working directory; p NULL: not sent */
    struct str client;  /* its name for people; p NULL: not sent */
    enum hooks_late late;
    bool edit; /* a person may change the arguments */
    bool bare; /* the client takes an empty object for a yes */
    struct str token; /* as in hold_poll; p NULL: none */
    const struct json *updated; /* the input to run with; NULL: as it was */
};

/* POST /hooks/{client}. ERR_NOT_FOUND hook.unknown. The header Sayso-Decision
 * marks a 200 as a decision: its word. */
const struct err *hooks_post(struct call *c) MUST;

/* Reads an event of Claude Code or Codex; text: its bytes. The input may be
 * an object or the text of one. ERR_INVALID field.*, hook.event. */
const struct err *hooks_read(struct hooks_call *h, const struct json *body,
                             struct str text) MUST;
/* A client's name of something as one of at most 200 characters: a longer one
 * is its head and its digest, so that two of them never become one. */
struct str hooks_shorten(struct arena *a, struct str s);
/* The members of a call, as a client names them: the tool, the call's id, the
 * session. Each of any length; p NULL: absent. */
void hooks_set_names(struct hooks_call *h, struct str tool, struct str id,
                     struct str session);
/* The rules' decision about the tool, by its whole name. */
const struct err *hooks_rules(const struct hooks_call *h,
                              struct tool_rule_verdict *out) MUST;
/* A no that was not committed (call_prove); reason: of a rule, p NULL: it has
 * none. */
const struct err *hooks_deny(const struct hooks_call *h, struct str reason,
                             struct verdict *out) MUST;
/* Sets the identity of the call, for its question and for the use of a yes:
 * its session, its id and the text of the question. A call without a session
 * or an id is a new one each time; a prompt has no session. */
void hooks_once(struct hooks_call *h, struct str text);
/* Decides by the rules, or asks a person and holds the request for so many
 * seconds: *held, and nothing is to be answered now. A call that cannot be
 * shown, such as one whose arguments are too large, is a no that says why. */
const struct err *hooks_decide(struct hooks_call *h, int64_t seconds,
                               struct verdict *out, bool *held) MUST;

/* user.c: is it Claude Code's tool that asks the user? */
bool hooks_is_user_question(const struct hooks_call *h);
/* Asks its questions as one form: *s as it is now, and what it means. An answer
 * is a yes with the updated input, a decline is a no; so is a rule that denies
 * the tool, and then nothing is asked. ERR_INVALID field.value at tool_input;
 * those of question_ask. */
const struct err *hooks_user_ask(struct hooks_call *h, struct suspension *s,
                                 struct verdict *out) MUST;

/* output.c: the word of the decision, and the answer in the client's form. */
const char *hooks_word(const struct hooks_call *h, enum verdict_way way);
struct json *hooks_output(const struct hooks_call *h,
                          const struct verdict *v);

#endif
