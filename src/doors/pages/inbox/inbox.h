/* The handlers of the lists of questions: the inbox, decided questions, saved
 * views. */
#ifndef DOORS_PAGES_INBOX_INBOX_H
#define DOORS_PAGES_INBOX_INBOX_H

#include "doors/call/call.h"

/* page.c */
const struct err *inbox_page(struct call *c) MUST;
#define INBOX_BEHIND_MAX 20
/* The ids of the questions that stand behind this one in the inbox at the
 * address, as it is shown now, at most INBOX_BEHIND_MAX; none where its
 * filters are not valid. */
const struct err *inbox_behind(struct call *c, struct str address,
                               struct str id, struct str *out, size_t *n) MUST;

/* bulk.c */
const struct err *inbox_bulk_confirm(struct call *c) MUST;
const struct err *inbox_bulk_decide(struct call *c) MUST;

/* trial.c */
const struct err *inbox_trial(struct call *c) MUST;

/* decided.c */
const struct err *inbox_decided(struct call *c) MUST;

/* export.c */
const struct err *inbox_export_csv(struct call *c) MUST;
const struct err *inbox_export_jsonl(struct call *c) MUST;
/* The lines of such a file: the first one, if it has one, and that of a
 * question. csv: else JSON Lines. */
void inbox_export_head(struct buf *b, bool csv);
void inbox_export_row(struct buf *b, struct arena *a,
                      const struct suspension *s, bool csv);

/* notices.c */
const struct err *inbox_notices(struct call *c) MUST;

/* saved.c */
const struct err *inbox_saved(struct call *c) MUST;
const struct err *inbox_saved_post(struct call *c) MUST;

#endif
