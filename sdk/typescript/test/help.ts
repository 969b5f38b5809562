// What the tests share: small servers that misbehave.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A small server. It answers the first request with the first handler, and so on; the last one stays. */
export interface Fake {
  url: string;
  /** The requests so far. */
  seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
  close: () => Promise<void>;
}

export async function fake(t: TestContext, ...handlers: Handler[]): Promise<Fake> {
  const seen: Fake["seen"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const handler = handlers[Math.min(seen.length, handlers.length - 1)];
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      handler?.(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.after(close);
  return { url: `http://127.0.0.1:${port}`, seen, close };
}

/** json answers with a value. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Handler {
  return (_request, response) => {
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "Content-Type": type, "X-Request-Id": "r1", ...headers }).end(JSON.stringify(value));
  };
}

/** problem answers with an error of Loci. */
export function problem(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Handler {
  const text = `this is ${code}`;
  return json(status, { type: "about:blank", title: "T", status, detail: text, error: text, code, ...more }, headers);
}

/** hangUp ends the connection without an answer. */
export const hangUp: Handler = (request) => request.socket.destroy();

/** silent never answers. */
export const silent: Handler = () => undefined;

/** collect takes at most n items. */
export async function collect<T>(from: AsyncIterable<T>, n = Infinity): Promise<T[]> {
  const out: T[] = [];
  for await (const one of from) {
    out.push(one);
    if (out.length >= n) break;
  }
  return out;
}
