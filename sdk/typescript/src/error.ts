import type { FieldProblem, ItemError, Problem } from "./api.ts";

/**
 * The code of an error. The server's codes are stable. The last four come from this package:
 * `network`: no answer. `timeout`: no answer in time. `redirected`: the server is at another address.
 * `bad_answer`: the answer is not Loci's.
 */
export type ErrorCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "step_up_required"
  | "not_found"
  | "conflict"
  | "precondition_failed"
  | "too_large"
  | "rate_limited"
  | "internal"
  | "upstream"
  | "unavailable"
  | "storage_full"
  | "network"
  | "timeout"
  | "redirected"
  | "bad_answer";

/** What an error is made of. */
export interface ErrorParts {
  /** The method and path of the request. */
  request: string;
  message: string;
  code: ErrorCode;
  status?: number;
  headers?: Headers;
  problem?: Partial<Problem>;
  cause?: unknown;
}

/** An error answer of the server, or the reason why there is none. */
export class LociError extends Error {
  override readonly name: string = "LociError";
  /** Stable; programs may switch on it. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** The method and path of the request, without its query. */
  readonly request: string;
  /** The wrong input, if one is wrong. */
  readonly field: string | undefined;
  /** Every wrong input, if several are; at most 10. */
  readonly errors: readonly FieldProblem[];
  /** Why items of a call were rejected. The server then changed nothing. */
  readonly items: readonly ItemError[];
  /** Search for it in the server's log. */
  readonly requestId: string | undefined;
  /** How many seconds the server asks to wait before the next attempt. */
  readonly retryAfter: number | undefined;
  /** Where the person can prove who they are, if the code is `step_up_required`. */
  readonly stepUpUrl: string | undefined;
  /** The whole problem document (RFC 9457), if the server sent one. */
  readonly problem: Partial<Problem> | undefined;

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    const { problem, headers } = parts;
    this.code = parts.code;
    this.status = parts.status ?? 0;
    this.request = parts.request;
    this.field = problem?.field;
    this.errors = problem?.errors ?? [];
    this.items = problem?.items ?? [];
    this.requestId = headers?.get("X-Request-Id") ?? undefined;
    this.retryAfter = seconds(headers?.get("Retry-After"));
    this.stepUpUrl = problem?.step_up_url;
    this.problem = problem;
  }
}

/** The memory, candidate or task is not at the version that you named with `ifMatch`: read it again. */
export class VersionConflict extends LociError {
  override readonly name: string = "VersionConflict";
}

/** seconds reads Retry-After: seconds, or a date. */
function seconds(header: string | null | undefined): number | undefined {
  if (!header) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

const byStatus: Record<number, ErrorCode> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  429: "rate_limited",
  503: "unavailable",
};

/** errorOf makes the error of an answer that is not a success. */
export async function errorOf(request: string, answer: Response): Promise<LociError> {
  const { status, headers } = answer;
  let problem: Partial<Problem> | undefined;
  try {
    const body: unknown = JSON.parse(await answer.text());
    if (typeof body === "object" && body && "code" in body) problem = body as Partial<Problem>;
  } catch {
    // A proxy may have answered. The status remains.
  }
  const code = (problem?.code as ErrorCode | undefined) ?? byStatus[status] ?? "bad_answer";
  const message = problem?.error ?? problem?.detail ?? `cannot ${request}: the answer is ${status} and not from Loci`;
  const Kind = code === "precondition_failed" ? VersionConflict : LociError;
  return new Kind({ request, message, code, status, headers, ...(problem && { problem }) });
}
