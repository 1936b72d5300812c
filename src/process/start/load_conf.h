/* The configuration of a process, and the templates that it names. Read at the
 * start and again at each reload. */
#ifndef PROCESS_START_LOAD_CONF_H
#define PROCESS_START_LOAD_CONF_H

#include "base/conf.h"
#include "world/template/template.h"

#define LOAD_CONF_FILE_MAX ((size_t)256 << 10)

struct load_conf {
    struct arena *arena; /* owns all of it */
    struct conf conf;
    struct templates *templates;
};

/* The configuration alone, from the file at path (NULL: none) and the
 * environment. false: every mistake is in the log. */
bool load_conf(struct arena *a, const char *path, struct conf *out);
/* The same with the database_owner of the file at admin (NULL: none), where
 * there is one. */
bool load_conf_owner(struct arena *a, const char *path, const char *admin,
                     struct conf *out);
/* The configuration and the templates, in an arena of their own, to be freed by
 * arena_free. The log has the format of the configuration from then on. false:
 * every mistake is in the log, nothing to free. */
bool load_conf_all(const char *path, struct load_conf *out);

#endif
