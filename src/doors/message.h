/* What people read outside of the browser: mail and Slack, made from a
 * notice's body (domain/channel.h). What an agent wrote is never markup there,
 * and nothing in it stays invisible. A message links to the question's page;
 * it answers nothing. */
#ifndef DOORS_MESSAGE_H
#define DOORS_MESSAGE_H

#include "base/json.h"
#include "world/template.h"

#define MESSAGE_MAX ((size_t)1 << 20) /* bytes of a mail */
#define MESSAGE_CHOICES_MAX 20
#define MESSAGE_ROWS_MAX 5

/* A line of the small table: "Risk", "High". */
struct message_row {
    const char *name;
    struct str value;
};
/* A notice as it is told; texts with p NULL are not in it. */
struct message {
    struct str heading; /* "Reminder 2 of 3" */
    struct str title, question, explanation, on_expiry, context, url;
    struct message_row row[MESSAGE_ROWS_MAX];
    size_t rows;
    struct str choice[MESSAGE_CHOICES_MAX]; /* labels */
    size_t choices;
};
/* ERR_INTERNAL message.body when it is no notice. */
const struct err *message_read(struct arena *a, struct str body,
                               struct message *out) MUST;
/* One line of at most max characters for where no marks can stand. */
struct str message_line(struct arena *a, struct str s, size_t max);

/* The request's body for an incoming webhook of Slack. */
const struct err *message_slack(struct arena *a, struct str body,
                                struct str *out) MUST;

struct message_mail {
    struct str id;   /* of the delivery */
    struct str body; /* of the notice */
    struct str from;
    const struct str *to;
    size_t to_n;
    int64_t now;
    const struct templates *templates;
};
/* A whole mail with its headers, lines ending in CR LF. */
const struct err *message_mail(struct arena *a, const struct message_mail *m,
                               struct str *out) MUST;
/* The addresses of a comma-separated list that can stand in a mail's header
 * and envelope, at most max; others are left out. How many. */
size_t message_addresses(struct str list, struct str *out, size_t max);

#endif
