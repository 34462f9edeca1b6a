// The agent's questions as a message in Slack, and the answers that people choose there. One
// question has buttons. Several have menus, and one button that sends all choices.
import type { Schemas } from "@switchyard/client";
import type { AnyMessageBlock } from "slack-edge";
import { toSlackText } from "./text.ts";

type Question = Schemas["ClarificationQuestion"];

/** The job that asked. */
export interface Asked {
  projectId: string;
  sessionId: string;
  jobId: string;
}

/** The longest texts that Slack takes. */
const sectionCharacters = 3_000;
const buttonCharacters = 75;
/** Escaping makes a text up to five times as long. */
const questionCharacters = 400;
const descriptionCharacters = 40;

const plain = (text: string) => {
  const all = Array.from(text);
  const shown = all.length <= buttonCharacters ? text : `${all.slice(0, buttonCharacters - 1).join("")}…`;
  return { type: "plain_text" as const, text: shown, emoji: false };
};

/** The message of questions: its text for notifications, and its blocks. */
export function toQuestionMessage(questions: readonly Question[], asked: Asked) {
  const text = questions.map(({ question }) => toSlackText(question, questionCharacters)).join("\n");
  const value = (option?: number) => JSON.stringify([asked.projectId, asked.sessionId, asked.jobId, option ?? null]);
  const [only] = questions;
  const blocks: AnyMessageBlock[] =
    questions.length === 1 && only
      ? [
          toSection(only),
          {
            type: "actions",
            block_id: "answer",
            elements: only.options.map(({ title, isRecommended }, place) => ({
              ...{ type: "button" as const, action_id: `answer-${place}`, text: plain(title), value: value(place) },
              ...(isRecommended && { style: "primary" as const }),
            })),
          },
        ]
      : [
          ...questions.map(
            (question, place): AnyMessageBlock => ({
              ...toSection(question),
              block_id: `question-${place}`,
              accessory: {
                ...{ type: "static_select", action_id: "choose", placeholder: plain("Choose") },
                options: question.options.map(({ title }, option) => ({ text: plain(title), value: String(option) })),
              },
            }),
          ),
          {
            type: "actions",
            block_id: "answer",
            elements: [{ type: "button", action_id: "send", text: plain("Send"), style: "primary", value: value() }],
          },
        ];
  return { text, blocks };
}

function toSection({ question, options }: Question) {
  const lines = options.map(({ title, description }) =>
    `• *${toSlackText(title, buttonCharacters)}* ${toSlackText(description, descriptionCharacters)}`.trim(),
  );
  const asked = toSlackText(question, questionCharacters);
  const all = [asked, ...lines].join("\n");
  const text = all.length <= sectionCharacters ? all : asked;
  return { type: "section" as const, text: { type: "mrkdwn" as const, text } };
}

/** What a click on a message of the app says. */
export interface Click {
  actions?: { action_id?: string; value?: string }[];
  state?: { values?: Record<string, Record<string, { selected_option?: { value?: string } | null }>> };
}

/** The job that is answered and the choices, by their numbers; null for a click that sends nothing. */
export function readAnswers({ actions = [], state }: Click) {
  const asked = readValue(actions[0]?.value);
  if (!asked) return null;
  const { option, ...job } = asked;
  if (option !== null) return { job, answers: [{ question: 0, option }] };
  const answers = Object.entries(state?.values ?? {}).flatMap(([block, fields]) => {
    const [, question] = /^question-(\d+)$/.exec(block) ?? [];
    const chosen = fields.choose?.selected_option?.value;
    return question && chosen ? [{ question: Number(question), option: Number(chosen) }] : [];
  });
  return { job, answers };
}

function readValue(value: string | undefined): (Asked & { option: number | null }) | null {
  if (value === undefined || !value.startsWith("[")) return null;
  const [projectId, sessionId, jobId, option]: unknown[] = JSON.parse(value);
  if (typeof projectId !== "string" || typeof sessionId !== "string" || typeof jobId !== "string") return null;
  return { projectId, sessionId, jobId, option: typeof option === "number" ? option : null };
}

/** The text of questions that were answered. */
export function toAnsweredText(
  questions: readonly Question[],
  answers: readonly { question: number; option: number }[],
  userId: string,
): string {
  const lines = answers.map(({ question, option }) => {
    const { question: asked = "", options = [] } = questions[question] ?? {};
    return `${toSlackText(asked, questionCharacters)}\n*${toSlackText(options[option]?.title ?? "", buttonCharacters)}*`;
  });
  return [...lines, `Answered by <@${userId}>.`].join("\n");
}
