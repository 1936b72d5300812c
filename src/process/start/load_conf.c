/* Reading the configuration file and the templates, and logging their mistakes.
 *
 * Called at the start of each command and by the supervisor's reload. Never
 * ends the process: the caller decides whether a mistake is fatal. */
#include "process/start/load_conf.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "domain/log/note.h"
#include "domain/question/retry.h"

#define LOG_WITNESSES_MAX 16

static bool load_conf_file(const char *path, struct buf *b)
{
    const bool fine = buf_file(b, path);
    if (!fine)
        log_line(LOG_ERR, "configuration: %s: %s", path, strerror(errno));
    return fine;
}

static void load_conf_log(struct str lines)
{
    while (lines.p) {
        struct str line = str_cut(&lines, '\n');
        if (line.n > 0)
            log_line(LOG_ERR, "configuration: %.*s", STR_FMT(line));
    }
}

/* The values that are checked by the domain. */
static bool load_conf_check(struct arena *a, const struct conf *conf)
{
    const struct str retry = conf->default_retry_policy;
    const struct err *e = retry.p ? retry_check_default(a, retry) : NULL;
    struct str rest = conf->log_witnesses;
    struct note_key key;
    if (e) {
        log_line(LOG_ERR, "configuration: default_retry_policy: %.*s %.*s",
                 STR_FMT(e->at), STR_FMT(e->say));
        return false;
    }
    for (size_t n = 0; rest.p; n++) {
        if (note_key_read(a, str_cut(&rest, ' '), &key) &&
            key.algorithm == NOTE_COSIGNATURE && n < LOG_WITNESSES_MAX)
            continue;
        log_line(LOG_ERR,
                 "configuration: log_witnesses: keys of witnesses are "
                 "required, name+id+key of the type 04, separated by single "
                 "spaces, %d at most",
                 LOG_WITNESSES_MAX);
        return false;
    }
    return true;
}

bool load_conf(struct arena *a, const char *path, struct conf *out)
{
    struct buf file = buf_make(a, LOAD_CONF_FILE_MAX);
    struct buf mistakes = buf_make(a, LOAD_CONF_FILE_MAX);
    if (path && !load_conf_file(path, &file))
        return false;
    if (conf_read(a, path ? buf_text(&file) : STR_NONE, out, &mistakes))
        return load_conf_check(a, out);
    load_conf_log(buf_text(&mistakes));
    return false;
}

bool load_conf_owner(struct arena *a, const char *path, const char *admin,
                     struct conf *out)
{
    struct buf file = buf_make(a, LOAD_CONF_FILE_MAX);
    struct buf mistakes = buf_make(a, LOAD_CONF_FILE_MAX);
    if (!load_conf(a, path, out))
        return false;
    if (!admin || (access(admin, F_OK) != 0 && errno == ENOENT))
        return true;
    if (!load_conf_file(admin, &file)) {
        log_line(LOG_ERR, "configuration: this command is for the user "
                 "sayso-admin: sudo -u sayso-admin sayso ...");
        return false;
    }
    if (conf_read_owner(a, buf_text(&file), out, &mistakes))
        return true;
    load_conf_log(buf_text(&mistakes));
    return false;
}

bool load_conf_all(const char *path, struct load_conf *out)
{
    *out = (struct load_conf){.arena = arena_make(ARENA_PROCESS_MAX)};
    if (load_conf(out->arena, path, &out->conf)) {
        const struct err *e =
            template_load(out->arena, out->conf.templates,
                          out->conf.templates_strict, &out->templates);
        if (!e) {
            log_as_json(out->conf.log_format);
            return true;
        }
        log_line(LOG_ERR, "templates: %.*s: %.*s (%s)", STR_FMT(e->at),
                 STR_FMT(e->say), e->code);
    }
    arena_free(out->arena);
    return false;
}
