/** Bytes from the server. Read them once: as a stream, lines, text or a Blob. */
export class Download {
  readonly #answer: Response;
  readonly #request: string;

  constructor(request: string, answer: Response) {
    this.#answer = answer;
    this.#request = request;
  }

  /** The name of the file; "" if it has none. */
  get name(): string {
    return fileName(this.#answer.headers.get("Content-Disposition") ?? "");
  }

  get mediaType(): string {
    return this.#answer.headers.get("Content-Type") ?? "application/octet-stream";
  }

  /** The number of bytes to come; undefined if it is not known. */
  get size(): number | undefined {
    const length = this.#answer.headers.get("Content-Length");
    return length === null || this.#answer.headers.has("Content-Encoding") ? undefined : Number(length);
  }

  /** The position of the first byte in the file. */
  get offset(): number {
    const range = /^bytes (\d+)-/.exec(this.#answer.headers.get("Content-Range") ?? "");
    return range ? Number(range[1]) : 0;
  }

  /** Returns the bytes as they arrive. Cancel the stream to stop the download. */
  stream(): ReadableStream<Uint8Array> {
    return this.#answer.body ?? new Blob().stream();
  }

  blob(): Promise<Blob> {
    return this.#answer.blob();
  }

  text(): Promise<string> {
    return this.#answer.text();
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.#answer.arrayBuffer());
  }

  /** Returns the values of JSON lines as they arrive. */
  async *lines(): AsyncIterable<unknown> {
    for await (const line of textLines(this.stream())) {
      if (line.trim() !== "") yield JSON.parse(line) as unknown;
    }
  }

  /** Stops the download. */
  async cancel(): Promise<void> {
    await this.#answer.body?.cancel();
  }

  toString(): string {
    return `Download of ${this.#request}`;
  }
}

/** fileName reads the name in a Content-Disposition header (RFC 6266). */
function fileName(header: string): string {
  const extended = /filename\*=utf-8''([^;]+)/i.exec(header)?.[1];
  if (extended) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // The plain name follows.
    }
  }
  const plain = /filename=(?:"((?:\\.|[^"\\])*)"|([^;\s]+))/i.exec(header);
  return plain ? (plain[1]?.replace(/\\(.)/g, "$1") ?? plain[2] ?? "") : "";
}

/** textLines yields the lines of a stream without their ends. heard runs for each piece that arrives. */
export async function* textLines(stream: ReadableStream<Uint8Array>, heard?: () => void): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      heard?.();
      const parts = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) yield line.endsWith("\r") ? line.slice(0, -1) : line;
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    // The reader may have left early, or the stream may have failed.
    await reader.cancel().catch(() => undefined);
  }
}
