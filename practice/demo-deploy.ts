// The first start's Deploy of the demo project. It uses the API, like a member.

export interface DemoDeployFacts {
  baseUrl: string;
  projectId: string;
  apiKey: string;
}

/** The outcome, for people: the URL of the main preview, or why there is none. */
export interface DemoDeploy {
  isLive: boolean;
  says: string;
}

const waitMs = 120_000;
const lookEveryMs = 250;
const ended = ["deployed", "failed", "cancelled", "updating", "awaiting_user"];
const deployPath = "settings/agentic-deploy";

/**
 * Deploys a project that was never deployed, and finds its main preview. Waits for a Deploy that
 * was interrupted. Null for any other project. Never throws, because a world also works without a
 * Deploy.
 */
export async function deployDemo(facts: DemoDeployFacts): Promise<DemoDeploy | null> {
  try {
    return await deployed(facts);
  } catch (error) {
    return {
      isLive: false,
      says: `The demo project could not be deployed: ${error instanceof Error ? error.message : error}`,
    };
  }
}

async function deployed(facts: DemoDeployFacts): Promise<DemoDeploy | null> {
  const { call } = createClient(facts);
  const givenUpAt = Date.now() + waitMs;
  const { deployStatus: before } = await call("GET", "");
  if (before === "idle") await call("POST", deployPath);
  else if (ended.includes(String(before))) return null;
  for (;;) {
    const { deployStatus } = await call("GET", "");
    if (deployStatus === "deployed" || deployStatus === "warming_pool") break;
    if (deployStatus === "failed" || deployStatus === "cancelled") {
      const { error } = await call("GET", "deploy-messages");
      return { isLive: false, says: `The Deploy of the demo project ended as ${deployStatus}. ${error ?? ""}`.trim() };
    }
    if (Date.now() > givenUpAt)
      return { isLive: false, says: `The Deploy of the demo project still is ${deployStatus}.` };
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const { frontendUrls } = (await call("GET", "preview")) as { frontendUrls: Record<string, string> };
  const [address] = Object.values(frontendUrls);
  return { isLive: true, says: address ?? "Ask for the preview to wake it." };
}

function createClient({ baseUrl, projectId, apiKey }: DemoDeployFacts) {
  return {
    async call(method: "GET" | "POST", path: string): Promise<Record<string, unknown>> {
      const url = `${baseUrl}/api/projects/${projectId}${path === "" ? "" : `/${path}`}`;
      const answer = await fetch(url, { method, headers: { authorization: `Bearer ${apiKey}` } });
      const body = (await answer.json()) as { data?: Record<string, unknown>; error?: string };
      if (!answer.ok) throw new Error(body.error ?? `${method} ${path} answered ${answer.status}`);
      return body.data ?? {};
    },
  };
}
