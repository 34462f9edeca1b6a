// A click on a question of the agent: sends the chosen answers, and replaces the buttons.
import { type Switchyard, SwitchyardError } from "@switchyard/client";
import { type Asked, type Click, readAnswers, toAnsweredText } from "./question.ts";
import { createSlack, createSwitchyard, type Env } from "./settings.ts";
import { toSlackText } from "./text.ts";
import { findSender } from "./thread.ts";
import { findQuestions } from "./turn.ts";

export interface ClickRequest extends Click {
  user?: { id?: string; team_id?: string };
  team?: { id?: string };
  container?: { channel_id?: string; message_ts?: string; thread_ts?: string };
}

/** Sends the answers of a click. */
export async function handleClick(env: Env, click: ClickRequest): Promise<void> {
  const { user, team, container } = click;
  const read = readAnswers(click);
  if (!read || !user?.id || !container?.channel_id || !container.message_ts || user.team_id !== team?.id) return;
  const { job, answers } = read;
  const [slack, service] = [createSlack(env), createSwitchyard(env)];
  const { channel_id: channel, message_ts: ts, thread_ts } = container;
  const questions = await findQuestions(service, job);
  const whisper = (text: string) =>
    slack.chat.postEphemeral({ channel, user: user.id ?? "", text, ...(thread_ts && { thread_ts }) });
  const replace = (text: string) =>
    slack.chat.update({ ...{ channel, ts, text }, blocks: [{ type: "section", text: { type: "mrkdwn", text } }] });
  if (answers.length < questions.length) return void (await whisper("Choose an option for each question first."));
  const sender = await findSender(slack, user.id);
  try {
    await sendAnswers(service, job, { answers, sender });
  } catch (error) {
    if (!(error instanceof SwitchyardError) || error.status >= 500) throw error;
    if (error.failure.code === "IDEMPOTENCY_KEY_REUSED" || !(await isAsking(service, job)))
      return void (await replace("This question was answered elsewhere."));
    return void (await whisper(toSlackText(error.message)));
  }
  await replace(toAnsweredText(questions, answers, user.id));
}

interface Answers {
  answers: { question: number; option: number }[];
  sender: { name: string; id: string };
}

/** One answer for each job: a second click of the same person is a repeat, another one is refused. */
async function sendAnswers(service: Switchyard, { projectId, sessionId, jobId }: Asked, { answers, sender }: Answers) {
  await service.request("POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat", {
    path: { projectId, sessionId },
    body: { content: "", answers, sender },
    idempotencyKey: `slack answer ${jobId}`,
  });
}

async function isAsking(service: Switchyard, { sessionId, jobId }: Asked): Promise<boolean> {
  const { session } = await service.request("GET /api/chat-sessions/{sessionId}", { path: { sessionId } });
  return session.latestChatJob?.id === jobId && session.latestChatJob.status === "awaiting_response";
}
