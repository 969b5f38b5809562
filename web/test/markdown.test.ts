import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, parse, safeAddress } from "../src/markdown-parse.ts";

const text = (t: string) => ({ kind: "text", text: t });

test("blocks", () => {
  assert.deepEqual(parse("# A\n\nb\nc\n\n---\n> d"), [
    { kind: "heading", level: 1, spans: [text("A")] },
    { kind: "paragraph", spans: [text("b\nc")] },
    { kind: "rule" },
    { kind: "quote", blocks: [{ kind: "paragraph", spans: [text("d")] }] },
  ]);
  assert.deepEqual(parse("```sh\n# no heading\n```\nafter"), [
    { kind: "code", text: "# no heading" },
    { kind: "paragraph", spans: [text("after")] },
  ]);
  const list = parse("3. a\n4. b\n   * c\n\nafter");
  assert.deepEqual(list[0], {
    kind: "list", ordered: true, start: 3,
    items: [[{ kind: "paragraph", spans: [text("a")] }], [{ kind: "paragraph", spans: [text("b")] }, { kind: "list", ordered: false, start: 1, items: [[{ kind: "paragraph", spans: [text("c")] }]] }]],
  });
  assert.deepEqual(parse("| a | b |\n|---|---|\n| 1 | `2` |"), [{ kind: "table", head: [[text("a")], [text("b")]], rows: [[[text("1")], [{ kind: "code", text: "2" }]]] }]);
});

test("marks", () => {
  assert.deepEqual(inline("a **b** _c_ `d*` \\*e\\* snake_case_name 2 * 3 * 4"), [
    text("a "), { kind: "strong", spans: [text("b")] }, text(" "), { kind: "em", spans: [text("c")] }, text(" "), { kind: "code", text: "d*" },
    text(" *e* snake_case_name 2 * 3 * 4"),
  ]);
});

test("links lead only to web pages", () => {
  assert.deepEqual(inline("[a](https://example.org/x_(y)) https://example.org/."), [
    { kind: "link", href: "https://example.org/x_(y)", spans: [text("a")] }, text(" "),
    { kind: "link", href: "https://example.org/", spans: [text("https://example.org/")] }, text("."),
  ]);
  for (const bad of ["javascript:alert(1)", "JAVASCRIPT:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/app/", "file:///etc/passwd", "https://user:pass@example.org/", "https://"]) {
    assert.equal(safeAddress(bad), "", bad);
    assert.ok(!JSON.stringify(parse(`[x](${bad}) <${bad}> ${bad}`)).includes('"link"') || /^https/.test(bad), bad);
  }
});

test("nothing of HTML, and images stay text", () => {
  for (const t of ["<script>x</script>", "<img src=x onerror=y>", "![x](https://evil.example/x.png)"]) {
    const kinds = JSON.stringify(parse(t)).match(/"kind":"[^"]+"/g);
    assert.ok(kinds?.every((kind) => /paragraph|text|link/.test(kind)), t);
  }
});

test("texts that try to take long do not", () => {
  const start = performance.now();
  for (const piece of ["*a ", "**a ", "[a](", "`", "> ", "* ", "_a_", "|-", "https://x", "- \n ", "<"]) parse(piece.repeat(30_000));
  assert.ok(performance.now() - start < 4000, `${performance.now() - start} ms`);
});
