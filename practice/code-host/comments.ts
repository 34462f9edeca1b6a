// The comments on the code host's issues and pull requests, and their reactions, with their REST
// endpoints. They are in memory, and in one file per repository.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findAccount, getAssociation } from "./issues.ts";
import { usualLogin } from "./people.ts";
import { createSubjectId } from "./pull-request.ts";
import { type ApiAnswer, getPage, notFound, unprocessable } from "./rest.ts";

export interface Comment {
  id: number;
  /** The number of the issue or the pull request. */
  number: number;
  /** The login of its author. */
  author: string;
  body: string;
  /** The line of the change that it is on. */
  line?: { path: string; line: number };
  reactions: { author: string; content: string }[];
  updatedAt: string;
}

export interface Comments {
  /** Follows a renamed repository; null for a deleted one. */
  moved(repository: string, to: string | null): void;
  /** Those on an issue or a pull request, oldest first. */
  of(repository: string, number: number): readonly Comment[];
  find(repository: string, id: number): Comment | null;
  write(repository: string, draft: Pick<Comment, "number" | "author" | "body" | "line">): Comment;
  /** Changes a comment. Null if there is no such comment. */
  change(repository: string, id: number, changes: Partial<Comment>): Comment | null;
  /** Adds a reaction; an account reacts once with the same emoji. False if there is no comment. */
  react(repository: string, id: number, author: string, content: string): boolean;
}

type Watcher = (repository: string, action: "created" | "edited", comment: Comment) => void;

/** Opens the comments below a folder. The watcher is called for each that is written or edited. */
export function createComments(folder: string, watcher: Watcher): Comments {
  const known = new Map<string, Comment[]>();
  const getFile = (repository: string) => join(folder, `${repository}.json`);

  function load(repository: string): Comment[] {
    const file = getFile(repository);
    const loaded: Comment[] = known.get(repository) ?? (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
    known.set(repository, loaded);
    return loaded;
  }

  function save(repository: string, comments: Comment[]): void {
    const file = getFile(repository);
    known.set(repository, comments);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(comments, null, 2));
    renameSync(`${file}.new`, file);
  }

  const find = (repository: string, id: number) => load(repository).find((one) => one.id === id) ?? null;
  const at = () => new Date().toISOString();

  function change(repository: string, id: number, changes: Partial<Comment>): Comment | null {
    const before = find(repository, id);
    if (!before) return null;
    const comment = { ...before, ...changes, updatedAt: at() };
    save(
      repository,
      load(repository).map((one) => (one.id === id ? comment : one)),
    );
    if (changes.body !== undefined) watcher(repository, "edited", comment);
    return comment;
  }

  return {
    change,
    react(repository, id, author, content) {
      const found = find(repository, id);
      if (found && !found.reactions.some((one) => one.author === author && one.content === content))
        change(repository, id, { reactions: [...found.reactions, { author, content }] });
      return found !== null;
    },
    moved(repository, to) {
      if (to !== null) save(to, load(repository));
      known.delete(repository);
      rmSync(getFile(repository), { force: true });
    },
    of: (repository, number) => load(repository).filter((one) => one.number === number),
    find,
    write(repository, draft) {
      const comment: Comment = { ...draft, id: load(repository).length + 1, reactions: [], updatedAt: at() };
      save(repository, [...load(repository), comment]);
      watcher(repository, "created", comment);
      return comment;
    },
  };
}

/** A comment in GitHub's format. */
export function toWireComment(url: string, repository: string, { id, number, author, body, line, updatedAt }: Comment) {
  return {
    ...{
      id,
      node_id: createSubjectId("C", repository, number, id),
      body,
      user: findAccount(author),
      author_association: getAssociation(author),
      updated_at: updatedAt,
    },
    html_url: `${url}/${repository}/issues/${number}#comment-${id}`,
    ...(line === undefined ? {} : { ...line, diff_hunk: `@@ -1 +${line.line} @@` }),
  };
}

const commentsPath = /^\/repos\/([^/]+\/[^/]+)\/(issues|pulls)\/(?:(\d+)\/comments|comments\/(\d+)(?:\/(reactions))?)$/;

/** Returns the repository of a path to comments; null for any other path. */
export function parseCommentsPath(path: string): string | null {
  return commentsPath.exec(path)?.[1] ?? null;
}

interface CommentCall {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** The login of the caller; null for the token of no account, whose body names one. */
  by: string | null;
}

interface CommentPlaces {
  has(repository: string, number: number): boolean;
  /** The comments of a pull request's reviews, in GitHub's format. */
  listOfReviews(repository: string, number: number): object[];
}

/** Handles a call on the comments of a repository that exists. */
export function handleComments(
  url: string,
  comments: Comments,
  { has, listOfReviews }: CommentPlaces,
  { method, path, query, body, by }: CommentCall,
): ApiAnswer {
  const [, repository = "", kind, number, id, reactions] = commentsPath.exec(path) ?? [];
  const author = by ?? String(body.user ?? usualLogin);
  if (findAccount(author) === null) return unprocessable("Unknown user.");
  const wire = (comment: Comment) => toWireComment(url, repository, comment);
  const answer = (comment: Comment | null, status = 200): ApiAnswer =>
    comment === null ? notFound : { status, body: wire(comment) };
  if (number !== undefined) {
    if (!has(repository, Number(number))) return notFound;
    const isOfKind = ({ line }: Comment) => (line !== undefined) === (kind === "pulls");
    if (method === "GET") {
      const own: object[] = comments.of(repository, Number(number)).filter(isOfKind).map(wire);
      const listed = kind === "pulls" ? [...own, ...listOfReviews(repository, Number(number))] : own;
      return { status: 200, body: getPage(query.get("direction") === "desc" ? listed.reverse() : listed, query) };
    }
    if (method !== "POST" || typeof body.body !== "string") return unprocessable("No text.");
    const line = { path: String(body.path ?? ""), line: Number(body.line ?? 1) };
    const draft = { number: Number(number), author, body: body.body, ...(kind === "pulls" ? { line } : {}) };
    return answer(comments.write(repository, draft), 201);
  }
  const found = comments.find(repository, Number(id));
  if (!found) return notFound;
  if (reactions === undefined) {
    if (method === "GET") return answer(found);
    if (method !== "PATCH" || typeof body.body !== "string") return notFound;
    return answer(comments.change(repository, found.id, { body: body.body }));
  }
  if (method !== "GET") return notFound;
  const listed = found.reactions.map((one, place) => ({
    id: place + 1,
    content: one.content,
    user: findAccount(one.author),
  }));
  return { status: 200, body: getPage(listed, query) };
}
