# Writes the API's document for agents: of docs/openapi.yaml the operations
# that an agent's key opens and that take and answer with JSON, with the
# components that they refer to. It is for generators of clients, which would
# make a function of each page and each stream otherwise. POSIX awk only, so
# that mawk will do.
#
# The lines are taken as they are; their indentation tells what they belong to.
# A block is one or more lines that are written or left out together: a tag, a
# path, an operation, a link, a section of the components, a component. An
# operation with links has a second block for what follows them. tests/openapi
# compares the result with what a parser of YAML reads in docs/openapi.yaml.

# Begins a block; it is inside of another one, which is written where this is.
function begin(kind_, inside_)
{
    block = ++blocks
    kind[block] = kind_
    inside[block] = inside_
}

function keep(b)
{
    for (; b; b = inside[b])
        kept[b] = 1
}

# The word at the start of a line.
function word(line)
{
    gsub(/^[ -]*|:.*/, "", line)
    return line
}

# Notes the types of a body or an answer that are not JSON; `content` is at this
# level.
function note_types(level)
{
    match($0, /^ */)
    if (RLENGTH <= level && NF)
        content = RLENGTH == level && $1 == "content:"
    else if (content && RLENGTH == level + 2 && $1 != "application/json:")
        other[whole] = 1
}

# Keeps a component, section/name, and those that it refers to.
function need(name,    b, n, i, names)
{
    if (!(name in component)) {
        print "openapi-agents: there is no " name > "/dev/stderr"
        failed = 1
        return
    }
    b = component[name]
    if (b in kept)
        return
    keep(b)
    n = split(refers[b], names, " ")
    for (i = 1; i <= n; i++)
        need(names[i])
}

# Is this an operation for agents?
function for_agents(b,    n, i, names)
{
    if (kind[b] != "operation" || !opens[b] || !agents[b] || other[b])
        return 0
    n = split(answers[b], names, " ")
    for (i = 1; i <= n; i++)
        if (other[component[names[i]]])
            return 0
    return 1
}

function keep_operation(b,    n, i, names)
{
    keep(b)
    id_kept[id[b]] = 1
    n = split(tags[b], names, / *[][,] */)
    for (i = 2; i < n; i++)
        tag_kept[names[i]] = 1
    n = split(refers[b], names, " ")
    for (i = 1; i <= n; i++)
        need(names[i])
}

BEGIN { print "# Made from docs/openapi.yaml; not to be edited." }

/^[a-z]/ {
    part = word($0)
    begin("head", 0)
    keep(block)
}

part == "info" && /^  title:/ { $0 = $0 ", for agents" }

part == "tags" && /^  - name:/ {
    begin("tag", 0)
    id[block] = substr($0, 11)
}

# Headings of several paths or components, which may be left out.
(part == "paths" || part == "components") && /^(  |    )#/ { next }

part == "paths" && /^  [^ ]/ {
    path = word($0)
    begin("path", 0)
    path_block = block
}

part == "paths" && /^    [^ ]/ {
    begin("operation", path_block)
    whole = block
    success = 0
}

part == "paths" && /^      operationId:/ { id[whole] = $2 }
part == "paths" && /^      tags:/ { tags[whole] = $0 }
part == "paths" && /^      x-roles: .*[[ ]agent[],]/ { agents[whole] = 1 }
part == "paths" && $0 == "      security: [{ApiKey: []}, {Bearer: []}]" {
    opens[whole] = path ~ /^\/api\/v1\//
}
part == "paths" && /^        [^ ]/ { success = /^        '2/ }
part == "paths" && success { note_types(10) }
part == "paths" && /^      [^ ]/ { body = /^      requestBody:/ }
part == "paths" && body { note_types(8) }

# The links of an answer.
part == "paths" && links && !/^             *[^ ]/ {
    links = 0
    begin("rest", 0)
    id[block] = whole
}
part == "paths" && /^          links:/ {
    begin("links", 0)
    links = block
}
part == "paths" && links && /^            [^ ]/ { begin("link", links) }
part == "paths" && links && /^              operationId:/ {
    id[block] = $2
    from[block] = whole
}

part == "components" && /^  [^ ]/ {
    section = word($0)
    begin("section", 0)
    section_block = block
}

part == "components" && /^    [^ ]/ {
    begin("component", section_block)
    whole = block
    component[section "/" word($0)] = block
}

part == "components" && section == "responses" { note_types(6) }

{
    text[block] = text[block] $0 "\n"
    for (rest = $0; match(rest, /#\/components\/[A-Za-z]+\/[A-Za-z0-9_]+/);
         rest = substr(rest, RSTART + RLENGTH)) {
        name = substr(rest, RSTART + 13, RLENGTH - 13)
        refers[whole] = refers[whole] " " name
        if (success && /^        '/)
            answers[whole] = answers[whole] " " name
    }
}

END {
    need("securitySchemes/ApiKey")
    need("securitySchemes/Bearer")
    for (b = 1; b <= blocks; b++)
        if (for_agents(b))
            keep_operation(b)
    for (b = 1; b <= blocks; b++)
        if (kind[b] == "tag" && id[b] in tag_kept ||
            kind[b] == "link" && from[b] in kept && id[b] in id_kept ||
            kind[b] == "rest" && id[b] in kept)
            keep(b)
    for (b = 1; b <= blocks; b++)
        if (b in kept)
            printf "%s", text[b]
    exit failed
}
