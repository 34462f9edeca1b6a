// The button that sends the page of a preview along with the next message.
import { AppWindow } from "lucide-react";
import { useRef } from "react";
import { useDraft } from "./draft-box.ts";

interface LookAtProps {
  session: { id: string; projectId: string };
  frontendName: string;
  /** Reads the path of the page that the person sees; null where the page does not give it. */
  readPath: () => Promise<string | null>;
  className: string;
}

export function LookAt({ session: { id, projectId }, frontendName, readPath, className }: LookAtProps) {
  const { draft, box } = useDraft({ projectId, sessionId: id });
  const isChosen = draft.page?.frontendName === frontendName;
  const isReading = useRef(false);

  async function choose(): Promise<void> {
    if (isReading.current) return;
    isReading.current = true;
    const path = await readPath();
    isReading.current = false;
    const notice = path === null ? "The app does not give the path of its page. Write it where it is not /." : null;
    box?.change((known) => ({
      ...known,
      page: { frontendName, path: path ?? "/" },
      notice: notice ?? known.notice,
    }));
  }

  return (
    <button
      type="button"
      aria-label="Look at this page"
      title="Look at this page: it goes along with your next message"
      aria-pressed={isChosen}
      className={`${className} ${isChosen ? "bg-accent-tint text-ink" : ""}`}
      onClick={() => (isChosen ? box?.change((known) => ({ ...known, page: null })) : choose())}
    >
      <AppWindow className="size-4" aria-hidden="true" />
    </button>
  );
}
