/* What was wrong with an answer, at the top of the page. A part of
 * page_answer.h: says it, never decides it. */
#include "doors/page_amend.h"
#include "doors/page_answer.h"
#include "doors/page_fields.h"

static bool is_error(const struct page_answer_of *of, const char *start)
{
    return of->error &&
           str_starts(str_of(of->error->code), str_of(start));
}

/* Is it about what a yes shall allow instead? */
static bool is_amend(const struct page_answer_of *of)
{
    return is_error(of, "amend.") || is_error(of, "kind.facts");
}

static struct json *error_items(struct page_view *v,
                                const struct page_answer_of *of)
{
    const bool reason = is_error(of, "reason.");
    const bool typed = is_error(of, "typed.");
    const bool box = page_answer_way(v->a, of->s) == PAGE_ANSWER_TEXT &&
                     is_error(of, "response.");
    struct json *list = json_array(v->a), *item = json_object(v->a);
    if (is_error(of, "response.form"))
        return page_fields_errors(v, page_fields_form(v->a, of->s),
                                  json_get(of->error->more, "fields"));
    if (is_amend(of)) {
        const struct page_amend_of amend = {
            .s = of->s,
            .choice = suspension_choice(suspension_choices(v->a, of->s),
                                        of->choice),
            .error = of->error};
        return page_amend_errors(v, &amend);
    }
    if (!reason && !box && !typed)
        return list;
    struct buf b = buf_make(v->a, 4096);
    buf_put(&b, reason  ? "Comment: "
                : typed ? "What you allow: "
                        : "Your answer: ");
    buf_str(&b, typed ? STR("Type what stands at the field.")
                      : of->error->say);
    json_set_text(item, "href", reason  ? STR("#reason")
                                : typed ? STR("#typed")
                                        : STR("#value"));
    json_set_text(item, "text", buf_text(&b));
    json_add_json(list, item);
    return list;
}

static struct str error_heading(struct arena *a,
                                const struct page_answer_of *of, size_t items)
{
    struct buf b = buf_make(a, 128);
    if (is_error(of, "reason.missing"))
        return STR("A comment is needed");
    if (is_error(of, "reason."))
        return STR("The comment is too long");
    if (is_error(of, "typed."))
        return STR("What is allowed has to be typed");
    if (is_error(of, "response.invalid_choice"))
        return STR("There is no such answer");
    if (is_error(of, "response.empty"))
        return STR("The answer is empty");
    if (is_error(of, "response.too_l"))
        return STR("The answer is too long");
    if (is_error(of, "suspension.changed"))
        return STR("What you saw is not what is stored");
    if (is_error(of, "credential."))
        return STR("It is not there yet");
    if (is_error(of, "session.ended"))
        return STR("Your answer was NOT recorded");
    if (is_amend(of) && items == 0)
        return STR("This cannot be allowed so");
    if (!is_amend(of) && !is_error(of, "response.form"))
        return STR("This cannot be accepted");
    buf_str(&b, words_many(a, (int64_t)items, "field"));
    buf_put(&b, items == 1 ? " needs another look" : " need another look");
    return buf_text(&b);
}

static struct str with(struct arena *a, struct str say, struct str sentence)
{
    struct buf b = buf_make(a, say.n + sentence.n + 2);
    buf_str(&b, say);
    buf_char(&b, ' ');
    buf_str(&b, sentence);
    return buf_text(&b);
}

struct json *page_answer_errors(struct page_view *v,
                                const struct page_answer_of *of)
{
    if (!of->error)
        return NULL;
    struct json *o = json_object(v->a), *items = error_items(v, of);
    struct str sentence = STR("Nothing was sent. What you typed is kept.");
    if (is_error(of, "response.invalid_choice"))
        sentence = STR("Nothing was sent. Take one of the answers that the "
                       "question offers.");
    if (is_error(of, "suspension.changed"))
        sentence = STR("Nothing was recorded. Read the question again as it "
                       "stands here now, and answer then.");
    if (is_error(of, "credential."))
        sentence = of->error->say;
    if (is_error(of, "session.ended"))
        sentence = STR("Your session had ended when you sent it. What you "
                       "typed stands here again: read it, and send it.");
    if (is_amend(of) && json_count(items) == 0)
        sentence = with(v->a, of->error->say, sentence);
    json_set_text(o, "heading",
                  error_heading(v->a, of, json_count(items)));
    json_set_text(o, "sentence", sentence);
    json_set_json(o, "items", items);
    return o;
}
