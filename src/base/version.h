/* The version of this program, and the number of the site of nginx that it
 * needs. The number of its tables is SQL_TABLES (store/sql.gen.h). */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* "0.2.0+731.g1a2b3c4d5e": the release, the commits, the newest of them. */
extern const char version_build[];
/* The header "user-agent: Sayso/0.2.0+731.g1a2b3c4d5e". */
extern const char version_user_agent[];
/* The number that nginx's server.conf sends as SITE_VERSION. */
extern const char version_site[];

#endif
