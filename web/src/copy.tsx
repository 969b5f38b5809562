import { useState } from "preact/hooks";
import { t } from "./i18n/index.ts";

/** A text to copy. Where the browser cannot copy, the person selects it. */
export function Copyable({ text, label, secret }: { text: string; label: string; secret?: boolean }) {
  const [copied, setCopied] = useState<boolean>();
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false));
  return (
    <div class="copyable">
      <pre tabIndex={0} role="group" aria-label={label}><code class={secret ? "secret" : undefined}>{text}</code></pre>
      {"clipboard" in navigator && (
        <button type="button" class="button" onClick={() => void copy()}>
          <span role="status">{copied === undefined ? t("copy") : copied ? t("copy.done") : t("copy.failed")}</span><span class="hidden"> {label}</span>
        </button>
      )}
    </div>
  );
}
