// The commands of `npm run operator`, as typed.
import type { OperatorCommand } from "../../src/operator/run-command.ts";
import { Stop } from "./exit.ts";
import { getCause } from "./http.ts";

const oneMachine =
  "On one machine, a service has operator commands if it runs with `npm start -- --public https://HOST`.";

/** What a person does who has not set the key. */
export const missingKey = `Set OPERATOR_KEY to the secret that the service was deployed with. ${oneMachine}`;

export const usage = `npm run operator -- owner LOGIN NAME [SLUG]       makes a workspace, whose owner is the person with this login at the code host
npm run operator -- plan WORKSPACE free|team|enterprise
npm run operator -- credential WORKSPACE anthropic|openai|zai|kimi   reads the API key from standard input
npm run operator -- key LOGIN NAME               makes an API key for a person, and prints it once
npm run operator -- try                          starts a sandbox, asks it for its status and stops it
npm run operator -- workspaces                   lists the workspaces with this month's use, the most expensive first
npm run operator -- people                       lists the people with their workspaces, the newest first
npm run operator -- delete-person PERSON [--yes] [--with-workspaces]   deletes a person, named by user id or login, and shows how far that is
npm run operator -- restore-session ID --at TIME [--yes]   restores a deleted or damaged session to a time of the last 30 days
npm run operator -- parked                       lists the work of objects that keeps failing
npm run operator -- suspend workspace|person NAME  refuses their calls and stops what runs; nothing is deleted
npm run operator -- resume workspace|person NAME   ends that
npm run operator -- retry OBJECT NAME            tries such work of an object again, as parked lists it: retry session 0d3f…

WORKSPACE is a slug, and so is the NAME of a workspace; the NAME of a person is a login or an id. TIME is like 2026-11-20T08:00:00Z. OPERATOR_KEY has to be set, to the secret that the service was deployed with. ${oneMachine}`;

const withoutSubject = ["workspaces", "people", "parked", "try"];

/** Longer than the start of a container. */
const startAnswerMs = 150_000;

/** Parses a command. The service validates its values. Throws `Stop` with the usage. */
export async function readCommand(words: readonly string[], readInput: () => Promise<string>): Promise<object> {
  const [command, subject, object, more, ...rest] = words;
  if (command === "delete-person") return readPersonDeletion(words.slice(1));
  if (command === "restore-session") return readRestore(words.slice(1));
  if (command !== undefined && withoutSubject.includes(command) && words.length === 1) return { command };
  if (subject === undefined || object === undefined || rest.length > 0) throw new Stop(usage);
  if (more !== undefined && command !== "owner") throw new Stop(usage);
  switch (command as OperatorCommand["command"]) {
    case "owner":
      return { command, login: subject, name: object, ...(more === undefined ? {} : { slug: more }) };
    case "plan":
      return { command, workspace: subject, plan: object };
    case "credential":
      return { command, workspace: subject, provider: object, apiKey: (await readInput()).trim() };
    case "key":
      return { command, login: subject, name: object };
    case "retry":
      return { command, object: subject, name: object };
    case "suspend":
    case "resume":
      return { command, type: subject, name: object };
    default:
      throw new Stop(usage);
  }
}

function readPersonDeletion(words: readonly string[]): object {
  const flags = words.filter((word) => word.startsWith("--"));
  const [person, ...others] = words.filter((word) => !word.startsWith("--"));
  const isKnown = flags.every((flag) => flag === "--yes" || flag === "--with-workspaces");
  if (person === undefined || others.length > 0 || !isKnown) throw new Stop(usage);
  const isConfirmed = flags.includes("--yes");
  return { command: "delete-person", person, isConfirmed, withWorkspaces: flags.includes("--with-workspaces") };
}

function readRestore(words: readonly string[]): object {
  const isConfirmed = words.includes("--yes");
  const [session, flag, at, ...rest] = words.filter((word) => word !== "--yes");
  if (session === undefined || session.startsWith("--") || flag !== "--at" || at === undefined || rest.length > 0)
    throw new Stop(usage);
  return { command: "restore-session", session, at, isConfirmed };
}

/**
 * Sends a command, and repeats one that is not finished, as the deletion of a person. Prints each
 * result that differs from the one before.
 */
export async function runCommand(
  command: object,
  {
    send,
    print,
    pause,
  }: {
    send(command: object): Promise<Record<string, string>>;
    print(line: string): void;
    pause(): Promise<unknown>;
  },
): Promise<void> {
  const shown = new Set<string>();
  for (let next = command; ; await pause()) {
    const result = await send(next);
    for (const line of Object.entries(result).map(([name, value]) => `${name}: ${value}`)) {
      if (!shown.has(line)) print(line);
      shown.add(line);
    }
    if (result.state !== "deleting" || result.person === undefined) return;
    // The login is deleted already.
    next = { ...next, person: result.person };
  }
}

/**
 * Sends a command to the service and returns its result. Throws `Stop` with the service's own
 * message.
 */
export async function sendCommand(address: string, key: string, command: object): Promise<Record<string, string>> {
  const answer = await fetch(`${address}/internal/operator`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(command),
    signal: AbortSignal.timeout(startAnswerMs),
  }).catch((error: unknown) => {
    throw new Stop(`Nothing answers at ${address} (${getCause(error)}).`);
  });
  const { data, error } = (await answer.json().catch(() => ({}))) as {
    data?: Record<string, string>;
    error?: string;
  };
  if (answer.ok && data) return data;
  if (answer.status === 404 && error === "There is no such path.")
    throw new Stop(
      `The service has no OPERATOR_KEY. Set one of 32 characters or more, and deploy with it. ${oneMachine}`,
    );
  throw new Stop(error ?? `${address} answers ${answer.status}.`);
}
