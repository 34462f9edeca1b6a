// What the addresses of crons and of their runs say besides their ids.

export interface CronSearch {
  /** The workspace of the cron, which a link may leave out. */
  workspace?: string;
  /** The page of its runs, from 1. */
  page?: number;
}

export interface RunSearch extends Pick<CronSearch, "workspace"> {
  /** The artifact that is shown over the run. */
  artifact?: string;
}

const readText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export function readCronSearch({ workspace, page }: Record<string, unknown>): CronSearch {
  const [id, number] = [readText(workspace), Number(page)];
  return { ...(id && { workspace: id }), ...(Number.isSafeInteger(number) && number > 1 && { page: number }) };
}

export function readRunSearch({ workspace, artifact }: Record<string, unknown>): RunSearch {
  const [id, shown] = [readText(workspace), readText(artifact)];
  return { ...(id && { workspace: id }), ...(shown && { artifact: shown }) };
}
