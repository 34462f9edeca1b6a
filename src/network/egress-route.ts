// The way out of a sandbox's container. The platform calls it for each request that it catches.
import { ContainerProxy } from "@cloudflare/containers";
import { getSandboxContainer } from "../../durable-objects/sandbox/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { networkHostCharacters } from "../rules/limits.ts";
import { formatRefusedHost, isSecretHost, parseServicePath, toVerdict, type Verdict } from "./rules/decide.ts";
import type { ContainerName, EgressProps } from "./rules/egress.ts";
import { withSecrets } from "./swap-secrets.ts";

/** Headers in which a platform or a proxy says where a request came from. */
const forwarding = /^(cf-|mf-|x-forwarded-|(forwarded|x-real-ip|true-client-ip|cdn-loop|via)$)/;

/** The entrypoint, apart from the service itself. */
export abstract class EgressRoute extends ContainerProxy {
  /** Answers a request for the service. */
  protected abstract serve(request: Request, env: Env): Response | Promise<Response>;

  override async fetch(request: Request): Promise<Response> {
    // Both types of the package are narrower than what it gets here.
    const { network, container } = this.ctx.props as unknown as EgressProps;
    const env = this.env as unknown as Env;
    const verdict = toVerdict(network, new URL(request.url));
    if (verdict.type === "service") return await this.#serveSandbox(request, env, container);
    recordSeen(env, this.ctx, container, verdict);
    if (verdict.type === "refuse") return answerInWords(403, formatRefusedHost(verdict));
    const { host, port } = verdict;
    const projectId = port === 443 && isSecretHost(network, host) ? network.secrets?.projectId : undefined;
    try {
      if (projectId === undefined) return await this.#send(request, env);
      return await withSecrets(env, { projectId, host }, request, (changed) => this.#send(changed, env));
    } catch (error) {
      log.info("network.host_unreachable", { sandboxKey: container.sandboxKey, error });
      return answerInWords(502, `Switchyard: ${host} did not answer.`);
    }
  }

  async #send(request: Request, env: Env): Promise<Response> {
    // A package of one project must not be a cached response to another one, and a redirect is the
    // client's to follow, so that its host is decided about, too.
    const allowed = new Request(request, { cache: "no-store", redirect: "manual" });
    return await (env.PUBLIC_NETWORK ? env.PUBLIC_NETWORK.fetch(allowed) : super.fetch(allowed));
  }

  async #serveSandbox(request: Request, env: Env, { sandboxKey }: ContainerName): Promise<Response> {
    const path = parseServicePath(request.url);
    if (path === null) return answerInWords(404, "Switchyard: a sandbox reaches only /api/ and /internal/ here.");
    const headers = new Headers([...request.headers].filter(([name]) => !forwarding.test(name)));
    // Limits count by the caller's address. Otherwise all sandboxes would share one.
    headers.set("cf-connecting-ip", `sandbox ${sandboxKey}`);
    // Its own `host` could name a preview, whose paths are not the service's.
    const url = new URL(path, env.PUBLIC_URL);
    headers.set("host", url.host);
    return await this.serve(new Request(new Request(url, request), { headers }), env);
  }
}

const answerInWords = (status: number, sentence: string) => new Response(`${sentence}\n`, { status });

const recordEveryMs = 60_000;
const rememberedMax = 10_000;

interface Unrecorded {
  count: number;
  recordedAt: number;
}

/** What this isolate has not recorded yet, by container, host and port. */
const unrecorded = new Map<string, Unrecorded>();

/** Has the container's object record a host, at most once a minute. */
function recordSeen(
  { CONTAINER, JURISDICTION }: Pick<Env, "CONTAINER" | "JURISDICTION">,
  ctx: ExecutionContext,
  container: ContainerName,
  { host: longHost, port, type }: Verdict,
): void {
  if (!CONTAINER) return;
  const host = longHost.slice(0, networkHostCharacters);
  const name = `${container.sandboxKey} ${container.generation} ${host}:${port}`;
  const now = Date.now();
  const { count, recordedAt } = unrecorded.get(name) ?? { count: 0, recordedAt: 0 };
  const isDue = now - recordedAt >= recordEveryMs;
  // Maps iterate in insertion order, so the host that was asked for the longest ago is first.
  unrecorded.delete(name);
  unrecorded.set(name, isDue ? { count: 0, recordedAt: now } : { count: count + 1, recordedAt });
  for (const oldest of unrecorded.keys()) {
    if (unrecorded.size <= rememberedMax) break;
    unrecorded.delete(oldest);
  }
  if (!isDue) return;
  const seen = { host, port, isAllowed: type === "allow", count: count + 1 };
  ctx.waitUntil(
    getSandboxContainer({ CONTAINER, JURISDICTION }, container)
      .recordSeen(seen)
      .catch((error: unknown) => log.warn("network.seen_not_recorded", { sandboxKey: container.sandboxKey, error })),
  );
}
