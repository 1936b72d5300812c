/* The flat JSON Schema by which MCP servers ask people (elicitation,
 * requestedSchema) as a field list of domain/form.h. Pure; a rule that the
 * list cannot hold is refused and never dropped. */
#ifndef DOMAIN_FORM_SCHEMA_H
#define DOMAIN_FORM_SCHEMA_H

#include "base/fields.h"

/* The member `form`: a list as it is, or a schema as the list that it means;
 * NULL when absent. Mistakes of a schema name their place, as in
 * form.properties.age.pattern. The list itself is for form_read to judge. */
void form_schema_member(struct fields *f, const struct json **out);

#endif
