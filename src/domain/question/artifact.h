/* Artifacts: files that an agent uploads for its questions, images and texts.
 *
 * The ref of an artifact in a question is the SHA-256 of its bytes. The type of
 * an image is that of its first bytes; a text has that of its Content-Type.
 * Pure: no byte is decoded beyond the header of an image. */
#ifndef DOMAIN_QUESTION_ARTIFACT_H
#define DOMAIN_QUESTION_ARTIFACT_H

#include "domain/record.h"

#define ARTIFACT_SIDE_MAX 8192 /* pixels of an image */
#define ARTIFACT_PIXELS_MAX (INT64_C(16) << 20)
#define ARTIFACTS_PIXELS_MAX (INT64_C(64) << 20) /* of a question */
#define ARTIFACTS_UNUSED_MAX 200 /* of a key, in no question yet */
#define ARTIFACTS_LIFE_DAYS 1    /* of one that no question uses */

enum artifact_form {
    ARTIFACT_IMAGE,
    ARTIFACT_TEXT,
    ARTIFACT_MARKDOWN,
    ARTIFACT_DIFF,
    ARTIFACT_JSON
};

struct artifact {
    struct str id;
    struct str sha256; /* 64 hexadecimal digits */
    struct str uploaded_by, key_id;
    bool test;
    struct str media_type;
    int64_t size;          /* bytes */
    int64_t width, height; /* of an image, in pixels; 0: a text */
    int64_t uploaded_at;
    bool used;
};
struct artifact_rows {
    struct artifact *v;
    size_t n;
};

/* One of a question, as people read it. */
struct artifact_shown {
    struct artifact artifact;
    struct str text; /* the beginning of a text; p NULL: an image, or erased */
    bool erased;
};
struct artifact_list {
    struct artifact_shown *v;
    size_t n;
};

extern const struct record artifact_record;

/* May the reference be that of an artifact: 64 hexadecimal digits? */
bool artifact_ref(struct str ref);
/* The form of a stored media type. */
enum artifact_form artifact_form(struct str media_type);
/* Its file name: the beginning of the digest, and the ending of its type. */
struct str artifact_name(struct arena *a, const struct artifact *t);
/* Its type and size, for people: "PNG image, 640 x 480". */
struct str artifact_words(struct arena *a, const struct artifact *t);
/* Sets what the bytes say: digest, type, size, width and height. content_type:
 * the header's value. ERR_INVALID artifact.empty | artifact.image |
 * artifact.pixels | artifact.moves | artifact.text; ERR_MEDIA_TYPE
 * artifact.type. */
const struct err *artifact_read(struct arena *a, struct str content_type,
                                struct str bytes, struct artifact *out) MUST;
/* The payload's member "artifacts" of the event that a question was asked:
 * {ref, media_type, size} each. */
struct json *artifact_payload(struct arena *a,
                              const struct artifact_rows *rows);

#endif
