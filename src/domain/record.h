/* Records: a noun's fields as one table.
 *
 * A row of the table is a member of the noun's struct, and says where it
 * appears: as a column of the database, as a member of a body, of the object
 * that clients read, of an event. A body, a row of a statement, the parameters
 * of a statement and an object are made from it. The statements take their
 * lists of columns from it too (store/sql_gen.awk); a new field is a member of
 * the struct, a row here and a migration. Rules between fields are C.
 *
 *     static const struct record_field cost_fields[] = {
 *         {RECORD_TEXT(cost, id, IN_ROW | IN_INSERT | IN_OBJECT)},
 *         {RECORD_TEXT(cost, unit, IN_BODY | IN_NEED | ...), .max = 120},
 *     };
 *     const struct record cost_record = RECORD(cost, "cost", "intent_cost");
 *
 * The table is the noun's name and _fields, the struct has the noun's name, and
 * each row begins a line: sql_gen.awk reads that text. Pure. */
#ifndef DOMAIN_RECORD_H
#define DOMAIN_RECORD_H

#include "base/json/fields.h"
#include "domain/decimal.h"
#include "domain/vocabulary.h"

enum record_type {
    RECORD_IS_TEXT,    /* struct str; p NULL: none */
    RECORD_IS_UUID,    /* the same; an id, in lower case */
    RECORD_IS_JSON,    /* struct str, JSON text; p NULL: none */
    RECORD_IS_COUNT,   /* int64_t; 0: none */
    RECORD_IS_NUMBER,  /* int64_t */
    RECORD_IS_TIME,    /* int64_t, a moment; 0: none. RFC 3339 in objects */
    RECORD_IS_NAIVE,   /* the same; as OpenIntent's clients read it */
    RECORD_IS_FLAG,    /* bool */
    RECORD_IS_WORD,    /* an enum with a vocabulary */
    RECORD_IS_DECIMAL, /* struct decimal; a number in objects */
    RECORD_IS_OWN      /* text and take say */
};

/* The places in which a field appears. */
enum record_in {
    IN_ROW = 1,      /* a column of {noun} and {alias.noun} */
    IN_JOIN = 2,     /* a column that a statement may add after those, in the
                      * order of the rows: of another table, or a large one */
    IN_INSERT = 4,   /* {noun.insert}, {noun.places} */
    IN_UPDATE = 8,   /* {noun.set} */
    IN_BODY = 16,    /* a member that a client sends */
    IN_NEED = 32,    /* the same, and it has to be there */
    IN_OBJECT = 64,  /* a member of the object that clients read */
    IN_GIVEN = 128,  /* the object is without it where it is none, or false */
    IN_EVENT = 256,  /* a member of the payload of the noun's event */
    IN_PART = 512,   /* a part that the noun's own code names; {noun.part} */
    IN_TABLE = IN_ROW | IN_INSERT,
};

struct record_field {
    const char *name;   /* of the struct's member */
    const char *column; /* NULL: the name */
    const char *member; /* of an object and a body; NULL: the column */
    const char *alias;  /* a second member of an object with the same value */
    const char *other;  /* the member of a body where the first is absent */
    enum record_type type;
    unsigned in; /* enum record_in */
    size_t at;   /* in the struct */
    /* Of a body: the most characters of a text and bytes of a JSON text; the
     * bounds of a number. */
    int64_t max, min;
    bool filled; /* of a body: "" is refused */
    enum json_type shape; /* of a JSON text in a body; JSON_NULL: any */
    const char *none; /* the JSON text of an absent one; the column's text of
                       * a moment that is none: infinity. NULL: p NULL */
    const struct vocabulary *words;
    /* Checks what a body gave, where it gave something. */
    void (*check)(struct fields *f, const char *key, const void *object);
    /* The member's value, where it is not the column's. */
    const struct json *(*show)(struct arena *a, const void *object);
    /* Of RECORD_IS_OWN: the column's text of what lies at at, and setting it
     * from one. */
    struct str (*text)(struct arena *a, const void *at);
    void (*take)(void *at, struct str text);
};

struct record {
    const char *word;  /* for people: "cost" */
    const char *table; /* of the database */
    size_t size;       /* of the struct */
    const struct record_field *fields;
    size_t n;
    struct err unknown; /* "There is no cost with this id." */
};
#define RECORD(noun_, word_, table_)                                           \
    {                                                                          \
        .word = (word_), .table = (table_), .size = sizeof(struct noun_),      \
        .fields = noun_##_fields, .n = countof(noun_##_fields),                \
        .unknown = {.kind = ERR_NOT_FOUND,                                     \
                    .code = #noun_ ".unknown",                                 \
                    .say = WIRE("There is no " word_ " with this id.")}        \
    }

/* A row's beginning; the type of the member is checked. */
#define RECORD_FIELD(type_, c_, noun_, name_, in_)                             \
    .name = #name_, .type = RECORD_IS_##type_, .in = (in_),                    \
    .at = offsetof(struct noun_, name_) +                                      \
          0 * sizeof(char[_Generic(((struct noun_ *)NULL)->name_, c_: 1)])
#define RECORD_TEXT(noun_, name_, in_)                                         \
    RECORD_FIELD(TEXT, struct str, noun_, name_, in_)
#define RECORD_UUID(noun_, name_, in_)                                         \
    RECORD_FIELD(UUID, struct str, noun_, name_, in_)
#define RECORD_JSON(noun_, name_, in_)                                         \
    RECORD_FIELD(JSON, struct str, noun_, name_, in_)
/* A JSON object; an absent one is {}. */
#define RECORD_OBJECT(noun_, name_, in_)                                       \
    RECORD_JSON(noun_, name_, in_), .shape = JSON_OBJECT, .none = "{}"
#define RECORD_COUNT(noun_, name_, in_)                                        \
    RECORD_FIELD(COUNT, int64_t, noun_, name_, in_)
#define RECORD_NUMBER(noun_, name_, in_)                                       \
    RECORD_FIELD(NUMBER, int64_t, noun_, name_, in_)
#define RECORD_TIME(noun_, name_, in_)                                         \
    RECORD_FIELD(TIME, int64_t, noun_, name_, in_)
#define RECORD_NAIVE(noun_, name_, in_)                                        \
    RECORD_FIELD(NAIVE, int64_t, noun_, name_, in_)
#define RECORD_FLAG(noun_, name_, in_)                                         \
    RECORD_FIELD(FLAG, bool, noun_, name_, in_)
#define RECORD_DECIMAL(noun_, name_, in_)                                      \
    RECORD_FIELD(DECIMAL, struct decimal, noun_, name_, in_)
/* words_: the vocabulary of the member's enum. */
#define RECORD_WORD(noun_, name_, in_, words_)                                 \
    .name = #name_, .type = RECORD_IS_WORD, .in = (in_),                       \
    .at = offsetof(struct noun_, name_), .words = &(words_)
/* A member of a type of its own, with text_ and take_. */
#define RECORD_OWN(noun_, name_, in_, text_, take_)                            \
    .name = #name_, .type = RECORD_IS_OWN, .in = (in_),                        \
    .at = offsetof(struct noun_, name_), .text = (text_), .take = (take_)
/* A member of objects alone that show_ makes, of no member of the struct. */
#define RECORD_SHOWN(noun_, name_, in_, show_)                                 \
    .name = #name_, .type = RECORD_IS_OWN, .in = (in_), .show = (show_)

/* The value as a parameter of a statement, and as its column's text; p NULL:
 * none. A text is shared, all else lives in a. */
struct str record_text(struct arena *a, const struct record_field *f,
                       const void *object);
/* Sets the value from a column's text, as the database writes it. */
void record_take(const struct record_field *f, void *object, struct str text);

/* Reads the members IN_BODY of f into *object; a field that is absent stays as
 * it is, but for a text, which is none, and a JSON text with a none. The first
 * mistake is kept in f, by the order of the rows. */
void record_read(struct fields *f, const struct record *r, void *object);
/* Reads all members of a body that has no others of interest. ERR_INVALID names
 * the member. */
const struct err *record_body(struct arena *a, const struct json *body,
                              const struct record *r, void *object) MUST;
/* Refuses all other members. */
void record_only(struct fields *f, const struct record *r);

/* The members IN_OBJECT, IN_EVENT or IN_PART, in the order of the rows. */
struct json *record_object(struct arena *a, const struct record *r,
                           const void *object);
struct json *record_payload(struct arena *a, const struct record *r,
                            const void *object);
/* The objects of n structs, one behind the other from first on. */
struct json *record_list(struct arena *a, const struct record *r,
                         const void *first, size_t n);
/* Adds the members of one of them to an object. */
void record_show(struct arena *a, struct json *o, const struct record *r,
                 enum record_in in, const void *object);

#endif
