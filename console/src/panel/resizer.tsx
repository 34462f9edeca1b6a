// The line between the conversation and the panel: dragged, or moved by the arrow keys.
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { panelWidth } from "./use-panel-width.ts";

const stepPercent = 5;

interface ResizerProps {
  percent: number;
  onChange: (percent: number) => void;
}

export function Resizer({ percent, onChange }: ResizerProps) {
  const line = useRef<HTMLDivElement>(null);

  function drag({ clientX, buttons, pointerId }: PointerEvent): void {
    // The panel and the conversation share this space.
    const space = line.current?.parentElement?.parentElement?.getBoundingClientRect();
    if (buttons !== 1 || !space || !line.current?.hasPointerCapture(pointerId)) return;
    onChange(((space.right - clientX) / space.width) * 100);
  }
  function press(event: KeyboardEvent): void {
    const to = {
      ArrowLeft: percent + stepPercent,
      ArrowRight: percent - stepPercent,
      Home: panelWidth.most,
      End: panelWidth.least,
      Enter: panelWidth.usual,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onChange(to);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule takes no keys.
    <div
      ref={line}
      role="separator"
      tabIndex={0}
      aria-label="Width of the panel"
      aria-orientation="vertical"
      aria-valuenow={Math.round(percent)}
      aria-valuemin={panelWidth.least}
      aria-valuemax={panelWidth.most}
      title="Drag to resize. Double-click for the default width."
      onPointerDown={(event) => {
        event.preventDefault();
        line.current?.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onDoubleClick={() => onChange(panelWidth.usual)}
      onKeyDown={press}
      className="absolute inset-y-0 -left-1 z-20 w-2 cursor-col-resize touch-none outline-none hover:bg-accent/30 focus-visible:bg-accent/60 max-lg:hidden"
    />
  );
}
