// The network that the deploy agent proposes by its tool: by whom, what is refused, and that it
// changes nothing until a member sets a network.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { findUser, type Sender } from "../../../src/access/rules/actor.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import type { Env } from "../../../src/env.ts";
import { readNetwork, updateNetwork } from "../../../src/network/settings.ts";
import { addProject, connectProvider, reachedStatus } from "../support/project-driver.ts";
import { by, completed, dial, started } from "../support/session-driver.ts";

/** The Worker's environment, whose sandboxes are of a test's own class here. */
const worker = env as unknown as Env;
const agent: Sender = { type: "session-agent", sessionId: crypto.randomUUID(), user: findUser(by), role: "member" };
const proposed = { mode: "hosts" as const, presets: ["npm" as const], hosts: ["*.example.com"], strict: false };
const open = { mode: "open" as const, presets: [], hosts: [], strict: false };

/** A project with a Deploy that this sender has started, and a call of the tool in its turn. */
async function deploying(sender: Sender) {
  const facts = await addProject();
  await connectProvider(facts);
  const project = env.PROJECT.getByName(facts.projectId);
  await project.start(facts, { by: sender, opening: createTextMessage("Set it up."), onlyIfIdle: true }, null);
  const turnId = (await reachedStatus(facts, "running_agent")).chat.turn?.id ?? "";
  const link = await dial(project, turnId, 1);
  await link.tell(1, started);
  return {
    facts,
    link,
    propose: (network: typeof proposed | typeof open, change: { setup?: string[] } = {}) =>
      project.settingsForAgent({ turnId, generation: 1 }, { proposedNetwork: network, ...change }),
    read: () => readNetwork(worker, facts.projectId),
  };
}

test("a proposal changes nothing until a member sets a network, which clears it", async () => {
  const { facts, link, propose, read } = await deploying(by);
  expect(await propose(open)).toMatchObject({ plan: null });
  expect(await propose(proposed)).toMatchObject({ plan: null });
  expect(await read()).toMatchObject({ network: open, inForce: { mode: "open" }, proposal: proposed });
  const wrong = { ...proposed, hosts: ["example.com", "10.0.0.0/8"] };
  expect(await propose(wrong)).toMatchObject({
    code: "VALIDATION_ERROR",
    details: [{ path: "proposedNetwork.hosts.1" }],
  });
  expect(await propose({ ...proposed, hosts: Array(101).fill("example.com") })).toMatchObject({
    code: "VALIDATION_ERROR",
  });
  // A call whose settings are refused proposes nothing either.
  expect(await propose(open, { setup: [" "] })).toMatchObject({ code: "VALIDATION_ERROR" });
  expect(await read()).toMatchObject({ proposal: proposed });
  await link.tell(2, completed);
  await reachedStatus(facts, "deployed");
  expect(await propose(open)).toMatchObject({ code: "FORBIDDEN" });
  expect(await read()).toMatchObject({ network: open, proposal: proposed });
  const set = await updateNetwork(worker, { projectId: facts.projectId, network: proposed }, Date.now());
  expect(set).toMatchObject({ network: proposed, proposal: null });
});

test("a Deploy on the word of an agent proposes none", async () => {
  const { propose, read } = await deploying(agent);
  expect(await propose(proposed)).toMatchObject({ code: "FORBIDDEN" });
  expect(await read()).toMatchObject({ network: open, proposal: null });
});
