// The events of all workspaces, over one line for all tabs of a person. One tab leads: it has the
// line, and gives each event to the others. When it closes or is hidden, another one takes over.
import type { Event, LineState, WorkspaceEvents } from "@switchyard/client";

type AnyEvent = Event<WorkspaceEvents>;

type Said =
  | { type: "event"; event: AnyEvent }
  | { type: "line"; line: LineState | null }
  /** A tab that comes asks the one that leads. */
  | { type: "hello" }
  | { type: "welcome"; line: LineState | null; lastEventId: string | undefined };

interface SharedLine {
  /** Names the person: a line is theirs. */
  userId: string;
  signal: AbortSignal;
  getLastEventId: () => string | undefined;
  onEvent: (event: AnyEvent) => void;
  onLine: (line: LineState | null) => void;
  /** Events of the time in which this tab did not listen are missing. */
  onMissing: () => void;
  /** Has a line of its own until the signal ends it, or a refusal. */
  follow: (on: Pick<SharedLine, "onEvent" | "onLine">) => Promise<void>;
}

/** Resolves when this tab has led and its line has ended, or when the signal ends it. */
export async function shareLine(shared: SharedLine): Promise<void> {
  const { userId, signal, getLastEventId, onEvent, onLine, onMissing, follow } = shared;
  // A page of an unsafe origin has no locks, so it has a line of its own.
  if (!navigator.locks) return await follow({ onEvent, onLine });
  const name = `switchyard-events ${userId}`;
  const channel = new BroadcastChannel(name);
  let line: LineState | null = null;
  let isLeading = false;
  let isKnown = false;
  const say = (said: Said) => signal.aborted || channel.postMessage(said);

  const welcome = () => say({ type: "welcome", line, lastEventId: getLastEventId() });

  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if (signal.aborted) return;
    if (data.type === "hello") {
      if (isLeading) welcome();
    } else if (data.type === "event") onEvent(data.event);
    else onLine(data.line);
    if (data.type !== "welcome" || isKnown) return;
    isKnown = true;
    // A tab that has had no event has just read all that it shows.
    if (getLastEventId() !== undefined && getLastEventId() !== data.lastEventId) onMissing();
  };

  const lead = async () => {
    if (signal.aborted) return;
    isLeading = true;
    welcome();
    await follow({
      onEvent(event) {
        onEvent(event);
        say({ type: "event", event });
      },
      onLine(next) {
        line = next;
        onLine(next);
        say({ type: "line", line });
      },
    });
  };
  say({ type: "hello" });
  try {
    await navigator.locks.request(name, { signal }, lead);
  } catch (error) {
    // The page is left while another tab leads.
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}
