/* The flat JSON Schema of MCP elicitation (requestedSchema) as a field list of
 * domain/kind/form.h. Pure; a rule that the list cannot express is refused and
 * never dropped. */
#ifndef DOMAIN_KIND_FORM_SCHEMA_H
#define DOMAIN_KIND_FORM_SCHEMA_H

#include "base/json/fields.h"

/* The member `form`: a list as it is, or a schema converted to a list; NULL
 * when absent. A property that may be null is one that may be left empty; the
 * format of a number is its bounds. Mistakes of a schema name their place, as
 * in form.properties.age.pattern. The list itself is checked by form_read. */
void form_schema_member(struct fields *f, const struct json **out);

#endif
