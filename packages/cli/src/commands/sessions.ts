// Sessions: starting, listing, showing and following them, and waiting for their turns.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { type AttachedFile, type Session, type Switchyard, SwitchyardError, toVisible } from "@switchyard/client";
import { findProvider } from "../../../../src/model/rules/model.ts";
import { sessionStatuses } from "../../../../src/session/rules/status.ts";
import {
  type Output,
  openClient,
  parseChoices,
  parseCount,
  parseDuration,
  parsePair,
  readJsonFile,
  readStdin,
  readText,
  readTextFile,
} from "../command.ts";
import { UsageError } from "../exit.ts";
import { findNamed, findProjectName, findSession, projectFlag } from "../find.ts";
import {
  formatChanges,
  formatChecks,
  listPlanLines,
  listQuestionLines,
  listSessionLines,
  toAnswerCommand,
  toSessionRow,
  toShortId,
} from "../print/session.ts";
import { formatTable, toLine, toStyled } from "../print/text.ts";
import { createTurnPrinter } from "../print/turn.ts";
import { checkWaitOptions, printSent, timeoutFlag, waitFlag, waitFor } from "../sent.ts";
import { followInTerminal } from "./attach.ts";

const fileFlag = ["-f, --file <path>", "read the message from a file"] as const;
const attachFlag = ["--attach <path...>", "files that come with the message; `-` is what stdin has"] as const;

/** The message of an argument, of a file, or of stdin. */
async function readMessage(text: string | undefined, file: string | undefined): Promise<string> {
  if (file !== undefined && text !== undefined) throw new UsageError("Give a message or --file, not both.");
  return file === undefined ? await readText(text, "a message") : await readTextFile(file, "a message");
}

const readFiles = (paths: readonly string[]): Promise<AttachedFile[]> =>
  Promise.all(
    paths.map(async (path) => {
      if (path === "-") return { name: "stdin.txt", data: new Uint8Array(await readStdin()) };
      const data = await readFile(path).catch(() => null);
      if (data === null) throw new UsageError(`${path} cannot be read.`);
      return { name: basename(path), data: new Uint8Array(data) };
    }),
  );

const schemaFlag = ["--schema <path>", "a JSON Schema in a file: the turn ends with a result of it"] as const;

/** Adds the commands. */
export function addSessionCommands(program: Command, output: () => Output): void {
  program
    .command("new [text]")
    .description("start a session with a message; `-` reads it from stdin")
    .option(...projectFlag)
    .option(...fileFlag)
    .option("-m, --model <id>", "the model")
    .option("--title <text>", "the title")
    .option("--base <branch>", "the branch that the pull request is merged into")
    .option("--limit <usd>", "what the session may cost, in US dollars")
    .option(...attachFlag)
    .option("--metadata <key=value...>", "metadata, to find the session again")
    .option(...schemaFlag)
    .option("--backlog", "put it into the Backlog: nothing starts")
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (text, options) => {
      checkWaitOptions(options);
      const project = await findProjectName(options.project);
      const content = await readMessage(text, options.file);
      const limit = options.limit === undefined ? undefined : Number(options.limit);
      if (limit !== undefined && !Number.isFinite(limit))
        throw new UsageError(`--limit ${options.limit} is not a number.`);
      const sy = await openClient();
      const creating = sy.sessions.create({
        project,
        title: options.title ?? content.trim().split("\n")[0]?.slice(0, 80) ?? "",
        ...(options.backlog ? { prompt: content, status: "backlog" } : { content }),
        ...(options.model && { model: options.model }),
        ...(options.base && { targetBranch: options.base }),
        ...(limit !== undefined && { spendLimitUsd: limit }),
        ...(options.metadata && { metadata: Object.fromEntries(options.metadata.map(parsePair)) }),
        ...(options.schema && { resultSchema: await readJsonFile(options.schema, "a schema") }),
        attachments: await readFiles(options.attach ?? []),
      });
      const session = await findNamed(creating, "sy projects");
      const turn = session.turn;
      if (!options.wait || turn === null) return output().answer(session.data, listSessionLines(session.data));
      output().note(toLine(`${toShortId(session.id)} ${session.data.sessionUrl}`));
      await waitFor(session, turn, options.timeout, true, output());
    });

  program
    .command("ls")
    .description("list sessions, most recently changed first")
    .option("--needs-you", "only those that need somebody")
    .option("--mine", "only yours")
    .addOption(new Option("--status <status...>", "only these statuses").choices(sessionStatuses))
    .option("--search <text>", "a part of the title or the prompt")
    .option("--metadata <key=value...>", "only with all of these")
    .option("-n, --limit <count>", "the maximum number", parseCount, 30)
    .option("--all", "all sessions")
    .action(async ({ needsYou, mine, status, search, metadata, limit: given, all }) => {
      const limit = all ? Number.POSITIVE_INFINITY : given;
      const sy = await openClient();
      const listed: Session["data"][] = [];
      let hasMore = false;
      const query = {
        ...(needsYou && { needsYou: true }),
        ...(mine && { assignee: "me" }),
        ...(status && { status }),
        ...(search && { search }),
        ...(metadata && { metadata: metadata.map((pair) => parsePair(pair).join(":")) }),
        sort: "updated" as const,
        // One more shows whether there are others.
        pageSize: Math.min(limit + 1, 100),
      };
      for await (const { data } of sy.sessions.list(query)) {
        if (listed.length === limit) {
          hasMore = true;
          break;
        }
        listed.push(data);
      }
      output().answer(listed, formatTable(listed.map(toSessionRow)));
      if (hasMore) output().note(toStyled("dim", "There are more. → sy ls --all", process.stderr));
    });

  program
    .command("show [id]")
    .description("show a session, its last answer and its questions")
    .option("--transcript", "the whole conversation")
    .action(async (id, { transcript }) => {
      const session = await findSession(await openClient(), id);
      const [{ messages }, files, pullRequest] = await Promise.all([
        session.messages(transcript ? {} : { limit: 30 }),
        // What a person can read here must not be lost because the code host does not answer.
        session.data.branch === null ? null : session.changes().then((changes) => changes.files, nullIfRefused),
        session.data.prUrl === null ? null : session.pullRequest().catch(nullIfRefused),
      ]);
      const blocks = messages.findLast(({ role }) => role === "assistant")?.blocks ?? [];
      const questions =
        session.data.latestChatJob?.status === "awaiting_response"
          ? blocks.flatMap((block) => (block.type === "clarification" ? block.clarificationData.questions : []))
          : [];
      const said = transcript ? messages.flatMap((message) => listMessageLines(message)) : listTexts(blocks).slice(-1);
      output().answer({ session: session.data, messages, files, pullRequest }, [
        ...listSessionLines(session.data, [
          ["changes", files && formatChanges(files)],
          ["checks", pullRequest && formatChecks(pullRequest)],
        ]),
        ...listPlanLines(blocks),
        ...said.flatMap((text) => ["", text]),
        ...(questions.length > 0 ? ["", ...listQuestionLines(questions, toAnswerCommand(session.id))] : []),
      ]);
    });

  program
    .command("start <id>")
    .description("start a session of the Backlog")
    .action(async (id) => {
      const sy = await openClient();
      const session = await findSession(sy, id);
      const started = await sy.request("POST /api/projects/{projectId}/chat-sessions/{sessionId}/activate", {
        path: { projectId: session.projectId, sessionId: session.id },
        idempotencyKey: crypto.randomUUID(),
      });
      output().answer(started.session, listSessionLines(started.session));
    });

  program
    .command("send <id> [text]")
    .description("send a message, which waits Up next while a turn runs; `-` reads it from stdin")
    .option(...fileFlag)
    .option(...attachFlag)
    .option("-m, --model <id>", "the model from this turn on")
    .option(...schemaFlag)
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (id, text, options) => {
      checkWaitOptions(options);
      const session = await findSession(await openClient(), id);
      const sent = await session.send(await readMessage(text, options.file), {
        attachments: await readFiles(options.attach ?? []),
        ...(options.model && { model: options.model }),
        ...(options.schema && { resultSchema: await readJsonFile(options.schema, "a schema") }),
      });
      await printSent(session, sent, options, output());
    });

  program
    .command("steer <id> [text]")
    .description("send a message into the running turn; `-` reads it from stdin")
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (id, text, options) => {
      checkWaitOptions(options);
      const session = await findSession(await openClient(), id);
      const sent = await session.steer(await readText(text, "a message"));
      await printSent(session, sent, options, output());
    });

  program
    .command("answer <id> <choice...>")
    .description("answer the questions of a turn: the number of an option, 1=0 for question 1, or a text")
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (id, choices, options) => {
      checkWaitOptions(options);
      const session = await findSession(await openClient(), id);
      const { answers, text } = parseChoices(choices);
      const sent = await session.answer(answers, text);
      await printSent(session, sent, options, output());
    });

  program
    .command("stop [id]")
    .description("stop the running turn")
    .action(async (id) => {
      const session = await findSession(await openClient(), id);
      await session.stop();
      await session.refresh();
      output().answer(session.data, [`${toShortId(session.id)} is stopped.`]);
    });

  program
    .command("wait [id]")
    .description("wait until the newest turn has ended, and print its answer")
    .option("--timeout <time>", "the maximum time, such as 20m", parseDuration)
    .option("--exit-status", "exit with 3 if the turn failed, 4 if it asks, 5 at a limit, 6 if it was stopped")
    .action(async (id, { timeout, exitStatus }) => {
      const session = await findSession(await openClient(), id);
      await waitFor(session, null, timeout, exitStatus === true, output());
    });

  program
    .command("attach [id]")
    .description("follow a session; in a terminal, what you type is sent")
    .action(async (id) => {
      const sy = await openClient();
      const session = await findSession(sy, id);
      const { isJson, note } = output();
      note(toStyled("dim", toLine(`${session.data.title} ${session.data.sessionUrl}`), process.stderr));
      if (process.stdin.isTTY && process.stdout.isTTY && !isJson)
        return await followInTerminal(session, () => listSkillNames(sy, session));
      const print = createTurnPrinter((piece) => process.stdout.write(piece), toAnswerCommand(session.id));
      for await (const event of session.follow())
        if (isJson) process.stdout.write(`${JSON.stringify(event)}\n`);
        else print(event);
    });
}

/** The names of the skills that a session can run. Those of its repository need its sandbox. */
async function listSkillNames(sy: Switchyard, { id, projectId, data }: Session): Promise<string[]> {
  const provider = findProvider(data.model);
  const query = { sessionId: id, ...(provider && { provider }) };
  const skills = await sy.request("GET /api/projects/{projectId}/skills", { path: { projectId }, query });
  return skills.map(({ name }) => name);
}

function nullIfRefused(error: unknown): null {
  if (error instanceof SwitchyardError) return null;
  throw error;
}

type Message = Awaited<ReturnType<Session["messages"]>>["messages"][number];

const listTexts = (blocks: Message["blocks"]) =>
  blocks.flatMap((block) => (block.type === "text" && block.content !== "" ? [toVisible(block.content)] : []));

function listMessageLines({ role, content, blocks, author }: Message): string[] {
  const sender = author === null ? role : "name" in author ? author.name : author.kind;
  const who = role === "assistant" ? "Agent" : sender;
  const said = blocks.flatMap((block) => {
    if (block.type === "clarification") return listQuestionLines(block.clarificationData.questions, null);
    return block.type === "tool" ? [`▸ ${toLine(block.title)}`] : listTexts([block]);
  });
  return [toStyled("bold", toLine(who)), ...(content === null ? [] : [toVisible(content)]), ...said];
}
