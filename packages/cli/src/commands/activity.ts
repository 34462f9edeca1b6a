// The activity feed: what happened in your workspaces.
import type { Command } from "@commander-js/extra-typings";
import type { Schemas } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseCount } from "../command.ts";
import { findProject, listWorkspaces } from "../find.ts";
import { toShortId } from "../print/session.ts";
import { formatTable, toLine } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

type ActivityEvent = Schemas["ActivityEvent"];

/** Adds `activity`. */
export function addActivityCommands(program: Command, output: () => Output): void {
  program
    .command("activity")
    .description("what happened in your workspaces, the newest first")
    .option("--since <time>", "a date, a time, or a span back such as 24h or 7d")
    .option("--unseen", "only what is new to you, the oldest first")
    .option("--mark-seen", "what is new to you, and it is seen from then on")
    .option("--kind <kinds>", "kinds with commas between, or `change`, or `action`")
    .option("-p, --project <name>", "only of this project")
    .option("-w, --workspace <name>", "only of this workspace")
    .option("-n, --limit <count>", "how many", parseCount, 30)
    .option("-f, --follow", "print what happens from now on, until ^C")
    .action(
      createAction(output)(async (sy, { since, unseen, markSeen, kind, limit, follow, ...named }) => {
        const workspaces = await listWorkspaces(sy, named.workspace);
        const projectId = named.project && (await findProject(sy, named.project)).id;
        if (follow) {
          const isWanted = (event: ActivityEvent) => !projectId || event.projectId === projectId;
          const [only] = named.workspace ? workspaces : [];
          for await (const { type, data } of only ? sy.workspace(only.id).follow() : sy.follow("GET /api/events", {}))
            if (type === "activity" && isWanted(data.event))
              output().answer(data.event, [toActivityRow(data.event).join("  ")]);
          return null;
        }
        const query = {
          ...{ since, kind, limit: Math.min(limit, 100), unseen: unseen || undefined, markSeen: markSeen || undefined },
          ...(named.workspace && { workspace: workspaces[0]?.id }),
          ...(projectId && { project: projectId }),
        };
        const data: ActivityEvent[] = [];
        for await (const event of sy.pages("GET /api/activity", { query })) {
          data.push(event);
          if (data.length >= limit) break;
        }
        return { data, lines: formatTable(data.map(toActivityRow)) };
      }),
    );
}

function toActivityRow(event: ActivityEvent): string[] {
  const { createdAt, isNew, projectName, workspaceName, chatSessionId, source } = event;
  const isByMcp = source?.kind === "mcp";
  const text = isByMcp ? `${event.text} (${source.client ?? "an agent"} over MCP)` : event.text;
  const session = chatSessionId === null ? "–" : toShortId(chatSessionId);
  return [formatTime(createdAt), isNew ? "new" : "", session, toLine(projectName ?? workspaceName), toLine(text)];
}
