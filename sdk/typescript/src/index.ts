export * from "./api.ts";
export { changes, type ChangeEvent, type ChangesOptions } from "./changes.ts";
export {
  LociClient,
  type CallOptions,
  type FromOffset,
  type IfMatch,
  type IfNoneMatch,
  type LociOptions,
  type NotOnce,
  type Once,
  type Upload,
} from "./client.ts";
export { Download } from "./download.ts";
export { LociError, VersionConflict, type ErrorCode } from "./error.ts";
export { isReplayed, Loci } from "./loci.ts";
