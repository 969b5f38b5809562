// A proxy in front of Loci that prints the method and status of each call of MCP, with the client that sent it.
import http from "node:http";

const [port, target] = process.argv.slice(2);
http.createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts);
    const on = http.request(target + request.url, { method: request.method, headers: request.headers }, (answer) => {
      if (body.length > 0 && request.url.startsWith("/mcp")) {
        console.log(JSON.parse(body).method, answer.statusCode, request.headers["user-agent"] ?? "");
      }
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      response.on("close", () => answer.destroy());
    });
    on.on("error", (error) => response.writeHead(502).end(String(error)));
    on.end(body);
  });
}).listen(Number(port), "127.0.0.1");
