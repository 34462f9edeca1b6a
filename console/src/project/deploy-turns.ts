// The turns of a Deploy Chat. Its messages name their Deploy, and not their turn.
import type { Schemas } from "@switchyard/client";

type DeployMessage = Schemas["DeployMessage"];
type Message = Schemas["Message"];

/**
 * The messages with the turns that they belong to. A message that a user started a turn with begins
 * one, and so does a new Deploy. The newest turn has the id of its stream.
 */
export function toTurnMessages(messages: readonly DeployMessage[], newestTurnId: string | null): Message[] {
  let [turn, deploy, isBegun] = [0, messages[0]?.deployJobId, false];
  const placed = messages.map((message) => {
    const begins = message.role === "user" && message.delivery === "job";
    if (message.deployJobId !== deploy || (begins && isBegun)) {
      turn += 1;
      isBegun = false;
    }
    deploy = message.deployJobId;
    // What the service says before it belongs to the turn.
    isBegun ||= message.role !== "system";
    return { message, turn };
  });
  // The service may speak of a new Deploy before its turn begins.
  const newest = placed.findLast(({ message }) => message.role !== "system")?.turn;
  return placed.map(({ message: { deployJobId, ...message }, turn: at }) => ({
    ...message,
    jobId: at === newest && newestTurnId !== null ? newestTurnId : `${deployJobId} ${at}`,
  }));
}

/** The questions that wait for an answer: those that were asked last. */
export function findQuestions(messages: readonly Pick<Message, "blocks">[]): Schemas["ClarificationQuestion"][] {
  const asked = messages
    .flatMap(({ blocks }) => blocks)
    .findLast((block): block is Schemas["ClarificationBlock"] => block.type === "clarification");
  return asked?.clarificationData.questions ?? [];
}

/** The answers as they are sent; null until every question has its option. */
export function toAnswers(
  questions: readonly Schemas["ClarificationQuestion"][],
  picked: Readonly<Record<number, number>>,
): { question: number; option: number }[] | null {
  const answers = questions.flatMap((_, question) => {
    const option = picked[question];
    return option === undefined ? [] : [{ question, option }];
  });
  return answers.length === questions.length && answers.length > 0 ? answers : null;
}
