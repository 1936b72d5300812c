/* The form of an endpoint or a channel: its sheet, and which of its fields a
 * refusal speaks of. Never writes anything. */
#include "doors/page_settings.h"

static struct page_sheet sheet_of(struct arena *a,
                                  const struct page_settings_form *f)
{
    return (struct page_sheet){.fields = f->kind->fields,
                               .fields_n = f->kind->fields_n,
                               .change = f->old != NULL,
                               .values = f->kind->values(a, f->old),
                               .typed = f->typed,
                               .errors = f->errors,
                               .problem = f->problem};
}

const struct err *page_settings_form_wrong(struct arena *a,
                                           struct page_settings_form *f,
                                           const struct err *e)
{
    struct page_sheet s = {.fields = f->kind->fields,
                           .fields_n = f->kind->fields_n,
                           .errors = f->errors,
                           .problem = f->problem};
    if (e && str_is(str_of(e->code), "endpoint.taken"))
        e = err_at(a, e->kind, e->code, str_of(f->kind->unique), "%.*s",
                   STR_FMT(e->say));
    e = page_sheet_wrong(a, &s, e);
    f->errors = s.errors;
    f->problem = s.problem;
    return e;
}

bool page_settings_form_read(struct arena *a, struct page_settings_form *f,
                             struct endpoint *e)
{
    struct page_sheet s = sheet_of(a, f);
    const struct json *values = page_sheet_read(a, &s);
    f->errors = s.errors;
    return values &&
           !page_settings_form_wrong(a, f, f->kind->read(a, values, e)) &&
           !f->errors;
}

void page_settings_form_view(struct page_view *v, struct json *view,
                             const struct page_settings_form *f)
{
    const struct page_settings_kind *k = f->kind;
    const struct page_sheet s = sheet_of(v->a, f);
    const struct page_sheet_words words = {
        .heading = f->old ? "Change" : k->form_heading,
        .note = f->old ? "" : k->form_note,
        .submit = f->old ? "Save" : k->submit,
        .url = f->old ? page_settings_url(v->a, k, f->old->id, "")
                      : str_of(k->path)};
    page_sheet_view(v, view, &s, &words);
}
