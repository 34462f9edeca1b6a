// Review comments: they are collected, and sent to the agent together.
import type { Command } from "@commander-js/extra-typings";
import { createAction } from "../action.ts";
import { type Output, readText } from "../command.ts";
import { UsageError } from "../exit.ts";
import { findSession } from "../find.ts";
import { toShortId } from "../print/session.ts";
import { formatTable, toLine } from "../print/text.ts";

/** Adds `comment`. */
export function addCommentCommand(program: Command, output: () => Output): void {
  program
    .command("comment [id] [place] [text]")
    .description("comment on changed lines, such as src/a.ts:12 or src/a.ts:12-15; without a place, list the comments")
    .option("--old", "the lines before the change")
    .option("--send", "send all open comments to the agent, as one message")
    .option("--resolve", "resolve the open comments on the place, or all")
    .action(
      createAction(output)(async (sy, first, second, third, { old, send, resolve }) => {
        // A place is no name of a session, so that the session may be left out before it.
        const [id, place, text] = isPlace(first) ? [undefined, first, second] : [first, second, third];
        const session = await findSession(sy, id);
        const lines = place === undefined ? null : parsePlace(place);
        if (lines !== null && !resolve) {
          const body = await readText(text, "a comment");
          await session.comments.add({ ...lines, side: old ? "old" : "new", body });
        }
        const comments = await session.comments.list();
        const open = comments.filter(({ resolved }) => !resolved);
        if (resolve) {
          const done = open.filter((comment) => lines === null || isOn(comment, lines));
          for (const { id: commentId } of done) await session.comments.resolve(commentId);
          return { data: done, lines: [`${formatCount(done.length)} resolved.`] };
        }
        if (!send) {
          const next = open.length === 0 ? [] : [`→ sy comment ${toShortId(session.id)} --send`];
          const rows = open.map(({ filePath, startLineNumber, endLineNumber, outdated, body }) => [
            `${toLine(filePath)}:${formatLines(startLineNumber, endLineNumber)}`,
            outdated ? "outdated" : "",
            toLine(body),
          ]);
          return { data: comments, lines: [...formatTable(rows), ...next] };
        }
        if (open.length === 0) throw new UsageError("There is no open comment. → sy comment ID FILE:LINE TEXT");
        const { delivery, id: sentId } = await session.comments.sendAll();
        const sent = `${formatCount(open.length)} sent.`;
        return { data: { delivery, id: sentId }, lines: [`${sent} → sy wait ${toShortId(session.id)}`] };
      }),
    );
}

interface Place {
  filePath: string;
  startLineNumber: number;
  endLineNumber: number;
}

const placeShape = /^(.+):(\d+)(?:-(\d+))?$/;

/** True for a place. `pr:12` is a session. */
const isPlace = (text = ""): boolean => placeShape.test(text) && !/^pr:\d+$/.test(text);

/** Reads the file and the lines of a place such as `src/a.ts:12-15`. */
export function parsePlace(place: string): Place {
  const [, filePath, start, end = start] = placeShape.exec(place) ?? [];
  if (filePath === undefined) throw new UsageError(`${place} is no place. Write it as FILE:LINE or FILE:LINE-LINE.`);
  return { filePath, startLineNumber: Number(start), endLineNumber: Number(end) };
}

const formatLines = (start: number, end: number): string => (start === end ? String(start) : `${start}-${end}`);

const isOn = (comment: Place, { filePath, startLineNumber, endLineNumber }: Place): boolean =>
  comment.filePath === filePath && comment.startLineNumber <= endLineNumber && comment.endLineNumber >= startLineNumber;

const formatCount = (count: number): string => (count === 1 ? "1 comment is" : `${count} comments are`);
