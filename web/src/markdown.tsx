import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { legible } from "./legible.ts";
import { parse, type Block, type Span } from "./markdown-parse.ts";

/** Shows a text with its Markdown. Nothing of it becomes HTML, and nothing is loaded from elsewhere. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parse(legible(text)), [text]);
  return <div class="markdown">{blocks.map(block)}</div>;
}

function block(b: Block, key: number): ComponentChildren {
  switch (b.kind) {
    case "paragraph":
      return <p key={key}>{b.spans.map(span)}</p>;
    case "heading":
      // The page has the first two levels.
      return <p key={key} role="heading" aria-level={Math.min(6, b.level + 2)} class={`heading level-${b.level}`}>{b.spans.map(span)}</p>;
    case "code":
      return <pre key={key} tabIndex={0}><code>{b.text}</code></pre>;
    case "quote":
      return <blockquote key={key}>{b.blocks.map(block)}</blockquote>;
    case "list": {
      const items = b.items.map((blocks, i) => <li key={i}>{blocks.map((inner, j) => (inner.kind === "paragraph" ? <span key={j}>{inner.spans.map(span)}</span> : block(inner, j)))}</li>);
      return b.ordered ? <ol key={key} start={b.start}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case "table":
      return (
        <div key={key} class="scroll" tabIndex={0}>
          <table>
            <thead><tr>{b.head.map((cell, i) => <th key={i} scope="col">{cell.map(span)}</th>)}</tr></thead>
            <tbody>{b.rows.map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell.map(span)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      );
    case "rule":
      return <hr key={key} />;
  }
}

function span(s: Span, key: number): ComponentChildren {
  switch (s.kind) {
    case "text":
      return s.text;
    case "code":
      return <code key={key}>{s.text}</code>;
    case "strong":
      return <strong key={key}>{s.spans.map(span)}</strong>;
    case "em":
      return <em key={key}>{s.spans.map(span)}</em>;
    case "del":
      return <del key={key}>{s.spans.map(span)}</del>;
    case "link":
      return <a key={key} href={s.href} rel="noopener noreferrer nofollow" target="_blank">{s.spans.map(span)}</a>;
  }
}
