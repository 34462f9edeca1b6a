// Where the docs are in the bucket: one object with the bytes of all files, and an index of them.

/** What a file of the docs is. */
export type DocsKind = "html" | "md" | "txt" | "css" | "js" | "json" | "png" | "svg";

export interface DocsIndex {
  /** The key of the object with the bytes. It changes with them. */
  pack: string;
  /** The files by their paths at the service, such as `/docs/guide/crons`. */
  files: Record<string, DocsEntry>;
}

export interface DocsEntry {
  /** Where its bytes are in the pack. */
  at: number;
  length: number;
  kind: DocsKind;
  /** Its ETag. */
  tag: string;
}

/** What the keys of the docs begin with. */
export const docsPrefix = "docs/";
/** The index. It is saved last, so it never names a pack that is not there. */
export const docsIndexKey = `${docsPrefix}index.json`;
/** The start page, which leads to all other pages. */
export const docsStart = "/docs/";
/** The page of an address that has none. */
export const docsMissing = "/docs/not-found";
