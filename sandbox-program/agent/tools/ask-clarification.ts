// The ask tool: asks the user questions and ends the turn. The user's next message is the answer.
import type { ClarificationOption, ClarificationQuestion } from "../../../src/chat/rules/block.ts";
import { clarificationOptionsMax, clarificationOptionsMin } from "../../../src/rules/limits.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { AgentTool } from "../agent.ts";

const questionsMax = 4;

/** Asks the user and ends the turn. */
export const askTool: AgentTool = {
  name: "ask",
  label: "Ask",
  description:
    "Ask the user questions that you cannot settle yourself. Each has 2 to 4 options, one of them recommended. This ends your " +
    "turn: call it last and on its own. The answer arrives as the next user message: options that they chose come before its text, which may also be something else entirely.",
  parameters: {
    type: "object",
    properties: {
      questions: {
        type: "array",
        minItems: 1,
        maxItems: questionsMax,
        items: {
          type: "object",
          properties: {
            topic: { type: "string", description: "One or two words that name the topic" },
            question: { type: "string" },
            options: {
              type: "array",
              minItems: clarificationOptionsMin,
              maxItems: clarificationOptionsMax,
              items: {
                type: "object",
                properties: {
                  title: { type: "string" },
                  description: { type: "string", description: "What choosing it means" },
                  isRecommended: { type: "boolean" },
                },
                required: ["title", "description", "isRecommended"],
              },
            },
          },
          required: ["topic", "question", "options"],
        },
      },
    },
    required: ["questions"],
  },
  run: async (input) => ({
    text: "The questions are shown to the user, whose next message answers them.",
    endsTurn: true,
    event: { type: "clarification", questions: readQuestions(input) },
  }),
};

/** The questions for the transcript, with the recommended option first. */
export function readQuestions(input: unknown): ClarificationQuestion[] {
  const { questions } = toFields(input);
  if (!Array.isArray(questions) || questions.length === 0 || questions.length > questionsMax) {
    throw new Error(`Ask 1 to ${questionsMax} questions at a time.`);
  }
  return questions.map((item: unknown) => {
    const { topic, question, options } = toFields(item);
    if (typeof topic !== "string" || typeof question !== "string")
      throw new Error("Each question has a `topic` and a `question`.");
    if (
      !Array.isArray(options) ||
      options.length < clarificationOptionsMin ||
      options.length > clarificationOptionsMax
    ) {
      throw new Error(`Each question has ${clarificationOptionsMin} to ${clarificationOptionsMax} options.`);
    }
    return { topic, question, options: recommendedFirst(options.map(readOption)) };
  });
}

function readOption(item: unknown): ClarificationOption {
  const { title, description, isRecommended } = toFields(item);
  if (typeof title !== "string" || title === "") throw new Error("Each option has a `title`.");
  return {
    title,
    description: typeof description === "string" ? description : "",
    isRecommended: isRecommended === true,
  };
}

/** Exactly one option is recommended: the first that says so, else the first of all. */
function recommendedFirst(options: ClarificationOption[]): ClarificationOption[] {
  const chosen = options.find((option) => option.isRecommended) ?? options[0];
  const others = options.filter((option) => option !== chosen);
  return chosen
    ? [{ ...chosen, isRecommended: true }, ...others.map((option) => ({ ...option, isRecommended: false }))]
    : [];
}
