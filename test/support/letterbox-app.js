// An app that records its requests. Its front page follows links, posts, reloads and is redirected.
import { createServer } from "node:http";

const letters = [];
const visits = [];

createServer(async (request, response) => {
  const { method, url } = request;
  if (url === "/kept") return response.end(JSON.stringify({ letters, visits }));
  visits.push(`${method} ${url}`);
  if (method === "POST") {
    letters.push(String(Buffer.concat(await request.toArray())));
    return response.writeHead(303, { location: "/thanks" }).end();
  }
  if (url === "/away") return response.writeHead(302, { location: "/there" }).end();
  response.writeHead(200, { "content-type": "text/html", "referrer-policy": "no-referrer" }).end(`<!doctype html>
    <html lang="en"><title>Letterbox</title><h1>Letterbox at ${url}</h1><a href="/away">Away</a>
    <form method="post" action="/letters"><input name="text" value="dear"><button>Send</button></form>
    <button onclick="location.reload()">Again</button></html>`);
}).listen(Number(process.env.PORT), "0.0.0.0");
