import type { Candidate } from "@loci-memory/sdk";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";

const reasons = ["low_confidence", "kind_for_a_person", "sensitive_candidate", "model_candidate", "instruction_candidate", "destructive_candidate", "contradiction_candidate", "supersession_candidate", "duplicate_candidate",
  "stale_candidate", "high_impact_scope", "no_reader", "missing_source", "unchecked_candidate", "undone", "no_principal", "failed"] as const;

/** Why a candidate waits for a person, in words. A reason without words keeps its name. */
export function reasonWords(name: string): string {
  const known = reasons.find((one) => one === name);
  return known ? t(`inbox.why.${known}`) : legible(name);
}

/** Why a candidate waits: what Loci says, and what its text itself asks for. */
export function waitsBecause({ exceptions, sensitivity_flags: flags }: Candidate): string[] {
  const names = new Set(exceptions ?? []);
  if (flags.includes("instruction")) names.add("instruction_candidate");
  return [...names].map(reasonWords);
}
