// The conversation: a turn is one card, the newest last. It opens at its end and follows it.
import type { SessionState } from "@switchyard/client";
import { Link, useSearch } from "@tanstack/react-router";
import { ArrowDown } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { service } from "../api.ts";
import type { LiveSession } from "../session/live-session.ts";
import { Refusal } from "../ui/refusal.tsx";
import { tellTurn } from "./foot.ts";
import { TurnCard } from "./turn-card.tsx";
import { countParts, type Job, type Turn } from "./turns.ts";
import { Conversation } from "./use-conversation.ts";
import { useFollow } from "./use-follow.ts";
import { type Messages, useMessages } from "./use-messages.ts";
import { useModelLabel } from "./use-model-label.ts";
import { useTurnKeys } from "./use-turn-keys.ts";
import { useTurnLink } from "./use-turn-link.ts";
import { useTurns } from "./use-turns.ts";

const outputOperation = "GET /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}/outputs/{place}";

interface TranscriptProps {
  live: LiveSession;
  state: SessionState;
  /** What is below the newest turn. */
  children?: ReactNode;
}

export function Transcript({ live, state, children }: TranscriptProps) {
  const session = live.session ?? state.session;
  if (!session) return <div className="flex-1" />;
  return (
    <Known key={session.id} session={session} state={state}>
      {children}
    </Known>
  );
}

interface KnownProps extends Omit<TranscriptProps, "live"> {
  session: { id: string; projectId: string };
}

function Known({ session: { id, projectId }, state, children }: KnownProps) {
  const found = useMessages({ sessionId: id, projectId }, state);
  const follow = useFollow();
  const { holdPlace } = follow;
  useTurnKeys(follow.content);
  const context = useMemo(
    () => ({
      session: { id, projectId },
      holdPlace,
      kept: new Map<string, unknown>(),
      readOutput: (jobId: string, place: number) =>
        service.request(outputOperation, { path: { projectId, sessionId: id, jobId, place: String(place) } }),
    }),
    [id, projectId, holdPlace],
  );
  const turns = useTurns(found.messages);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const onToggle = useCallback(
    (jobId: string, isOpen: boolean) => setChosen((before) => new Map(before).set(jobId, isOpen)),
    [],
  );
  const { turn: jobId } = useSearch({ strict: false });
  const isMissing = useTurnLink({ path: { projectId, sessionId: id }, jobId, turns, found, follow, onOpen: onToggle });
  const model = useModelLabel(state.session?.model ?? null);
  const newest = turns.at(-1);
  const newestJob = newest ? (found.jobs.get(newest.jobId) ?? null) : null;
  const fresh = useNew(countParts(found.messages), follow.isAtEnd, found.isLoading);
  return (
    <Conversation value={context}>
      {isMissing && <MissingTurn onLeave={follow.goToEnd} />}
      <div className="relative flex min-h-0 flex-1 flex-col [&:has([data-pinned])>button]:bottom-15">
        <div
          ref={follow.scroller}
          // Texts for screen readers are placed in it: the page must not scroll.
          // Room for the bar on both sides: the turns and the composer below have one middle.
          className="relative min-h-0 flex-1 overflow-y-auto overflow-x-hidden overscroll-contain scroll-pt-4 [scrollbar-gutter:stable_both-edges]"
        >
          <div
            ref={follow.content}
            // A feed has articles.
            {...(turns.length > 0 && { role: "feed", "aria-label": "Conversation" })}
            aria-busy={found.isLoading}
            className="mx-auto flex max-w-3xl flex-col gap-3 px-4 py-4"
          >
            <Earlier found={found} hold={holdPlace} />
            {turns.map((turn, at) => (
              <TurnCard
                key={turn.jobId}
                turn={turn}
                job={found.jobs.get(turn.jobId) ?? null}
                model={turn === newest ? model : null}
                isNewest={turn === newest}
                isOpen={turn === newest || (chosen.get(turn.jobId) ?? false)}
                position={at + 1}
                setSize={found.hasMore ? -1 : turns.length}
                onToggle={onToggle}
              />
            ))}
            {turns.length === 0 && <p className="py-16 text-center text-quiet">There are no messages yet.</p>}
          </div>
          <div className="mx-auto max-w-3xl px-4 pb-4 empty:hidden">{children}</div>
        </div>
        {!follow.isAtEnd && (
          <button
            type="button"
            onClick={follow.goToEnd}
            className="absolute bottom-3 left-1/2 z-20 inline-flex min-h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-panel px-3 text-ui shadow-[0_2px_12px_rgb(0_0_0/0.14)] hover:border-line-strong pointer-coarse:min-h-11"
          >
            <ArrowDown className="size-4 text-accent" aria-hidden="true" />
            {fresh > 0 ? `${fresh} new` : "To the end"}
          </button>
        )}
        <Teller job={newestJob} newest={newest} />
      </div>
    </Conversation>
  );
}

/** The address names a turn that is not here, such as one of another session. */
function MissingTurn({ onLeave }: { onLeave: () => void }) {
  return (
    <p
      role="status"
      className="mx-auto mt-3 flex w-[calc(100%-2rem)] max-w-[46rem] flex-wrap items-center gap-x-3 gap-y-1 rounded-block bg-amber-tint px-4 py-2 text-amber-ink text-ui"
    >
      This conversation does not have the turn that the link names.
      <Link
        to="."
        search={({ turn: _, ...others }) => others}
        replace
        onClick={onLeave}
        className="rounded-control font-medium underline underline-offset-2 pointer-coarse:py-3"
      >
        Go to the newest turn
      </Link>
    </p>
  );
}

/** How much came since the reader left the end; earlier pages do not count. */
function useNew(parts: number, isAtEnd: boolean, isLoading: boolean): number {
  const [seen, setSeen] = useState(parts);
  const wasLoading = useRef(isLoading);
  useEffect(() => {
    if (isAtEnd || wasLoading.current) setSeen(parts);
    wasLoading.current = isLoading;
  }, [parts, isAtEnd, isLoading]);
  return Math.max(0, parts - seen);
}

/** The beginning of what is shown: seen, it reads what came before. */
function Earlier({ found, hold }: { found: Messages; hold: () => void }) {
  const { hasMore, isLoading, error, loadEarlier } = found;
  const line = useRef<HTMLDivElement>(null);
  const isReady = hasMore && !isLoading && error === null;
  useEffect(() => {
    const element = line.current;
    if (!isReady || !element) return;
    const seen = new IntersectionObserver(
      (entries) => {
        // Rows that are known and not drawn come first.
        const isHidden = element.parentElement?.querySelector("[data-hidden-rows]");
        if (entries.at(-1)?.isIntersecting && !isHidden) loadEarlier(hold);
      },
      { rootMargin: "400px 0px 0px" },
    );
    seen.observe(element);
    return () => seen.disconnect();
  }, [isReady, loadEarlier, hold]);
  if (!hasMore && error === null) return null;
  return (
    <div ref={line} className="flex min-h-8 flex-col items-center justify-center gap-2 text-meta text-quiet">
      {error !== null && <Refusal error={error} />}
      <button
        type="button"
        disabled={isLoading}
        onClick={() => loadEarlier(hold)}
        className="rounded-control px-2 py-1 hover:text-ink pointer-coarse:min-h-11"
      >
        {isLoading ? "Reading earlier messages…" : "Earlier messages"}
      </button>
    </div>
  );
}

/** Announces turns, not tokens, to screen readers. */
function Teller({ job, newest }: { job: Job | null; newest: Turn | undefined }) {
  const before = useRef(job);
  const [told, setTold] = useState("");
  useEffect(() => {
    const words = tellTurn(before.current, job, newest?.messages ?? []);
    before.current = job;
    if (words !== null) setTold(words);
  }, [job, newest]);
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {told}
    </p>
  );
}
