/* Artifacts: their fields, and what the bytes of a file say of it. */
#include "domain/question/artifact.h"

#include "base/clock.h"
#include "base/clock_text.h"
#include "base/crypt.h"

/* ---- types ---------------------------------------------------------- */

static const struct artifact_type {
    const char *media, *ending, *words;
    enum artifact_form form;
} artifact_types[] = {
    {"image/png", ".png", "PNG image", ARTIFACT_IMAGE},
    {"image/jpeg", ".jpg", "JPEG image", ARTIFACT_IMAGE},
    {"image/gif", ".gif", "GIF image", ARTIFACT_IMAGE},
    {"image/webp", ".webp", "WebP image", ARTIFACT_IMAGE},
    {"text/plain", ".txt", "Text", ARTIFACT_TEXT},
    {"text/markdown", ".md", "Markdown", ARTIFACT_MARKDOWN},
    {"text/x-diff", ".diff", "Diff", ARTIFACT_DIFF},
    {"application/json", ".json", "JSON", ARTIFACT_JSON},
};

static const struct artifact_type *artifact_type(struct str media)
{
    for (size_t i = 0; i < countof(artifact_types); i++)
        if (str_is_nocase(media, artifact_types[i].media))
            return &artifact_types[i];
    return NULL;
}

enum artifact_form artifact_form(struct str media_type)
{
    const struct artifact_type *t = artifact_type(media_type);
    return t ? t->form : ARTIFACT_TEXT;
}

bool artifact_ref(struct str ref)
{
    for (size_t i = 0; i < ref.n; i++)
        if (str_hex(ref.p[i]) < 0 || (ref.p[i] >= 'A' && ref.p[i] <= 'F'))
            return false;
    return ref.n == 2 * CRYPT_SHA256;
}

struct str artifact_name(struct arena *a, const struct artifact *t)
{
    const struct artifact_type *type = artifact_type(t->media_type);
    return arena_join(a, str_sub(t->sha256, 0, 12),
                      str_of(type ? type->ending : ".txt"));
}

struct str artifact_words(struct arena *a, const struct artifact *t)
{
    const struct artifact_type *type = artifact_type(t->media_type);
    const struct str word = str_of(type ? type->words : "File");
    return t->width ? arena_join(a, word, STR(", "),
                                 arena_number(a, t->width), STR(" x "),
                                 arena_number(a, t->height))
                    : word;
}

/* ---- images --------------------------------------------------------- */

#define PNG_IHDR 0x49484452
#define PNG_ACTL 0x6163544c
#define PNG_IDAT 0x49444154
#define WEBP_VP8 0x56503820
#define WEBP_VP8L 0x5650384c
#define WEBP_VP8X 0x56503858
#define WEBP_MOVES 2 /* of the flags of VP8X */

/* The bytes of a file, read from the start. Beyond the end all are zero, and
 * over is set. */
struct artifact_bytes {
    const unsigned char *p;
    size_t n, at;
    bool over;
};

static unsigned artifact_byte(struct artifact_bytes *b)
{
    b->over = b->over || b->at >= b->n;
    return b->over ? 0 : b->p[b->at++];
}

/* A number of n bytes, the largest part first or last. */
static int64_t artifact_big(struct artifact_bytes *b, int n)
{
    int64_t v = 0;
    while (n-- > 0)
        v = v << 8 | artifact_byte(b);
    return v;
}

static int64_t artifact_little(struct artifact_bytes *b, int n)
{
    int64_t v = 0;
    for (int i = 0; i < n; i++)
        v |= (int64_t)artifact_byte(b) << (8 * i);
    return v;
}

static void artifact_skip(struct artifact_bytes *b, int64_t n)
{
    if (n < 0 || (size_t)n > b->n - b->at)
        b->over = true;
    else
        b->at += (size_t)n;
}

/* The header of an image. */
struct artifact_picture {
    int64_t width, height;
    bool moves; /* it has more than one frame */
};

/* Each reads from behind the first bytes. Where a header is not as its format
 * has it, the size stays zero. */
static void artifact_png(struct artifact_bytes *b,
                         struct artifact_picture *out)
{
    if (artifact_big(b, 4) != 13 || artifact_big(b, 4) != PNG_IHDR)
        return;
    const int64_t width = artifact_big(b, 4), height = artifact_big(b, 4);
    artifact_skip(b, 5 + 4);
    while (!b->over) {
        const int64_t n = artifact_big(b, 4), chunk = artifact_big(b, 4);
        out->moves = out->moves || chunk == PNG_ACTL;
        if (chunk == PNG_IDAT)
            break;
        artifact_skip(b, n + 4);
    }
    out->width = width;
    out->height = height;
}

/* The first frame header that stands before the picture. */
static void artifact_jpeg(struct artifact_bytes *b,
                          struct artifact_picture *out)
{
    while (!b->over) {
        unsigned marker = artifact_byte(b);
        if (marker != 0xff)
            return;
        while (marker == 0xff && !b->over)
            marker = artifact_byte(b);
        const int64_t n = artifact_big(b, 2);
        const bool frame = marker >= 0xc0 && marker <= 0xcf &&
                           marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
        if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda))
            return;
        if (frame) {
            artifact_skip(b, 1);
            out->height = artifact_big(b, 2);
            out->width = artifact_big(b, 2);
            return;
        }
        artifact_skip(b, n - 2);
    }
}

/* The screen, and every frame on it: a decoder may make room for a frame that
 * does not fit. */
static void artifact_gif(struct artifact_bytes *b,
                         struct artifact_picture *out)
{
    size_t frames = 0;
    const int64_t width = artifact_little(b, 2);
    const int64_t height = artifact_little(b, 2);
    unsigned flags = artifact_byte(b);
    artifact_skip(b, 2 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0));
    for (;;) {
        const unsigned block = artifact_byte(b);
        if (b->over || block == ';')
            break;
        if (block == '!') {
            artifact_skip(b, 1);
        } else if (block == ',') {
            int64_t right = artifact_little(b, 2);
            int64_t bottom = artifact_little(b, 2);
            right += artifact_little(b, 2);
            bottom += artifact_little(b, 2);
            if (right > width || bottom > height)
                return;
            out->moves = ++frames > 1;
            flags = artifact_byte(b);
            artifact_skip(b, 1 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0));
        } else {
            return;
        }
        for (unsigned n = artifact_byte(b); n > 0; n = artifact_byte(b))
            artifact_skip(b, n);
    }
    out->width = width;
    out->height = height;
}

static void artifact_webp(struct artifact_bytes *b,
                          struct artifact_picture *out)
{
    const int64_t chunk = artifact_big(b, 4);
    artifact_skip(b, 4);
    if (chunk == WEBP_VP8X) { /* flags, then the canvas */
        out->moves = artifact_byte(b) & WEBP_MOVES;
        artifact_skip(b, 3);
        out->width = artifact_little(b, 3) + 1;
        out->height = artifact_little(b, 3) + 1;
    } else if (chunk == WEBP_VP8L) { /* 14 bits each */
        if (artifact_byte(b) != 0x2f)
            return;
        const int64_t bits = artifact_little(b, 4);
        out->width = (bits & 0x3fff) + 1;
        out->height = (bits >> 14 & 0x3fff) + 1;
    } else if (chunk == WEBP_VP8) { /* a key frame */
        if (artifact_byte(b) & 1)
            return;
        artifact_skip(b, 2);
        if (artifact_big(b, 3) != 0x9d012a)
            return;
        out->width = artifact_little(b, 2) & 0x3fff;
        out->height = artifact_little(b, 2) & 0x3fff;
    }
}

static const struct artifact_image {
    const char *media;
    struct str start, then; /* then: from byte 8 on */
    size_t head; /* bytes */
    void (*read)(struct artifact_bytes *b, struct artifact_picture *out);
} artifact_images[] = {
    {"image/png", WIRE("\x89PNG\r\n\x1a\n"), WIRE(""), 8, artifact_png},
    {"image/jpeg", WIRE("\xff\xd8\xff"), WIRE(""), 2, artifact_jpeg},
    {"image/gif", WIRE("GIF87a"), WIRE(""), 6, artifact_gif},
    {"image/gif", WIRE("GIF89a"), WIRE(""), 6, artifact_gif},
    {"image/webp", WIRE("RIFF"), WIRE("WEBP"), 12, artifact_webp},
};

static const struct artifact_image *artifact_image(struct str bytes)
{
    for (size_t i = 0; i < countof(artifact_images); i++) {
        const struct artifact_image *m = &artifact_images[i];
        if (str_starts(bytes, m->start) &&
            (m->then.n == 0 || str_starts(str_sub(bytes, 8, bytes.n), m->then)))
            return m;
    }
    return NULL;
}

static const struct err *artifact_measure(struct arena *a,
                                          const struct artifact_image *image,
                                          struct str bytes,
                                          struct artifact *out)
{
    struct artifact_bytes b = {.p = (const unsigned char *)bytes.p,
                               .n = bytes.n,
                               .at = image->head};
    struct artifact_picture found = {.width = 0};
    image->read(&b, &found);
    out->width = found.width;
    out->height = found.height;
    if (b.over || out->width <= 0 || out->height <= 0)
        return ERROR(ERR_INVALID, "artifact.image",
                     "The image is damaged: its size cannot be read.");
    if (found.moves)
        return ERROR(ERR_INVALID, "artifact.moves",
                     "The image has several frames. A person decides on what "
                     "stands still: send one of them.");
    if (out->width > ARTIFACT_SIDE_MAX || out->height > ARTIFACT_SIDE_MAX ||
        out->width * out->height > ARTIFACT_PIXELS_MAX)
        return err_at(a, ERR_INVALID, "artifact.pixels", STR(""),
                      "The image has %lld x %lld pixels. A side may have at "
                      "most %d, and all of it 16 million.",
                      (long long)out->width, (long long)out->height,
                      ARTIFACT_SIDE_MAX);
    return NULL;
}

/* ---- reading -------------------------------------------------------- */

static const struct err *artifact_unknown_type(void)
{
    return ERROR(ERR_MEDIA_TYPE, "artifact.type",
                 "The Content-Type has to be image/png, image/jpeg, image/gif "
                 "or image/webp, as the bytes are, or text/plain, "
                 "text/markdown, text/x-diff or application/json.");
}

const struct err *artifact_read(struct arena *a, struct str content_type,
                                struct str bytes, struct artifact *out)
{
    const struct str media =
        str_trim(str_sub(content_type, 0, str_find(content_type, ';', 0)));
    const struct artifact_type *type = artifact_type(media);
    const struct artifact_image *image = artifact_image(bytes);
    *out = (struct artifact){.size = (int64_t)bytes.n};
    if (bytes.n == 0)
        return ERROR(ERR_INVALID, "artifact.empty", "The body has no bytes.");
    if (!type || (type->form == ARTIFACT_IMAGE) != (image != NULL) ||
        (image && !str_is(str_of(type->media), image->media)))
        return artifact_unknown_type();
    if (image)
        TRY(artifact_measure(a, image, bytes, out));
    else if (!str_utf8(bytes))
        return ERROR(ERR_INVALID, "artifact.text",
                     "A text has to be UTF-8, without a NUL byte.");
    out->media_type = str_of(type->media);
    out->sha256 = crypt_sha256_hex(a, bytes);
    return NULL;
}

/* ---- the table ------------------------------------------------------ */

static const struct json *artifact_show_until(struct arena *a, const void *at)
{
    const struct artifact *t = at;
    return t->used ? NULL
                   : json_string(a, clock_rfc3339(
                                        a, t->uploaded_at +
                                               ARTIFACTS_LIFE_DAYS * 86400 *
                                                   CLOCK_SECOND));
}

static const struct record_field artifact_fields[] = {
    {RECORD_TEXT(artifact, id, IN_TABLE)},
    {RECORD_TEXT(artifact, sha256, IN_TABLE | IN_OBJECT | IN_EVENT),
     .member = "ref"},
    {RECORD_TEXT(artifact, media_type, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_NUMBER(artifact, size, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_COUNT(artifact, width, IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_COUNT(artifact, height, IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_TEXT(artifact, uploaded_by, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(artifact, key_id, IN_TABLE)},
    {RECORD_FLAG(artifact, test, IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_TIME(artifact, uploaded_at, IN_TABLE | IN_OBJECT)},
    {RECORD_FLAG(artifact, used, IN_TABLE | IN_OBJECT)},
    {RECORD_SHOWN(artifact, unused_until, IN_OBJECT, artifact_show_until)},
};
const struct record artifact_record =
    RECORD(artifact, "artifact", "artifact");

struct json *artifact_payload(struct arena *a,
                              const struct artifact_rows *rows)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < rows->n; i++)
        json_add_json(list, record_payload(a, &artifact_record, &rows->v[i]));
    return list;
}
