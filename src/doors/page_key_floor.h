/* The least severity of what a key asks: a form on the key's page. */
#ifndef DOORS_PAGE_KEY_FLOOR_H
#define DOORS_PAGE_KEY_FLOOR_H

#include "doors/page_view.h"
#include "store/keys.h"

/* `floor` of key.html; NULL for a key that asks nothing. */
struct json *page_key_floor(struct arena *a, const struct key *k);

#endif
