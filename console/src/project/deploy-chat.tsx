// The Deploy Chat: the turns of the deploy agent, its questions, Up next and the field below.
import type { Schemas } from "@switchyard/client";
import { useCallback, useMemo, useState } from "react";
import { service } from "../api.ts";
import { QuestionForm } from "../composer/question-form.tsx";
import { Message } from "../conversation/message.tsx";
import { TurnCard } from "../conversation/turn-card.tsx";
import type { Turn } from "../conversation/turns.ts";
import { Conversation } from "../conversation/use-conversation.ts";
import { useModelLabel } from "../conversation/use-model-label.ts";
import { useTurns } from "../conversation/use-turns.ts";
import type { useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { DeployComposer } from "./deploy-composer.tsx";
import { DeployQueue } from "./deploy-queue.tsx";
import { findQuestions, toAnswers } from "./deploy-turns.ts";
import type { LiveDeploys } from "./live-deploys.ts";
import { useSealedSend } from "./use-sealed-send.ts";

interface DeployChatProps {
  projectId: string;
  chat: Schemas["DeployChat"];
  live: LiveDeploys;
  draft: ReturnType<typeof useKeptText>;
}

const outputOperation = "GET /api/projects/{projectId}/deploy-messages/streams/{streamId}/outputs/{place}";

export function DeployChat({ projectId, chat, live: { state, error }, draft }: DeployChatProps) {
  const turns = useTurns(state?.messages ?? []);
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const onToggle = useCallback(
    (jobId: string, isOpen: boolean) => setOpened((before) => new Map(before).set(jobId, isOpen)),
    [],
  );
  const model = useModelLabel(chat.deployModel);
  const context = useMemo(
    () => ({
      session: null,
      holdPlace() {},
      kept: new Map<string, unknown>(),
      readOutput: (streamId: string, place: number) =>
        service.request(outputOperation, { path: { projectId, streamId, place: String(place) } }),
    }),
    [projectId],
  );
  const jobs = new Map(state?.jobs.map((job) => [job.id, job]));
  const newest = turns.at(-1);
  return (
    <section aria-label="Deploy Chat" className="mt-6">
      <h2 className="mb-3 font-bold text-title">Deploy Chat</h2>
      {error !== null && (
        <div className="mb-3">
          <Refusal error={error} />
        </div>
      )}
      <Conversation value={context}>
        {/* A feed without turns is none. */}
        <div
          {...(turns.length > 0 ? { role: "feed", "aria-label": "Conversation" } : {})}
          aria-busy={state === null}
          className="flex flex-col gap-3"
        >
          {turns.map((turn, at) => (
            <TurnCard
              key={turn.jobId}
              turn={turn}
              job={jobs.get(turn.jobId) ?? null}
              model={turn === newest ? model : null}
              isNewest={turn === newest}
              isOpen={turn === newest || (opened.get(turn.jobId) ?? false)}
              position={at + 1}
              setSize={turns.length}
              onToggle={onToggle}
            />
          ))}
        </div>
      </Conversation>
      {state !== null && turns.length === 0 && (
        <p className="rounded-card border border-line border-dashed p-6 text-center text-quiet">
          There are no messages yet. Start a Deploy, and its agent writes here.
        </p>
      )}
      {chat.instructions.length > 0 && (
        <section
          aria-label="Waits for the agent’s turn"
          className="mt-3 space-y-3 rounded-card border border-line bg-panel p-4"
        >
          <h3 className="font-bold text-meta text-quiet">Waits for the agent’s turn</h3>
          {chat.instructions.map(({ id, content, author, attachments, createdAt }) => (
            <Message
              key={id}
              message={{
                ...{ id, role: "user", content, blocks: [], jobId: "", delivery: "job" },
                ...{ author, attachments, createdAt, firstBlockIndex: 0 },
              }}
            />
          ))}
        </section>
      )}
      {chat.status === "awaiting_user" && newest && (
        <Questions key={newest.jobId} projectId={projectId} chat={chat} turn={newest} />
      )}
      <DeployQueue projectId={projectId} event={state?.queue ?? null} status={chat.status} draft={draft} />
      <DeployComposer projectId={projectId} chat={chat} draft={draft} />
    </section>
  );
}

interface QuestionsProps {
  projectId: string;
  chat: Schemas["DeployChat"];
  turn: Turn;
}

function Questions({ projectId, chat: { deployJobId }, turn }: QuestionsProps) {
  const questions = findQuestions(turn.messages);
  const [picked, setPicked] = useState<Readonly<Record<number, number>>>({});
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const sendSealed = useSealedSend(projectId);
  const answers = toAnswers(questions, picked);

  async function send(): Promise<void> {
    if (answers === null || isBusy) return;
    setError(null);
    setIsBusy(true);
    const seen = deployJobId === null ? {} : { runningDeployJobId: deployJobId };
    await sendSealed(JSON.stringify(answers), { body: { userResponse: "", answers, ...seen } }).catch(setError);
    setIsBusy(false);
  }

  if (questions.length === 0) return null;
  return (
    <div className="mt-3">
      <QuestionForm
        jobId={turn.jobId}
        questions={questions}
        picked={picked}
        isBusy={isBusy}
        onPick={(question, option) => setPicked({ ...picked, [question]: option })}
        onSend={send}
      />
      {error !== null && (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      )}
    </div>
  );
}
