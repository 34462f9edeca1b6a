// The tabs of a panel: their words, and which one a key leads to.
import type { Panel } from "../routes.tsx";

export const tabs: readonly { name: Panel; title: string }[] = [
  { name: "changes", title: "Changes" },
  { name: "preview", title: "Preview" },
  { name: "files", title: "Files" },
  { name: "artifacts", title: "Artifacts" },
  { name: "info", title: "Info" },
  { name: "terminal", title: "Terminal" },
];

/** The tab that a key on a tab leads to; null where the key means nothing. */
export function findTabByKey(key: string, current: Panel): Panel | null {
  const at = tabs.findIndex(({ name }) => name === current);
  const target: Record<string, number> = {
    ArrowRight: (at + 1) % tabs.length,
    ArrowLeft: (at + tabs.length - 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  };
  const found = target[key];
  return found === undefined ? null : (tabs[found]?.name ?? null);
}

/** The tab of ⌥1 to ⌥6, by the place of the key: the letter that ⌥ writes differs by keyboard. */
export function findTabByDigit({ altKey, code }: { altKey: boolean; code: string }): Panel | null {
  const digit = altKey ? /^Digit([1-6])$/.exec(code)?.[1] : undefined;
  return digit === undefined ? null : (tabs[Number(digit) - 1]?.name ?? null);
}
