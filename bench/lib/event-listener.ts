// A listener of server-sent events, which stores the newest of what it receives.
import { request } from "node:http";

export interface EventListener {
  /** Waits until one event contains all of these words. */
  heard(...words: string[]): Promise<void>;
  leave(): void;
}

const keptCharacters = 20_000;

/** Follows a stream. */
export function createEventListener(url: string, headers: Record<string, string>): EventListener {
  let text = "";
  let onMore = () => {};
  const asked = request(url, { headers }, (answer) => {
    answer.setEncoding("utf8");
    answer.on("error", () => {});
    answer.on("data", (part: string) => {
      text = (text + part).slice(-keptCharacters);
      onMore();
    });
  });
  asked.on("error", () => {});
  asked.end();
  return {
    heard: (...words) =>
      new Promise<void>((resolve) => {
        onMore = () => {
          if (text.split("\n\n").some((event) => words.every((word) => event.includes(word)))) resolve();
        };
        onMore();
      }),
    leave: () => asked.destroy(),
  };
}
