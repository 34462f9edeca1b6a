import { expect, it } from "vitest";
import {
  type Actor,
  type Author,
  findUser,
  getAuthor,
  getStanding,
  isOwn,
  type RunWriter,
  type Sender,
} from "../../../src/access/rules/actor.ts";
import { byAuthor, byMember, cron, member, otherSession, relay } from "../../support/session-state.ts";

const ada = byMember();
const lead: Sender = { ...ada, type: "lead" };
const clientAgent: Sender = { ...ada, type: "client-agent", client: "Claude" };
const createRun = (writer: RunWriter): Actor => ({
  ...byMember(),
  type: "cron-run",
  cronId: "cron-1",
  runId: "run-1",
  writer,
});
const run2: Author = { kind: "cron", cronId: "cron-1", runId: "run-2" };
const session3: Author = { kind: "session", sessionId: "session-3" };

it.each<[string, Sender, Author]>([
  ["a member writes in their own name", ada, member()],
  ["the Lead writes in the name of its member", lead, member()],
  ["an agent over MCP writes in the name of its member", clientAgent, member()],
  ["an agent that acts as a member writes as its session", byAuthor(otherSession, "usr_ada"), otherSession],
  ["an agent that acts as nobody writes as its session", byAuthor(otherSession), otherSession],
  ["a cron's run writes as itself, whoever made the cron", byAuthor(cron, "usr_ada"), cron],
  ["a relay writes as a relay", byAuthor(relay), relay],
])("%s", (_, sender, author) => {
  expect(getAuthor(sender)).toEqual(author);
});

it.each<[string, Author, Actor, boolean]>([
  ["a member's is the member's", member(), ada, true],
  ["a member's is the Lead's that acts for them", member(), lead, true],
  ["a member's is that of an agent over MCP that acts for them", member(), clientAgent, true],
  ["a member's is an agent's that acts as them", member(), byAuthor(otherSession, "usr_ada"), true],
  ["a member's is no other member's", member(), byMember("usr_bob"), false],
  ["a member's is no agent's that acts as nobody", member(), byAuthor(otherSession), false],
  ["a member's is their cron run's", member(), createRun("creator"), true],
  ["a member's is not their cron's run's that another person wrote", member(), createRun("person"), false],
  ["a member's is not their cron's run's that an agent wrote", member(), createRun("agent"), false],
  ["a run's is the run's, whoever wrote its cron", cron, createRun("person"), true],
  ["a member's is not the service's", member(), { type: "service" }, false],
  ["a run's is the run's", cron, byAuthor(cron), true],
  ["a run's is no other run's of the cron", cron, byAuthor(run2), false],
  ["a session's is its agent's, whoever sent the turn", otherSession, byAuthor(otherSession), true],
  ["a session's is no other session's", otherSession, byAuthor(session3), false],
  ["a relay's is a relay's", relay, byAuthor(relay), true],
  ["a relay's is no member's", relay, ada, false],
])("what is written: %s", (_, author, actor, isTheirs) => {
  expect(isOwn(author, actor)).toBe(isTheirs);
});

it("an actor has the role of its user, and none without a user", () => {
  expect(getStanding(member(), byMember("usr_bob", "admin"))).toEqual({ role: "admin", isOwn: false });
  expect(getStanding(relay, { type: "relay" })).toEqual({ role: null, isOwn: true });
  expect([findUser(ada)?.id, findUser(byAuthor(otherSession)), findUser({ type: "service" })]).toEqual([
    "usr_ada",
    null,
    null,
  ]);
});
