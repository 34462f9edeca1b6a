// The last writer of a cron, and in which role. A run acts as the cron's creator, so it may do only
// what both of them may do (decisions, "Rights of crons").
import type { Actor } from "../../access/rules/actor.ts";

/** `agent` is the agent of a session, or the Lead; `run` is the run of any cron. */
export type WrittenAs = "person" | "agent" | "run";

export interface CronWriter {
  /** The member that the actor represented; empty if it represented none. */
  userId: string;
  as: WrittenAs;
}

/** The fields of a cron that concern its writer. */
interface Written {
  createdBy: string;
  writtenBy: CronWriter;
}

/** The fields of a change. Fields that the request does not contain are undefined. */
type Changes = { [Field in "prompt" | "projects" | "model" | "name" | "cronExpression"]?: unknown };

/** The limits of one run's rights. They are fixed at the fire, as the prompt is. */
export interface RunBounds {
  /** The last writer of the cron; null if that was its creator, as a person. */
  writer: CronWriter | null;
  /** True if an agent or a run requested the fire. */
  isAskedByAgent: boolean;
}

/** The role in which an actor changes a cron. */
export function getCronWriter(by: Actor): CronWriter {
  const userId = ("user" in by ? by.user?.id : null) ?? "";
  switch (by.type) {
    case "member":
      return { userId, as: "person" };
    case "lead":
    case "client-agent":
    case "session-agent":
      return { userId, as: "agent" };
    case "cron-run":
    case "relay":
    case "trigger":
    case "service":
      return { userId, as: "run" };
  }
}

/** The bounds of a run that fires now. `askedBy` is null for a scheduled fire. */
export function getRunBounds({ createdBy, writtenBy }: Written, askedBy: CronWriter | null): RunBounds {
  const isOwn = getRank(writtenBy, createdBy) === 0;
  return { writer: isOwn ? null : writtenBy, isAskedByAgent: askedBy !== null && askedBy.as !== "person" };
}

/**
 * The writer of a cron after a change. The sender of the prompt, the projects or the model becomes
 * the writer, even if the values stay the same. A change of only the name or the schedule can
 * reduce the rights of the runs but never extend them: the agent reads the name and the schedule
 * fires the cron, but neither shows that the sender has read the prompt. Pausing and resuming do
 * not change the writer.
 */
export function getWriterAfter({ createdBy, writtenBy }: Written, changes: Changes, by: CronWriter): CronWriter {
  const { prompt, projects, model, name, cronExpression } = changes;
  if ([prompt, projects, model].some((value) => value !== undefined)) return by;
  if ([name, cronExpression].every((value) => value === undefined)) return writtenBy;
  return getRank(by, createdBy) > getRank(writtenBy, createdBy) ? by : writtenBy;
}

/**
 * A higher rank gives a run fewer rights. Ascending order: its creator as a person, another person,
 * an agent or a run.
 */
function getRank({ userId, as }: CronWriter, createdBy: string): number {
  if (as !== "person") return 2;
  return userId === createdBy ? 0 : 1;
}
