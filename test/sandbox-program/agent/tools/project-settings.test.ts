// The project_settings tool: what is recorded of the setup that it runs.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProjectSettingsTool } from "../../../../sandbox-program/agent/tools/project-settings.ts";
import { requireCheckout, writeCheckout } from "../../../../sandbox-program/project/checkout-record.ts";
import { createRedaction } from "../../../../src/rules/redaction.ts";
import { type BranchPair, startBranchPair } from "../../support/branch-pair.ts";
import { type ServiceApi, startServiceApi } from "../../support/service-api.ts";

let pair: BranchPair;
let api: ServiceApi;
beforeEach(async () => {
  [pair, api] = await Promise.all([startBranchPair({ "a.txt": "a\n" }), startServiceApi()]);
});
afterEach(async () => {
  await Promise.all([pair?.end(), api?.stop()]);
});

test.each<[setup: string, recorded: object]>([
  [
    "echo now; exit 4",
    { isSetUp: false, setupFailure: "The setup command `echo now; exit 4` ended with exit code 4.\nnow\n" },
  ],
  ["true", { isSetUp: true, setupFailure: undefined }],
])("the outcome of `%s` replaces the failure of an earlier setup", async (setup, recorded) => {
  const { folders } = pair;
  await writeCheckout(folders, { ...requireCheckout(folders), isSetUp: false, setupFailure: "earlier" });
  const plan = { setup: [setup], services: [], env: {} };
  api.answers.push({ status: 200, body: JSON.stringify({ shown: "", plan }) });
  const tool = createProjectSettingsTool({
    folders,
    endpoint: { url: api.url, token: "t" },
    services: { apply: async () => {}, status: async () => [], log: () => ({ log: "", truncated: false }) },
    redaction: createRedaction([]),
  });
  await tool.run({ setup: [setup] }, new AbortController().signal);
  const { isSetUp, setupFailure } = requireCheckout(folders);
  expect({ isSetUp, setupFailure }).toEqual(recorded);
});
