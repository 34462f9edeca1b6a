// What the composer needs to know about the newest turn of a session.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import type { LiveSession } from "../session/live-session.ts";
import { useUserId } from "../shell/profile.ts";
import { findFirstMessage, isCutOff, mayBeStarter } from "./first-message.ts";
import { firstMessageQuery } from "./queries.ts";
import { type Phase, phaseOf } from "./send-rules.ts";

export interface TurnNow {
  jobId: string | null;
  job: Schemas["Job"] | null;
  phase: Phase;
  /** True if the person started it, or may have: only they steer it. */
  isMine: boolean;
  /** What the turn was started with; null while it is read. */
  message: string | null;
  questions: Schemas["ClarificationQuestion"][];
}

export function useTurn({ state, session }: LiveSession): TurnNow {
  const userId = useUserId();
  const record = state?.session ?? session?.data ?? null;
  const job = state?.jobs.at(-1) ?? null;
  const latest = job ?? record?.latestChatJob ?? null;
  const jobId = latest?.id ?? null;
  const messages = state?.messages ?? [];
  const isCut = isCutOff(messages, jobId);
  const path = { projectId: record?.projectId ?? "", sessionId: record?.id ?? "" };
  const { data, isError } = useQuery({
    ...firstMessageQuery(path, jobId ?? ""),
    enabled: isCut && record !== null,
  });
  const first = isCut ? data : findFirstMessage(messages, jobId);
  const ofTurn = messages.filter((one) => one.jobId === jobId);
  const asked = ofTurn.flatMap(({ blocks }) => blocks).findLast(({ type }) => type === "clarification");
  return {
    jobId,
    job,
    phase: phaseOf(latest),
    isMine: mayBeStarter(first, userId),
    message: first === undefined && !isError ? null : (first?.content ?? ""),
    questions: asked?.type === "clarification" ? asked.clarificationData.questions : [],
  };
}
