/* Fuzzes the reading of an uploaded file, under each type: what is taken is
 * within its limits, and only an image has a size in pixels. */
#include "base/crypt.h"
#include "domain/question/artifact.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {
        "image/png",     "image/jpeg",  "image/gif",
        "image/webp",    "text/plain",  "text/markdown",
        "text/x-diff",   "application/json"};
    struct arena *a = fuzz_arena();
    const struct str bytes = {(const char *)data, size};
    size_t taken = 0;
    must(crypt_init());
    for (size_t i = 0; i < countof(types); i++) {
        struct artifact t;
        if (artifact_read(a, str_of(types[i]), bytes, &t))
            continue;
        const bool image = artifact_form(t.media_type) == ARTIFACT_IMAGE;
        must(str_is(t.media_type, types[i]) && image == (i < 4));
        must(artifact_ref(t.sha256) && t.size == (int64_t)size);
        must(image == (t.width > 0) && image == (t.height > 0));
        must(t.width <= ARTIFACT_SIDE_MAX && t.height <= ARTIFACT_SIDE_MAX &&
             t.width * t.height <= ARTIFACT_PIXELS_MAX);
        taken += image;
    }
    must(taken <= 1);
    return 0;
}
