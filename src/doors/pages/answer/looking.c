/* The others who have the page of an open question open: those whose pages
 * asked for it within the last moments, as the workers of this host noted it.
 * It decides nothing: two may still answer, and one of them gets a conflict. */
#include "doors/pages/answer/looking.h"

#include "base/clock.h"
#include "doors/pages/answer/page.h"
#include "store/person/people.h"
#include "store/question/suspensions.h"
#include "world/template/words.h"

#define MINUTE (60 * CLOCK_SECOND)

static struct str looking_sentence(struct arena *a, const struct str *names,
                                   size_t n, int64_t us)
{
    const struct str first =
        words_name(a, words_plain(a, names[0], PERSON_NAME_MAX));
    if (n == 1)
        return arena_join(a, first, STR(" is looking at this"),
                          us >= MINUTE ? STR(", ") : STR(""),
                          us >= MINUTE ? words_span(a, us) : STR(""));
    return arena_join(
        a, first, STR(" and "),
        n == 2 ? words_name(a, words_plain(a, names[1], PERSON_NAME_MAX))
               : words_many(a, (int64_t)n - 1, "other"),
        STR(" are looking at this"));
}

const struct err *answer_looking_note(struct call *c,
                                      const struct suspension *s,
                                      struct str *out)
{
    struct presence *p = c->serve->presence;
    struct presence_reader others[PRESENCE_MAX];
    struct str ids[PRESENCE_MAX], names[PRESENCE_MAX];
    const struct responder_case rule = suspension_case(s);
    const int64_t now = clock_mono();
    *out = STR("");
    /* A reader who cannot answer is in nobody's way. */
    if (!responder_check(c->a, &rule, &c->who))
        presence_see(p, s->id, c->who.person_id, now);
    size_t n = presence_others(c->a, p, s->id, c->who.person_id, now, others);
    for (size_t i = 0; i < n; i++)
        ids[i] = others[i].person;
    if (n == 0)
        return NULL;
    const int64_t since = others[0].since;
    TRY(people_names(c->pg, c->a, ids, n, names, &n));
    if (n > 0)
        *out = looking_sentence(c->a, names, n, now - since);
    return NULL;
}

const struct err *answer_looking(struct call *c)
{
    struct suspension s;
    struct str sentence = STR("");
    struct json *o = json_object(c->a);
    TRY(suspensions_get(c->pg, c->a, c->param[0], &s));
    const struct responder_case rule = suspension_case(&s);
    if (!responder_sees(&rule, &c->who))
        return &suspension_record.unknown;
    if (s.state == SUSPENSION_PENDING)
        TRY(answer_looking_note(c, &s, &sentence));
    json_set_text(o, "sentence", sentence);
    response_json(c->rs, 200, o);
    return NULL;
}
