/* Plain text for people: without hidden characters and cut to length; moments,
 * spans, counts, ids. For pages, mail and chat. */
#ifndef WORLD_TEMPLATE_WORDS_H
#define WORLD_TEMPLATE_WORDS_H

#include "base/arena.h"

/* The number of hidden characters. */
size_t words_hidden(struct str s);
/* "letters of several alphabets" where a name of s has them (text_mixed), else
 * "". */
struct str words_mixed(struct str s);
/* The name, and that behind it in brackets: for texts without markup. */
struct str words_name(struct arena *a, struct str name);
/* At most max characters, "…" in place of the rest. */
struct str words_cut(struct arena *a, struct str s, size_t max);
/* The first line that is not empty, cut, "…" in place of the others; "" when
 * there is none. */
struct str words_line(struct arena *a, struct str s, size_t max);
/* Plain text of at most max characters, for places where hidden characters
 * cannot be marked: they are spelt as "[U+200B]". */
struct str words_plain(struct arena *a, struct str s, size_t max);

/* "20 Nov 2026 03:12:04 UTC" */
struct str words_moment(struct arena *a, int64_t t);
/* The same in a zone: "20 Nov 2026 04:12:04 CET". p NULL: UTC. */
struct str words_when(struct arena *a, struct str zone, int64_t t);
/* "20 Nov 2026", and "20 Nov 03:12:04", of "2026-11-20T03:12:04". */
struct str words_day(struct arena *a, const char *iso);
struct str words_brief(struct arena *a, const char *iso);
/* "43 min": seconds below a minute, minutes below an hour, hours below two
 * days, days; rounded down, and 0 for a negative span. */
struct str words_span(struct arena *a, int64_t us);

/* "1,284" */
struct str words_count(struct arena *a, int64_t n);
/* "1 event", "1,284 events" */
struct str words_many(struct arena *a, int64_t n, const char *noun);
/* "7c0e…b41d"; a short id as it is. */
struct str words_short_id(struct arena *a, struct str id);
/* Hexadecimal digits in groups of four, at most groups of them. */
struct str words_groups(struct arena *a, struct str hex, size_t groups);

#endif
