# Turns the .sql files of src/store into C: part=header writes the enum, part=source
# the array, part=text the statements as they are prepared. POSIX awk only, so
# that mawk will do.
#
# A statement begins at a line `-- name: intent_get` and ends at the next one.
# Lines that are only a comment and the closing semicolon are left out. Order
# is the order of the files as given, then the order within each file.
#
# A piece is text that several statements share; it ends where the next piece or
# a statement begins. `-- piece: listed table id` gives it a name and the
# parameters {table} and {id}; `-- use: listed intent id` is replaced by its
# lines with these values. A piece of one line can stand in a line as well:
# {reads_tests $1}.
#
# -v tables=N is the number of the newest migration, which the header carries.
#
# The tables of the records (domain/record.h) come before the statements and fill
# in their lists. Of the table cost_fields: {cost} the columns IN_ROW, {c.cost}
# the same of the alias c, {cost.insert} those IN_INSERT, {cost.places} their
# parameters from $1 on, {cost.places:3} from $3 on, {cost.set:2} the columns
# IN_UPDATE as they are set, from $2 on, {cost.part:2} those IN_PART as they are
# set, {cost.excluded} those IN_UPDATE in an ON CONFLICT. part=records prints each
# row of a table: its record, its column, its text.

function complain(say)
{
    printf "%s:%d: %s\n", FILENAME, FNR, say > "/dev/stderr"
    failed = 1
}

# The columns of a list such as "c.cost" or "cost.places:3".
function columns_of(list, noun,    word, part, which, from, before, i, out)
{
    from = split(list, word, ":") == 2 ? word[2] : 1
    which = "row"
    if (split(word[1], part, ".") == 2) {
        if (part[2] == noun)
            before = part[1] "."
        else
            which = part[2]
    }
    for (i = 1; i <= fields_n[noun]; i++) {
        if (which == "row" && fields_in[noun, i] ~ /IN_(ROW|TABLE)/)
            out = out ", " before fields_column[noun, i]
        if (which == "insert" && fields_in[noun, i] ~ /IN_(INSERT|TABLE)/)
            out = out ", " fields_column[noun, i]
        if (which == "places" && fields_in[noun, i] ~ /IN_(INSERT|TABLE)/)
            out = out ", $" from++
        if (which == "excluded" && fields_in[noun, i] ~ /IN_UPDATE/)
            out = out ", " fields_column[noun, i] " = excluded." \
                  fields_column[noun, i]
        if ((which == "set" && fields_in[noun, i] ~ /IN_UPDATE/) ||
            (which == "part" && fields_in[noun, i] ~ /IN_PART/))
            out = out ", " fields_column[noun, i] " = $" from++
    }
    return substr(out, 3)
}

# The line with the lists of records filled in; a piece has parameters that look
# the same.
function recorded(line,    done, list, noun)
{
    while (match(line, /[{][a-z_]+([.][a-z_]+)?(:[0-9]+)?[}]/)) {
        list = substr(line, RSTART + 1, RLENGTH - 2)
        noun = list
        sub(/:.*/, "", noun)
        sub(/[.](insert|places|set|part|excluded)$/, "", noun)
        sub(/.*[.]/, "", noun)
        if (!(noun in fields_n) && piece == "")
            complain("there is no record " noun)
        done = done substr(line, 1, RSTART - 1) \
               (noun in fields_n ? columns_of(list, noun) : "{" list "}")
        line = substr(line, RSTART + RLENGTH)
    }
    return done line
}

# A row of a record's table.
function field(row,    part, column)
{
    split(row, part, /, */)
    column = part[2]
    if (match(row, /[.]column = "[a-z0-9_]+"/))
        column = substr(row, RSTART + 11, RLENGTH - 12)
    fields_column[record, ++fields_n[record]] = column
    fields_in[record, fields_n[record]] = row
}

# Adds lines to the current piece or statement.
function add(lines)
{
    if (piece != "")
        body[piece] = body[piece] (body[piece] == "" ? "" : "\n") lines
    else
        text[count] = text[count] (text[count] == "" ? "" : "\n") lines
}

# The lines of a piece with its parameters; word: the fields of the use.
function filled(id, word,    n, i, arg, lines)
{
    lines = body[id]
    n = split(args[id], arg, " ")
    for (i = 1; i <= n; i++)
        gsub("[{]" arg[i] "[}]", word[i + 3], lines)
    return lines
}

# The line with the pieces that stand in it.
function within(line,    n, word)
{
    while (match(line, /[{][a-z_]+( [^ {}]+)+[}]/)) {
        n = split("-- use: " substr(line, RSTART + 1, RLENGTH - 2), word, " ")
        if (!(word[3] in body) || n - 3 != split(args[word[3]], unused, " "))
            complain("there is no such piece above: " word[3])
        used[word[3]] = 1
        line = substr(line, 1, RSTART - 1) filled(word[3], word) \
               substr(line, RSTART + RLENGTH)
    }
    return line
}

# Ends the current statement.
function finish()
{
    if (count == 0)
        return
    sub(/[ \t\n]+$/, "", text[count])
    sub(/;$/, "", text[count])
    if (text[count] == "") {
        printf "%s: statement %s is empty\n", place[count], name[count] \
            > "/dev/stderr"
        failed = 1
    }
}

function literal(s,    n, line, i)
{
    n = split(s, line, "\n")
    for (i = 1; i <= n; i++) {
        gsub(/[\\"?]/, "\\\\&", line[i])
        gsub(/\t/, "\\t", line[i])
        printf "     \"%s%s\"%s\n", line[i], (i < n ? "\\n" : ""), \
            (i < n ? "" : "},")
    }
}

/\r/ { complain("a carriage return") }

FILENAME ~ /[.]c$/ && /record_field [a-z_]+_fields\[\] = [{]$/ {
    match($0, /[a-z_]+_fields/)
    record = substr($0, RSTART, RLENGTH - 7)
    fields_n[record] = 0
    row = ""
    next
}

FILENAME ~ /[.]c$/ && record != "" {
    if (/^[}];$/ || /^    [{]RECORD_/) {
        if (row != "")
            field(row)
        row = ""
    }
    if (/^[}];$/)
        record = ""
    else
        row = row " " $0
    next
}

FILENAME ~ /[.]c$/ { next }

/^-- name:/ {
    finish()
    id = $3
    if (NF != 3 || id !~ /^[a-z][a-z0-9_]*$/)
        complain("a name is written `-- name: intent_get`")
    else if (id in seen)
        complain("the name " id " is taken by " seen[id])
    seen[id] = FILENAME
    name[++count] = id
    place[count] = FILENAME ":" FNR
    piece = ""
    next
}

/^-- piece:/ {
    piece = $3
    if (NF < 3 || piece in body)
        complain("a piece needs a name of its own")
    body[piece] = args[piece] = ""
    for (i = 4; i <= NF; i++)
        args[piece] = args[piece] " " $i
    next
}

/^-- use:/ {
    n = split($0, word, " ")
    if (!($3 in body) || $3 == piece)
        complain("there is no piece " $3 " above")
    else if (n - 3 != split(args[$3], unused, " "))
        complain($3 " wants other words:" args[$3])
    else
        add(filled($3, word))
    used[$3] = 1
    next
}

/^[ \t]*--/ || /^[ \t]*$/ { next }

{
    if ((count == 0 && piece == "") || FNR == 1)
        complain("a statement without a name")
    add(recorded(within($0)))
}

END {
    finish()
    for (i in body)
        if (!(i in used)) {
            print "the piece " i " is not used" > "/dev/stderr"
            failed = 1
        }
    if (failed)
        exit 1
    if (part == "records") {
        for (noun in fields_n)
            for (i = 1; i <= fields_n[noun]; i++)
                print noun, fields_column[noun, i], fields_in[noun, i]
        exit 0
    }
    if (part == "text") {
        for (i = 1; i <= count; i++)
            printf "-- name: %s\n%s\n", name[i], text[i]
        exit 0
    }
    print "/* Generated by sql_gen.awk from the .sql files of src/store: change those. */"
    if (part == "header") {
        print "#ifndef STORE_SQL_GEN_H\n#define STORE_SQL_GEN_H\n"
        print "#include \"world/pg/pg.h\"\n"
        print "/* The number of the newest file in sql/. */"
        print "#define SQL_TABLES " tables "\n"
        print "enum sql {"
        for (i = 1; i <= count; i++)
            print "    SQL_" toupper(name[i]) ","
        print "    SQL__MAX\n};\n"
        print "extern const struct pg_statement sql_statements[];"
        print "extern const size_t sql_statement_count;\n"
        print "/* The files of sql/ that the program was built with, in order. */"
        print "struct sql_file {\n    const char *name, *sha256;\n};"
        print "extern const struct sql_file sql_files[];"
        print "extern const size_t sql_file_count;\n"
        print "#endif"
    } else {
        print "#include \"store/sql.gen.h\"\n"
        print "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
        print "const struct pg_statement sql_statements[] = {"
        for (i = 1; i <= count; i++) {
            printf "    {\"%s\",\n", name[i]
            literal(text[i])
        }
        print "};\n"
        print "const size_t sql_statement_count = SQL__MAX;"
    }
}
