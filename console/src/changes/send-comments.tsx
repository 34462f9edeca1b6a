// Sends the open comments to the agent as one message, with a text if there is one.
import type { Session } from "@switchyard/client";
import { useRef, useState } from "react";
import { useDraft } from "../composer/draft-box.ts";
import { isUnsure } from "../composer/send-rules.ts";
import type { LiveSession } from "../session/live-session.ts";
import { Button } from "../ui/button.tsx";
import { useKeptText, withoutSent } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { type Comment, commentsAtMost, useSendComments } from "./queries.ts";
import { describeSend, isSent, listToSend, nameSend } from "./unsent.ts";
import { useSentTimes } from "./use-sent.ts";

interface SendCommentsProps {
  session: Session;
  live: LiveSession;
  comments: readonly Comment[];
  isRunning: boolean;
}

export function SendComments({ session, live, comments, isRunning }: SendCommentsProps) {
  const [text, setText] = useKeptText(`with-comments:${session.id}`);
  const [sent, setSent] = useState<string | null>(null);
  const key = useRef<{ key: string; body: string } | null>(null);
  const send = useSendComments(session);
  const { draft, box } = useDraft({ projectId: session.projectId, sessionId: session.id });
  const isWaiting = draft.outgoing.some(({ fields }) => fields.diffCommentsContext !== undefined);
  const sentTimes = useSentTimes(session, live, comments);
  /** What was sent from here, until its message is followed. */
  const [going, setGoing] = useState<readonly Comment[]>([]);
  const times = new Map(sentTimes);
  const missing = going.filter((comment) => !isSent(times, comment));
  if (going.length > 0 && missing.length === 0) setGoing([]);
  for (const { id, updatedAt } of missing) times.set(id, Date.parse(updatedAt));
  const open = listToSend(comments, times).slice(0, commentsAtMost);
  const areSent = open.every((comment) => isSent(times, comment));
  const canSend = !send.isPending && !isWaiting && sentTimes !== null;
  if (open.length === 0 && sent === null) return null;

  const submit = () => {
    // The same message goes under the same key, and another one under a new key.
    const body = JSON.stringify([text, open.map(({ id, updatedAt }) => [id, updatedAt])]);
    if (key.current?.body !== body) key.current = { key: crypto.randomUUID(), body };
    const settle = ({ delivery }: { delivery: string }) => {
      key.current = null;
      setText((now) => withoutSent(now, text));
      setGoing(open);
      setSent(delivery === "job" ? "Sent: the agent works on them." : "Sent: they wait in Up next.");
    };
    const given = { text, comments: open, key: key.current.key };
    // The draft of the session keeps them until they have arrived, also after a reload.
    const leave = () => {
      box?.sendApart({ content: text, diffCommentsContext: open }, { key: given.key });
      key.current = null;
      setText("");
      send.reset();
    };
    if (box && !navigator.onLine) leave();
    // Also where the panel is left before the answer comes.
    else send.mutateAsync(given).then(settle, (error) => box && isUnsure(error) && leave());
  };
  return (
    <div className="flex flex-col gap-2">
      {send.error ? <Refusal error={send.error} /> : null}
      {open.length > 0 && (
        <form
          className="flex flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (canSend) submit();
          }}
        >
          <input
            aria-label="A text with the comments"
            placeholder="Add a word, if you like"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="min-h-8 min-w-40 flex-1 rounded-control border border-line-strong/50 bg-panel px-3 text-ui max-md:text-[16px] pointer-coarse:min-h-11"
          />
          <Button kind={areSent ? "quiet" : "main"} disabled={!canSend} onClick={submit}>
            {nameSend(open.length, areSent, { isPending: send.isPending, isWaiting })}
          </Button>
        </form>
      )}
      <p className="text-meta text-quiet empty:hidden" role="status">
        {describeSend({
          isWaiting,
          isRunning,
          areSent: areSent && open.length > 0 && canSend,
          outcome: sent,
        })}
      </p>
    </div>
  );
}
