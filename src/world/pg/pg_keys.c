/* The parameters of a connection: those of the string, those of the next host,
 * and the server's own. No libpq in here. */
#include <inttypes.h>
#include <stdio.h>

#include "world/pg/pg_parts.h"

void pg_keys_add(struct pg_keys *k, const char *key, const char *value)
{
    if (!value || k->n + 1 >= PG_KEYS_MAX)
        return;
    k->key[k->n] = key;
    k->value[k->n++] = value;
}

/* Removes a key and returns its value; p NULL: it was not there. */
static struct str pg_keys_take(struct pg_keys *k, const char *key)
{
    struct str value = STR_NONE;
    size_t n = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (str_is(str_of(k->key[i]), key)) {
            value = str_of(k->value[i]);
            continue;
        }
        k->key[n] = k->key[i];
        k->value[n++] = k->value[i];
    }
    k->n = n;
    return value;
}

void pg_keys_split(struct pg *pg, struct arena *a, const char *dsn)
{
    const bool read = pg->keys.n > 0;
    const struct pg_hosts_text text = {
        .host = pg_keys_take(&pg->keys, "host"),
        .hostaddr = pg_keys_take(&pg->keys, "hostaddr"),
        .port = pg_keys_take(&pg->keys, "port"),
        .attrs = pg_keys_take(&pg->keys, "target_session_attrs")};
    if (pg_hosts_read(a, &text, &pg->hosts) && read)
        return;
    pg->hosts = (struct pg_hosts){.n = 1, .places_n = 1};
    pg->keys = (struct pg_keys){.whole = true};
    pg_keys_add(&pg->keys, "dbname", dsn);
}

void pg_keys_for(const struct pg *pg, const struct pg_hosts_place *place,
                 struct pg_keys *out)
{
    /* All statements are short: compiling one takes longer than it runs. */
    static const char ours[] = "-c jit=off -c client_min_messages=error "
                               "-c timezone=UTC -c datestyle=ISO";
    const struct pg_hosts_name *name = &pg->hosts.names[place->name];
    *out = pg->keys;
    if (!out->whole) {
        pg_keys_add(out, "host", name->host);
        pg_keys_add(out, "hostaddr", place->address[0] ? place->address
                                                       : name->hostaddr);
        pg_keys_add(out, "port", name->port);
    }
    /* A plan is made once, often while a table is empty, and every statement of
     * a request has its index. */
    snprintf(out->options, sizeof out->options,
             "%s -c enable_seqscan=off -c statement_timeout=%" PRId64
             " -c lock_timeout=%" PRId64
             " -c idle_in_transaction_session_timeout=%" PRId64,
             ours, pg->timeout, pg->timeout * 9 / 10, pg->timeout * 5);
    snprintf(out->gone, sizeof out->gone, "%" PRId64, pg->timeout * 5 / 4);
    pg_keys_add(out, "fallback_application_name", pg->name);
    pg_keys_add(out, "options", pg->patient ? ours : out->options);
    pg_keys_add(out, "client_encoding", "UTF8");
    pg_keys_add(out, "tcp_user_timeout", out->gone);
    /* An idle connection to an unreachable host is closed by the kernel, before
     * a request spends its time on it. */
    if (pg->hosts.n > 1) {
        pg_keys_add(out, "keepalives_idle", "2");
        pg_keys_add(out, "keepalives_interval", "1");
        pg_keys_add(out, "keepalives_count", "3");
    }
    out->key[out->n] = NULL;
    out->value[out->n] = NULL;
}
