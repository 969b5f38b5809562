/** A piece of text in a line. */
export type Span =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "del"; spans: Span[] }
  | { kind: "link"; href: string; spans: Span[] };

/** A part of a text. */
export type Block =
  | { kind: "paragraph"; spans: Span[] }
  | { kind: "heading"; level: number; spans: Span[] }
  | { kind: "code"; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: Block[][] }
  | { kind: "table"; head: Span[][]; rows: Span[][][] }
  | { kind: "rule" };

const deepest = 8; // of lists and quotes
const fence = /^ {0,3}(```+|~~~+)[^`]*$/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$/;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const quote = /^ {0,3}>[ \t]?/;
const divider = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Reads the part of Markdown that memories use. What is not understood stays text: HTML, images, footnotes. */
export function parse(text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const head = heading.exec(line);
    if (line.trim() === "") i++;
    else if (fence.test(line)) i = fenced(lines, i, blocks);
    else if (head) {
      blocks.push({ kind: "heading", level: head[1]!.length, spans: inline(head[2]!) });
      i++;
    } else if (rule.test(line)) {
      blocks.push({ kind: "rule" });
      i++;
    } else if (quote.test(line) && depth < deepest) i = quoted(lines, i, blocks, depth);
    else if (item.test(line) && depth < deepest) i = listed(lines, i, blocks, depth);
    else if (line.includes("|") && divider.test(lines[i + 1] ?? "") && lines[i + 1]!.includes("-")) i = tabled(lines, i, blocks);
    else i = paragraph(lines, i, blocks);
  }
  return blocks;
}

function fenced(lines: string[], i: number, blocks: Block[]): number {
  const mark = fence.exec(lines[i]!)![1]!;
  const end = new RegExp(`^ {0,3}${mark[0]!}{${mark.length},}[ \\t]*$`);
  const text: string[] = [];
  for (i++; i < lines.length && !end.test(lines[i]!); i++) text.push(lines[i]!);
  blocks.push({ kind: "code", text: text.join("\n") });
  return i + 1;
}

function quoted(lines: string[], i: number, blocks: Block[], depth: number): number {
  const inner: string[] = [];
  for (; i < lines.length && quote.test(lines[i]!); i++) inner.push(lines[i]!.replace(quote, ""));
  blocks.push({ kind: "quote", blocks: parse(inner.join("\n"), depth + 1) });
  return i;
}

function listed(lines: string[], i: number, blocks: Block[], depth: number): number {
  const mark = item.exec(lines[i]!)![2]!;
  const ordered = /\d/.test(mark);
  const items: Block[][] = [];
  while (i < lines.length) {
    const found = item.exec(lines[i]!);
    if (!found || /\d/.test(found[2]!) !== ordered || rule.test(lines[i]!)) break;
    const indent = found[0].length;
    const inner = [lines[i]!.slice(indent)];
    for (i++; i < lines.length; i++) {
      const line = lines[i]!;
      const inside = /^[ \t]/.test(line) && line.search(/\S/) >= Math.min(indent, 2);
      if (line.trim() === "" ? !/^[ \t]+\S/.test(lines[i + 1] ?? "") : !inside && (item.test(line) || starts(line))) break;
      inner.push(line.replace(new RegExp(`^[ \\t]{0,${indent}}`), ""));
    }
    items.push(parse(inner.join("\n"), depth + 1));
    while (i < lines.length && lines[i]!.trim() === "" && item.test(lines[i + 1] ?? "")) i++;
  }
  blocks.push({ kind: "list", ordered, start: ordered ? parseInt(mark, 10) : 1, items });
  return i;
}

function cells(line: string): Span[][] {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replaceAll("\\|", "|")));
}

function tabled(lines: string[], i: number, blocks: Block[]): number {
  const head = cells(lines[i]!);
  const rows: Span[][][] = [];
  for (i += 2; i < lines.length && lines[i]!.includes("|"); i++) rows.push(cells(lines[i]!));
  blocks.push({ kind: "table", head, rows });
  return i;
}

/** Tells whether a line begins another block than a paragraph. */
function starts(line: string): boolean {
  return fence.test(line) || heading.test(line) || quote.test(line) || rule.test(line);
}

function paragraph(lines: string[], i: number, blocks: Block[]): number {
  const text = [lines[i]!.trim()];
  for (i++; i < lines.length && lines[i]!.trim() !== "" && !starts(lines[i]!) && !item.test(lines[i]!); i++) text.push(lines[i]!.trim());
  blocks.push({ kind: "paragraph", spans: inline(text.join("\n")) });
  return i;
}

const marks: [RegExp, "strong" | "em" | "del"][] = [
  [/^\*\*(?=\S)([^]*?\S)\*\*/, "strong"],
  [/^__(?=\S)([^]*?\S)__(?!\w)/, "strong"],
  [/^~~(?=\S)([^]*?\S)~~/, "del"],
  [/^\*(?=[^\s*])([^*]*[^\s*])\*/, "em"],
  [/^_(?=[^\s_])([^_]*[^\s_])_(?!\w)/, "em"],
];
const longest = 20_000; // of a text whose marks are looked for, because each may be without its end

/** Reads the marks in a text. */
export function inline(text: string, depth = 0): Span[] {
  const spans: Span[] = [];
  let plain = "";
  const push = (span: Span) => {
    if (plain) spans.push({ kind: "text", text: plain });
    plain = "";
    spans.push(span);
  };
  if (depth > 4 || text.length > longest) return [{ kind: "text", text }];
  for (let i = 0; i < text.length; ) {
    const rest = text.slice(i, i + 4000);
    const word = /\w/.test(text[i - 1] ?? "");
    const found = special(rest, word, depth);
    if (found) {
      push(found.span);
      i += found.length;
    } else if (/^\\[!-/:-@[-`{-~]/.test(rest)) {
      plain += rest[1];
      i += 2;
    } else {
      // Up to the next character that may be a mark, or the beginning of a link.
      const length = Math.max(1, /^[^\\`*_~[<h]*/.exec(rest)![0].length);
      plain += rest.slice(0, length);
      i += length;
    }
  }
  if (plain) spans.push({ kind: "text", text: plain });
  return spans;
}

function special(rest: string, afterWord: boolean, depth: number): { span: Span; length: number } | undefined {
  const code = /^(`+)(?!`)([^]*?[^`])\1(?!`)/.exec(rest);
  if (code) return { span: { kind: "code", text: code[2]!.replace(/^ (.*\S.*) $/, "$1") }, length: code[0].length };
  const link = /^\[([^\]\n]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:[ \t]+"[^"]*")?\)/.exec(rest);
  if (link) {
    const href = safeAddress(link[2]!);
    if (href) return { span: { kind: "link", href, spans: inline(link[1]! || link[2]!, depth + 1) }, length: link[0].length };
  }
  const bare = afterWord ? null : /^<?(https?:\/\/[^\s<>"'`]+)/.exec(rest);
  if (bare) {
    const closed = bare[0].startsWith("<") && rest[bare[0].length] === ">";
    const shown = closed ? bare[1]! : bare[1]!.replace(/[.,;:!?)\]*_~]+$/, "");
    const href = safeAddress(shown);
    if (href && (closed || !bare[0].startsWith("<"))) return { span: { kind: "link", href, spans: [{ kind: "text", text: shown }] }, length: shown.length + (closed ? 2 : 0) };
  }
  for (const [mark, kind] of marks) {
    const found = afterWord && rest[0] === "_" ? null : mark.exec(rest);
    if (found) return { span: { kind, spans: inline(found[1]!, depth + 1) }, length: found[0].length };
  }
  return undefined;
}

/** Returns an address that a link may have: http or https, without a name and a password. Else "". */
export function safeAddress(text: string): string {
  if (!/^https?:\/\//i.test(text)) return "";
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : "";
  } catch {
    return "";
  }
}
