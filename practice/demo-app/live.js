// The live connection of all open pages: how many people are watching, and how often somebody waved.
import { acceptWebSocket } from "./websocket.js";

/** Tracks the open pages of a server. `accept` handles an upgrade request. */
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
