import type { Candidate } from "@loci-memory/sdk";
import { t } from "../../i18n/index.ts";
import { beginning, legible } from "../../legible.ts";
import { percent } from "../../numbers.ts";
import { shortWhen, when } from "../../time.ts";
import { waitsBecause } from "./words.ts";

interface Props {
  row: Candidate;
  address: string;
  open: boolean;
  picked: boolean;
  onPick: (picked: boolean, range: boolean) => void;
}

/** A candidate in the list. Its height is that of the rows of memories. */
export function CandidateRow({ row, address, open, picked, onPick }: Props) {
  const title = legible(row.title);
  const why = waitsBecause(row)[0];
  return (
    <div class="memory-row">
      <input type="checkbox" checked={picked} aria-label={t("bulk.pick", { title })} onClick={(event) => onPick(event.currentTarget.checked, event.shiftKey)} />
      <a href={address} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line">
          <strong>{title}</strong>
          <time dateTime={row.created_at} title={when(row.created_at)}>{shortWhen(row.created_at)}</time>
        </span>
        <span class="line text">{beginning(row.content)}</span>
        <span class="line meta">
          <span>{[t(`inbox.kind.${row.kind}`), percent(row.confidence), legible(row.origin)].join(" · ")}</span>
          {why && <span class="tag warn" title={why}>{why}</span>}
        </span>
      </a>
    </div>
  );
}
