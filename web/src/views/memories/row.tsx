import { t } from "../../i18n/index.ts";
import { beginning, legible } from "../../legible.ts";
import { shortWhen, when } from "../../time.ts";
import type { Row } from "./pages.ts";
import { pieces, reasons, vendors } from "./words.ts";

/** The height of a row. memories.css has the same. */
export const rowHeight = 76;

interface Props {
  row: Row;
  address: string;
  open: boolean;
  picked: boolean;
  onPick: (picked: boolean, range: boolean) => void;
}

/** A memory in the list. */
export function MemoryRow({ row, address, open, picked, onPick }: Props) {
  const title = legible(row.title);
  return (
    <div class="memory-row">
      <input type="checkbox" checked={picked} aria-label={t("bulk.pick", { title })} onClick={(event) => onPick(event.currentTarget.checked, event.shiftKey)} />
      <a href={address} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line">
          <strong>{title}</strong>
          {row.pinned && <span class="tag">{t("pinned")}</span>}
          {row.superseded_by && <span class="tag warn">{t("superseded")}</span>}
          {row.pending_supersede && <span class="tag warn">{t("suggested")}</span>}
          {row.disputed_by?.length ? <span class="tag warn">{t("disputed")}</span> : null}
          <time dateTime={row.updated_at} title={when(row.updated_at)}>{shortWhen(row.updated_at)}</time>
        </span>
        <span class="line text">{row.snippet ? pieces(row.snippet).map(({ text, found }, i) => (found ? <mark key={i}>{text}</mark> : text)) : beginning(row.content)}</span>
        <span class="line meta">
          {row.why ? <span class="why">{reasons(row.why).slice(0, 3).join(" · ")}</span> : <span>{[row.origin, ...row.tags.slice(0, 4).map((tag) => `#${legible(tag)}`)].join("  ")}</span>}
          {!row.allowed_vendors.includes("*") && <span class="tag">{vendors(row.allowed_vendors)}</span>}
        </span>
      </a>
    </div>
  );
}
