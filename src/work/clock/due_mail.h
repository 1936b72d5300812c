/* Part of the clock: mail to people about requests, as each of them chose it
 * (domain/sending/person_mail.h). A mail goes through the channel for mail
 * whose allow-list has the person's address, the first by name, and shows as
 * much as that channel does. */
#ifndef WORK_CLOCK_DUE_MAIL_H
#define WORK_CLOCK_DUE_MAIL_H

#include "work/work.h"

/* Queues the mails that are due, each once, in one transaction. */
const struct err *due_mail_run(const struct work *clock, bool *more) MUST;

#endif
