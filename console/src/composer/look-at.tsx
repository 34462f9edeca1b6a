// The button that sends the page of a preview along with the next message.
import { AppWindow } from "lucide-react";
import { useDraft } from "./draft-box.ts";

interface LookAtProps {
  session: { id: string; projectId: string };
  frontendName: string;
  className: string;
}

export function LookAt({ session: { id, projectId }, frontendName, className }: LookAtProps) {
  const { draft, box } = useDraft({ projectId, sessionId: id });
  const isChosen = draft.page?.frontendName === frontendName;
  return (
    <button
      type="button"
      aria-label="Look at this page"
      title="Look at this page: it goes along with your next message"
      aria-pressed={isChosen}
      className={`${className} ${isChosen ? "bg-accent-tint text-ink" : ""}`}
      onClick={() => box?.change((known) => ({ ...known, page: isChosen ? null : { frontendName, path: "/" } }))}
    >
      <AppWindow className="size-4" aria-hidden="true" />
    </button>
  );
}
