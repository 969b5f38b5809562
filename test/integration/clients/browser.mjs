// The browser of clients that sign in: it opens the address of its argument, signed in to Loci by COOKIE, and allows the
// client what it asks for as VENDOR. If Loci shows anything but the question, it writes the page's error to PAGE.
import { writeFileSync } from "node:fs";

const { COOKIE, VENDOR, PAGE } = process.env;
const address = process.argv.slice(2).find((word) => word.startsWith("http"));
const headers = { Cookie: COOKIE, "Sec-Fetch-Site": "same-origin" };
const page = await (await fetch(address, { headers })).text();
const text = (html) => html.replace(/&#(\d+);/g, (_, n) => String.fromCodePoint(n)).replaceAll("&amp;", "&");
const form = new URLSearchParams({ answer: "allow", vendor: VENDOR });
for (const [, name, value] of page.matchAll(/<input type="hidden" name="(request[^"]*)" value="([^"]*)">/g)) form.append(name, text(value));
for (const [, value] of page.matchAll(/name="vendor" value="([^"]*)"/g)) form.append("offered", value);
for (const [, value] of page.matchAll(/name="scope" value="([^"]*)"/g)) form.append("scope", value);
const refused = (page) => {
  writeFileSync(PAGE, text(page.match(/role="alert"[^>]*>([^<]*)/)?.[1] ?? page));
  process.exit(1);
};
if (!form.has("request.client_id")) refused(page);
const answer = await fetch(new URL("/oauth/authorize", address), { method: "POST", headers, body: form, redirect: "manual" });
if (answer.status !== 303) refused(await answer.text());
await (await fetch(answer.headers.get("location"))).text();
