// The row of keys below the terminal of a touch device.
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import type { ScreenKey } from "./keys.ts";
import type { Screen } from "./screen.ts";

const keys: [key: ScreenKey, face: ReactNode][] = [
  ["Esc", "Esc"],
  ["Tab", "Tab"],
  ["Left", <ArrowLeft key="left" className="size-4" aria-hidden="true" />],
  ["Up", <ArrowUp key="up" className="size-4" aria-hidden="true" />],
  ["Down", <ArrowDown key="down" className="size-4" aria-hidden="true" />],
  ["Right", <ArrowRight key="right" className="size-4" aria-hidden="true" />],
];

const shape =
  "inline-flex min-h-11 min-w-11 flex-1 items-center justify-center rounded-control border font-medium text-ui";
const up = "border-line-strong/50 bg-panel text-ink active:bg-sunk";

export function KeyRow({ screen }: { screen: Screen }) {
  const hasCtrl = useSyncExternalStore(screen.subscribe, screen.hasCtrl);
  return (
    <fieldset
      // The focus stays in the terminal, so that the keyboard stays open.
      onMouseDown={(event) => event.preventDefault()}
      className="flex shrink-0 flex-wrap gap-1 border-line border-t px-2 py-1"
    >
      <legend className="sr-only">Keys</legend>
      <button
        type="button"
        aria-pressed={hasCtrl}
        title="Ctrl, for the next key"
        onClick={() => screen.setCtrl(!hasCtrl)}
        className={`${shape} ${hasCtrl ? "border-accent bg-accent-tint text-accent" : up}`}
      >
        Ctrl
      </button>
      {keys.map(([key, face]) => (
        <button key={key} type="button" aria-label={key} onClick={() => screen.press(key)} className={`${shape} ${up}`}>
          {face}
        </button>
      ))}
    </fieldset>
  );
}
