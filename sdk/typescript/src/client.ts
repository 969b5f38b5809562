import { Download } from "./download.ts";
import { errorOf, LociError } from "./error.ts";

/** How to reach a server. */
export interface LociOptions {
  /** The address of the server, such as http://localhost:5624. In a browser, the default is the origin of the page. */
  baseUrl?: string | undefined;
  /** A person's or an agent's key. Without one, a browser sends the sign-in of the person as a cookie. */
  apiKey?: string | undefined;
  /** Sends the requests. Default: globalThis.fetch. */
  fetch?: typeof fetch | undefined;
  /** Whether a browser sends cookies. Default: `omit` with a key, `same-origin` without. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** The session, by id or title, that all requests belong to. */
  session?: string | undefined;
  /** Further headers of all requests. */
  headers?: Record<string, string> | undefined;
  /** How many milliseconds an attempt may take; default: 60,000. 0: no limit. Streams and files only have to begin in time. */
  timeout?: number | undefined;
  /** How often to try again; default: 2. */
  retries?: number | undefined;
  /** The longest wait before another attempt, in milliseconds; default: 30,000. If the server asks for more, the call fails. */
  maxRetryDelay?: number | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** As in LociOptions, for this call. */
  timeout?: number | undefined;
  /** As in LociOptions, for this call. */
  retries?: number | undefined;
  /** As in LociOptions, for this call. */
  session?: string | undefined;
  /** A vendor, such as chatgpt: the call returns what this vendor's assistants get. Only people, and only for reads. */
  viewAs?: string | undefined;
}

/** Makes a change only if the thing is at this version. Otherwise the call throws a VersionConflict. */
export interface IfMatch {
  ifMatch?: number | undefined;
}

/** Returns null if the thing is still at this version. */
export interface IfNoneMatch {
  ifNoneMatch: number;
}

/** Carries out a call at most once a day, however often you send it. A repetition returns what it made, as Replayed. */
export interface Once {
  /** 1 to 255 printable ASCII characters, such as crypto.randomUUID(). */
  idempotencyKey: string;
}

/** No key of Once. */
export interface NotOnce {
  idempotencyKey?: undefined;
}

/** Begins a download in the middle of the file. */
export interface FromOffset {
  /** The position of the first byte. */
  offset?: number | undefined;
}

/** What can be sent as a file. A stream is sent while it is read, and only once; browsers send it over HTTP/2 only. */
export type Upload = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | string | ReadableStream<Uint8Array>;

type AnyOptions = CallOptions & Partial<IfMatch & IfNoneMatch & FromOffset> & { idempotencyKey?: string | undefined };

/** What a call sends. */
export interface Call {
  query?: object | undefined;
  body?: unknown;
  /** The media type of body, if it is not JSON. */
  type?: string;
  options?: AnyOptions | undefined;
  /** The call changes nothing, so it may be repeated. */
  safe?: boolean;
  /** The parameters whose values are joined with commas. */
  joined?: string[];
}

const prefix = "/api/v1";

/** Sends requests to one server with one credential. Loci adds the methods. */
export class LociClient {
  /** The address of the server. */
  readonly baseUrl: string;
  // Private names stay out of JSON and of the output of console.log.
  readonly #key: string;
  readonly #options: LociOptions;

  constructor(options: LociOptions = {}) {
    this.baseUrl = addressOf(options.baseUrl);
    this.#key = options.apiKey ?? "";
    if (!/^[!-~]*$/.test(this.#key)) {
      throw new TypeError("apiKey has a blank, a line break or another character that no key has");
    }
    const { apiKey: _, ...rest } = options;
    this.#options = rest;
  }

  /** Sends a request and returns its answer, decoded. */
  async call<T>(method: string, path: string, call: Call): Promise<T> {
    return this.#attempts(method, path, call, async (answer, request) => (await decode(answer, request)) as T);
  }

  /** Sends a request and returns its answer as bytes. The timeout ends when they begin. */
  async download(method: string, path: string, call: Call): Promise<Download> {
    return this.#attempts(method, path, call, async (answer, request) => {
      const from = call.options?.offset ?? 0;
      if (from > 0 && answer.status !== 206) {
        await answer.body?.cancel();
        const message = `cannot ${request}: the server sent the file from its beginning instead of from byte ${from}`;
        throw new LociError({ request, message, code: "bad_answer", status: answer.status, headers: answer.headers });
      }
      return new Download(request, answer);
    });
  }

  /** Repeats a request until it succeeds, or until repeating cannot help. */
  async #attempts<T>(method: string, path: string, call: Call, read: Read<T>): Promise<T> {
    const { signal, retries = this.#options.retries ?? 2, idempotencyKey } = call.options ?? {};
    const stream = call.body instanceof ReadableStream;
    const repeatable = method === "GET" || call.safe === true || idempotencyKey !== undefined;
    let unanswered = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(method, path, call, read);
      } catch (error) {
        if (signal?.aborted || !(error instanceof LociError) || stream || attempt >= retries) throw error;
        const again = error.status === 429 || (repeatable && (passes(error) || (unanswered && error.status === 409)));
        const wait = Math.max(backoff(attempt), (error.retryAfter ?? 0) * 1000);
        if (!again || wait > (this.#options.maxRetryDelay ?? 30_000)) throw error;
        unanswered ||= error.status === 0;
        await pause(wait, signal);
      }
    }
  }

  /** Sends one request. */
  async #once<T>(method: string, path: string, call: Call, read: Read<T>): Promise<T> {
    const { signal, timeout = this.#options.timeout ?? 60_000 } = call.options ?? {};
    const request = `${method} ${prefix}${path}`;
    signal?.throwIfAborted();
    const late = new AbortController();
    const timer = timeout > 0 ? setTimeout(() => late.abort(), timeout) : undefined;
    const send = this.#options.fetch ?? globalThis.fetch;
    try {
      const answer = await send(this.baseUrl + prefix + path + queryOf(call), {
        ...this.#init(method, call),
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      refuseRedirect(request, answer);
      if (answer.status === 304) return null as T;
      if (!answer.ok) throw await errorOf(request, answer);
      return await read(answer, request);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof LociError) throw error;
      const code = late.signal.aborted ? "timeout" : "network";
      const why = code === "timeout" ? `no answer within ${timeout} ms` : reasonOf(error);
      throw new LociError({ request, message: `cannot ${request}: ${why}`, code, cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #init(method: string, call: Call): RequestInit & { duplex?: "half" } {
    const { session = this.#options.session, idempotencyKey, ifMatch, ifNoneMatch, offset, viewAs } = call.options ?? {};
    const headers = new Headers(this.#options.headers);
    headers.set("Accept", "application/json, text/markdown;q=0.9, */*;q=0.8");
    if (this.#key) headers.set("Authorization", `Bearer ${this.#key}`);
    if (session !== undefined) headers.set("Loci-Session", session);
    if (viewAs !== undefined) headers.set("Loci-View-As", viewAs);
    if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
    if (ifMatch !== undefined) headers.set("If-Match", `"${ifMatch}"`);
    if (ifNoneMatch !== undefined) headers.set("If-None-Match", `"${ifNoneMatch}"`);
    if (offset) headers.set("Range", `bytes=${offset}-`);
    const init: RequestInit & { duplex?: "half" } = {
      method,
      headers,
      credentials: this.#options.credentials ?? (this.#key ? "omit" : "same-origin"),
      redirect: "manual",
    };
    if (call.body === undefined) return init;
    if (call.type === undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(call.body);
      return init;
    }
    const blob = call.body instanceof Blob && call.type === "application/octet-stream" ? call.body.type : "";
    headers.set("Content-Type", blob || call.type);
    init.body = call.body as BodyInit;
    if (call.body instanceof ReadableStream) init.duplex = "half";
    return init;
  }
}

/** Read turns a successful answer into a result. */
type Read<T> = (answer: Response, request: string) => Promise<T>;

/** passes reports whether the same request may succeed later. */
function passes(error: LociError): boolean {
  return error.code === "network" || error.code === "timeout" || (error.status >= 500 && error.status !== 507);
}

/** backoff is how many milliseconds to wait after an attempt: about 0.5, 1, 2 … 8 seconds. */
export function backoff(attempt: number): number {
  return Math.min(500 * 2 ** attempt, 8000) * (0.75 + Math.random() / 2);
}

/** pause waits. It throws the signal's reason if the signal ends the wait. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** addressOf checks the address of a server. */
function addressOf(baseUrl: string | undefined): string {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin;
  const given = baseUrl || (page?.startsWith("http") ? page : undefined);
  if (given === undefined) throw new TypeError("baseUrl is required, such as http://localhost:5624");
  let url: URL;
  try {
    url = new URL(given, page?.startsWith("http") ? page : undefined);
  } catch (error) {
    throw new TypeError("baseUrl must be an address such as http://localhost:5624", { cause: error });
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl must be an http or https address without a user, a query and a fragment");
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** queryOf writes the parameters of a call. */
function queryOf({ query, joined = [] }: Call): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) out.append(name, String(value));
    else if (joined.includes(name)) out.append(name, value.join(","));
    else for (const one of value) out.append(name, String(one));
  }
  const text = out.toString();
  return text && `?${text}`;
}

/** Writes a part of a path. It rejects what would name another route. */
export function segment(value: string): string {
  const part = encodeURIComponent(value);
  if (value === "" || /^\.\.?$/.test(part)) throw new TypeError(`an id cannot be ${JSON.stringify(value)}`);
  return part;
}

/** refuseRedirect throws for a redirection: the key and the body stay with the server that they are for. */
function refuseRedirect(request: string, answer: Response): void {
  if (answer.type !== "opaqueredirect" && ![301, 302, 303, 307, 308].includes(answer.status)) return;
  const to = answer.headers.get("Location");
  const message = `cannot ${request}: the server redirects${to ? ` to ${to.split(/[?#]/)[0]}` : ""}; set baseUrl to its address`;
  throw new LociError({ request, message, code: "redirected", status: answer.status, headers: answer.headers });
}

/** decode reads an answer as its media type tells. */
async function decode(answer: Response, request: string): Promise<unknown> {
  const body = await answer.text();
  if (answer.status === 204) return undefined;
  const type = answer.headers.get("Content-Type") ?? "";
  if (type.startsWith("text/markdown")) return body;
  try {
    if (/^application\/([\w.-]+\+)?json\b/.test(type)) return JSON.parse(body) as unknown;
  } catch {
    // The same error as for another type.
  }
  const message = `cannot ${request}: the answer is not Loci's`;
  throw new LociError({ request, message, code: "bad_answer", status: answer.status, headers: answer.headers });
}

/** reasonOf is why fetch failed. Node has that in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || "no connection";
}

interface Page {
  next_cursor?: string;
}

/** Gets page after page. */
export async function* pages<P extends Page>(
  get: (cursor: string | undefined) => Promise<P>,
  start?: string,
): AsyncGenerator<P> {
  for (let cursor = start; ; ) {
    const page = await get(cursor);
    yield page;
    if (!page.next_cursor) return;
    if (page.next_cursor === cursor) throw new Error("the server sent the same cursor twice");
    cursor = page.next_cursor;
  }
}

/** Gets page after page, and returns their items. */
export async function* items<P extends Page, T>(
  get: (cursor: string | undefined) => Promise<P>,
  pick: (page: P) => T[] | null | undefined,
  start?: string,
): AsyncGenerator<T> {
  for await (const page of pages(get, start)) yield* pick(page) ?? [];
}
