// The overhead of a preview request through the preview host, the sandbox's object and the sandbox
// host, compared with a direct request to the service.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../../practice/local-service.ts";
import { getFolders } from "../../sandbox-program/folders.ts";
import { getLogFolder, getServiceLogName } from "../../sandbox-program/services/output-log.ts";
import { authTokenCookie, authTokenParam } from "../../src/preview/host/address.ts";
import { createHttpClient } from "../lib/http-client.ts";
import type { Product, ProductSession } from "../lib/product.ts";
import { type Finding, toCountedFinding } from "../lib/result.ts";
import { measureSideBySide, median, type Rounds } from "../lib/samples.ts";

const overheadBarMs = 3;
const path = "/api/departures";

/** Samples a request to the demo app both ways. The session's sandbox must be running. */
export async function measurePreview(
  { world, stateDir, product }: { world: World; stateDir: string; product: Product },
  session: ProductSession,
  rounds: Rounds,
): Promise<Finding[]> {
  const { sandboxKey, url } = await product.preview(session.id);
  const cookie = `${authTokenCookie}=${url.searchParams.get(authTokenParam)}`;
  const folders = getFolders(join(stateDir, "sandboxes", sandboxKey));
  const log = join(getLogFolder(folders), getServiceLogName("web"));
  const [, realPort] = /starts on port (\d+)/.exec(await readFile(log, "utf8")) ?? [];
  const through = createHttpClient(world.baseUrl, { host: url.host, cookie });
  const direct = createHttpClient(`http://localhost:${realPort}`);
  try {
    const samples = await measureSideBySide(rounds, {
      through: async () => (await through.get(path)).ms,
      direct: async () => (await direct.get(path)).ms,
    });
    const [both, alone] = [median(samples.through), median(samples.direct)];
    const note = `${both.toFixed(2)} ms through the preview host, ${alone.toFixed(2)} ms directly`;
    return [
      toCountedFinding("preview request, over the service asked directly", both - alone, "ms", overheadBarMs, note),
    ];
  } finally {
    through.close();
    direct.close();
  }
}
