// Keys that a person types after a shortcut, while what it opens is still being loaded. They wait
// for its field, and none of them is a shortcut.

/** What does not open within this time has failed; then keys do again what they always do. */
const waitMs = 10_000;

export type EarlyStroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

export class EarlyKeys {
  #text = "";
  #endsAt = 0;

  /** Keeps keys from now on. */
  start(now = Date.now()): void {
    this.#text = "";
    this.#endsAt = now + waitMs;
  }

  /** Keeps a key, and returns true; false for a key that does what it always does. */
  add({ key, ctrlKey, metaKey, altKey }: EarlyStroke, now = Date.now()): boolean {
    // With Control and Alt, some keyboards type letters.
    if (now >= this.#endsAt || ((ctrlKey || metaKey) && !altKey)) return false;
    if (key === "Escape") {
      this.take();
      return false;
    }
    if (key === "Backspace") this.#text = [...this.#text].slice(0, -1).join("");
    else if ([...key].length === 1) this.#text += key;
    return true;
  }

  /** Ends the wait. Returns what was typed. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    this.#endsAt = 0;
    return text;
  }
}

export const earlyKeys = new EarlyKeys();
