// The sizes of the built docs, and what they may be.
import { gzipSync } from "node:zlib";
import type { DocsFile } from "./bundle.ts";

/** What a page may have, gzipped, in KB. */
export const pageKb = 25;
/** What all files may have together. */
export const docsMegabytes = 40;

/** Measures each page, gzipped, and all files together. */
export function measureDocs(files: readonly DocsFile[]): { pages: { path: string; kb: number }[]; megabytes: number } {
  const bytes = files.map(({ path, kind, base64 }) => ({ path, kind, data: Buffer.from(base64, "base64") }));
  const pages = bytes.filter(({ kind }) => kind === "html");
  return {
    pages: pages.map(({ path, data }) => ({ path, kb: gzipSync(data).length / 1024 })),
    megabytes: bytes.reduce((sum, { data }) => sum + data.length, 0) / 2 ** 20,
  };
}
