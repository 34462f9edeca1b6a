// What a workspace has used at the model providers.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Switchyard } from "@switchyard/client";
import { createAction } from "../action.ts";
import type { Output } from "../command.ts";
import { findWorkspace } from "../find.ts";
import { formatTable, toLine } from "../print/text.ts";

const groupings = ["session", "member", "project", "cron", "model"] as const;
const intervals = ["day", "month"] as const;

/** Adds `usage`. */
export function addUsageCommand(program: Command, output: () => Output): void {
  program
    .command("usage")
    .description("show what model calls have cost, most expensive first")
    .addOption(new Option("--by <what>", "what to sum up by").choices([...groupings, ...intervals]).default("session"))
    .option("--since <date>", "from this day (UTC); the first of this month by default")
    .option("-w, --workspace <name>", "the workspace, if you have several")
    .action(
      createAction(output)(async (sy, { by, since, workspace }) => {
        const { id: workspaceId } = await findWorkspace(sy, workspace);
        const data = await sy.request("GET /api/organizations/{workspaceId}/usage", {
          path: { workspaceId },
          query: { ...(isInterval(by) ? { interval: by } : { by }), ...(since && { from: since }) },
        });
        const timezone = isInterval(by) ? await readTimezone(sy, workspaceId) : "UTC";
        const rows = [
          ["cost", "turns", "input", "cached", "output", by],
          ...(data.series?.map(({ from, total }) => toUsageRow(total, formatDay(from, by, timezone))) ??
            data.groups.map((group) => toUsageRow(group, group.name ?? group.id ?? "–"))),
          toUsageRow(data.total, "in total"),
        ];
        return { data, lines: formatTable(rows) };
      }),
    );
}

const isInterval = (by: string): by is (typeof intervals)[number] => intervals.some((one) => one === by);

async function readTimezone(sy: Switchyard, workspaceId: string): Promise<string> {
  return (await sy.request("GET /api/organizations/{workspaceId}", { path: { workspaceId } })).timezone;
}

/** A day or a month in the workspace's timezone: `2026-11-28`, `2026-11`. */
function formatDay(from: string, by: string, timeZone: string): string {
  const day = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeZone }).format(Date.parse(from));
  return by === "month" ? day.slice(0, 7) : day;
}

interface Sum {
  jobs: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

function toUsageRow({ costUsd, jobs, inputTokens, cachedTokens, outputTokens }: Sum, name: string): string[] {
  const counts = [jobs, inputTokens, cachedTokens, outputTokens].map((count) => count.toLocaleString("en-US"));
  return [costUsd === null ? "–" : `$${costUsd.toFixed(2)}`, ...counts, toLine(name)];
}
