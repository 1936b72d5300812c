/* Approvals of OpenIntent in the database. Decides nothing. */
#include "store/question/approvals.h"

#include "base/crypt.h"
#include "store/sql.gen.h"

const struct err *approvals_of_completion(struct pg *pg, struct arena *a,
                                          struct str intent_id,
                                          struct str state,
                                          struct governance_approvals *out)
{
    const struct str subject = governance_completion(a, state);
    struct pg_rows *rows = NULL;
    TRY(pg_query(
        pg, a, SQL_APPROVAL_OF_COMPLETION,
        PG(pg_text(intent_id), pg_text(STR(GOVERNANCE_COMPLETE)),
           pg_text(subject.p ? crypt_sha256_hex(a, subject) : STR("none"))),
        &rows));
    *out = (struct governance_approvals){
        .assigned = pg_int(rows, 0, 0),
        .of_assigned = pg_int(rows, 0, 1),
        .ids = json_read(a, pg_str(rows, 0, 2))};
    return NULL;
}
