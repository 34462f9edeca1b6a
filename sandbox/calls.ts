// What callers send, read field by field into the protocol's types.
import { isBranchName } from "../src/rules/branch.ts";
import {
  type Checkout,
  type FileWrite,
  type GitCommit,
  type GitPush,
  modelWires,
  type ServicePlan,
  type ServicesPlan,
  type TurnStart,
} from "../src/sandbox/protocol.ts";
import { environmentField, type Fields, textField, textsField, toFields } from "./body.ts";
import { refusal } from "./refusal.ts";

/** Ids become file names. */
const idPattern = /^[A-Za-z0-9_-]{1,100}$/;

/** A text that may be a file name. */
export function checkId(id: string): string {
  if (!idPattern.test(id)) throw refusal("BAD_CALL", "An id holds letters, digits, `-` and `_` alone.");
  return id;
}

export const readCheckoutCall = (fields: Fields): Checkout => ({
  remoteUrl: textField(fields, "remoteUrl"),
  pass: textField(fields, "pass"),
  branch: branchField(fields, "branch"),
  baseBranch: branchField(fields, "baseBranch"),
  setup: textsField(fields, "setup"),
  env: environmentField(fields, "env"),
});

/** A name that can be a branch's. */
export function checkBranch(name: string): string {
  if (!isBranchName(name)) throw refusal("BAD_CALL", `${name} is not a branch name.`);
  return name;
}

const branchField = (fields: Fields, name: string) => checkBranch(textField(fields, name));

export const readFileWriteCall = (fields: Fields): FileWrite => ({
  path: textField(fields, "path"),
  content: textField(fields, "content"),
});

export function readCommitCall(fields: Fields): GitCommit {
  const author = toFields(fields.author, "`author`");
  return {
    message: textField(fields, "message"),
    author: { name: textField(author, "name"), email: textField(author, "email") },
  };
}

export const readPushCall = (fields: Fields): GitPush => ({ pass: textField(fields, "pass") });

export function readServicesCall(fields: Fields): ServicesPlan {
  if (!Array.isArray(fields.services)) throw refusal("BAD_CALL", "`services` is not a list.");
  return {
    services: fields.services.map((service: unknown) => readService(toFields(service, "A service"))),
    env: environmentField(fields, "env"),
    restart: fields.restart === true,
  };
}

function readService(fields: Fields): ServicePlan {
  if (!Array.isArray(fields.endpoints)) throw refusal("BAD_CALL", "`endpoints` is not a list.");
  return {
    name: textField(fields, "name"),
    command: textField(fields, "command"),
    cwd: optionalText(fields, "cwd"),
    env: fields.env === undefined ? undefined : environmentField(fields, "env"),
    endpoints: fields.endpoints.map((item: unknown) => {
      const endpoint = toFields(item, "An endpoint");
      const port = numberField(endpoint, "port");
      return { name: optionalText(endpoint, "name"), port, healthPath: optionalText(endpoint, "healthPath") };
    }),
  };
}

export function readTurnCall(fields: Fields): TurnStart {
  const link = toFields(fields.link, "`link`");
  const git = toFields(fields.git, "`git`");
  const conversation = toFields(fields.conversation, "`conversation`");
  return {
    turnId: checkId(textField(fields, "turnId")),
    link: { url: textField(link, "url"), pass: textField(link, "pass") },
    model: readModel(toFields(fields.model, "`model`")),
    git: { pass: textField(git, "pass") },
    prompt: textField(fields, "prompt"),
    conversation: {
      id: checkId(textField(conversation, "id")),
      isNew: conversation.isNew === true,
      handover: nullableText(conversation, "handover"),
    },
    attachments: [],
    outputsUrl: "",
    api: { url: "", token: "", projectId: "" },
    instructions: textField(fields, "instructions"),
    env: environmentField(fields, "env"),
    secretNames: fields.secretNames === undefined ? [] : textsField(fields, "secretNames"),
  };
}

function readModel(fields: Fields): TurnStart["model"] {
  const wire = modelWires.find((name) => name === fields.wire);
  if (!wire) throw refusal("BAD_CALL", "`wire` is not one this agent speaks.");
  return {
    provider: textField(fields, "provider"),
    wire,
    baseUrl: textField(fields, "baseUrl"),
    pass: textField(fields, "pass"),
    id: textField(fields, "id"),
    effort: textField(fields, "effort"),
    speed: nullableText(fields, "speed"),
    contextWindow: numberField(fields, "contextWindow"),
    maxOutputTokens: numberField(fields, "maxOutputTokens"),
    acceptsImages: fields.acceptsImages === true,
  };
}

function numberField(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1)
    throw refusal("BAD_CALL", `\`${name}\` is not a whole number above 0.`);
  return value;
}

const optionalText = (fields: Fields, name: string) =>
  fields[name] === undefined ? undefined : textField(fields, name);
const nullableText = (fields: Fields, name: string) =>
  fields[name] === null || fields[name] === undefined ? null : textField(fields, name);
