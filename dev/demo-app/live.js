// What every open page is told at once: how many are watching, and how many times someone waved.
import { acceptWebSocket } from "./websocket.js";

/** Keeps the open pages of one server; `accept` takes an upgrade request. */
export function createLive() {
  const viewers = new Set();
  let waves = 0;

  const tellAll = () => {
    const news = JSON.stringify({ viewers: viewers.size, waves });
    for (const viewer of viewers) viewer.send(news);
  };

  return {
    accept(request, socket, head) {
      const viewer = acceptWebSocket(request, socket, head, {
        onText(text) {
          if (text !== "wave") return;
          waves++;
          tellAll();
        },
        onClose() {
          viewers.delete(viewer);
          tellAll();
        },
      });
      if (viewer === null) return;
      viewers.add(viewer);
      tellAll();
    },
  };
}
