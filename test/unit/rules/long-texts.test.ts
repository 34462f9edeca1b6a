// Texts of 200,000 characters, each of the kind that is worst for the rule that reads it. A rule
// that scans the rest again for each character takes minutes here, where one pass takes
// milliseconds.
import { expect, test } from "vitest";
import { createTurnLog } from "../../../sandbox-program/transcript/turn-log.ts";
import { parseDeclaredVersion, readNaming } from "../../../src/artifact/rules/artifact.ts";
import { isWithinLayoutBounds } from "../../../src/artifact/rules/markdown-bounds.ts";
import { isDrawing } from "../../../src/artifact/rules/media-type.ts";
import { createVariantSlugs } from "../../../src/artifact/rules/prototype.ts";
import { parseAttachmentPlace, toAttachmentMediaType, toAttachmentName } from "../../../src/chat/rules/attachment.ts";
import { findChosenOptions } from "../../../src/chat/rules/clarification.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { createConflictQuestion, isRebaseRequest } from "../../../src/checkout/rules/sync.ts";
import { parseModelId } from "../../../src/model/rules/model.ts";
import { getCallVerdict } from "../../../src/model-gateway/rules/provider-response.ts";
import { parseAgent } from "../../../src/plugin/rules/agent.ts";
import { listFrontends } from "../../../src/project/rules/frontends.ts";
import { proposeSettings } from "../../../src/project/rules/proposal/proposal.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import { toSlug } from "../../../src/rules/text.ts";
import { createBranchName, isBranchName, isNoCommit } from "../../../src/session/rules/branch.ts";
import { toSearchable } from "../../../src/session/rules/filter.ts";
import { listEvidenceLinks, readOpenPrFlags } from "../../../src/session/rules/pull-request/open-flags.ts";
import {
  chooseReviewers,
  findReviewer,
  isReviewerName,
  isWholeName,
  parseNames,
} from "../../../src/session/rules/pull-request/reviewer-match.ts";
import { createTitle } from "../../../src/session/rules/session.ts";
import { readFrontMatter } from "../../../src/skill/rules/front-matter.ts";
import { readSkill } from "../../../src/skill/rules/skill.ts";
import { parseSkillCall } from "../../../src/skill/rules/skill-call.ts";
import { longTexts } from "../../support/long-texts.ts";

const candidates = Array.from({ length: 100 }, (_, at) => ({ login: `person-${at}`, name: `Person Number ${at}` }));

const question = createConflictQuestion("main", ["notes.txt"]);

/** What the service and a sandbox read of a message that requests a pull request. */
function openPr(message: string) {
  const argument = parseSkillCall(message, null)?.argument ?? message;
  const isName = (word: string) => isReviewerName(word, candidates);
  const { reviewers } = readOpenPrFlags(argument, isName, (words) => isWholeName(words, candidates));
  return chooseReviewers(
    (reviewers ?? []).flatMap((name) => parseNames(name, candidates)),
    candidates,
  );
}

const rules: Record<string, (text: string) => unknown> = {
  "a skill's call": (text) => [
    parseSkillCall(text, null),
    parseSkillCall(`/${text}`, null),
    parseSkillCall(`/a${text}`, null),
  ],
  "the flags of open-pr": (text) => openPr(`/svc:open-pr ${text}`),
  "the names behind a flag": (text) => openPr(`-r ${text}`),
  "the links behind a flag": (text) => openPr(`-e ${text}`),
  "links of evidence": listEvidenceLinks,
  "a reviewer's name": (text) => [findReviewer(text, candidates), parseNames(text, candidates)],
  "an answer to a clarification": (text) => findChosenOptions([question, question], createTextMessage(text)),
  "a request for a rebase": isRebaseRequest,
  "front matter": (text) => [readFrontMatter(`---\n${text}\n---\n`), readFrontMatter(`---\na: ${text}\n---\n${text}`)],
  "front matter in quotes": (text) => [`---\na: "${text}\n---\n`, `---\na: '${text}\n---\n`].map(readFrontMatter),
  "a skill's file": (text) => readSkill(`---\nname: a\ndescription: b\n---\n${text}`),
  "the version of a page": (text) => [
    parseDeclaredVersion("html", text),
    parseDeclaredVersion("html", `<meta ${text}`),
  ],
  "the version of a document": (text) => parseDeclaredVersion("markdown", `---\n${text}\n---\n`),
  "the name of an artifact": (text) => readNaming({ slug: text, title: text, kind: text }),
  "a drawing": (text) => isDrawing(new TextEncoder().encode(text)),
  "a title": (text) => createTitle(text),
  "the bounds of a document": isWithinLayoutBounds,
  "a slug": (text) => [toSlug(text, { most: 40, fallback: "a" }), createVariantSlugs([text, text])],
  "a branch": (text) => [createBranchName(text, "0123456789"), isBranchName(text), isNoCommit(text)],
  "an attachment": (text) => [toAttachmentName(text), toAttachmentMediaType(text), parseAttachmentPlace(text)],
  "a model": (text) => [parseModelId(text), parseModelId(`anthropic:${text}`)],
  "a search": toSearchable,
  "a provider's error": (text) => {
    const said = JSON.stringify({ error: { message: text } });
    return [400, 403, 429].map((status) => getCallVerdict({ status, text: said, header: () => null }, 0));
  },
  "the tools of a plugin's agent": (text) => parseAgent("a", `---\ntools: ${text.replace(/\s/g, " ")}\n---\nb`),
  "the files that say how a project runs": (text) => {
    const script = (dev: string) => JSON.stringify({ scripts: { dev } });
    const files = {
      Makefile: [`dev:\n${text}`, `dev: ${text}`],
      Procfile: [text, `web: ${text}`],
      "package.json": [`vite ${text}`, `PORT=1 node ${text}&`].map(script),
      "compose.yml": [`services:\n${text}`, `services:\n  a:\n    command: ${text}`],
      "Cargo.toml": [text],
    };
    return Object.entries(files).map(([path, texts]) =>
      texts.map((one) => proposeSettings([path], new Map([[path, one]]))),
    );
  },
  "a line of a turn's log": (text) => createTurnLog(true, () => {}, createRedaction([]))(text),
  "the name of a service": (name) => listFrontends([{ name, endpoints: [{ port: 1, public: true }] }]),
};

test.each(Object.entries(rules))("%s: a long text is read in linear time", { timeout: 60_000 }, (_, read) => {
  for (const text of longTexts) expect(() => read(text)).not.toThrow();
});
