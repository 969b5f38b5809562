import { useId, useState } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { named, type Graph, type Row } from "./model.ts";

/** How many entities it offers at a time. */
const most = 12;

interface Props {
  graph: Graph;
  label: string;
  /** The chosen entity; "": none yet. */
  value: string;
  /** The entity that it does not offer. */
  without?: string;
  onChange: (id: string) => void;
}

/** Chooses an entity by the beginning or a part of its name. */
export function Picker({ graph, label, value, without = "", onChange }: Props) {
  const [text, setText] = useState(() => (graph.hasNode(value) ? graph.getNodeAttribute(value, "label") : ""));
  const group = useId();
  const found = named(graph, text, most, without);
  const chosen = graph.hasNode(value);
  const choose = ({ id, name }: Row) => {
    onChange(id);
    setText(name);
  };
  return (
    <div class="graph-picker">
      <label>
        {label}
        <input
          type="search" value={text} autocomplete="off" required aria-describedby={`${group}-hint`}
          onInput={(event) => { setText(event.currentTarget.value); onChange(""); }}
          // Sending the form is what a browser does after this event; after keydown, it may still come.
          onKeyPress={(event) => {
            // A person may press Enter before what they typed is drawn.
            const typed = event.currentTarget.value;
            const [first] = named(graph, typed, 1, without);
            if (event.key !== "Enter" || (chosen && typed === text) || !first) return;
            event.preventDefault();
            choose(first);
          }}
        />
      </label>
      <p id={`${group}-hint`} class="hint" role="status">
        {chosen ? t("graph.picked", { name: legible(graph.getNodeAttribute(value, "label")), kind: legible(graph.getNodeAttribute(value, "kind")) }) : text.trim() && found.length === 0 ? t("graph.pick.none") : t("graph.pick.hint")}
      </p>
      {!chosen && found.length > 0 && (
        <ul class="graph-choices" aria-label={label}>
          {found.map((row) => (
            <li key={row.id}><button type="button" onClick={() => choose(row)}>{legible(row.name)} <span class="tag">{legible(row.kind)}</span></button></li>
          ))}
        </ul>
      )}
    </div>
  );
}
