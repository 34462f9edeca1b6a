// Deploys of a project, and the chat with its deploy agent.
import { setTimeout } from "node:timers/promises";
import type { Command } from "@commander-js/extra-typings";
import { type Event, type Schemas, type Switchyard, SwitchyardError, toVisible } from "@switchyard/client";
import { type Answer, createAction } from "../action.ts";
import { type Output, parseCount } from "../command.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { findProject, projectFlag } from "../find.ts";
import { toShortId } from "../print/session.ts";
import { formatTable, toLine, toStyled } from "../print/text.ts";
import { formatSpan, formatTime } from "../print/time.ts";
import { createTurnPrinter } from "../print/turn.ts";
import { type Chat, followInTerminal } from "./attach.ts";

type Deploy = Schemas["Deploy"];
type Delivery = Schemas["DeployDelivery"];

const operation = "/api/projects/{projectId}/settings/agentic-deploy";

/** The exit codes of Deploys that have ended, or that wait for a person. */
const endCodes: Partial<Record<Deploy["status"], number>> = {
  deployed: exitCodes.done,
  failed: exitCodes.turnFailed,
  awaiting_user: exitCodes.asks,
  cancelled: exitCodes.stopped,
};

/** Adds `deploy`. */
export function addDeployCommands(program: Command, output: () => Output): void {
  const deploy = program.command("deploy").description("Deploys of a project, and the chat with its deploy agent");
  const action = createAction(output);

  deploy
    .command("start [text]")
    .description("start a Deploy, with optional instructions")
    .option(...projectFlag)
    .option("--restart", "stop the running Deploy first")
    .option("--wait", "wait until it has ended; exits with 3 if it failed, and with 4 if it asks")
    .action(
      action(async (sy, text, { project: named, restart, wait }) => {
        const project = await findProject(sy, named);
        const [newest] = (await listDeploys(sy, project.id, 1)) ?? [];
        if (newest && !(newest.status in endCodes) && !restart)
          throw new UsageError(`A Deploy of ${toLine(project.name)} runs. → sy deploy chat, or --restart to stop it`);
        // Without a text, a new Deploy stops the one that runs. One with a text is refused instead.
        if (text !== undefined && restart) (await cancel(sy, project.id)).unsent.forEach(output().note);
        const body = text === undefined ? undefined : { userResponse: text, freshDeploy: true };
        const started = await start(sy, project.id, body, restart === true);
        if (!wait || started.delivery !== "job") return toAnswer(started);
        const ended = await waitForDeploy(sy, project.id, started.deployJobId, output());
        process.exitCode = endCodes[ended.status] ?? exitCodes.done;
        return { data: ended, lines: [formatEnd(ended)] };
      }),
    );

  deploy
    .command("chat [text]")
    .description("follow the Deploy Chat, or send a text to the deploy agent")
    .option(...projectFlag)
    .action(
      action(async (sy, text, { project }) => {
        const { id, name } = await findProject(sy, project);
        if (text !== undefined) return toAnswer(await send(sy, id, { userResponse: text }));
        output().note(toStyled("dim", `Deploy Chat of ${toLine(name)}`, process.stderr));
        await follow(openChat(sy, id), output());
        return null;
      }),
    );

  deploy
    .command("cancel")
    .description("stop the Deploy that runs or waits for an answer")
    .option(...projectFlag)
    .action(
      action(async (sy, { project }) => {
        const { data, unsent } = await cancel(sy, (await findProject(sy, project)).id);
        return { data, lines: [data.cancelled === 0 ? "No Deploy runs." : "The Deploy is stopped.", ...unsent] };
      }),
    );

  deploy
    .command("ls")
    .description("list Deploys, newest first")
    .option(...projectFlag)
    .option("-n, --limit <count>", "the maximum number", parseCount, 30)
    .action(
      action(async (sy, { project, limit }) => {
        const data = await listDeploys(sy, (await findProject(sy, project)).id, limit);
        return { data, lines: formatTable(data.map(toDeployRow)) };
      }),
    );
}

async function cancel(sy: Switchyard, projectId: string) {
  const data = await sy.request(`POST ${operation}/cancel`, { path: { projectId } });
  return { data, unsent: data.discardedInstructions.map(({ content }) => `not sent: ${toVisible(content)}`) };
}

const stopLookMs = 500;
const stopMs = 60_000;

/** Starts a Deploy. After a stop, it waits until the turn of the stopped Deploy has ended. */
async function start(
  sy: Switchyard,
  projectId: string,
  body: Message | undefined,
  isAfterStop: boolean,
): Promise<Delivery> {
  const until = Date.now() + (isAfterStop ? stopMs : 0);
  for (;;) {
    try {
      return await send(sy, projectId, body);
    } catch (error) {
      const isActive = error instanceof SwitchyardError && error.failure.code === "DEPLOY_ACTIVE";
      if (!isActive || Date.now() >= until) throw error;
      // Another Deploy is active if somebody has started one meanwhile.
      const [newest] = await listDeploys(sy, projectId, 1);
      if (newest?.status !== "cancelled") throw error;
      await setTimeout(stopLookMs);
    }
  }
}

async function listDeploys(sy: Switchyard, projectId: string, limit: number): Promise<Deploy[]> {
  const query = { pageSize: Math.min(limit, 100) };
  const found: Deploy[] = [];
  for await (const deploy of sy.pages("GET /api/projects/{projectId}/deploys", { path: { projectId }, query })) {
    found.push(deploy);
    if (found.length >= limit) break;
  }
  return found;
}

async function findDeploy(sy: Switchyard, projectId: string, id: string): Promise<Deploy | null> {
  for await (const deploy of sy.pages("GET /api/projects/{projectId}/deploys", { path: { projectId } }))
    if (deploy.id === id) return deploy;
  return null;
}

interface Message {
  userResponse: string;
  freshDeploy?: boolean;
  answers?: { question: number; option: number | string }[];
}

async function send(sy: Switchyard, projectId: string, body: Message | undefined): Promise<Delivery> {
  const idempotencyKey = crypto.randomUUID();
  return await sy.request(`POST ${operation}`, { path: { projectId }, ...(body && { body }), idempotencyKey });
}

function toAnswer(sent: Delivery): Answer {
  const line = {
    job: "The deploy agent works. → sy deploy chat",
    steer: "The deploy agent gets it in its turn. → sy deploy chat",
    queued: "It waits Up next. → sy deploy chat",
  }[sent.delivery];
  return { data: sent, lines: [line] };
}

/** The Deploy Chat, to follow and to write to. */
function openChat(sy: Switchyard, projectId: string): Chat<Event<Schemas["DeployEvents"]>> {
  const path = { projectId };
  return {
    send: (text) => send(sy, projectId, { userResponse: text }),
    steer: (text) => send(sy, projectId, { userResponse: text }),
    answer: (answers, text = "") => send(sy, projectId, { userResponse: text, answers: [...answers] }),
    stop: () => sy.request(`POST ${operation}/cancel`, { path }),
    follow: (options) => sy.follow("GET /api/projects/{projectId}/deploy-messages/events", { path }, options),
  };
}

async function follow(chat: Chat<Event<Schemas["DeployEvents"]>>, { isJson }: Output): Promise<void> {
  if (process.stdin.isTTY && process.stdout.isTTY && !isJson) return await followInTerminal(chat);
  const print = createTurnPrinter((piece) => process.stdout.write(piece));
  for await (const event of chat.follow({}))
    if (isJson) process.stdout.write(`${JSON.stringify(event)}\n`);
    else print(event);
}

/** Waits until a Deploy has ended, or asks. Each of its states is a line on stderr. */
async function waitForDeploy(sy: Switchyard, projectId: string, id: string, { note }: Output): Promise<Deploy> {
  let seen: Deploy["status"] | null = null;
  for await (const { type, data } of openChat(sy, projectId).follow({})) {
    if (type !== "deploy" || data.deploy === null) continue;
    // The stream has only the newest Deploy. One that is started later stops this one.
    const deploy = data.deploy.id === id ? data.deploy : await findDeploy(sy, projectId, id);
    if (!deploy || deploy.status === seen) continue;
    seen = deploy.status;
    note(toStyled("dim", seen.replaceAll("_", " "), process.stderr));
    if (seen in endCodes) return deploy;
  }
  throw new UsageError("The project was deleted while its Deploy ran.");
}

function formatEnd({ status, error }: Deploy): string {
  if (status === "awaiting_user") return "The deploy agent asks. → sy deploy chat";
  return error === null ? `The Deploy is ${status}.` : `The Deploy is ${status}: ${toLine(error)}`;
}

function toDeployRow({ id, createdAt, startedAt, completedAt, status, trigger, error }: Deploy): string[] {
  const said = error === null ? "" : toLine(error).slice(0, 100);
  const by = trigger === "user" ? "by a member" : "by the service";
  const span = formatSpan(startedAt, completedAt);
  return [toShortId(id), formatTime(createdAt), status.replaceAll("_", " "), span, by, said];
}
