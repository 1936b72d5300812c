/* The fields of an edited subject as the page of the request has its values:
 * the arguments of each call under its tool, then the facts and the other
 * tables, each value by the name that it has there. */
#ifndef DOORS_PAGES_ANSWER_AMEND_GROUPS_H
#define DOORS_PAGES_ANSWER_AMEND_GROUPS_H

#include "doors/pages/shell/view.h"

/* The name of the value at a path, such as subject.calls[0].args.amount. */
struct str answer_amend_groups_label(struct arena *a, struct str path);
/* The same with the call of an argument, where the subject has several:
 * "amount of call 2". */
struct str answer_amend_groups_name(struct arena *a,
                                    const struct json *subject,
                                    struct str path);
/* `groups`: {n, heading, tool, target, note, headed, named, fields}. form: the
 * field list of the subject; faces: the same fields on the page. */
struct json *answer_amend_groups(struct page_view *v,
                                 const struct json *subject,
                                 const struct json *form,
                                 const struct json *faces);
/* The same of fields that need no heading: one group, or none. */
struct json *answer_amend_groups_one(struct page_view *v,
                                     const struct json *faces);

#endif
