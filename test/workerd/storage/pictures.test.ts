// Pictures: an owner has one, each has a URL of its own, and no replaced one is left in storage.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { startWorkspaceDeletion } from "../../../src/deletion/queries.ts";
import { sweepUnconfirmedObjects } from "../../../src/storage/bodies.ts";
import { deletePicture, findPicture, type PictureOwner, savePicture } from "../../../src/storage/pictures.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";

const world = { ...env, PUBLIC_URL: "http://service.test" };
const day = 86_400_000;
const picture = { bytes: Uint8Array.of(1, 2, 3), mediaType: "image/png" } as const;
const put = (owner: PictureOwner) => savePicture(world, owner, picture, Date.now());
const parseId = (url: string) => url.slice("http://service.test/pictures/".length);
const stored = async (url: string) => {
  await sweepUnconfirmedObjects(env, Date.now() + day);
  const found = await findPicture(env.STORE, parseId(url));
  return (await found?.arrayBuffer())?.byteLength === picture.bytes.length;
};

async function readLogo(workspaceId: string) {
  return await env.DB.prepare("SELECT logo FROM workspaces WHERE id = ?1").bind(workspaceId).first("logo");
}

test("a logo is stored at a new URL", async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const url = await put({ type: "workspace", id: workspaceId });
  expect(url).toMatch(/^http:\/\/service\.test\/pictures\/[\w-]{43}$/);
  expect(await readLogo(workspaceId)).toBe(url);
  expect(await stored(url)).toBe(true);
});

test("a new logo has another URL, and the old one is deleted; so is one that is deleted without a new one", async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const owner = { type: "workspace", id: workspaceId } as const;
  const first = await put(owner);
  const second = await put(owner);
  expect(second).not.toBe(first);
  expect([await stored(first), await stored(second)]).toEqual([false, true]);
  await deletePicture(world, owner, Date.now());
  expect(await readLogo(workspaceId)).toBeNull();
  expect(await stored(second)).toBe(false);
});

test("a picture of the code host is replaced, and nothing else changes", async () => {
  const id = await addUser("guest");
  const foreign = "https://avatars.example.com/pictures/1";
  await env.DB.prepare("UPDATE users SET image_url = ?2 WHERE id = ?1").bind(id, foreign).run();
  const url = await put({ type: "user", id });
  expect(await env.DB.prepare("SELECT image_url FROM users WHERE id = ?1").bind(id).first("image_url")).toBe(url);
  const { results } = await env.DB.prepare("SELECT key FROM objects_in_doubt WHERE key = 'pictures/1'").all();
  expect(results).toEqual([]);
  expect(await stored(url)).toBe(true);
});

test("of two concurrent pictures, one is stored and the other is deleted", async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const urls = await Promise.all([1, 2, 3].map(() => put({ type: "workspace", id: workspaceId })));
  const standing = await readLogo(workspaceId);
  for (const url of urls) expect(await stored(url)).toBe(url === standing);
});

test("the logo is deleted with its workspace, even one that is stored late", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ owner: "owner" });
  const url = await put({ type: "workspace", id: workspaceId });
  await startWorkspaceDeletion(env.DB, { id: workspaceId, name: "Acme", ownerId: users.owner }, Date.now());
  const late = await put({ type: "workspace", id: workspaceId });
  expect([await stored(url), await stored(late)]).toEqual([false, false]);
});
