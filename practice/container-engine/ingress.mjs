// The proxy to a container's ports: workerd starts it in the network of each container. It replaces
// Cloudflare's own image, which comes from a registry. It does not handle outgoing traffic. Plain
// JavaScript, because it runs in a separate image.
import { createServer } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { argv } from "node:process";

const address = argv[argv.indexOf("--http-ingress-address") + 1] ?? "0.0.0.0:39001";
const ownPort = Number(address.slice(address.lastIndexOf(":") + 1));
// As on the platform, a container is reached at an address of its network, not at its loopback.
const target = networkInterfaces().eth0?.find(({ family }) => family === "IPv4")?.address ?? "127.0.0.1";

// workerd checks whether it runs, configures outgoing traffic, and fetches a certificate.
createServer((request, response) => {
  request.resume().on("end", () => response.end(request.url === "/ca" ? "none\n" : "{}"));
})
  .on("connect", (request, socket, head) => {
    const asked = String(request.headers["x-dst-addr"] ?? request.url);
    const other = connect(Number(asked.slice(asked.lastIndexOf(":") + 1)), target);
    const refuse = ({ message }) =>
      socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${message.length}\r\n\r\n${message}`);
    other.once("error", refuse);
    other.once("connect", () => {
      other.off("error", refuse);
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      if (head.length > 0) other.write(head);
      socket.pipe(other).pipe(socket);
      other.on("error", () => socket.destroy());
    });
    socket.on("error", () => other.destroy());
    socket.on("close", () => other.destroy());
    other.on("close", () => socket.destroySoon());
  })
  .listen(ownPort, "0.0.0.0");
