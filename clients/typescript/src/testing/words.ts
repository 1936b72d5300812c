/** The words that mean yes or no, and what the server refuses because of them
 * when it is asked. For the fake server of `testing`. */

const YES = new Set((
    "approve|accept|y|yes|yes please|yep|yeah|ok|okay|sure|fine|true|approved|"
    + "accepted|agree|agreed|allow|allowed|authorize|authorized|authorise|"
    + "authorised|confirm|confirmed|permit|permitted|grant|granted|proceed|"
    + "continue|go|go ahead|go on|do it|run|run it|execute|ja|genehmigen|"
    + "erlauben|oui|approuver|accepter|s\xED|si|aprobar|aceptar|s\xEC|approva|"
    + "accetta|sim|aprovar|aceitar").split("|"));
const NO = new Set((
    "reject|decline|no|no thanks|nope|rejected|refuse|refused|deny|denied|"
    + "declined|disagree|disallow|disapprove|forbid|forbidden|veto|vetoed|"
    + "do not|don't|do not do it|don't do it|nein|ablehnen|non|refuser|rejeter|"
    + "rechazar|denegar|rifiuta|n\xE3o|rejeitar|recusar|n|not now|never|false|"
    + "block|blocked|cancel|cancelled|canceled|abort|aborted|stop|stop it|"
    + "stop the task|halt|dismiss|abbrechen|annuler|cancelar|annulla"
).split("|"));

const AUTHORIZE = ["authorize", "authorize_modified", "accept"];
const REFUSE = ["veto", "decline", "stop_task", "request_changes"];

/** A choice with its words. */
export interface WordedChoice {
    /** What the agent gets back. */
    value: string;
    /** What the person reads. */
    label: string;
    /** What it does. */
    effect: string;
}

/** Whether the text says the opposite of the effect. */
function opposite(text: string, effect: string): boolean {
    const word = opening(text);
    return NO.has(word) && AUTHORIZE.includes(effect)
        || YES.has(word) && REFUSE.includes(effect);
}

/** The code of the refusal of such choices, and its place. */
export function refused(choices: readonly WordedChoice[], confirm: boolean
                        ): [code: string, at: string] | undefined {
    if (choices.every(({ effect }) => effect === "none"))
        return undefined;
    for (const [n, { value, label, effect }] of choices.entries())
        if (opposite(value, effect)
            && (confirm || !opening(label).startsWith(`${opening(value)} `)))
            return ["choice.value_opposite", `choices[${n}].value`];
    const labels = choices.map(({ label }) => fold(label));
    for (const [n, { label, effect }] of choices.entries()) {
        if (labels.indexOf(labels[n]!) < n)
            return ["choice.label_equal", `choices[${n}].label`];
        if (opposite(label, effect))
            return ["choice.label_opposite", `choices[${n}].label`];
    }
    return undefined;
}

/** Whether a fallback with this value would be a yes. */
export function authorizes(choices: readonly WordedChoice[], value: unknown
                           ): boolean {
    const yes = choices.filter(({ effect }) => AUTHORIZE.includes(effect));
    return yes.length > 0 && (value === true || typeof value === "string"
        && (YES.has(opening(value)) || yes.some((one) => one.value === value)));
}

/** As labels are compared. */
function fold(text: string): string {
    return text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
}

/** The words before the first sign of punctuation, folded. */
function opening(text: string): string {
    const joined = fold(text).replace(
        /(?<=[\p{L}\p{M}\p{N}' ])[-_\u2010](?=[\p{L}\p{M}\p{N}'])/gu, " ");
    const [said = ""] = /[\p{L}\p{M}\p{N}'][\p{L}\p{M}\p{N}' ]*/u.exec(joined)
        ?? [];
    return said.trim();
}
