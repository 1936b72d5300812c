/* Approvals, permissions and cost confirmations as agents ask them, and one
 * of each in which everything is hostile. */
import { attacks, named } from "./questions.mjs";

const long = "W".repeat(10000);

export function approval({ subject = {}, ...more } = {}) {
    return {
        kind: "approval", severity: "high",
        title: named("Refund 499.99 EUR to Jonas Weber for order 18-40277?"),
        question: "Shall the stove be refunded in full?",
        explanation: "The customer reported the stove broken on the day it " +
            "arrived and sent two photos.\nA replacement is out of stock " +
            "until January, so I propose the full amount.",
        subject: {
            action: { name: "refund", provider: "payments" },
            target: "Payment account KES-EU-1",
            scope_summary: "One customer, one order",
            consequence: "Once the bank has it, the money is gone.",
            reversible: true,
            calls: [
                { tool: "payments.refund_create", target: "KES-EU-1", args: {
                    order: "18-40277", amount: 499.99, currency: "EUR",
                    to: "Visa ending 4417, Jonas Weber",
                    note: "Broken on arrival\u200b, stove body cracked" } },
                { tool: "orders.set_status", target: "18-40277", args: {
                    status: "refunded", restock: false,
                    letter: "Dear Mr Weber, we are sorry. ".repeat(30) } },
            ],
            ...subject,
        },
        timeout_seconds: 3600,
        intent: { title: named("Handle the complaint"),
                  initiated_by: "Ines Roth" },
        ...more,
    };
}

/* One that can be edited value by value, and tightened. */
export function flat({ subject = {}, ...more } = {}) {
    return approval({
        allow_edit: true, severity: "low",
        subject: {
            calls: undefined, reversible: undefined,
            target: "orders/12345", note: "Two lines\r\nof text",
            amount: 499.90, notify: true,
            constraints: { max_amount: 500, countries: ["DE", "AT", "CH"],
                           currency: "EUR" },
            ...subject,
        }, ...more,
    });
}

export function permission({ subject = {}, ...more } = {}) {
    return {
        kind: "permission", severity: "high",
        title: named("Let outreach-agent send mail as support?"),
        question: "May the agent send the recall letter by itself?",
        explanation: "The gas valve in lot B-77 can leak.",
        subject: {
            capability: "mail.send", target: "support@kestrel.example",
            risk_text: "Mail to customers in our name cannot be called back.",
            duration: { kind: "task", seconds: 3600 },
            consequence: "Up to 412 customers get the recall letter tonight.",
            current_mode: "draft only", requested_mode: "draft and send",
            ...subject,
        },
        timeout_seconds: 1800, ...more,
    };
}

export function cost({ subject = {}, ...more } = {}) {
    return {
        kind: "cost_confirmation", severity: "medium",
        title: named("Spend up to 1,800 USD to index the catalogue again?"),
        question: "Shall the product index be built again tonight?",
        explanation: "Size charts changed for 310,000 products last night.",
        subject: {
            purpose: "Build the product index again so that search finds " +
                     "the new boot sizes",
            estimate: { amount: 1480, unit: "USD", low: 1240, high: 1900 },
            limit: { amount: 1800, unit: "USD" },
            spent_so_far: { amount: 312.4, unit: "USD" },
            ...subject,
        },
        timeout_seconds: 2400, ...more,
    };
}

/* ---- hostile -------------------------------------------------------- */

function text(limit) {
    return [...(attacks.join(" ") + long)].slice(0, limit).join("");
}

const odd = () => Object.fromEntries(attacks.map((one, i) =>
    [`${one}${i}`, attacks[(i + 1) % attacks.length]]));

export function hostileApproval(more = {}) {
    return approval({
        allow_edit: true, severity: "critical", title: text(200),
        question: text(4000), explanation: text(5000),
        subject: {
            action: { name: text(2000), provider: long.slice(0, 300), more: odd() },
            target: text(2000), scope_summary: long, consequence: text(3000),
            calls: [{ tool: text(1000), target: long, args: odd(),
                      [attacks[0]]: attacks },
                    { tool: "\u202e\u200b", args: {} }],
            safe_input: { fields: odd(), omitted_count: 7 },
            constraints: { [attacks[1]]: 5, [attacks[2]]: attacks },
            authorization_details: [odd()], [attacks[3]]: long.slice(0, 2000),
        }, ...more,
    });
}

export function hostilePermission(more = {}) {
    return permission({ subject: {
        capability: text(3000), target: long, risk_text: text(3000),
        consequence: text(5000), current_mode: text(500),
        requested_mode: long, [attacks[0]]: odd(),
    }, ...more });
}

export function hostileCost(more = {}) {
    const unit = text(40); // a longer one is refused
    return cost({ subject: {
        purpose: text(5000),
        estimate: { amount: 1e300, unit, low: 0, high: 1.5e300 },
        limit: { amount: 1e-7, unit },
        spent_so_far: { amount: 123456789012345, unit }, more: odd(),
    }, ...more });
}
