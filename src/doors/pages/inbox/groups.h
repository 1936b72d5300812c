/* The rows of the inbox in their sections and groups. Never loads, never
 * decides. */
#ifndef DOORS_PAGES_INBOX_GROUPS_H
#define DOORS_PAGES_INBOX_GROUPS_H

#include "doors/call/call.h"
#include "doors/pages/shell/view.h"
#include "store/question/suspensions.h"

enum inbox_groups_by {
    INBOX_GROUPS_ALIKE, /* the same agent, kind, risk, tool and currency */
    INBOX_GROUPS_NONE,
    INBOX_GROUPS_AGENT,
    INBOX_GROUPS_DEADLINE,
    INBOX_GROUPS__MAX
};

/* The word in the address; INBOX_GROUPS__MAX for an unknown one, ALIKE for p
 * NULL. */
enum inbox_groups_by inbox_groups_by(struct str word);
/* `sections` of the list: of each `head` (null where it is the only one and
 * not of what is due) and `groups`, and of each of these `heading` (null
 * without one) and `rows`.
 *
 * due: rows that end soon, which stand first, in no group. A group of alike
 * ones is made of the server's facts alone: at least three open questions of
 * one agent, kind, risk, tool and currency, of at most medium risk and the
 * reader's own limit. It is folded, and has the sum of its amounts where each
 * row has one. */
struct json *inbox_groups(struct call *c, struct page_view *v,
                          struct suspension_rows due,
                          struct suspension_rows rows,
                          enum inbox_groups_by by);

#endif
