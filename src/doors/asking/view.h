/* The records that clients read: one for each noun, shared by every door and
 * page. Never decides, never loads. */
#ifndef DOORS_ASKING_VIEW_H
#define DOORS_ASKING_VIEW_H

#include "doors/call/call.h"
#include "store/intent/intents.h"
#include "store/question/suspensions.h"

/* An intent as OpenIntent clients read it (naive UTC): state and constraints
 * are passed through as they are stored. */
struct str view_intent_text(struct arena *a, const struct intent *i);
/* {"<name>": [intents...], "next": the cursor of the next page}. */
void view_intents(struct buf *b, const char *name,
                  const struct intent_rows *rows);
/* A suspension as the native API shows it (RFC 3339 with Z). */
struct json *view_suspension(struct call *c, const struct suspension *s);
/* `receipt_url` of a question that has ended; one of a test has none. */
void view_set_receipt(struct call *c, struct json *o,
                      const struct suspension *s);
/* An approval or another side question as OpenIntent clients read it, with its
 * page. */
struct json *view_side_question(struct call *c, const struct suspension *s);
/* Whether what a yes allows may be done now, in a record that was read: why is
 * that of use_read. Other answers have no such member. */
void view_set_usable(struct json *o, const struct suspension *s,
                     const struct err *why);
/* {"suspensions": [questions...], "next": the cursor, p NULL: null; the caller
 * closes the object. */
const struct err *view_suspensions(struct call *c, struct buf *b,
                                   const struct suspension_rows *rows,
                                   struct str next) MUST;
/* A moment, RFC 3339; null when 0. */
void view_set_time(struct arena *a, struct json *o, const char *key,
                   int64_t t);

#endif
