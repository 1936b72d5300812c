/* The keys that the pages know, as a page of its own. */
#include "doors/page.h"

const struct err *page_keyboard(struct call *c)
{
    return page_render(c, 200, "keys", "Keyboard", json_object(c->a));
}
