// What is on its way to the service, or waits for the connection: nothing of it is lost.
import { useMutationState } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { useNow } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { canRepeat, describeWaiting, type Outgoing } from "./draft.ts";
import type { DraftBox } from "./draft-box.ts";
import { ElementChips } from "./element-chips.tsx";
import { FileChips } from "./file-chips.tsx";
import { messageKey } from "./queries.ts";
import { StepRefusal } from "./step-refusal.tsx";
import type { TurnNow } from "./use-turn.ts";

interface OutgoingListProps {
  messages: readonly Outgoing[];
  /** Those that a message may answer. */
  questions: TurnNow["questions"];
  box: DraftBox;
}

export function OutgoingList({ messages, questions, box }: OutgoingListProps) {
  if (messages.length === 0) return null;
  return (
    <ul aria-label="Messages that are being sent" className="mb-2 flex flex-col gap-2">
      {messages.map((message) => (
        <OutgoingMessage key={message.key} message={message} questions={questions} box={box} />
      ))}
    </ul>
  );
}

/** How many messages of the session wait for the connection, wherever they were written. */
export function WaitingNote({ sessionId, messages }: { sessionId: string; messages: readonly Outgoing[] }) {
  const others = useMutationState({
    filters: { mutationKey: messageKey(sessionId) },
    select: ({ state }) => state.isPaused,
  });
  const words = describeWaiting(messages, others);
  return (
    words && (
      <p role="status" className="mb-2 rounded-block bg-amber-tint px-4 py-2 text-amber-ink text-ui">
        {words}
      </p>
    )
  );
}

const card = "rounded-block border border-line border-dashed bg-panel px-4 py-3";

function WrittenText({ children }: { children: string }) {
  return (
    <p dir="auto" className="line-clamp-4 whitespace-pre-wrap text-prose [overflow-wrap:anywhere]">
      {children}
    </p>
  );
}

type OutgoingMessageProps = Omit<OutgoingListProps, "messages"> & { message: Outgoing };

function OutgoingMessage({ message, questions, box }: OutgoingMessageProps) {
  const { key, fields, files, elements = [], lines, state, error, at } = message;
  const comments = fields.diffCommentsContext?.length ?? 0;
  const now = useNow(1_000, Date.now);
  const isSlow = now - at > 3_000;
  return (
    <li className={card}>
      {lines && (
        <p className="text-meta text-quiet">
          Comment on <Name>{lines.filePath}</Name>, line {lines.endLineNumber}
        </p>
      )}
      {comments > 0 && (
        <p className="text-meta text-quiet">{comments === 1 ? "1 comment" : `${comments} comments`} on the changes</p>
      )}
      {fields.answers?.map(({ question, option }) => (
        <WrittenText key={question}>
          {questions[Number(question)]?.options[Number(option)]?.title ?? String(option)}
        </WrittenText>
      ))}
      {fields.content && <WrittenText>{fields.content}</WrittenText>}
      <FileChips files={files} />
      <ElementChips elements={elements} />
      <div role="status" className="mt-1 flex flex-wrap items-center gap-2 text-quiet text-ui">
        {state === "sending" && <span>{isSlow ? "Still sending…" : "Sending…"}</span>}
        {state === "waiting" && <span>You are offline. It is sent when the connection is back.</span>}
        {state === "unsure" && (
          <>
            <span className="text-amber-ink">
              It may have arrived.{" "}
              {canRepeat(at, now) ? "Sending again is safe." : "If you send it again, it may be there twice."}
            </span>
            <Button onClick={() => box.sendAgain(key)}>Send again</Button>
          </>
        )}
        {(state === "waiting" || state === "unsure") && !lines && (
          <Button
            kind="bare"
            title={state === "unsure" ? "It may have arrived already, and would then be there twice" : undefined}
            onClick={() => box.takeBack(key)}
          >
            {state === "unsure" ? "Edit anyway" : "Edit"}
          </Button>
        )}
      </div>
      {state === "refused" && (
        <StepRefusal error={error} onAgain={() => box.sendAgain(key)} onClose={() => box.takeBack(key)} />
      )}
    </li>
  );
}
