import type { FeedEvent } from "./api.ts";
import type { CallOptions, LociClient } from "./client.ts";
import { backoff, pause } from "./client.ts";
import { textLines } from "./download.ts";
import { LociError } from "./error.ts";

/** An event of the stream of changes. position is where to continue after it, for ChangesOptions.after. */
export type ChangeEvent =
  /** The stream is open, and reports everything from here on. */
  | { kind: "ready"; position: string; resumed: boolean }
  /** Something changed. */
  | { kind: "change"; position: string; change: FeedEvent }
  /** Earlier changes are not known: reload everything, then continue from here. */
  | { kind: "reset"; position: string };

/** How to follow changes. */
export interface ChangesOptions extends Pick<CallOptions, "signal" | "session"> {
  /** The position of an event. Default: start now. */
  after?: string | undefined;
  /** The kinds of rows to follow, or "all". Default: memories and memory nodes. A position holds for any kinds. */
  kinds?: readonly FeedEvent["kind"][] | "all" | undefined;
  /** End when there are no more changes at the moment. */
  once?: boolean | undefined;
  /** After how many milliseconds without a sign of life to connect again; default: 45,000, three heartbeats. */
  silence?: number | undefined;
  /** Hears about each attempt to connect again: how many milliseconds until it, and why. */
  onRetry?: ((wait: number, reason: unknown) => void) | undefined;
}

const request = "GET /api/v1/changes";
const longestWait = 30_000;

/**
 * Follows changes that the credential may see, each once and in order. If the stream breaks, it connects again and
 * continues after the last event that you took. It ends when the signal aborts or when you leave the loop. It throws
 * errors that another attempt cannot fix, such as a revoked key.
 */
export async function* changes(client: LociClient, options: ChangesOptions = {}): AsyncGenerator<ChangeEvent, void> {
  const { signal, once } = options;
  let at = options.after ?? "";
  for (let attempt = 0; !signal?.aborted; attempt++) {
    let reason: unknown;
    try {
      for await (const { id, event } of stream(client, at, options)) {
        if (event) yield event;
        if (id) [at, attempt] = [id, 0];
      }
      if (once) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof LociError) || !mayPass(error)) throw error;
      reason = error;
    }
    const asked = reason instanceof LociError ? (reason.retryAfter ?? 0) * 1000 : 0;
    const wait = Math.max(asked, Math.min(2 * backoff(attempt), longestWait));
    options.onRetry?.(wait, reason);
    await pause(wait, signal).catch(() => undefined);
  }
}

function mayPass({ code, status }: LociError): boolean {
  return code === "network" || code === "timeout" || status >= 500 || status === 429;
}

/** stream reads one answer until it ends. A heartbeat has an id and no event. */
async function* stream(
  client: LociClient,
  at: string,
  { kinds, signal, session, once, silence = 45_000 }: ChangesOptions,
): AsyncGenerator<{ id: string; event?: ChangeEvent }> {
  const quiet = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), silence);
  };
  const ends = signal ? AbortSignal.any([signal, quiet.signal]) : quiet.signal;
  try {
    const query = { last_event_id: at || undefined, kinds: typeof kinds === "string" ? kinds : kinds?.join(), once: once || undefined };
    const answer = await client.download("GET", "/changes", { query, options: { signal: ends, session, timeout: silence, retries: 0 } });
    heard();
    yield* events(textLines(answer.stream(), heard));
  } catch (error) {
    // What breaks a stream that was open is the connection, or the silence above.
    if (error instanceof LociError || signal?.aborted) throw error;
    throw new LociError({ request, message: `cannot ${request}: the stream broke`, code: "network", cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** events reads server-sent events. */
async function* events(lines: AsyncIterable<string>): AsyncGenerator<{ id: string; event?: ChangeEvent }> {
  let [kind, id, data] = ["", "", ""];
  for await (const line of lines) {
    if (line === "") {
      const event = eventOf(kind, id, data);
      yield event ? { id, event } : { id };
      [kind, id, data] = ["", "", ""];
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "event") kind = value;
    else if (name === "id") id = value;
    else if (name === "data") data = value;
  }
}

/** parsed reads the data of an event. */
function parsed<T>(data: string): T {
  try {
    return JSON.parse(data) as T;
  } catch (cause) {
    throw new LociError({ request, message: `cannot ${request}: an event is not Loci's`, code: "bad_answer", cause });
  }
}

function eventOf(kind: string, position: string, data: string): ChangeEvent | undefined {
  switch (kind) {
    case "ready":
      return { kind, position, resumed: parsed<{ resumed: boolean }>(data).resumed };
    case "change":
      return { kind, position, change: parsed<FeedEvent>(data) };
    case "reset":
      return { kind, position };
  }
  return undefined;
}
