// Who wrote a cron last, and as what. A run acts as the cron's creator, so it may do no more than
// both of them may (decisions, "Rights of crons").
import type { Actor } from "../../access/rules/actor.ts";

/** An agent is that of a session, or the Lead; a run is that of any cron. */
export type WrittenAs = "person" | "agent" | "run";

export interface CronWriter {
  /** The member that the actor stood for; empty for an actor that stood for none. */
  userId: string;
  as: WrittenAs;
}

/** A cron, as far as its writer is concerned. */
interface Written {
  createdBy: string;
  /** Absent in crons of earlier versions, whose creator counts. */
  writtenBy?: CronWriter | undefined;
}

/** The fields of a change. Those that are not sent are undefined. */
type Changes = { [Field in "prompt" | "projects" | "model" | "name" | "cronExpression"]?: unknown };

/** What bounds the rights of one run. It is fixed with the fire, as the prompt is. */
export interface RunBounds {
  /** Who wrote the cron last; null if that was its creator, as a person. */
  writer: CronWriter | null;
  /** True if an agent or a run asked for the fire. */
  isAskedByAgent: boolean;
}

/** The bounds of a run of which none are stored: an earlier version kept no writer. */
export const ownBounds: RunBounds = { writer: null, isAskedByAgent: false };

/** The writer that an actor is, of what it changes of a cron. */
export function cronWriterOf(by: Actor): CronWriter {
  const userId = ("user" in by ? by.user?.id : null) ?? "";
  switch (by.type) {
    case "member":
      return { userId, as: "person" };
    case "lead":
    case "session-agent":
      return { userId, as: "agent" };
    case "cron-run":
    case "relay":
    case "service":
      return { userId, as: "run" };
  }
}

/** The bounds of a run that fires now. `askedBy` is null for a fire by the schedule. */
export function runBoundsOf({ createdBy, writtenBy }: Written, askedBy: CronWriter | null): RunBounds {
  const isOwn = writtenBy === undefined || rankOf(writtenBy, createdBy) === 0;
  return { writer: isOwn ? null : writtenBy, isAskedByAgent: askedBy !== null && askedBy.as !== "person" };
}

/**
 * The writer of a cron after a change. The sender of the prompt, the projects or the model has
 * written it, also with the values that it has. A change of only the name or the schedule takes
 * rights from the runs, and never gives any: the name is read by the agent, and the schedule fires,
 * but neither shows that its sender has read the prompt. Pausing and resuming write nothing.
 */
export function writerAfter({ createdBy, writtenBy }: Written, changes: Changes, by: CronWriter): Written["writtenBy"] {
  const { prompt, projects, model, name, cronExpression } = changes;
  if ([prompt, projects, model].some((value) => value !== undefined)) return by;
  if ([name, cronExpression].every((value) => value === undefined)) return writtenBy;
  const known = writtenBy ?? { userId: createdBy, as: "person" };
  return rankOf(by, createdBy) > rankOf(known, createdBy) ? by : writtenBy;
}

/**
 * A higher rank gives a run fewer rights: its creator as a person, another person, an agent or a
 * run.
 */
function rankOf({ userId, as }: CronWriter, createdBy: string): number {
  if (as !== "person") return 2;
  return userId === createdBy ? 0 : 1;
}
