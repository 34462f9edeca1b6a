// What a person has typed of a cron: only what they changed, so that only that is sent.
import type { Schemas } from "@switchyard/client";
import { type FieldChecks, isText, isTextOrNull, isTexts } from "../ui/kept-changes.ts";
import { findScheduleProblem } from "./schedule.ts";

export interface CronFields {
  name: string;
  prompt: string;
  cronExpression: string;
  model: string | null;
  projectIds: readonly string[];
}

export type CronChanges = Partial<CronFields>;

export const cronChecks: FieldChecks<CronFields> = {
  name: isText,
  prompt: isText,
  cronExpression: isText,
  model: isTextOrNull,
  projectIds: isTexts,
};

export const emptyFields: CronFields = {
  name: "",
  prompt: "",
  cronExpression: "0 9 * * 1-5",
  model: null,
  projectIds: [],
};

export function toFields({ name, prompt, cronExpression, model, projects }: Schemas["Cron"]): CronFields {
  return { name, prompt, cronExpression, model, projectIds: projects.map(({ id }) => id) };
}

const isSame = (one: unknown, other: unknown) =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((item) => other.includes(item))
    : one === other;

/** The changes that differ from what is saved, as they are sent. */
export function listChanged(saved: CronFields, changes: CronChanges): CronChanges {
  const clean = changes.name === undefined ? changes : { ...changes, name: changes.name.trim() };
  return Object.fromEntries(
    Object.entries(clean).filter(([name, value]) => !isSame(saved[name as keyof CronFields], value)),
  );
}

/**
 * The changes without projects that the workspace does not have: nobody sees them in the form, and
 * the service refuses them. `projects` is undefined until the projects are read.
 */
export function dropUnknownProjects(
  changes: CronChanges,
  projects: readonly { id: string }[] | undefined,
): CronChanges {
  const { projectIds } = changes;
  if (!projectIds || !projects) return changes;
  return { ...changes, projectIds: projectIds.filter((one) => projects.some(({ id }) => id === one)) };
}

/** The step for a schedule that would be refused. Why is said at the schedule itself. */
export const fixSchedule = "Fix the schedule.";

/** What is missing before a cron can be saved; null for nothing. */
export function findMissing({ name, prompt, cronExpression, projectIds }: CronFields): string | null {
  if (name.trim() === "") return "Give the cron a name.";
  if (projectIds.length === 0) return "Choose a project.";
  if (prompt.trim() === "") return "Say what the agent should do.";
  if (cronExpression.trim() === "") return "Choose a schedule.";
  return findScheduleProblem(cronExpression) === null ? null : fixSchedule;
}
