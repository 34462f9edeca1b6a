// A question of the agent on a row of the inbox: a click or a digit picks an option, a button or
// Enter sends it.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useRef, useState } from "react";
import { service } from "../api.ts";
import { deliver } from "../composer/deliver.ts";
import { listAnswers, type Picks, togglePick } from "../composer/draft.ts";
import type { Session } from "../session/queries.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { toVisibleCode } from "../ui/visible.ts";
import { Name, Prose } from "../ui/visible-text.tsx";

/** The question is the last thing that the agent says in its turn. */
const partsRead = 20;

/** The only question of a turn that waits for an answer; null for a turn that asks several. */
function questionQuery({ id: sessionId, projectId, latestChatJob, needsYouReason }: Session) {
  const jobId = latestChatJob?.id;
  return {
    queryKey: ["question", sessionId, jobId],
    enabled: needsYouReason === "awaiting_response" && jobId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Schemas["ClarificationQuestion"] | null> => {
      const { messages } = await service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/messages", {
        path: { projectId, sessionId },
        query: { job: jobId, limit: partsRead, outputs: 0 },
        signal,
      });
      const asked = messages.flatMap(({ blocks }) => blocks).findLast(({ type }) => type === "clarification");
      const questions = asked?.type === "clarification" ? asked.clarificationData.questions : [];
      return questions.length === 1 ? (questions[0] ?? null) : null;
    },
  };
}

/** Reads the question of a session, and answers it. `press` takes the keys of its row. */
export function useQuestion(session: Session) {
  const { data: question = null } = useQuery(questionQuery(session));
  // The next question of the session is on the same row, and nothing is picked for it.
  const jobId = session.latestChatJob?.id ?? "";
  const [picks, setPicks] = useState<Picks | null>(null);
  const answers = listAnswers(picks, jobId);
  const picked = answers?.[0]?.option ?? null;
  const [refusal, setRefusal] = useState<{ jobId: string; error: unknown } | null>(null);
  const error = refusal?.jobId === jobId ? refusal.error : null;
  const [isSending, setIsSending] = useState(false);
  // The same answer goes under the same key, so that it is taken once however often it is sent.
  const keys = useRef(new Map<string, string>());
  const options = question?.options ?? [];

  const pick = (option: number) => setPicks((now) => togglePick(now, jobId, 0, option));

  async function send(): Promise<void> {
    if (isSending || picked === null) return;
    setRefusal(null);
    setIsSending(true);
    const name = `${jobId} ${picked}`;
    const key = keys.current.get(name) ?? crypto.randomUUID();
    keys.current.set(name, key);
    try {
      const fields = { content: "", answers };
      await deliver(
        { projectId: session.projectId, sessionId: session.id },
        { key, at: Date.now(), fields, files: [], state: "sending" },
      );
      setPicks((now) => (now?.jobId === jobId ? null : now));
    } catch (error) {
      setRefusal({ jobId, error });
    } finally {
      setIsSending(false);
    }
  }

  function press(event: KeyboardEvent<HTMLElement>): void {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || options.length === 0) return;
    if (event.key === "Enter" && picked !== null && (event.target as HTMLElement).tagName === "A") {
      event.preventDefault();
      send();
      return;
    }
    const option = event.key.length === 1 ? "1234".indexOf(event.key) : -1;
    if (option < 0 || option >= options.length) return;
    event.preventDefault();
    pick(option);
  }
  return { question, picked, isSending, error, pick, send, press };
}

type QuestionProps = Pick<ReturnType<typeof useQuestion>, "picked" | "isSending" | "error" | "pick" | "send"> & {
  question: Schemas["ClarificationQuestion"];
};

export function Question({ question, picked, isSending, error, pick, send }: QuestionProps) {
  return (
    <div className="px-4 pb-3 pl-10">
      <Prose className="block text-ui [overflow-wrap:anywhere]">{question.question}</Prose>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {question.options.map(({ title, description }, option) => (
          <Button
            key={title}
            disabled={isSending}
            aria-pressed={picked === option}
            title={description && toVisibleCode(description)}
            onClick={() => pick(option)}
            className={`max-w-full ${picked === option ? "border-accent! bg-accent-tint!" : ""}`}
          >
            <span aria-hidden="true" className="text-meta text-quiet">
              {option + 1}
            </span>
            <Name className="truncate">{title}</Name>
          </Button>
        ))}
        {picked !== null && (
          <Button kind="main" disabled={isSending} onClick={send}>
            {isSending ? "Sending…" : "Send answer"}
          </Button>
        )}
      </div>
      {error !== null && (
        <div className="mt-2">
          <Refusal error={error} />
        </div>
      )}
    </div>
  );
}
