// The search in what people and agents said.
import type { Command } from "@commander-js/extra-typings";
import type { Schemas } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseCount } from "../command.ts";
import { findProject, findWorkspace } from "../find.ts";
import { toShortId } from "../print/session.ts";
import { toLine, toStyled } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

type Match = Schemas["MessageMatch"];

/** Adds `search`. */
export function addSearchCommand(program: Command, output: () => Output): void {
  program
    .command("search <words...>")
    .description("search the messages of people and agents, newest first")
    .option("-p, --project <name>", "only in this project")
    .option("-w, --workspace <name>", "only in this workspace")
    .option("-n, --limit <count>", "the maximum number", parseCount, 20)
    .action(
      createAction(output)(async (sy, words, { project, workspace, limit }) => {
        const query = {
          q: words.join(" "),
          ...(project && { project: [(await findProject(sy, project)).id] }),
          ...(workspace && { workspace: [(await findWorkspace(sy, workspace)).id] }),
          pageSize: Math.min(limit, 100),
        };
        const data: Match[] = [];
        for await (const match of sy.pages("GET /api/message-search", { query })) {
          data.push(match);
          if (data.length >= limit) break;
        }
        return { data, lines: data.flatMap(listMatchLines) };
      }),
    );
}

function listMatchLines({ session, role, snippet, marks, createdAt }: Match): string[] {
  const who = role === "user" ? "said" : "answered";
  const head = [toShortId(session.id), formatTime(createdAt), who, toLine(session.title)].join("  ");
  const parts = marks.map(([from = 0, to = 0], at) => {
    const before = snippet.slice(marks[at - 1]?.[1] ?? 0, from);
    return toLine(before) + toStyled("bold", toLine(snippet.slice(from, to)));
  });
  return [head, `    ${parts.join("")}${toLine(snippet.slice(marks.at(-1)?.[1] ?? 0))}`];
}
