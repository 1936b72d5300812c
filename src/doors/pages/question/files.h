/* The files of a question, which its agent uploaded: pictures, and texts to be
 * read on the page. */
#ifndef DOORS_PAGES_QUESTION_FILES_H
#define DOORS_PAGES_QUESTION_FILES_H

#include "domain/question/suspension.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"

#define QUESTION_FILES_TEXT ((size_t)64 << 10)  /* bytes shown of a text */
#define QUESTION_FILES_BYTES ((size_t)256 << 10) /* and of all of them */

/* Loads them into the view, for question_files and for references to them. */
const struct err *question_files_load(struct call *c, struct page_view *v,
                                      const struct suspension *s) MUST;
/* `files`: each once, in the order in which the question names them. */
struct json *question_files(struct page_view *v, const struct suspension *s);

#endif
