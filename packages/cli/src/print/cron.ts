// Crons and their runs, as people read them.
import { type Schemas, toVisible } from "@switchyard/client";
import { toShortId } from "./session.ts";
import { formatNamed, toLine, toStyled } from "./text.ts";
import { formatSpan, formatTime } from "./time.ts";

type Cron = Schemas["Cron"];
type Run = Schemas["CronRun"];

const formatNext = ({ enabled, disabledReason, nextRunAt }: Cron): string =>
  enabled ? `next ${formatTime(nextRunAt)}` : `paused${disabledReason === null ? "" : `: ${toLine(disabledReason)}`}`;

/** A row of the list of crons. */
export function toCronRow(cron: Cron): string[] {
  const { id, cronExpression, lastRunStatus, name } = cron;
  return [toShortId(id), cronExpression, formatNext(cron), lastRunStatus ?? "never ran", toLine(name)];
}

/** A cron in some lines, with its prompt. */
export function listCronLines(cron: Cron): string[] {
  const { id, name, prompt, cronExpression, timezone, model, projects, lastRunAt, lastRunStatus, createdByName } = cron;
  const last = lastRunStatus && `${lastRunStatus.replaceAll("_", " ")}, ${formatTime(lastRunAt)}`;
  return [
    toStyled("bold", toLine(name)),
    ...formatNamed([
      ["id", id],
      ["schedule", `${cronExpression} (${timezone}), ${formatNext(cron)}`],
      ["last run", last],
      ["model", model],
      ["made by", createdByName],
      ...projects.map((project): [string, string] => ["project", formatProject(project)]),
    ]),
    "",
    toVisible(prompt),
  ];
}

function formatProject({ name, baseBranch, pausedAt, pausedReason }: Schemas["CronProject"]): string {
  return `${name}, ${baseBranch}${pausedAt === null ? "" : `, paused: ${pausedReason ?? "by a member"}`}`;
}

/** A row of the list of runs. */
export function toRunRow(run: Schemas["CronRunRow"]): string[] {
  const { id, status, createdAt, startedAt, completedAt, projectName, summary, error } = run;
  const said = toLine(error ?? summary ?? "").slice(0, 100);
  return [toShortId(id), formatTime(createdAt), status, formatSpan(startedAt, completedAt), toLine(projectName), said];
}

/** A run: how it ended, its reply and what it filed. */
export function listRunLines({ status, projectName, error, report, filedSessions }: Run): string[] {
  return [
    toStyled("bold", `${toLine(projectName)}: ${status}`),
    ...(error === null ? [] : [toStyled("red", toLine(error))]),
    ...(report === null ? [] : [toVisible(report.reply)]),
    ...filedSessions.map(({ sessionId, title }) => `filed ${toShortId(sessionId)}  ${toLine(title)}`),
  ];
}
