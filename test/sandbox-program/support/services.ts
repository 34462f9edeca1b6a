// The services of a sandbox program under test: plans of a small server, and what can be seen of
// them from outside.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServiceStatus } from "../../../src/preview/rules/preview.ts";
import type { ServicePlan } from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";
import { nodeFile } from "./program.ts";
import type { World } from "./world.ts";

export const node = JSON.stringify(nodeFile());

/** Answers with its process id and its environment; 500 at one path. */
export const server = `
const answer = (request, response) => response.writeHead(request.url === "/broken" ? 500 : 200).end(JSON.stringify({ id: process.pid, env: process.env }));
require("node:http").createServer(answer).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** The plan of that server. */
export const web = (changes: Partial<ServicePlan> = {}): ServicePlan => ({
  name: "web",
  command: `exec ${node} server.js`,
  endpoints: [{ port: 3000, healthPath: "/" }],
  ...changes,
});

/** Puts the server into the checkout, and opens what the program says of its services. */
export async function openServices({ program }: World) {
  const inProject = (file: string) => join(program.root, "project", file);
  await writeFile(inProject("server.js"), server);
  const told = async () => ((await program.call("GET", "/status")).body?.services ?? []) as ServiceStatus[];
  const status = async () => (await told()).map(({ run: _, ...answers }) => answers);
  return {
    inProject,
    status,
    findRun: async (name: string) => (await told()).find((service) => service.name === name)?.run,
    put: (services: ServicePlan[], restart = false, env: Record<string, string> = {}) =>
      program.call("PUT", "/services", { services, env, restart }),
    answers: (name: string) =>
      until(`${name} to answer`, async () =>
        JSON.stringify(await status()).includes(`"name":"${name}","answers":true`),
      ),
    async ask(declared = 3000): Promise<{ id: number; env: Record<string, string> }> {
      const answer = await program.visit(declared, "/");
      return answer.json() as Promise<{ id: number; env: Record<string, string> }>;
    },
    readLogFile: (name: string) =>
      readFile(join(program.root, `shared/logs/service-${name}.log`), "utf8").catch(() => ""),
    readLog: (name: string) => program.call("GET", `/services/log?name=${name}`),
    /** The process id that a command has written to a file. */
    readId: (file: string) =>
      until(file, async () => Number(await readFile(inProject(file), "utf8").catch(() => "")) || null),
  };
}
