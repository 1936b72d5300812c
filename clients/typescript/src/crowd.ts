/** Many questions that are waited for at once, by one read of the feed. A held
 * read for each would need as many connections. The feed only wakes: the
 * question itself is read then, and nothing depends on what the feed says. */

const OWN = 20; // questions that have a held read of their own
const PAUSES = [1, 30] as const; // seconds, where the feed cannot be read

/** What is needed of a client. */
export interface Source {
    /** The place in the feed of now. */
    now(stop: AbortSignal): Promise<string>;
    /** What ends after a place. */
    feed(place: string, stop: AbortSignal): AsyncIterable<{ id: string }>;
    /** Waits so many seconds, until then, or until it is woken. */
    pause(seconds: number, until: number, signal: AbortSignal | undefined,
          woken?: AbortSignal): Promise<void>;
}

/** The waiting for one question. */
export class Watch {
    /** Whether it has no held read of its own. */
    joined = false;
    /** Aborted when the question may have ended. */
    woken = new AbortController();

    constructor(readonly id: string) {}
}

/** The questions that a client waits for. */
export class Crowd {
    #own = 0;
    readonly #source: Source;
    readonly #waiting = new Map<string, Set<Watch>>();
    #following: AbortController | undefined;
    #begun = false;

    constructor(source: Source) {
        this.#source = source;
    }

    /** Reads a question that is waited for.
     * @param seconds - For how long the server may hold it.
     * @param end - No longer than this.
     * @param read - Is given the seconds for which it holds it. In a crowd
     * they are 0: the first time it is read once the feed is, since it may have
     * ended before; then when it has ended, or the seconds are over. */
    async read<T>(watch: Watch, seconds: number, end: number,
                  signal: AbortSignal | undefined,
                  read: (hold: number) => Promise<T>): Promise<T> {
        if (!seconds)
            return read(0);
        if (!watch.joined && this.#own < OWN) {
            this.#own++;
            try {
                return await read(seconds);
            } finally {
                this.#own--;
            }
        }
        if (watch.joined || !this.#join(watch)) {
            await this.#source.pause(seconds, end, signal, watch.woken.signal);
            watch.woken = new AbortController();
        }
        return read(0);
    }

    /** It is not waited for any more. */
    leave(watch: Watch): void {
        const those = this.#waiting.get(watch.id);
        those?.delete(watch);
        if (those?.size === 0)
            this.#waiting.delete(watch.id);
        if (this.#waiting.size === 0) {
            this.#following?.abort();
            this.#following = undefined;
        }
    }

    /** Wakes it from now on.
     * @returns Whether the feed is read already. */
    #join(watch: Watch): boolean {
        const those = this.#waiting.get(watch.id);
        this.#waiting.set(watch.id, (those ?? new Set()).add(watch));
        watch.joined = true;
        if (!this.#following) {
            this.#begun = false;
            this.#following = new AbortController();
            // It ends with the client, or when nobody waits any more.
            this.#follow(this.#following.signal).catch(() => undefined);
        }
        return this.#begun;
    }

    async #follow(stop: AbortSignal): Promise<void> {
        const [least, most] = PAUSES;
        for (let pause: number = least;; pause = Math.min(pause * 2, most)) {
            try {
                const place = await this.#source.now(stop);
                stop.throwIfAborted();
                this.#begun = true;
                this.#wake(...this.#waiting.keys()); // they may have ended
                for await (const { id } of this.#source.feed(place, stop)) {
                    this.#wake(id);
                    pause = least;
                }
            } catch {
                // Such as a place before a restore: it begins again.
                await this.#source.pause(pause, Infinity, stop);
            }
        }
    }

    #wake(...ids: string[]): void {
        for (const id of ids)
            for (const watch of this.#waiting.get(id) ?? [])
                watch.woken.abort();
    }
}
