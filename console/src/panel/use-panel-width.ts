// How wide the panel is, as a part of the window. The browser keeps what the person chose.
import { useState } from "react";

const name = "panel-width";
/** In percent of the space beside the rail. */
export const panelWidth = { least: 25, most: 75, usual: 45 };

const toPanelWidth = (percent: number): number =>
  Math.round(Math.min(panelWidth.most, Math.max(panelWidth.least, percent)) * 10) / 10;

function readWidth(): number {
  try {
    const kept = Number.parseFloat(localStorage.getItem(name) ?? "");
    return Number.isFinite(kept) ? toPanelWidth(kept) : panelWidth.usual;
  } catch {
    return panelWidth.usual;
  }
}

/** The width in percent, and how to change it. */
export function usePanelWidth(): [percent: number, change: (percent: number) => void] {
  const [percent, setPercent] = useState(readWidth);
  return [
    percent,
    (wanted) => {
      const next = toPanelWidth(wanted);
      setPercent(next);
      try {
        localStorage.setItem(name, String(next));
      } catch {
        // It lasts as long as the page.
      }
    },
  ];
}
