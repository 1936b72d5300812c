/* Texts for people outside of the browser: mail and Slack, made from a notice's
 * body (domain/sending/channel.h). Text of an agent is never markup there, and
 * its hidden characters are marked. A message links to the question's page; it
 * answers nothing. */
#ifndef NOTIFY_MESSAGE_H
#define NOTIFY_MESSAGE_H

#include "base/json/json.h"

#define MESSAGE_MAX ((size_t)1 << 20) /* bytes of a mail */
#define MESSAGE_LINE_MAX 200 /* characters of a choice, and of a row */
#define MESSAGE_CHOICES_MAX 20
#define MESSAGE_ROWS_MAX 7

/* A line of the small table: "Risk", "High". */
struct message_row {
    const char *name;
    struct str value;
};
/* The parts of a notice; texts with p NULL are absent. */
struct message {
    struct str heading; /* "Reminder 2 of 3" */
    struct str title, question, explanation, on_expiry, context, url;
    struct str chosen_at; /* the page where its recipient chose it */
    struct str calls;     /* of tools, with their first arguments, in lines */
    struct message_row row[MESSAGE_ROWS_MAX];
    size_t rows;
    struct str choice[MESSAGE_CHOICES_MAX]; /* labels */
    size_t choices;
};
/* ERR_INTERNAL message.body when it is not a notice. */
const struct err *message_read(struct arena *a, struct str body,
                               struct message *out) MUST;
/* One line of at most max characters, for places where hidden characters cannot
 * be marked. */
struct str message_line(struct arena *a, struct str s, size_t max);

#endif
