// The panel beside a conversation: changes, preview, files, artifacts or facts.
import type { Panel as PanelName } from "../routes.tsx";
import type { LiveSession } from "../session/live-session.ts";

interface PanelProps {
  live: LiveSession;
  name: PanelName;
}

export function Panel({ name }: PanelProps) {
  return (
    <aside aria-label="Panel" className="h-full overflow-y-auto border-line border-l bg-panel p-4 max-lg:border-l-0">
      <h2 className="font-bold text-title">{name}</h2>
    </aside>
  );
}
