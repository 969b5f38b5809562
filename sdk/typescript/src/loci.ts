import { groups, type Groups, type Replayed } from "./api.ts";
import { changes, type ChangeEvent, type ChangesOptions } from "./changes.ts";
import { LociClient, type LociOptions } from "./client.ts";

/** A server with all of its routes, in groups. */
export interface Loci extends Groups {}

/** A server with all of its routes, in groups. */
export class Loci extends LociClient {
  constructor(options: LociOptions = {}) {
    super(options);
    Object.assign(this, groups(this));
  }

  /** Follows changes as they happen. See changes. */
  changes(options?: ChangesOptions): AsyncGenerator<ChangeEvent, void> {
    return changes(this, options);
  }
}

/** Reports whether an answer only tells that the call was carried out before under its key. */
export function isReplayed(answer: object | undefined | void): answer is Replayed {
  return answer !== undefined && "replayed" in answer;
}
