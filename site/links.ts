// Links between the documents of the repository, as links between the pages of the docs, and the
// anchors of headings that they lead to.
import { posix } from "node:path";

export interface LinkTargets {
  /** The pages by the document that they are made of, such as `docs/guide/crons.md`. */
  pages: ReadonlyMap<string, string>;
  /** The addresses of anchors that are on another page than their document: `a.md#b`. */
  anchors?: ReadonlyMap<string, string>;
  /** Whether the repository has a file. */
  hasFile(path: string): boolean;
}

export interface Link {
  href: string;
  /** The file of the repository that the docs have to serve, too. */
  file: string | null;
}

/** The part of the docs with files of the repository that are no pages, such as pictures. */
const filesPath = "/docs/files/";

/** Whether a link leads to another site, or is already an address of the service. */
const isOutside = (href: string) => /^([a-z][a-z+.-]*:|\/)/i.test(href);

/** Resolves a link of a document; null if it leads nowhere. */
export function findLink(document: string, href: string, { pages, anchors, hasFile }: LinkTargets): Link | null {
  if (isOutside(href) || href.startsWith("#")) return { href, file: null };
  const [target = "", anchor] = href.split("#", 2);
  const path = posix.join(posix.dirname(document), decodeURI(target)).replace(/\/$/, "");
  const moved = anchors?.get(`${path}#${anchor}`);
  if (moved !== undefined) return { href: moved, file: null };
  const page = pages.get(path) ?? pages.get(`${path}/README.md`);
  const after = anchor === undefined ? "" : `#${anchor}`;
  if (page !== undefined) return { href: page + after, file: null };
  return hasFile(path) ? { href: `${filesPath}${path.replace(/^docs\//, "")}`, file: path } : null;
}

/** The address of a page's Markdown. */
export const getMarkdownPath = (page: string): string => (page.endsWith("/") ? `${page}index.md` : `${page}.md`);

/** A block of code, code in a line, or the address of a link or a picture. */
const codeOrLink = /^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1 *$|`[^`\n]+`|(\]\(|\bsrc=")([^)\s"]+)/gm;

/** Rewrites the links of a document for the Markdown beside its page. Code remains as it is. */
export function formatMarkdownLinks(document: string, text: string, targets: LinkTargets): string {
  const paths = new Set(targets.pages.values());
  return text
    .replace(codeOrLink, (whole: string, _fence: string, before?: string, href?: string) => {
      const link = href === undefined ? null : findLink(document, href, targets);
      if (before === undefined || link === null) return whole;
      const [page = "", anchor] = link.href.split("#", 2);
      return `${before}${paths.has(page) ? getMarkdownPath(page) : page}${anchor === undefined ? "" : `#${anchor}`}`;
    })
    .replace(/^(#{1,6} .*?)\s*\{#[\w-]+\}$/gm, "$1");
}

const punctuation = /[^\p{L}\p{N}\p{M}\s_-]/gu;

/**
 * Makes the anchors of one page as the code host does, so that links work in both. A heading that
 * occurs again gets a number.
 */
export function createAnchors(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const slug = heading.toLowerCase().trim().replace(punctuation, "").replace(/\s/g, "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** Separates the anchor that a heading names itself, as in `Create a session {#createSession}`. */
export function parseHeading(text: string): { text: string; anchor: string | null } {
  const [, rest = text, anchor = null] = /^(.*?)\s*\{#([\w-]+)\}$/.exec(text) ?? [];
  return { text: rest, anchor };
}
