// Describes the problem of a service that does not respond, for the deploy agent and for members.

import type { SandboxStatus, ServiceStatus } from "../../preview/rules/preview.ts";
import { findCrash, getLastLines, getServiceState } from "../../preview/rules/service-state.ts";
import type { ServiceLayout } from "../../project/rules/settings.ts";

/** Describes the state of the service, where it should respond, and the end of its log. */
export function formatServiceProblem(service: ServiceStatus, layout: SandboxStatus["layout"]): string {
  const { name } = service;
  const crash = findCrash(service);
  if (crash) return withLog(`The service ${name} ${crash.how} and does not answer.`, crash.logEnd);
  if (getServiceState(service) === "waiting")
    return `The service ${name} has not started yet: it waits for the services before it.`;
  const silent = silentEndpoints(service, layout ?? []);
  const where = silent.length === 0 ? "its port" : silent.join(" and ");
  const how = `The service ${name} runs, but does not answer on ${where}. It has to listen on the port in the variable PORT.`;
  return withLog(how, getLastLines(service.run?.logEnd ?? ""));
}

/** The endpoints that do not respond, such as `port 3000 (GET /health)`. */
function silentEndpoints({ name, answeringPorts }: ServiceStatus, layout: ServiceLayout[]): string[] {
  const endpoints = layout.find((one) => one.name === name)?.endpoints ?? [];
  return endpoints
    .filter(({ port }) => !answeringPorts.includes(port))
    .map(({ port, healthPath }) => `port ${port}${healthPath === undefined ? "" : ` (GET ${healthPath})`}`);
}

const withLog = (sentence: string, log: string) => (log === "" ? sentence : `${sentence} The end of its log:\n${log}`);
