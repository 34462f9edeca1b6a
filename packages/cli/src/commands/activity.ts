// The activity feed: what happened in your workspaces.
import type { Command } from "@commander-js/extra-typings";
import type { Schemas } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseCount } from "../command.ts";
import { UsageError } from "../exit.ts";
import { findProject, listWorkspaces } from "../find.ts";
import { toShortId } from "../print/session.ts";
import { formatTable, toLine } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

type ActivityEvent = Schemas["ActivityEvent"];

/** Adds `activity`. */
export function addActivityCommands(program: Command, output: () => Output): void {
  program
    .command("activity")
    .description("list what happened in your workspaces, newest first")
    .option("--since <time>", "a date, a time, or a span back such as 24h or 7d")
    .option("--unseen", "only what is new to you, oldest first")
    .option("--mark-seen", "what is new to you, and mark it as seen")
    .option("--kind <kinds>", "kinds, separated by commas, or `change`, or `action`")
    .option("-p, --project <name>", "only this project")
    .option("-w, --workspace <name>", "only this workspace")
    .option("-n, --limit <count>", "the maximum number", parseCount, 30)
    .option("-f, --follow", "print new events until ^C; not with --since, --unseen or --mark-seen")
    .action(
      createAction(output)(async (sy, { since, unseen, markSeen, kind, limit, follow, ...named }) => {
        if (markSeen && (named.project ?? kind ?? since) !== undefined)
          throw new UsageError("--mark-seen takes no --project, --kind or --since: it would mark what they leave out.");
        if (follow && (since !== undefined || unseen || markSeen))
          throw new UsageError(
            "--follow takes no --since, --unseen or --mark-seen: it prints what happens from now on.",
          );
        const workspaces = await listWorkspaces(sy, named.workspace);
        const workspaceId = named.workspace && workspaces[0]?.id;
        const projectId = named.project && (await findProject(sy, named.project)).id;
        if (follow) {
          // The service checks the kinds of a read, but a stream has all of them.
          if (kind) await sy.request("GET /api/activity", { query: { kind, limit: 1 } });
          const kinds = kind?.split(",");
          const isWanted = (event: ActivityEvent) =>
            (!projectId || event.projectId === projectId) &&
            (!kinds || kinds.includes(event.kind) || kind === event.category);
          const events = workspaceId ? sy.workspace(workspaceId).follow() : sy.follow("GET /api/events", {});
          for await (const { type, data } of events)
            if (type === "activity" && isWanted(data.event))
              output().answer(data.event, [toActivityRow(data.event).join("  ")]);
          return null;
        }
        const query = {
          ...{ since, kind, limit: Math.min(limit, 100), unseen: unseen || markSeen || undefined },
          ...(workspaceId && { workspace: workspaceId }),
          ...(projectId && { project: projectId }),
        };
        const data: ActivityEvent[] = [];
        for await (const event of sy.pages("GET /api/activity", { query })) {
          data.push(event);
          if (data.length >= limit) break;
        }
        output().answer(data, formatTable(data.map(toActivityRow)));
        const last = data.at(-1);
        // Only what is printed is seen. A read with `markSeen` would also mark the rest of a page,
        // and what a lost response had.
        if (markSeen && last)
          await sy.request("PUT /api/activity/seen", {
            body: { through: last.id, ...(workspaceId && { workspaceId }) },
          });
        return null;
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
