// A hostile app: its page attacks its surroundings and reports the result of each attempt. The test
// fills in the addresses of the service and of another preview.
import { createServer } from "node:http";

const page = `<!doctype html><html lang="en"><title>Hostile</title><h1>Hostile</h1><pre id="told"></pre><script>
const service = "SERVICE_URL";
const neighbour = "NEIGHBOUR_URL";
const tries = {
  cookies: () => document.cookie,
  "its surroundings": () => parent.document.body.innerHTML,
  "the address of its surroundings": () => parent.location.href,
  "a read with credentials": async () => (await fetch(service + "/api/organizations", { credentials: "include" })).text(),
  "a public read": async () => (await fetch(service + "/api/meta")).text(),
  "a post with credentials": async () => {
    const sent = { method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({ name: "stolen" }) };
    return (await fetch(service + "/api/user/api-keys", sent)).text();
  },
  "a sign-out": async () => {
    const sent = { method: "POST", mode: "no-cors", credentials: "include" };
    return (await fetch(service + "/api/auth/sign-out", sent)).text();
  },
  "a frame of the API": () => framed(service + "/api/organizations"),
  "whoever opened it": () => String(window.opener),
  "a share page in a frame": () => framed(service + "/shared/SHARE_SLUG"),
  "what a window of the API holds": () => {
    const other = open(service + "/api/organizations");
    if (other === null) return "";
    try { return other.document.body.innerHTML; } finally { other.close(); }
  },
  "a neighbour's page": async () => (await fetch(neighbour, { credentials: "include" })).text(),
  "a neighbour in a frame": () => framed(neighbour),
  "a neighbour's socket": () =>
    new Promise((resolve) => {
      const socket = new WebSocket(new URL("/live", neighbour.replace(/^http/, "ws")));
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("");
    }),
  "a cookie for all previews": () => {
    document.cookie = "__Host-svc_preview=planted; path=/; secure; domain=" + location.hostname.split(".").slice(1).join(".");
    document.cookie = "__Host-svc_preview=planted; path=/; domain=localhost";
    return document.cookie;
  },
  "a session for the service": () => {
    document.cookie = "svc_session=planted; path=/; domain=localhost";
    return document.cookie;
  },
  "a worker before the service": async () => {
    await navigator.serviceWorker.register(service + "/worker.js");
    return "registered";
  },
  "a module of the API": async () => Object.keys(await import(service + "/api/openapi.json")).join(),
  "a letter to its surroundings": () => {
    for (const wanted of ["wake", "token", { type: "navigate", url: service }]) parent.postMessage(wanted, "*");
    return "";
  },
  "a way out": () => { top.location = service + "/lured"; return "left"; },
};
function framed(url) {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = () => resolve(frame.contentDocument?.body?.innerHTML ?? "");
    frame.src = url;
    document.body.append(frame);
  });
}
(async () => {
  const told = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try { told[name] = String(await attempt()); } catch (error) { told[name] = "refused: " + error.name; }
  }
  const form = document.createElement("form");
  form.method = "post";
  form.action = service + "/api/user/api-keys";
  form.target = "posted";
  document.body.append(Object.assign(document.createElement("iframe"), { name: "posted" }), form);
  form.submit();
  document.getElementById("told").textContent = JSON.stringify(told);
})();
</script>`;

createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end(page);
}).listen(Number(process.env.PORT), "0.0.0.0");
