// The service of the repository in a driver's tests: it shows what arrives and answers in the ways
// that a driver could spoil.
import { createServer } from "node:http";
import { acceptWebSocket } from "./websocket.js";

const answers = {
  async "/echo"(request, response) {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers } = request;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ method, url, headers, body }));
  },
  "/mirror": (request, response) => request.pipe(response),
  "/teapot": (_, response) => response.writeHead(418, { "x-own": "kept" }).end("short and stout"),
  "/redirect": (_, response) => response.writeHead(307, { location: "/echo" }).end(),
  // Its second piece comes when somebody has read the first.
  "/stream"(_, response) {
    response.writeHead(200).write("first");
    waiting.push(() => response.end("second"));
  },
  "/go-on"(_, response) {
    for (const goOn of waiting.splice(0)) goOn();
    response.end();
  },
  "/break": (request) => request.socket.destroy(),
  "/claim"(request, response) {
    const name = request.headers["x-claim"];
    response.writeHead(200, { [name]: "1" }).end("I am gone");
  },
};
const waiting = [];

createServer((request, response) => answers[request.url.split("?")[0]](request, response))
  .on("upgrade", (request, socket, head) => {
    const connection = acceptWebSocket(request, socket, head, {
      onText: (text) => connection.send(`${request.url} heard ${text}`),
      onClose() {},
    });
  })
  .listen(Number(process.env.PORT), "0.0.0.0");
