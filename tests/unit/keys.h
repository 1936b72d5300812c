/* The key of the log's tests: that of RFC 8410, 10.3. */
#ifndef UNIT_KEYS_H
#define UNIT_KEYS_H

#include "domain/log/note.h"
#include "domain/log/signer.h"
#include "suite.h"

#define ORIGIN "sayso.example/log"

static const char KEY_PEM[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
    "-----END PRIVATE KEY-----\n";

static inline struct signer key(void)
{
    struct signer k;
    cr_assert(signer_read(a, str_of(KEY_PEM), &k));
    return k;
}

static inline struct note_key public_key(void)
{
    return (struct note_key){
        .name = STR(ORIGIN), .algorithm = NOTE_ED25519, .key = key().key};
}

#endif
