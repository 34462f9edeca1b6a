// What a code host serves of a repository: its archive, and its refs.
import { packTar } from "modern-tar";

/** Contents of files by path, and links. */
export type Files = Record<string, string | { link: string }>;

/** The files as a tar in which they are all in one folder, as code hosts send them. */
export const createTar = (files: Files, top = "top/") =>
  packTar(
    Object.entries(files).map(([path, content]) =>
      typeof content === "string"
        ? { header: { name: top + path, size: content.length, type: "file" as const }, body: content }
        : { header: { name: top + path, size: 0, type: "symlink" as const, linkname: content.link } },
    ),
  );
/** Responds with these bytes. */
export const bytes = (data: Uint8Array) => () => new Response(data.slice());
/** Serves a repository at a commit, with one branch. */
export const refs = (sha: string) => () =>
  new Response(`001e# service=git-upload-pack\n0000015a${sha} HEAD\0abilities\n003f${sha} refs/heads/main\n0000`);
