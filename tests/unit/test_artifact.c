/* domain/question/artifact.h: what the bytes of a file say. */
#include "domain/question/artifact.h"

#include "suite.h"

SUITE(artifact);

#define BYTES(lit) {(lit), sizeof(lit) - 1}
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"
#define REST "\x08\2\0\0\0crc." /* of its header */
#define IDAT "\0\0\0\0IDAT"
#define JPEG "\xff\xd8\xff\xe0\0\4ab"
#define WEBP "RIFF\0\0\0\0WEBP"

static const struct row {
    const char *type;
    struct str bytes;
    const char *code; /* NULL: it is taken */
    int64_t width, height;
} rows[] = {
    {"image/png", BYTES(PNG "\0\0\2\x80\0\0\1\xe0" REST IDAT), NULL, 640, 480},
    {"IMAGE/PNG; x=y", BYTES(PNG "\0\0\0\1\0\0\0\1" REST IDAT), NULL, 1, 1},
    {"image/png", BYTES(PNG "\0\0\x20\0\0\0\x08\0" REST IDAT), NULL, 8192,
     2048},
    {"image/png", BYTES(PNG "\0\0\x20\1\0\0\0\1" REST IDAT), "artifact.pixels",
     0, 0},
    {"image/png", BYTES(PNG "\0\0\x20\0\0\0\x08\1" REST IDAT),
     "artifact.pixels", 0, 0},
    {"image/png", BYTES(PNG "\xff\xff\xff\xff\xff\xff\xff\xff" REST IDAT),
     "artifact.pixels", 0, 0},
    {"image/png", BYTES(PNG "\0\0\0\0\0\0\0\1" REST IDAT), "artifact.image", 0,
     0},
    {"image/png", BYTES(PNG "\0\0\0\1\0\0\0"), "artifact.image", 0, 0},
    {"image/png", BYTES("\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\0\1\0\0\0\1"),
     "artifact.image", 0, 0},
    {"image/png", BYTES(PNG "\0\0\0\1\0\0\0\1" REST "\0\0\0\1tEXtxcrc." IDAT),
     NULL, 1, 1},
    {"image/png",
     BYTES(PNG "\0\0\0\1\0\0\0\1" REST "\0\0\0\x08"
               "acTL12345678crc." IDAT),
     "artifact.moves", 0, 0},
    {"image/png", BYTES(PNG "\0\0\0\1\0\0\0\1" REST "\xff\xff\xff\xfftEXtx"),
     "artifact.image", 0, 0},
    {"image/jpeg", BYTES(JPEG "\xff\xc0\0\x11\x08\1\xe0\2\x80"), NULL, 640,
     480},
    {"image/jpeg", BYTES(JPEG "\xff\xff\xc2\0\x11\x08\0\1\0\2"), NULL, 2, 1},
    /* A table of codes is no frame, and neither is the picture. */
    {"image/jpeg", BYTES(JPEG "\xff\xc4\0\4ab\xff\xc1\0\x11\x08\0\1\0\2"),
     NULL, 2, 1},
    {"image/jpeg", BYTES(JPEG "\xff\xda\0\4ab\xff\xc0\0\x11\x08\0\1\0\2"),
     "artifact.image", 0, 0},
    {"image/jpeg", BYTES(JPEG "\xff\xe1\0\1"), "artifact.image", 0, 0},
    {"image/jpeg", BYTES(JPEG "\xff\xe1\xff\xff"), "artifact.image", 0, 0},
    {"image/jpeg", BYTES("\xff\xd8\xff"), "artifact.image", 0, 0},
    {"image/gif", BYTES("GIF87a\x0a\0\x14\0\0\0\0;"), NULL, 10, 20},
    {"image/gif",
     BYTES("GIF89a\1\0\1\0\x80\0\0abcdef!\xf9\2xy\0"
           ",\0\0\0\0\1\0\1\0\0\2\1z\0;"),
     NULL, 1, 1},
    {"image/gif",
     BYTES("GIF89a\1\0\1\0\0\0\0"
           ",\0\0\0\0\1\0\1\0\0\2\1z\0"
           ",\0\0\0\0\1\0\1\0\0\2\1z\0;"),
     "artifact.moves", 0, 0},
    {"image/gif", BYTES("GIF89a\1\0\1\0\0\0\0,\0\0\0\0\2\0\1\0\0\2\0;"),
     "artifact.image", 0, 0},
    {"image/gif", BYTES("GIF89a\1\0\1\0\0\0\0,\1\0\0\0\1\0\1\0\0\2\0;"),
     "artifact.image", 0, 0},
    {"image/gif", BYTES("GIF89a\1\0\1\0\0\0\0x;"), "artifact.image", 0, 0},
    {"image/gif", BYTES("GIF89a\1\0\1\0\0\0\0"), "artifact.image", 0, 0},
    {"image/webp", BYTES(WEBP "VP8X\x0a\0\0\0\0\0\0\0\x7f\2\0\xdf\1\0"), NULL,
     640, 480},
    {"image/webp", BYTES(WEBP "VP8X\x0a\0\0\0\2\0\0\0\x7f\2\0\xdf\1\0"),
     "artifact.moves", 0, 0},
    {"image/webp", BYTES(WEBP "VP8L\0\0\0\0\x2f\x7f\xc2\x77\0"), NULL, 640,
     480},
    {"image/webp", BYTES(WEBP "VP8 \0\0\0\0\0\0\0\x9d\1\x2a\x80\2\xe0\1"),
     NULL, 640, 480},
    {"image/webp", BYTES(WEBP "VP8 \0\0\0\0\1\0\0\x9d\1\x2a\x80\2\xe0\1"),
     "artifact.image", 0, 0},
    {"image/webp", BYTES(WEBP "VP8L\0\0\0\0\x2e\x7f\xc2\x77\0"),
     "artifact.image", 0, 0},
    {"image/webp", BYTES(WEBP "ALPH\0\0\0\0\0\0\0\0"), "artifact.image", 0, 0},
    {"image/webp", BYTES("RIFF\0\0\0\0WAVEfmt "), "artifact.type", 0, 0},
    {"text/plain", BYTES("x"), NULL, 0, 0},
    {"text/plain;charset=utf-8", BYTES("\xe2\x82\xac"), NULL, 0, 0},
    {"text/x-diff", BYTES("-a\n+b\n"), NULL, 0, 0},
    {"text/plain", BYTES("\xe2\x82"), "artifact.text", 0, 0},
    {"text/plain", BYTES("a\0b"), "artifact.text", 0, 0},
    {"text/plain", BYTES(""), "artifact.empty", 0, 0},
    {"text/plain", BYTES("GIF89a"), "artifact.type", 0, 0},
    {"text/html", BYTES("x"), "artifact.type", 0, 0},
    {"image/svg+xml", BYTES("<svg/>"), "artifact.type", 0, 0},
    {"image/png", BYTES("x"), "artifact.type", 0, 0},
    {"image/png", BYTES("GIF89a\1\0\1\0\0\0\0;"), "artifact.type", 0, 0},
    {"", BYTES("x"), "artifact.type", 0, 0},
};

Test(artifact, what_the_bytes_say)
{
    for (size_t i = 0; i < countof(rows); i++) {
        const struct row *r = &rows[i];
        struct artifact t;
        const struct err *e =
            artifact_read(a, str_of(r->type), r->bytes, &t);
        cr_expect_str_eq(e ? e->code : "taken", r->code ? r->code : "taken",
                         "row %zu", i);
        if (e || r->code)
            continue;
        cr_expect(t.width == r->width && t.height == r->height, "row %zu", i);
        cr_expect(t.size == (int64_t)r->bytes.n && t.sha256.n == 64);
    }
}

/* Each beginning of each file, and each of it with another byte. */
Test(artifact, no_byte_is_read_behind_the_end)
{
    for (size_t i = 0; i < countof(rows); i++) {
        for (size_t n = 0; n <= rows[i].bytes.n; n++) {
            char *copy = malloc(n + 1);
            cr_assert(copy);
            struct artifact t;
            memcpy(copy, rows[i].bytes.p, n);
            const struct err *e = artifact_read(
                a, str_of(rows[i].type), (struct str){copy, n}, &t);
            cr_expect(e || t.size == (int64_t)n);
            if (n > 12) {
                copy[n - 1] = (char)0xff;
                e = artifact_read(a, str_of(rows[i].type),
                                  (struct str){copy, n}, &t);
                cr_expect(e || t.width <= ARTIFACT_SIDE_MAX);
            }
            free(copy);
        }
    }
}

Test(artifact, a_ref_is_64_digits)
{
    const char digits[] = "0123456789abcdef0123456789abcdef"
                          "0123456789abcdef0123456789abcdef";
    cr_assert(artifact_ref(str_of(digits)));
    cr_assert_not(artifact_ref(str_sub(str_of(digits), 0, 63)));
    cr_assert_not(artifact_ref(STR("")));
    cr_assert_not(artifact_ref(STR_NONE));
    cr_assert_not(artifact_ref(STR("0123456789ABCDEF0123456789abcdef"
                                   "0123456789abcdef0123456789abcdef")));
}

Test(artifact, its_words_and_name)
{
    struct artifact t = {.sha256 = STR("0123456789abcdef"),
                         .media_type = STR("image/jpeg"),
                         .width = 640,
                         .height = 480};
    cr_assert(str_is(artifact_words(a, &t), "JPEG image, 640 x 480"));
    cr_assert(str_is(artifact_name(a, &t), "0123456789ab.jpg"));
    t = (struct artifact){.sha256 = t.sha256, .media_type = STR("text/x-diff")};
    cr_assert(str_is(artifact_words(a, &t), "Diff"));
    cr_assert(str_is(artifact_name(a, &t), "0123456789ab.diff"));
}
