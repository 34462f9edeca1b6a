#!/usr/bin/env node
// A small language server: reports where a file is not valid JSON.
let held = Buffer.alloc(0);

function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function listMistakes(text) {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const place = Number(/position (\d+)/.exec(error.message)?.[1] ?? text.length);
    const before = text.slice(0, place).split("\n");
    const start = { line: before.length - 1, character: before.at(-1).length };
    return [{ severity: 1, range: { start, end: start }, message: error.message }];
  }
}

function receive({ id, method, params }) {
  if (method === "initialize") send({ id, result: { capabilities: { textDocumentSync: 1 } } });
  if (method === "shutdown") send({ id, result: null });
  if (method === "exit") process.exit(0);
  if (method !== "textDocument/didOpen" && method !== "textDocument/didChange") return;
  const { uri, text = params.contentChanges?.at(-1)?.text } = params.textDocument;
  send({ method: "textDocument/publishDiagnostics", params: { uri, diagnostics: listMistakes(text) } });
}

process.stdin.on("data", (chunk) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    const head = held.indexOf("\r\n\r\n");
    if (head < 0) return;
    const end = head + 4 + Number(/Content-Length: (\d+)/i.exec(held.subarray(0, head))[1]);
    if (held.length < end) return;
    const message = JSON.parse(held.subarray(head + 4, end));
    held = held.subarray(end);
    receive(message);
  }
});
