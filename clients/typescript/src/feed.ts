/** The questions that have ended, one read for all of them. */
import { Answer, type Suspension } from "./question.js";

/** What `feed` takes. */
export interface FeedOptions {
    /** The `place` of an earlier feed, `now`, or `0` for all that the server
     * has. Without it `now`. */
    after?: string | undefined;
    /** Also those of the other names of the key. */
    allAgents?: boolean | undefined;
    /** It ends after so many seconds without an answer; without it never. With
     * 0 it has what is there. */
    wait?: number | undefined;
    /** Gives up the reading. */
    signal?: AbortSignal | undefined;
}

/** A page of questions, as the server sends it. */
export interface Page {
    /** In their order. */
    suspensions: readonly Suspension[];
    /** The place after them. */
    next: string | null;
    /** Whether there may be more at once. */
    more?: boolean;
}

/** Questions as they end, in that order. Each comes once, and may come again
 * where a reader goes on from a `place` that it kept. */
export class Feed implements AsyncIterable<Answer> {
    #place: string;
    readonly #wait: number;
    readonly #read: (place: string, end: number) => Promise<Page>;

    /** Made by `feed` of a client.
     * @internal */
    constructor(place: string, wait: number,
                read: (place: string, end: number) => Promise<Page>) {
        this.#place = place;
        this.#wait = wait;
        this.#read = read;
    }

    /** Where to go on. Keep it each time that an answer was handled. */
    get place(): string {
        return this.#place;
    }

    /** The answers, from `place` on. */
    async *[Symbol.asyncIterator](): AsyncGenerator<Answer, void> {
        for (let end = this.#end();;) {
            const now = this.#place === "now"; // to have a place at once
            const { suspensions, next, more } = await this.#read(
                this.#place, now ? 0 : end);
            const place = next ?? this.#place;
            for (const [n, one] of suspensions.entries()) {
                if (n === suspensions.length - 1)
                    this.#place = place;
                yield new Answer(one);
            }
            this.#place = place;
            if (suspensions.length)
                end = this.#end();
            else if (!more && !now && end <= performance.now())
                return;
        }
    }

    #end(): number {
        return performance.now() + this.#wait * 1000;
    }
}
