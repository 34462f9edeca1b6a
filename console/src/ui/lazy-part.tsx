// Parts of the console that are loaded when they are first wanted.
import { type ComponentType, lazy } from "react";

const firstPauseMs = 500;
const longestPauseMs = 15_000;

/** A component of a part. While the part is loaded, what contains the component is suspended. */
export const lazyPart = <Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => lazy(async () => ({ default: (await loadPart(load))[name] }));

/** Shown in place of a part while it is loaded. */
export const LoadingPart = () => (
  <p role="status" aria-busy="true" className="appear-late h-full p-4 text-quiet">
    Loading… Without a connection, this waits for one.
  </p>
);

/**
 * Loads a part. A page never asks again for a part that it could not load, so the page is loaded
 * again, once there is a connection. Drafts are in the browser's database. After a deploy, that
 * also brings the new version of a part that the service no longer has.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    let pauseMs = firstPauseMs;
    while (!(await isServiceReached())) {
      await waitForConnection(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
    if (!mayReload()) throw error;
    location.reload();
    return await new Promise<never>(() => {});
  }
}

const isServiceReached = () =>
  fetch("/icon.svg", { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );

async function waitForConnection(atMostMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, atMostMs);
  addEventListener("online", resolve);
  await promise;
  clearTimeout(timer);
  removeEventListener("online", resolve);
}

/** True at most once a minute, so that a part that is missing in the new page too is an error. */
function mayReload(): boolean {
  const key = "reloaded-for-parts";
  const isRecent = Date.now() - Number(sessionStorage.getItem(key)) < 60_000;
  sessionStorage.setItem(key, String(Date.now()));
  return !isRecent;
}
