import assert from "node:assert/strict";
import { test } from "node:test";
import { de } from "../src/i18n/de.ts";
import { en } from "../src/i18n/en.ts";
import { filled, preferred } from "../src/i18n/index.ts";
import { beginning, legible } from "../src/legible.ts";
import { nameOf } from "../src/person.ts";
import { addressOf, placeOf } from "../src/router.ts";
import { fromField, toField } from "../src/time.ts";
import { everything, filterOf, filters, lookOf, queryOf } from "../src/views/memories/look.ts";
import { passage } from "../src/views/memories/quote.ts";
import { retagged, tagsOf } from "../src/views/memories/tags.ts";
import { pieces } from "../src/views/memories/words.ts";
import { windowOf } from "../src/window.ts";

test("a list draws only the rows in sight", () => {
  assert.deepEqual(windowOf(100_000, 76, 0, 760), { first: 0, last: 18 });
  assert.deepEqual(windowOf(100_000, 76, 76 * 50_000, 760), { first: 49_992, last: 50_018 });
  assert.deepEqual(windowOf(5, 76, 0, 760), { first: 0, last: 5 });
  assert.deepEqual(windowOf(0, 76, 500, 760), { first: 0, last: 0 });
  assert.deepEqual(windowOf(3, 76, 76_000, 760), { first: 0, last: 3 });
});

test("every language has the same values and forms", () => {
  for (const [key, text] of Object.entries(en)) {
    const other = de[key as keyof typeof en];
    const values = (s: string) => [...new Set(s.match(/\{\w+\}/g) ?? [])].sort();
    assert.deepEqual(values(other), values(text), key);
    assert.equal(other.split("|").length, text.split("|").length, key);
    assert.notEqual(other.trim(), "", key);
  }
  assert.equal(filled(en.found, { n: 1 }, "en"), "1 memory");
  assert.equal(filled(en.found, { n: 1200 }, "en"), "1,200 memories");
  assert.equal(filled(de.found, { n: 1200 }, "de"), "1.200 Erinnerungen");
  assert.equal(filled("{title}", { title: "{title}" }, "en"), "{title}");
  assert.equal(preferred(null, ["fr", "de-AT"]), "de");
  assert.equal(preferred("en", ["de"]), "en");
  assert.equal(preferred("constructor", ["xx"]), "en");
});

test("an address holds the whole state", () => {
  const look = lookOf(new URLSearchParams("q= a b &tag=x&tag=y&tag=x&origin=claude&scope=project&from=2026-11-01&to=2026-11-02&pinned=1&unknown=1"));
  assert.equal(queryOf(look).toString(), "q=a+b&origin=claude&scope=project&from=2026-11-01&to=2026-11-02&tag=x&tag=y&pinned=1");
  assert.equal(filters(look), 7);
  assert.equal(queryOf({ ...look, trash: true }).toString(), "q=a+b&origin=claude&scope=project&from=2026-11-01&to=2026-11-02&tag=x&tag=y&pinned=1&trash=1");
  assert.deepEqual(lookOf(new URLSearchParams("q=a&trash=1&expired=1&reader=x&superseded=1&at=2026-11-01")), { ...everything, q: "a", trash: true });
  const filter = filterOf(look);
  assert.equal(filter.tag_mode, "all");
  assert.equal(Date.parse(filter.to!) - Date.parse(filter.from!), 48 * 3600_000);
  assert.equal(filterOf(lookOf(new URLSearchParams("from=x&scope=none"))).from, undefined);
  assert.deepEqual(placeOf("/app/memories/a%2Fb/", "?q=1").path, "memories/a/b");
  assert.equal(placeOf("/app/%E0%A4%A", "").path, "%E0%A4%A");
  assert.equal(placeOf("/somewhere/memories", "").path, "..");
  assert.equal(addressOf("memories/x y", { q: "ä" }), "/app/memories/x%20y?q=%C3%A4");
});

test("what nobody sees is shown by its number", () => {
  assert.equal(legible("a\u202eb\u200bc\u0000\n\u200d"), "a[U+202E]b[U+200B]c[U+0000]\n\u200d");
  assert.equal(beginning("  a\n b  ", 3), "a b");
  assert.equal(beginning("🎉🎉🎉🎉", 2), "🎉🎉…");
});

test("a person is called by what is known of them", () => {
  const id = "999afcf8-1111-4222-8333-444455556666";
  assert.equal(nameOf({ id, name: "Noor", email: "noor@example.org" }), "Noor (noor@example.org)");
  assert.equal(nameOf({ id, name: "Noor" }), "Noor");
  assert.equal(nameOf({ id, name: "", email: "noor@example.org" }), "noor@example.org");
  assert.equal(nameOf({ id, name: "", email: "" }), "a person without a name (999afcf8)");
});

test("stars of the text itself mark nothing", () => {
  const shown = (snippet: string) => pieces(snippet).map(({ text, found }) => (found ? `[${text}]` : text)).join("");
  assert.equal(shown("… keep **all the rules** of **CI** …"), "… keep [all the rules] of [CI] …");
  assert.equal(shown("Ignore `**/__**snapshots**__/**` there."), "Ignore `**/__[snapshots]__/**` there.");
  assert.equal(shown("2 ** 3 ** 4"), "2 ** 3 ** 4");
});

test("tags", () => {
  assert.deepEqual(tagsOf(" a, #b ,,a"), ["a", "b"]);
  assert.deepEqual(retagged(["a", "b"], ["c", "a"], ["b"]), ["a", "c"]);
});

test("times in fields", () => {
  assert.equal(fromField(toField("2026-11-03T09:00:00.000000Z")), "2026-11-03T09:00:00.000Z");
  assert.equal(fromField(""), undefined);
  assert.equal(toField(undefined), "");
});

test("a quote is shown in its text", () => {
  assert.deepEqual(passage({ text: "🎉 we ship on Friday", start: 2, end: 9, quote: "we ship" }), { before: "🎉 ", quote: "we ship", after: " on Friday" });
  assert.deepEqual(passage({ quote: "only it", start: 5, end: 99 }), { before: "", quote: "only it", after: "" });
  assert.equal(passage({ text: "x".repeat(1000) }).before.length, 321);
});
