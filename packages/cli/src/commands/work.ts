// The work of a session: Up next, changes, pull request, preview and logs.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { type Session, SwitchyardError, toVisible } from "@switchyard/client";
import { type Output, openClient, readText } from "../command.ts";
import { readEditedText } from "../editor.ts";
import { UsageError } from "../exit.ts";
import { findSession } from "../find.ts";
import { openAddress } from "../open.ts";
import { listPatchLines, writeByPager } from "../print/patch.ts";
import { listPullRequestLines, toShortId } from "../print/session.ts";
import { formatTable, toLine, toStyled } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

/** Adds the commands. */
export function addWorkCommands(program: Command, output: () => Output): void {
  program
    .command("diff [id] [path]")
    .description("print the changes of a session as a patch")
    .option("--stat", "only the changed files")
    .action(async (id, path, { stat }) => {
      const session = await findSession(await openClient(), id);
      if (stat) {
        const changes = await session.changes();
        const { files } = changes;
        noteAge(changes, output());
        const rows = files.map((file) => [file.status, toLine(file.path), `+${file.additions} -${file.deletions}`]);
        return output().answer(files, formatTable(rows));
      }
      const diff = await session.diff(path);
      noteAge(diff, output());
      if (output().isJson) return output().answer(diff, []);
      const lines = listPatchLines(diff);
      if (lines.length === 0) output().note("Nothing has changed.");
      await writeByPager(lines);
    });

  program
    .command("pr [id]")
    .description("have the agent open the pull request, or update it")
    .option("--draft", "as a draft")
    .option("-r, --reviewers <names>", "the reviewers, separated by commas")
    .option("--text <text>", "what the description should say")
    .option("--show", "only print it with its checks and reviewers")
    .action(async (id, { draft, reviewers, text, show }) => {
      const session = await findSession(await openClient(), id);
      if (show) {
        const pullRequest = await session.pullRequest();
        return output().answer(pullRequest, listPullRequestLines(pullRequest));
      }
      const sent = await session.openPullRequest({ draft, reviewers: reviewers?.split(","), text });
      output().answer({ delivery: sent.delivery, id: sent.id }, [
        `The agent opens the pull request. → sy wait ${toShortId(session.id)}`,
      ]);
    });

  program
    .command("sync [id]")
    .description("have the agent merge the target branch into the session's branch")
    .action(async (id) => {
      const session = await findSession(await openClient(), id);
      const sent = await session.syncBranch();
      output().answer({ delivery: sent.delivery, id: sent.id }, [
        `The agent updates the branch. → sy wait ${toShortId(session.id)}`,
      ]);
    });

  program
    .command("preview [id]")
    .description("wake the sandbox, wait for the app, and print its addresses")
    .action(async (id) => {
      const session = await findSession(await openClient(), id);
      output().note(toStyled("dim", "waiting for the app", process.stderr));
      const preview = await session.preview.healthy();
      const rows = Object.entries(preview.frontendUrls).map(([name, url]) => [toLine(name), toLine(url)]);
      output().answer(preview, formatTable(rows));
    });

  program
    .command("open [id]")
    .description("open the session in a browser, and print its address")
    .action(async (id) => {
      const { sessionUrl } = (await findSession(await openClient(), id)).data;
      output().answer({ url: sessionUrl }, [toLine(sessionUrl)]);
      openAddress(sessionUrl);
    });

  program
    .command("share [id]")
    .description("print a public link to the preview")
    .option("--off", "revoke it")
    .action(async (id, { off }) => {
      const sy = await openClient();
      const session = await findSession(sy, id);
      if (!off) {
        const link = await session.preview.share();
        return output().answer(link, link === null ? [] : [toLine(link.url)]);
      }
      await sy.request("DELETE /api/projects/{projectId}/preview/share", {
        path: { projectId: session.projectId },
        query: { sessionId: session.id },
      });
      output().answer({ revoked: true }, ["The link is revoked."]);
    });

  program
    .command("logs <id> <service>")
    .description("print the end of a service's log")
    .option("-f, --follow", "also print new output")
    .action(async (id, service, { follow }) => {
      const session = await findSession(await openClient(), id);
      const first = await session.preview.readLog(service);
      output().answer(follow ? first : { log: first.log }, [toVisible(first.log).trimEnd()]);
      if (follow) await followLog(session, { service, after: first.offset }, output());
    });

  addQueueCommands(program, output);
}

/** Says when changes were saved, where the sandbox does not run. */
function noteAge(
  { available, asOf }: { available?: boolean; asOf?: string | null | undefined },
  { note }: Output,
): void {
  if (available !== false) return;
  const text = asOf ? `The sandbox does not run. This was saved at ${formatTime(asOf)}.` : "No work is saved yet.";
  note(toStyled("dim", text, process.stderr));
}

/** True if a queued message is not what it was when it was read. */
function isChanged(error: unknown): boolean {
  const codes = ["QUEUED_MESSAGE_CHANGED", "QUEUED_MESSAGE_GONE"];
  return error instanceof SwitchyardError && codes.includes(error.failure.code);
}

const readAgainMs = 2_000;

/** Prints what a service writes, until the command is ended or the sandbox sleeps. */
async function followLog(
  session: Session,
  { service, after }: { service: string; after: string | null },
  output: Output,
): Promise<never> {
  for (let offset = after; ; ) {
    await new Promise((done) => setTimeout(done, readAgainMs));
    const part = await session.preview.readLog(service, { after: offset ?? undefined });
    offset = part.offset;
    if (part.log === "") continue;
    if (part.isCut)
      output.note("The service has started again, or has written more than is kept. This is its newest output.");
    output.answer(part, [toVisible(part.log).replace(/\n$/, "")]);
  }
}

function addQueueCommands(program: Command, output: () => Output): void {
  const queue = program.command("queue").description("manage the messages that wait Up next");

  /** The message at a place from 1. */
  async function findMessage(id: string, place: string) {
    const session = await findSession(await openClient(), id);
    const { messages } = await session.upNext.list();
    const message = messages[Number(place) - 1];
    if (!message) throw new UsageError(`Up next has ${messages.length} messages, and no message ${place}.`);
    return { session, message };
  }

  queue
    .command("ls [id]")
    .description("list the queued messages")
    .action(async (id) => {
      const session = await findSession(await openClient(), id);
      const waiting = await session.upNext.list();
      const rows = waiting.messages.map(({ content, editingBy, author }, at) => {
        const text = toLine(content).slice(0, 100);
        const isEdited = editingBy && "userId" in author && author.userId === editingBy.userId;
        return [String(at + 1), isEdited ? `${text} (${toLine(author.name)} is editing)` : text];
      });
      const paused = waiting.paused === null ? [] : [toStyled("yellow", `paused: ${waiting.paused.reason}`)];
      output().answer(waiting, [...formatTable(rows), ...paused]);
    });

  queue
    .command("edit <id> <place> [text]")
    .description("replace the text of a queued message, in $EDITOR if no text is given")
    .action(async (id, place, text) => {
      const { session, message } = await findMessage(id, place);
      const edited = text === undefined ? await readEditedText(message.content) : null;
      const content = edited?.text ?? (await readText(text, "a text"));
      try {
        await session.upNext.edit(message.id, { content, version: message.version });
      } catch (error) {
        if (edited === null || !isChanged(error)) throw error;
        const { messages } = await session.upNext.list();
        const theirs = messages.find((one) => one.id === message.id)?.content;
        throw new UsageError(
          [
            theirs === undefined ? "The message does not wait any longer." : `Somebody else has changed it:\n${theirs}`,
            `Your text is in ${edited.file}`,
          ].join("\n"),
        );
      }
      if (edited) await rm(dirname(edited.file), { recursive: true });
      output().answer({ id: message.id }, ["edited"]);
    });

  queue
    .command("mv <id> <from> <to>")
    .description("move a queued message")
    .action(async (id, from, to) => {
      const { session, message } = await findMessage(id, from);
      await session.upNext.move(message.id, Number(to) - 1);
      output().answer({ id: message.id }, [`moved to ${to}`]);
    });

  queue
    .command("rm <id> <place>")
    .description("delete a queued message")
    .action(async (id, place) => {
      const { session, message } = await findMessage(id, place);
      await session.upNext.delete(message.id);
      output().answer({ id: message.id }, ["deleted"]);
    });

  queue
    .command("send <id> <place>")
    .description("send a queued message now")
    .action(async (id, place) => {
      const { session, message } = await findMessage(id, place);
      const turn = await session.upNext.send(message.id);
      output().answer({ delivery: "job", id: turn.id }, ["its turn started"]);
    });

  queue
    .command("steer <id> <place>")
    .description("steer a queued message into the running turn")
    .action(async (id, place) => {
      const { session, message } = await findMessage(id, place);
      await session.upNext.steer(message.id);
      output().answer({ delivery: "steer", id: message.id }, ["steered into the running turn"]);
    });

  queue
    .command("resume [id]")
    .description("resume Up next")
    .action(async (id) => {
      const session = await findSession(await openClient(), id);
      await session.upNext.resume();
      output().answer({ resumed: true }, ["Up next continues."]);
    });
}
