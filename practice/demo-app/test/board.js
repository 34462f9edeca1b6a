import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { createBoard } from "../board.js";

const board = createBoard();
let port;

before(async () => {
  board.listen(0, "127.0.0.1");
  await once(board, "listening");
  ({ port } = board.address());
});
after(() => board.close());

test("the board is healthy and lists departures", async () => {
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  assert.deepEqual(await health.json(), { status: "ok" });
  const answer = await fetch(`http://127.0.0.1:${port}/api/departures`);
  assert.equal((await answer.json()).departures.length, 6);
});

test("a path that no URL can have is not found, and the board goes on", async () => {
  const asked = request({ port, host: "127.0.0.1", path: "///board.example/.." }).end();
  const [answer] = await once(asked, "response");
  assert.equal(answer.resume().statusCode, 404);
  assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
});

test("a page that opens the live connection is told that it is watching", async () => {
  const upgrade = request({
    port,
    host: "127.0.0.1",
    path: "/live",
    headers: { connection: "upgrade", upgrade: "websocket", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
  }).end();
  const [answer, socket, head] = await once(upgrade, "upgrade");
  assert.equal(answer.headers["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const bytes = head.length > 0 ? head : (await once(socket, "data"))[0];
  assert.deepEqual(JSON.parse(bytes.subarray(2).toString()), { viewers: 1, waves: 0 });
  socket.destroy();
});
