// What callers send, read field by field into the protocol's types.
import { isBranchName } from "../../src/rules/branch/branch.ts";
import type {
  Checkout,
  FileWrite,
  GitCommit,
  GitPush,
  LineAnchors,
  RemoteBranches,
  ServicePlan,
  ServicesPlan,
} from "../../src/sandbox/protocol.ts";
import { environmentField, type Fields, numberField, textField, textsField, toFields } from "./body.ts";
import { refusal } from "./refusal.ts";

export const readRemoteCall = (fields: Fields): RemoteBranches => ({
  remoteUrl: textField(fields, "remoteUrl"),
  token: textField(fields, "token"),
  branch: branchField(fields, "branch"),
  baseBranch: branchField(fields, "baseBranch"),
});

export const readCheckoutCall = (fields: Fields): Checkout => ({
  ...readRemoteCall(fields),
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

export function readLinesCall(fields: Fields): LineAnchors {
  if (!Array.isArray(fields.anchors)) throw refusal("BAD_CALL", "`anchors` is not a list.");
  return {
    base: checkBranch(textField(fields, "base")),
    anchors: fields.anchors.map((item: unknown) => {
      const anchor = toFields(item, "An anchor");
      return {
        filePath: textField(anchor, "filePath"),
        side: anchor.side === "old" ? "old" : "new",
        startLineNumber: numberField(anchor, "startLineNumber"),
        endLineNumber: numberField(anchor, "endLineNumber"),
      };
    }),
  };
}

export const readPushCall = (fields: Fields): GitPush => ({ token: textField(fields, "token") });

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

const optionalText = (fields: Fields, name: string) =>
  fields[name] === undefined ? undefined : textField(fields, name);
