#!/bin/sh
# An agent in a few lines of shell: asks whether to refund an order, waits for
# the answer, prints it.
#
#   . var/sayso.env; export SAYSO_URL SAYSO_AGENT_KEY
#   sh examples/refund.sh
set -eu
: "${SAYSO_URL:?is not set: . var/sayso.env}"
: "${SAYSO_AGENT_KEY:?is not set: . var/sayso.env}"

# call PATH [option...]: the key goes through a pipe, because other users can
# read a command line.
call()
{
    path=$1
    shift
    printf 'header = "X-API-Key: %s"\n' "$SAYSO_AGENT_KEY" |
        curl -sS --fail-with-body --config - -H 'X-Agent-ID: refund-agent' \
            "$SAYSO_URL$path" "$@"
}

# member NAME: prints the text of a member of the JSON object that it reads,
# but of none further inside, where others may have chosen the names.
member()
{
    awk -v name="\"$1\"" '{
        while (match($0, /"([^"\\]|\\.)*"|[][{}:,]|[^][{}:," ]+/)) {
            word = substr($0, RSTART, RLENGTH)
            $0 = substr($0, RSTART + RLENGTH)
            if (word ~ /^[[{]$/) depth++
            if (word ~ /^[]}]$/) depth--
            if (word == ":") {
                key = last
                continue
            }
            if (depth == 1 && key == name) {
                gsub(/^"|"$/, "", word)
                print word
                exit
            }
            key = ""
            last = word
        }
    }'
}

asked=$(call /api/v1/suspensions -H 'Content-Type: application/json' -d '{
    "title": "Refund for order 12345",
    "question": "Refund 499.99 EUR for order 12345?",
    "response_type": "choice",
    "choices": [
        {"value": "approve", "label": "Refund 499.99 EUR", "effect": "authorize",
         "description": "To the card that was paid with."},
        {"value": "deny", "label": "Deny", "effect": "veto",
         "description": "The customer is told that there is no refund."}
    ],
    "context": {"order_id": "12345", "customer": "alice@example.com",
                "amount": 499.99, "currency": "EUR",
                "reason": "arrived broken"}
}') || { echo "$asked" >&2; exit 1; }
id=$(printf %s "$asked" | member suspension_id)
echo "Waiting for an answer at $(printf %s "$asked" | member url)"

state=pending
while [ "$state" = pending ]; do
    # The server may be restarting: the question is kept, so read again.
    told=$(call "/api/v1/suspensions/$id?wait=50") || { sleep 2; continue; }
    state=$(printf %s "$told" | member state)
done

# Anything but a person's clear yes is a no.
[ "$state" = resolved ] || { echo "No answer: $state"; exit 1; }
answer=$(printf %s "$told" | member value)
echo "The answer: $answer"
# A yes counts once, and is used just before the act.
if [ "$answer" = approve ] && call /api/v1/redemptions \
    -H 'Content-Type: application/json' -o /dev/null \
    -d "{\"suspension_id\": \"$id\", \"operation_id\": \"refund-$id\"}"; then
    echo "Order 12345 is refunded."
else
    echo "Order 12345 is not refunded."
fi
