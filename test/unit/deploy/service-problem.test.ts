// The message about a service that does not respond.
import { expect, test } from "vitest";
import { formatServiceProblem } from "../../../src/deploy/rules/service-problem.ts";
import type { ServiceStatus } from "../../../src/preview/rules/preview.ts";
import type { ServiceRun } from "../../../src/preview/rules/service-state.ts";

const layout = [
  {
    name: "web",
    endpoints: [
      { port: 3000, public: true, healthPath: "/health" },
      { port: 3001, public: false },
    ],
  },
];
const runs: ServiceRun = { ageMs: 20_000, isDone: false, restarts: 0, lastExit: null, logEnd: "listening on 4000\n" };
const web = (run: ServiceRun | null, answeringPorts: number[] = []): ServiceStatus => ({
  name: "web",
  answers: false,
  answeringPorts,
  run,
});
const onPort = "It has to listen on the port in the variable PORT.";

test.each<[string, ServiceStatus, string]>([
  [
    "on a wrong port",
    web(runs),
    `The service web runs, but does not answer on port 3000 (GET /health) and port 3001. ${onPort} The end of its log:\nlistening on 4000`,
  ],
  [
    "silent on one of its ports",
    web({ ...runs, logEnd: "" }, [3000]),
    `The service web runs, but does not answer on port 3001. ${onPort}`,
  ],
  [
    "that ended",
    web({ ...runs, ageMs: null, lastExit: { code: 7, how: "exited 7" }, logEnd: "boom\n" }),
    "The service web exited 7 and does not answer. The end of its log:\nboom",
  ],
  ["that waits", web(null), "The service web has not started yet: it waits for the services before it."],
])("the report of a service %s has the cause", (_, service, sentence) => {
  expect(formatServiceProblem(service, layout)).toBe(sentence);
});
