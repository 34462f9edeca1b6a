// What a browser says about its network and its page: a pause of the line ends with it.
import { afterEach, expect, test, vi } from "vitest";
import { createWake } from "../../packages/client/src/wake.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Makes this process a browser, as far as the line looks. */
function stubBrowser() {
  const page = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: "hidden" });
  vi.stubGlobal("navigator", { onLine: false });
  vi.stubGlobal("document", document);
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  return { page, document };
}

test("a network that comes back, a page that is shown again or seen ends a pause", () => {
  const { page, document } = stubBrowser();
  let retries = 0;
  const wake = createWake(
    () => {
      retries += 1;
    },
    () => {},
  );
  expect(wake.isOnline()).toBe(false);
  page.dispatchEvent(new Event("online"));
  page.dispatchEvent(new Event("pageshow"));
  document.dispatchEvent(new Event("visibilitychange"));
  expect(retries).toBe(2);
  document.visibilityState = "visible";
  document.dispatchEvent(new Event("visibilitychange"));
  expect(retries).toBe(3);
  wake.stop();
  page.dispatchEvent(new Event("online"));
  expect(retries).toBe(3);
});

test("a runtime that does not know its network counts as online", () => {
  const wake = createWake(
    () => {},
    () => {},
  );
  expect(wake.isOnline()).toBe(true);
  wake.stop();
});
