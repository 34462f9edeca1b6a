// Asks the page of a preview about its elements, one question after the other, by a channel that
// exists only while a person points. The first answer that is none closes it. A page that loads
// meanwhile gets a channel of its own, with the question that is not answered.
import type { PointedElement } from "../composer/element.ts";
import { type Ask, type Asked, addAsk, type Box, type EndReason, judgeAnswer } from "./pointing.ts";

/** A page that answers later than this does not answer. */
const answerWithinMs = 4_000;
/** The same for a page that is still loading. An app can take its time to start. */
const loadedWithinMs = 30_000;

/** A channel to the page. */
interface Channel {
  send: (asked: Asked) => void;
  close: () => void;
}

interface PointerOptions {
  frontendName: string;
  /** True once the page of the preview has loaded. */
  isLoaded: boolean;
  /** Opens a channel. With `isAgain`, the page keeps what it knows of an earlier one. */
  connect: (isAgain: boolean, take: (data: unknown) => void) => Channel;
  /** Says where the element is; after a choice, the chosen one. */
  onOutline: (box: Box | null, isChoice: boolean) => void;
  onChoice: (element: PointedElement) => void;
  /** Called once, unless `end` was called before. */
  onEnd: (reason: EndReason) => void;
}

export class Pointer {
  readonly #options: PointerOptions;
  #channel: Channel;
  #isLoaded: boolean;
  #asked: Asked | null = null;
  #waiting: readonly Ask[] = [];
  #count = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(options: PointerOptions) {
    this.#options = options;
    this.#isLoaded = options.isLoaded;
    this.#channel = this.#connect(false);
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
    this.#send({ ...ask, id: this.#count });
  }

  /** Connects to a page that has loaded: what was sent to the page before it may be lost. */
  connectAgain(): void {
    if (this.#isOver) return;
    this.#isLoaded = true;
    this.#channel.close();
    this.#channel = this.#connect(true);
    if (this.#asked === null) this.ask({ isChoice: false });
    else this.#send(this.#asked);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#channel.close();
  }

  #connect(isAgain: boolean): Channel {
    const channel: Channel = this.#options.connect(isAgain, (data) => {
      // An earlier page has nothing more to say.
      if (!this.#isOver && channel === this.#channel) this.#take(data);
    });
    return channel;
  }

  #send(asked: Asked): void {
    this.#asked = asked;
    this.#channel.send(asked);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stop("silent"), this.#isLoaded ? answerWithinMs : loadedWithinMs);
  }

  #take(data: unknown): void {
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
