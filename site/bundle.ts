// Builds the docs: every page with its Markdown beside it, the search, and the lists for language
// models.
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { readDocumentAndInputs } from "../scripts/api-document.ts";
import { type DocsKind, docsMissing, docsStart } from "../src/docs/docs-key.ts";
import { parseDocument, type Reference } from "./api/document.ts";
import { createApiPages, getOperationPath } from "./api/pages.ts";
import { createHighlighter } from "./highlight.ts";
import { formatMarkdownLinks, getMarkdownPath, type LinkTargets } from "./links.ts";
import { formatLlms, formatLlmsApi } from "./llms.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";
import { type DocumentPage, listGroups } from "./navigation.ts";
import { ofOperations, type PageFiles, renderPage } from "./page.ts";
import { listSearchRows } from "./search.ts";
import { splitSections } from "./sections.ts";

export interface DocsFile {
  /** Its path at the service, such as `/docs/guide/crons`. */
  path: string;
  kind: DocsKind;
  /** Its bytes in base64, as pictures are no text. */
  base64: string;
}

interface Page {
  path: string;
  /** The document in the repository that its links lead from. */
  document: string;
  label: string | null;
  group: string;
  text: string;
  isUnlisted: boolean;
}

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFile(join(root, path), "utf8");
const isFile = (path: string) =>
  !path.startsWith("..") && existsSync(join(root, path)) && statSync(join(root, path)).isFile();
/** The service on one machine works in the same process, so the build makes room for it. */
const makeRoom = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the files, and the files and folders of the repository that they are made of. */
export async function createSite(): Promise<{ files: DocsFile[]; inputs: string[] }> {
  const { document, inputs: ofApi } = await readDocumentAndInputs();
  const reference = parseDocument(document);
  const { pages, anchors, inputs } = await readPages(reference);
  const targets: LinkTargets = {
    pages: new Map(pages.map(({ document, path }) => [document, path])),
    anchors,
    hasFile: isFile,
  };
  const highlight = await createHighlighter();
  const rendered: (Page & Rendered)[] = [];
  for (const page of pages) {
    rendered.push({ ...page, ...renderMarkdown({ ...page, targets, highlight }) });
    await makeRoom();
  }
  const words = new Map(
    reference.operations.map((operation) => [
      getOperationPath(operation),
      `${operation.method} ${operation.path} ${operation.id}`,
    ]),
  );
  const searchable = rendered.map((page) => ({
    ...page,
    headings: page.headings.filter(({ text }) => !page.path.startsWith("/docs/api") || !ofOperations.has(text)),
  }));
  const loaded = [
    hashed("style", "css", (await Promise.all(["src/pages/base.css", "site/site.css"].map(read))).join("\n")),
    hashed("docs", "js", `(() => {\n${await read("site/docs.browser.js")}})();\n`),
    hashed("search", "json", JSON.stringify(listSearchRows(searchable, words))),
  ];
  const [style = "", script = "", index = ""] = loaded.map(({ path }) => path);
  const linked = [...new Set(rendered.flatMap(({ files }) => files))];
  const listed = rendered.map((page) => ({ ...page, title: page.label ?? page.title }));
  const files = [
    ...renderPages(rendered, { style, script, index }),
    ...rendered.map(({ path, document, text }) =>
      toFile(getMarkdownPath(path), "md", formatMarkdownLinks(document, text, targets)),
    ),
    ...(await Promise.all(linked.map(readLinked))),
    ...loaded,
    toFile("/llms.txt", "txt", formatLlms(listed)),
    toFile("/llms-api.txt", "txt", formatLlmsApi(reference.operations)),
  ];
  return { files, inputs: [...new Set([...ofApi, ...inputs, ...linked, ...(await listOwn()), "src/pages/base.css"])] };
}

/** Reads the documents of all pages in the order of the navigation. */
async function readPages(
  reference: Reference,
): Promise<{ pages: Page[]; anchors: Map<string, string>; inputs: string[] }> {
  const folders = ["docs/guide", "docs/reference", "docs/decisions", "examples"];
  const [guides = [], references = [], decisions = [], examples = []] = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).sort()),
  );
  const toNames = (names: string[]) =>
    names.filter((name) => name.endsWith(".md") && name !== "README.md").map((name) => name.slice(0, -3));
  const recipes = examples.filter((name) => isFile(`examples/${name}/README.md`));
  const groups = listGroups({
    guides: toNames(guides),
    references: toNames(references),
    decisions: toNames(decisions),
    examples: recipes,
    hasRecipeList: isFile("examples/README.md"),
  });
  const anchors = new Map<string, string>();
  const ofDocuments = groups.flatMap(({ title, pages }) => pages.map((page) => readPage(page, title, anchors)));
  const pages = (await Promise.all(ofDocuments)).flat();
  const commands = new Map(
    [...(await read("docs/reference/operations.md")).matchAll(/^\| `(\w+)` \| (`sy .+) \|$/gm)].map(
      ([, operation = "", command = ""]) => [operation, command],
    ),
  );
  const ofApi = createApiPages(reference, commands).map(
    ({ path, title, text }): Page => ({
      ...{ path, text, label: title, group: "API", isUnlisted: false },
      document: `site${path}.md`,
    }),
  );
  const at = pages.findIndex(({ group }) => group === "Reference");
  pages.splice(at, 0, ...ofApi);
  return {
    pages,
    anchors,
    inputs: [
      ...folders,
      ...recipes.map((name) => `examples/${name}`),
      ...groups.flatMap(({ pages }) => pages.map(({ document }) => document)),
    ],
  };
}

async function readPage(
  { path, document, label, isUnlisted, isSplit }: DocumentPage,
  group: string,
  anchors: Map<string, string>,
): Promise<Page[]> {
  const text = (await read(document)) + (/^examples\/.+\//.test(document) ? await readCode(document) : "");
  const page = { path, document, label: label ?? null, group, text, isUnlisted: isUnlisted ?? false };
  return isSplit ? splitPage(page, anchors) : [page];
}

/** The pages of a split document: one that lists the sections, then the sections. */
function splitPage(page: Page, anchors: Map<string, string>): Page[] {
  const { introduction, sections } = splitSections(page.text);
  const pages = sections.map(({ name, title, text, headings }) => {
    const path = `${page.path}/${name}`;
    for (const { anchor } of headings) anchors.set(`${page.document}#${anchor}`, `${path}#${anchor}`);
    // In the folder of the document, so that the links of the section lead from there.
    const document = page.document.replace(/\.md$/, `-${name}.md`);
    return { ...page, path, document, label: `${page.label}: ${title}`, text, isUnlisted: true };
  });
  // Each heading is in the list: an address from before the document was split leads by it.
  const list = sections.flatMap(({ name, headings }) =>
    headings.map(({ anchor, title }, at) =>
      at === 0 ? `- [${title}](${page.path}/${name})` : `  - [${title}](${page.path}/${name}#${anchor})`,
    ),
  );
  return [{ ...page, text: `${introduction}\n${list.join("\n")}\n` }, ...pages];
}

/** The code of a recipe, below what its document says. */
async function readCode(document: string): Promise<string> {
  const folder = document.slice(0, document.lastIndexOf("/"));
  const names = (await readdir(join(root, folder))).sort().filter((name) => /\.(mjs|js|ts|sh|ya?ml|json)$/.test(name));
  const parts = names.map(async (name) => {
    const language = name.slice(name.lastIndexOf(".") + 1).replace("yml", "yaml");
    return `\n## ${name}\n\n\`\`\`\`${language}\n${(await read(`${folder}/${name}`)).trimEnd()}\n\`\`\`\`\n`;
  });
  return (await Promise.all(parts)).join("");
}

function renderPages(pages: (Page & Rendered)[], loads: PageFiles): DocsFile[] {
  const toLink = ({ path, label, title }: Page & Rendered) => ({ path, label: label ?? title });
  const listed = pages.filter(({ isUnlisted }) => !isUnlisted);
  const titles = [...new Set(listed.map(({ group }) => group))];
  const navigation = {
    groups: titles.map((title) => ({ title, pages: listed.filter(({ group }) => group === title).map(toLink) })),
  };
  const missing = {
    ...{
      path: docsMissing,
      title: "There is no such page",
      group: titles[0] ?? "",
      headings: [],
      before: null,
      after: null,
    },
    summary: "The docs have no page at this address.",
    html: `<h1>There is no such page</h1><p>The docs have no page at this address. <a href="${docsStart}">The start page</a> leads to all pages. The search finds them by their titles and headings.</p>`,
  };
  return [
    ...pages.map((page, index) => {
      const [before = null, after = null] = [pages[index - 1], pages[index + 1]].map((one) => one && toLink(one));
      return toFile(page.path, "html", renderPage({ ...page, before, after }, navigation, loads));
    }),
    toFile(docsMissing, "html", renderPage(missing, navigation, loads)),
  ];
}

async function readLinked(file: string): Promise<DocsFile> {
  const [extension = ""] = /[^.]+$/.exec(file) ?? [];
  const kind = extension === "png" || extension === "svg" ? extension : "txt";
  return {
    path: `/docs/files/${file.replace(/^docs\//, "")}`,
    kind,
    base64: await readFile(join(root, file), "base64"),
  };
}

/** The sources of the build itself. */
async function listOwn(): Promise<string[]> {
  const entries = await readdir(import.meta.dirname, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** A file that browsers keep: its name changes with its content. */
function hashed(name: string, kind: DocsKind, text: string): DocsFile {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return toFile(`/docs/${name}-${hash}.${kind}`, kind, text);
}

const toFile = (path: string, kind: DocsKind, text: string): DocsFile => ({
  path,
  kind,
  base64: Buffer.from(text).toString("base64"),
});
