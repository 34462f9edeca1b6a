// A service for a team on one machine, with a practice code host and a practice provider in the
// place of the real ones. Requests go to the port of its proxy, under its public host.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { startPracticeProvider } from "../../practice/model-provider/provider.ts";
import { createWorld } from "./running-world.ts";
import { startBrowser } from "./sign-in-browser.ts";
import { until } from "./until.ts";

export const publicHost = "switchyard.example.com";
export const previewDomain = "previews.example.net";
const repository = "acme/demo-app";
export const flags = ["--public", `https://${publicHost}`, "--previews", previewDomain];

export interface PublicReply {
  status: number;
  headers: IncomingHttpHeaders;
  // Tests read responses like a client in an untyped language.
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test checks
  body: any;
}

export interface Asked {
  method?: string;
  host?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends a request as a proxy does. */
function askThrough(port: number, path: string, asked: Asked = {}): Promise<PublicReply> {
  const { method = "GET", host = publicHost, headers = {}, body } = asked;
  return new Promise((resolve, reject) => {
    const proxied = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7", host };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port, path, method, headers: { ...proxied, ...type, ...headers } });
    sent.once("error", reject).once("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk)).once("error", reject);
      answer.once("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: isJson ? JSON.parse(text) : text });
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Starts the outside services. The service itself is not running yet. */
export async function createPublicWorld() {
  const world = await createWorld();
  const { port, stateDir } = world;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const appKey = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const draw = () => randomBytes(24).toString("hex");
  const [clientSecret, webhookSecret, token] = [draw(), draw(), draw()];
  const provider = await startPracticeProvider();
  const codeHost = await startPracticeCodeHost({
    folder: `${stateDir}-forge`,
    token,
    app: { id: "7", key: appKey },
    oauth: { clientId: "team", clientSecret, callbackUrl: `https://${publicHost}/api/auth/github/callback` },
  });
  await codeHost.createRepository(repository, join(import.meta.dirname, "../../practice/demo-app"));
  const env = {
    SIGN_UP: "olive-owner",
    CODE_HOST_APP_ID: "7",
    CODE_HOST_APP_PRIVATE_KEY: appKey,
    CODE_HOST_CLIENT_ID: "team",
    CODE_HOST_CLIENT_SECRET: clientSecret,
    CODE_HOST_WEBHOOK_SECRET: webhookSecret,
    GITHUB_SERVER_URL: codeHost.url,
    GITHUB_API_URL: codeHost.url,
    ANTHROPIC_BASE_URL: `${provider.url}/anthropic`,
  };
  const ask = (path: string, asked?: Asked) => askThrough(port, path, asked);

  /** Runs a command of the operator. */
  async function operate(command: object): Promise<PublicReply> {
    const key = readFileSync(`${stateDir}/operator-key`, "utf8");
    const headers = { authorization: `Bearer ${key}` };
    return await ask("/internal/operator", { method: "POST", headers, body: command });
  }

  /** Signs in with an account of the code host. Returns the response of the callback. */
  async function signIn(login: string): Promise<PublicReply> {
    const started = await ask("/api/auth/github/connect");
    const cookie = [started.headers["set-cookie"] ?? []].flat().map((one) => one.split(";")[0]);
    const browser = startBrowser({ baseUrl: codeHost.url, signInUrl: codeHost.signInUrl });
    const back = new URL(await browser.choose(started.headers.location ?? "", login));
    return await ask(back.pathname + back.search, { headers: { cookie: cookie.join("; ") } });
  }

  return {
    ...{ world, port, stateDir, env, webhookSecret, ask, operate, signIn },
    /** Signs the owner in, and makes a workspace with a key, and a project. */
    async settle() {
      const { status, body } = await signIn("olive-owner");
      if (status !== 302) throw new Error(`the sign-in answered ${status}: ${JSON.stringify(body)}`);
      const made = await operate({ command: "owner", login: "olive-owner", name: "Trains", slug: "trains" });
      await operate({ command: "plan", workspace: "trains", plan: "team" });
      await operate({
        ...{ command: "credential", workspace: "trains", provider: "anthropic" },
        apiKey: `sk-practice-anthropic-${draw()}`,
      });
      const { key } = (await operate({ command: "key", login: "olive-owner", name: "CI" })).body.data;
      const call = async (method: string, path: string, body?: unknown) =>
        await ask(path, { method, headers: { authorization: `Bearer ${key}` }, ...(body !== undefined && { body }) });
      const project = await call("POST", "/api/projects", { orgId: made.body.data.id, name: "Board", repository });
      if (project.status !== 201) throw new Error(`the project answered ${JSON.stringify(project.body)}`);
      const sessions = `/api/projects/${project.body.data.id}/chat-sessions`;
      return {
        ...{ call, key, projectId: project.body.data.id, sessions },
        /** Sends a first message or a next one. Returns its session and its ended job. */
        async run(content: string, path?: string) {
          const sent = await call("POST", path ? `${path}/jobs/chat` : sessions, { content });
          const at = path ?? `${sessions}/${sent.body.data?.session?.id}`;
          const job = await until("the job to end", async () => {
            const { body } = await call("GET", `${at}/jobs/chat/${sent.body.data?.chatJobId}`);
            if (!body.data) throw new Error(JSON.stringify([sent.body, body]));
            return ["completed", "failed"].includes(body.data.job.status) && body.data.job;
          });
          return { path: at, job };
        },
      };
    },
    async remove() {
      await Promise.all([codeHost.close(), provider.close()]);
      await world.remove();
      await rm(`${stateDir}-forge`, { recursive: true, force: true });
    },
  };
}
