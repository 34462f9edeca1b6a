// A simulated sandbox host: it starts and stops sandboxes that respond as their program would,
// records the calls, and fails, waits or loses a sandbox on request.
import type { NetworkInForce } from "../../../src/network/rules/network.ts";
import { protocolVersion } from "../../../src/sandbox/rules/program-version.ts";
import { bootHeader } from "../../../src/sandbox-protocol/headers.ts";
import { standIn } from "./outside.ts";

interface Running {
  secret: string;
  bootId: string;
  checkedOut: boolean;
  network: NetworkInForce;
  /** What was restored into it. */
  restored: string | null;
}

export interface ScriptedHost {
  /** The events, such as `start s0123` or `PUT /checkout`, in order. */
  happened: string[];
  /** The JSON bodies that the programs received, in order. */
  bodies: string[];
  /** The calls of each program, by the key of its sandbox. */
  calls: { key: string; call: string; body: string | null }[];
  running: Map<string, Running>;
  /** The protocol of its programs. */
  protocolVersion: number;
  /** True if a pause keeps the disk of its sandbox. */
  keepsDisks: boolean;
  /** The keys of the sandboxes whose disks are kept. */
  keptDisks: Set<string>;
  /** Returned in turn to the next calls of this kind, instead of the normal response. */
  answerNext(call: string, ...answers: (() => Response | Promise<Response>)[]): void;
  /** The sandbox is gone, without a report. */
  lose(key: string): void;
  /** Its program restarts empty, with the same secret and without a report. */
  replace(key: string): void;
  count(call: string): number;
  /**
   * Forgets the events and its instructions; no sandbox runs. Earlier sandboxes get responses, but
   * are not recorded and get no instructions.
   */
  forget(): void;
}

const jsonPuts = ["PUT /checkout", "PUT /services"];
/** The other puts are of archives, which are streams. */
const isJson = ({ method }: Request, call: string) => method === "POST" || jsonPuts.includes(call);

const hostUrl = "http://sandbox-host.test/sandboxes/";

/** Replaces the sandbox host. */
export function openScriptedHost(): ScriptedHost {
  const answers = new Map<string, (() => Response | Promise<Response>)[]>();
  // The objects of a finished test continue for a while: their calls are not part of the running
  // test.
  const present = new Set<string>();
  const past = new Set<string>();
  const host: ScriptedHost = {
    happened: [],
    bodies: [],
    calls: [],
    running: new Map(),
    protocolVersion,
    keepsDisks: false,
    keptDisks: new Set(),
    answerNext: (call, ...next) => void answers.set(call, [...(answers.get(call) ?? []), ...next]),
    lose: (key) => void host.running.delete(key),
    replace(key) {
      const running = host.running.get(key);
      if (running) host.running.set(key, { ...empty(), secret: running.secret, network: running.network });
    },
    count: (call) => host.happened.filter((what) => what === call).length,
    forget() {
      for (const key of present) past.add(key);
      present.clear();
      host.happened.length = 0;
      host.bodies.length = 0;
      host.calls.length = 0;
      host.running.clear();
      host.protocolVersion = protocolVersion;
      host.keepsDisks = false;
      host.keptDisks.clear();
      answers.clear();
    },
  };

  async function answer(request: Request): Promise<Response> {
    const [named = "", , ...path] = request.url.slice(hostUrl.length).split("/");
    const [key = "", end] = named.split("?");
    const isProgram = path.length > 0;
    const call = isProgram ? `${request.method} /${path.join("/").split("?")[0]}` : `${verbs[request.method]} ${key}`;
    const life = () => startOrEnd(key, request, end);
    if (past.has(key)) return isProgram ? await signed(key, program(key, call, request)) : await life();
    present.add(key);
    host.happened.push(call);
    if (isProgram) {
      host.calls.push({ key, call, body: call === "PUT /checkout" ? await request.clone().text() : null });
    }
    if (isProgram && isJson(request, call)) host.bodies.push(await request.clone().text());
    const told = (answers.get(call) ?? answers.get(call.split(" ")[0] ?? ""))?.shift();
    if (told) return await signed(key, told());
    return isProgram ? await signed(key, program(key, call, request)) : await life();
  }

  /** Each response of a program has the id of its process. */
  async function signed(key: string, answer: Response | Promise<Response>): Promise<Response> {
    const bootId = host.running.get(key)?.bootId;
    const given = await answer;
    if (bootId !== undefined) given.headers.set(bootHeader, bootId);
    return given;
  }

  async function startOrEnd(key: string, request: Request, end: string | undefined): Promise<Response> {
    switch (request.method) {
      case "PUT": {
        if (host.running.has(key)) return Response.json({ message: "The sandbox is running." }, { status: 409 });
        const { secret, network } = await request.json<Pick<Running, "secret" | "network">>();
        host.running.set(key, { ...empty(), secret, network, checkedOut: host.keptDisks.delete(key) });
        return Response.json({ running: true });
      }
      case "DELETE":
        host.running.delete(key);
        if (end === "keep" && host.keepsDisks) host.keptDisks.add(key);
        if (end === "discard") host.keptDisks.delete(key);
        return new Response(null, { status: 204 });
      default:
        return Response.json({ running: host.running.has(key), network: host.running.get(key)?.network, seen: [] });
    }
  }

  async function program(key: string, call: string, request: Request): Promise<Response> {
    const sandbox = host.running.get(key);
    if (!sandbox) return new Response(null, { status: 503, headers: { "x-sandbox-missing": "1" } });
    if (request.headers.get("authorization") !== `Bearer ${sandbox.secret}`) {
      return Response.json({ code: "UNAUTHORIZED", message: "This is not the sandbox's secret." }, { status: 401 });
    }
    switch (call) {
      case "GET /status":
        return Response.json({
          protocolVersion: host.protocolVersion,
          programVersion: "1",
          checkedOut: sandbox.checkedOut,
          bootId: sandbox.bootId,
          turnId: null,
          services: [],
        });
      case "PUT /checkout":
        sandbox.checkedOut = true;
        return Response.json({ head: "0".repeat(40), paysABase: false });
      case "GET /archive":
        return new Response(`work of ${sandbox.secret}`);
      case "GET /archive/base":
        return new Response("a base");
      case "PUT /archive":
        sandbox.restored = await request.text();
        return Response.json({ baseId: null });
      case "POST /checkout/follow":
        return Response.json({ head: "0".repeat(40), moved: false });
      case "POST /git/commit":
        return Response.json({ sha: "c".repeat(40) });
      case "GET /files/content":
        return Response.json({ content: "content" });
      case "POST /turns":
        return new Response(null, { status: 202 });
      default:
        return new Response(null, { status: 204 });
    }
  }

  standIn(hostUrl, answer);
  return host;
}

const empty = () => ({ bootId: crypto.randomUUID(), checkedOut: false, restored: null });

const verbs: Record<string, string> = { PUT: "start", DELETE: "stop", GET: "look" };

/** A refusal of the sandbox program. */
export function programRefusal(code: string, message: string) {
  return () => Response.json({ code, message }, { status: 409 });
}

/**
 * Gives a response once it is released. It is created only then, by the object that receives it.
 */
export function held(answer: () => Response) {
  let isOver = false;
  return {
    async answer() {
      while (!isOver) await scheduler.wait(5);
      return answer();
    },
    goOn() {
      isOver = true;
    },
  };
}
