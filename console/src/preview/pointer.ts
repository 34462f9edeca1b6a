// Asks the page of a preview about its elements, one question after the other, by a channel that
// exists only while a person points. The first answer that is none closes it.
import type { PointedElement } from "../composer/element.ts";
import { type Ask, type Asked, addAsk, type Box, type EndReason, judgeAnswer } from "./pointing.ts";

/** A page that answers later than this does not answer. */
const answerWithinMs = 4_000;

interface PointerOptions {
  frontendName: string;
  send: (asked: Asked) => void;
  /** Closes the channel to the page. */
  close: () => void;
  /** Says where the element is; after a choice, the chosen one. */
  onOutline: (box: Box | null, isChoice: boolean) => void;
  onChoice: (element: PointedElement) => void;
  /** Called once, unless `end` was called before. */
  onEnd: (reason: EndReason) => void;
}

export class Pointer {
  readonly #options: PointerOptions;
  #asked: Asked | null = null;
  #waiting: readonly Ask[] = [];
  #count = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(options: PointerOptions) {
    this.#options = options;
    // Whether the page can be pointed at is known before the first click.
    this.ask({ isChoice: false });
  }

  /** Asks, or waits until the question before is answered. */
  ask(ask: Ask): void {
    if (this.#isOver) return;
    if (this.#asked !== null) {
      this.#waiting = addAsk(this.#waiting, ask);
      return;
    }
    this.#count += 1;
    this.#asked = { ...ask, id: this.#count };
    this.#options.send(this.#asked);
    this.#timer = setTimeout(() => this.#stop("silent"), answerWithinMs);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.close();
  }

  /** Takes what came from the page. */
  take(data: unknown): void {
    if (this.#isOver) return;
    const verdict = judgeAnswer(data, this.#asked, this.#options.frontendName);
    if (verdict.kind === "breach" || verdict.kind === "closed") {
      this.#stop(verdict.kind);
      return;
    }
    clearTimeout(this.#timer);
    this.#asked = null;
    this.#options.onOutline(verdict.box, verdict.kind === "chosen");
    if (verdict.kind === "chosen") this.#options.onChoice(verdict.element);
    const [next, ...later] = this.#waiting;
    this.#waiting = later;
    if (next) this.ask(next);
  }

  #stop(reason: EndReason): void {
    this.end();
    this.#options.onEnd(reason);
  }
}
