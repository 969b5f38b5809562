// Writes src/api.ts from the OpenAPI document of a server: a type for each schema, and a method for each
// operation, in a class for each tag.
//
//   node generate.mjs http://127.0.0.1:5624/openapi.json [OUTPUT]
//   node generate.mjs openapi.json [OUTPUT]
import { readFile, writeFile } from "node:fs/promises";

const [source, output = new URL("src/api.ts", import.meta.url)] = process.argv.slice(2);
if (!source) {
  console.error("usage: node generate.mjs URL-OR-FILE [OUTPUT]");
  process.exit(2);
}
const api = /^https?:/.test(source) ? await (await fetch(source)).json() : JSON.parse(await readFile(source, "utf8"));
const schemas = api.components.schemas;

// The tags, as properties of Loci. noun is what the names of operations repeat, and the methods leave out.
const groups = {
  account: { noun: "Me$" },
  admin: { noun: "^admin" },
  agent: { noun: "^agent|Memor(?:y|ies)" },
  agents: { noun: "Agents?" },
  assets: { noun: "Assets?" },
  dream: { noun: "Dream" },
  events: { noun: "Events?" },
  golden: { noun: "GoldenQuestions?" },
  graph: { noun: "Graph" },
  history: { noun: "Versions|Memory" },
  keys: { noun: "Keys?" },
  memories: { noun: "Memor(?:y|ies)" },
  "memory nodes": { noun: "MemoryNodes?", property: "nodes" },
  orgs: { noun: "ToOrg|Org" },
  projects: { noun: "Projects?" },
  recall: { noun: "^get" },
  reflection: { noun: "Reflection" },
  review: { noun: "^review|Candidates?" },
  server: { noun: "^get" },
  sessions: { noun: "Sessions?" },
  settings: { noun: "Settings?" },
  sources: { noun: "Sources?" },
  suggestions: { noun: "Suggestions?" },
  tasks: { noun: "Tasks?" },
  teams: { noun: "ToTeam|FromTeam|Teams?" },
};

// The methods whose names the rule above would make ambiguous or odd.
const methods = {
  agentGetBriefing: "agentBriefing",
  dream: "run",
  eventContext: "context",
  eventStats: "stats",
  getAgentStats: "stats",
  getAssetContent: "content",
  listDreamRuns: "list",
  listGoldenRuns: "runs",
  getDreamRun: "get",
  recallMemories: "recall",
  recallMemoriesByQuery: "recallByQuery",
  trashMemories: "trashMany",
};

// The operations that src/ has by hand.
const byHand = new Set(["followChanges"]);

const json = "application/json";
const lines = "application/x-ndjson";
const markdown = "text/markdown";

const refName = (ref) => ref.split("/").pop();
const lowerFirst = (s) => s.charAt(0).toLowerCase() + s.slice(1);
const upperFirst = (s) => s.charAt(0).toUpperCase() + s.slice(1);
const identifier = /^[A-Za-z_$][\w$]*$/;

/** resolved returns a parameter or schema instead of a reference to it. */
function resolved(x) {
  if (!x?.$ref) return x;
  return x.$ref.split("/").slice(1).reduce((at, part) => at[part], api);
}

/** doc is a comment with a text. */
function doc(text, indent = "") {
  if (!text) return "";
  const words = text.replaceAll("*/", "* /").replace(/\s+/g, " ").trim().split(" ");
  const rows = [""];
  for (const word of words) {
    if (rows.at(-1) && (indent + " * " + rows.at(-1) + " " + word).length > 110) rows.push("");
    rows[rows.length - 1] += (rows.at(-1) ? " " : "") + word;
  }
  if (rows.length === 1) return `${indent}/** ${rows[0]} */\n`;
  return `${indent}/**\n${rows.map((r) => `${indent} * ${r}\n`).join("")}${indent} */\n`;
}

/** typeOf is a schema as a type. sent tells that programs make such values, so they may contain undefined. */
function typeOf(schema, indent, sent) {
  if (schema === true || schema === undefined) return "unknown";
  if (schema === false) return "never";
  if (schema.$ref) return refName(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  const options = schema.anyOf ?? (schema.type ? undefined : schema.oneOf);
  if (options) return union(options.map((s) => typeOf(s, indent, sent)));
  const types = [schema.type].flat();
  return union(types.map((type) => ofOneType(schema, type, indent, sent)));
}

const union = (types) => [...new Set(types)].join(" | ");

function ofOneType(schema, type, indent, sent) {
  switch (type) {
    case "string":
      return schema.enum ? union(schema.enum.filter((v) => v !== null).map((v) => JSON.stringify(v))) : "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return type;
    case "array": {
      const item = typeOf(schema.items, indent, sent);
      return item.includes(" ") ? `Array<${item}>` : `${item}[]`;
    }
    case "object":
      return ofObject(schema, indent, sent);
    case undefined:
      return "unknown";
  }
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

function ofObject(schema, indent, sent) {
  const rest = schema.additionalProperties;
  if (!schema.properties) {
    return `Record<string, ${rest && typeof rest === "object" ? typeOf(rest, indent, sent) : "unknown"}>`;
  }
  return fields(schema, indent, sent);
}

/** fields are the properties of an object. */
function fields(schema, indent, sent) {
  const required = new Set(schema.required);
  const deeper = indent + "  ";
  const rows = Object.entries(schema.properties).map(([name, s]) => {
    const missing = required.has(name) ? "" : "?";
    const undef = missing && sent && s !== false ? " | undefined" : "";
    const key = identifier.test(name) ? name : JSON.stringify(name);
    return `${doc(s.description, deeper)}${deeper}${key}${missing}: ${typeOf(s, deeper, sent)}${undef};\n`;
  });
  return `{\n${rows.join("")}${indent}}`;
}

/** declaration is a schema as an exported type. */
function declaration(name, sent) {
  const schema = schemas[name];
  const head = doc(schema.description);
  if (schema.type !== "object" || !schema.properties) {
    return `${head}export type ${name} = ${typeOf(schema, "", sent)};\n`;
  }
  if (!schema.oneOf) return `${head}export interface ${name} ${fields(schema, "", sent)}\n`;
  const kinds = schema.oneOf.map((kind) => {
    // A kind requires fields that the schema describes.
    const properties = { ...kind.properties };
    for (const field of kind.required ?? []) properties[field] = { ...schema.properties[field], description: undefined };
    return ofObject({ properties, required: kind.required }, "    ", sent);
  });
  return `${head}export type ${name} = ${fields(schema, "", sent)} & (
  | ${kinds.join("\n  | ")}
);\n`;
}

/** reach adds the names of the schemas that a schema contains to found. */
function reach(x, found) {
  if (Array.isArray(x)) x.forEach((y) => reach(y, found));
  else if (x && typeof x === "object") {
    const name = x.$ref && refName(x.$ref);
    if (name && schemas[name] && !found.has(name)) {
      found.add(name);
      reach(schemas[name], found);
    }
    Object.values(x).forEach((y) => reach(y, found));
  }
  return found;
}

/** operations lists what the document describes, by tag. */
function operations() {
  const found = {};
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, op] of Object.entries(item)) {
      if (byHand.has(op.operationId)) continue;
      const tag = op.tags[0];
      if (!groups[tag]) throw new Error(`generate.mjs has no group for the tag ${JSON.stringify(tag)}`);
      (found[tag] ??= []).push(operation(path, method.toUpperCase(), op));
    }
  }
  return Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1));
}

function operation(path, method, op) {
  const parameters = (op.parameters ?? []).map(resolved);
  const of = (where) => parameters.filter((p) => p.in === where);
  const headers = new Set(of("header").map((p) => p.name));
  const answers = Object.entries(op.responses).filter(([status]) => status[0] === "2");
  const content = Object.assign({}, ...answers.map(([, a]) => a.content ?? {}));
  const noun = new RegExp(groups[op.tags[0]].noun);
  return {
    id: op.operationId,
    tag: op.tags[0],
    method,
    path: path.replace(/^\/api\/v1/, ""),
    name: methods[op.operationId] ?? lowerFirst(op.operationId.replace(new RegExp(noun, "g"), "")),
    text: [op.summary, op.description].filter(Boolean).map((s) => s.replace(/\.?$/, ".")).join(" "),
    inPath: [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]),
    query: of("query"),
    headers,
    body: op.requestBody,
    content,
    empty: answers.some(([status]) => status === "204"),
    // The document gives each POST that changes something the header.
    safe: method === "GET" || (method === "POST" && !headers.has("Idempotency-Key")),
    once: headers.has("Idempotency-Key"),
  };
}

/** queryType declares the parameters of an operation. */
function queryType(op) {
  if (op.query.length === 0) return "";
  const properties = Object.fromEntries(op.query.map((p) => [p.name, { ...p.schema, description: p.description ?? p.schema.description }]));
  const required = op.query.filter((p) => p.required).map((p) => p.name);
  return `${doc(`Parameters of ${op.id}.`)}export interface ${queryName(op)} ${fields({ properties, required }, "", true)}\n\n`;
}

const queryName = (op) => `${upperFirst(op.id)}Query`;

/** page tells how the answers of a list continue, if they do. */
function page(op) {
  const schema = resolved(op.content[json]?.schema);
  if (!schema?.properties?.next_cursor) return undefined;
  const body = resolved(op.body?.content[json]?.schema);
  const inBody = body?.properties?.cursor !== undefined;
  if (!inBody && !op.query.some((p) => p.name === "cursor")) return undefined;
  const arrays = Object.entries(schema.properties).filter(([, s]) => [s.type].flat().includes("array"));
  const required = arrays.filter(([name]) => schema.required?.includes(name));
  const [list, more] = required.length ? required : arrays;
  return { inBody, list: more ? undefined : list[0], item: more ? undefined : typeOf(list[1].items, "", false) };
}

/** signature describes the arguments of a method that are the same in all of its variants. */
function signature(op) {
  const args = op.inPath.map((name) => ({ name: name === "id" ? "id" : `${name}Id`, type: "string", required: true }));
  const types = op.body?.content ?? {};
  const binary = Object.keys(types).some((t) => t.endsWith("octet-stream"));
  if (binary || (types[lines] && !types[json])) args.push({ name: "body", type: "Upload", required: true });
  else if (types[json]) {
    args.push({ name: "body", type: typeOf(types[json].schema, "", true), required: op.body.required === true });
  }
  if (op.query.length) args.push({ name: "query", type: queryName(op), required: op.query.some((p) => p.required) });
  return { args, kind: binary ? "binary" : types[lines] && !types[json] ? "lines" : "json" };
}

/** result is the type of the answer. */
function result(op) {
  const schema = op.content[json]?.schema;
  if (schema) return typeOf(schema, "", false);
  if (Object.keys(op.content).length) return "Download";
  return "void";
}

/** variants are the signatures of a method: [changed arguments, options, result]. */
function variants(op, args) {
  const plain = op.headers.has("If-Match") ? "CallOptions & IfMatch" : "CallOptions";
  const out = result(op);
  if (out === "Download") return [[{}, op.headers.has("Range") ? "CallOptions & FromOffset" : plain, out]];
  if (op.content[markdown] && op.content[json]) return formats(op, args, plain, out);
  if (op.empty && out !== "void") {
    return [
      [{ query: `${queryName(op)} & { permanent?: false | undefined }` }, plain, out],
      [{ query: `${queryName(op)} & { permanent: true }`, required: "query" }, plain, "void"],
    ];
  }
  if (op.headers.has("If-None-Match")) {
    return [
      [{}, `${plain} & { ifNoneMatch?: undefined }`, out],
      [{ undef: true }, `${plain} & IfNoneMatch`, `${out} | null`],
    ];
  }
  if (!op.once || out === "void") return [[{}, op.once ? `${plain} & Partial<Once>` : plain, out]];
  return [
    [{}, `${plain} & NotOnce`, out],
    [{ undef: true }, `${plain} & Once`, `${out} | Replayed`],
  ];
}

/** formats are the variants of an operation that answers JSON or Markdown, as its format asks. */
function formats(op, args, plain, out) {
  const where = op.query.some((p) => p.name === "format") ? "query" : "body";
  const arg = args.find((a) => a.name === where);
  const field = where === "query" ? op.query.find((p) => p.name === "format") : resolved(op.body.content[json].schema).properties.format;
  const text = field?.description ?? field?.schema?.description ?? "";
  const other = /Default: markdown/.test(text) ? "json" : "markdown";
  const usual = other === "json" ? "markdown" : "json";
  const of = { markdown: "string", json: out };
  return [
    [{ [where]: `${arg.type} & { format?: ${JSON.stringify(usual)} | undefined }` }, plain, of[usual]],
    [{ [where]: `${arg.type} & { format: ${JSON.stringify(other)} }`, required: where }, plain, of[other]],
  ];
}

/** parameters writes the arguments of one variant. An optional one before a required one may be undefined. */
function parameters(args, changed, options, optionsRequired) {
  const all = args.map((a) => ({ ...a, type: changed[a.name] ?? a.type, required: a.required || changed.required === a.name }));
  all.push({ name: "options", type: options, required: optionsRequired });
  const last = all.findLastIndex((a) => a.required);
  return all.map((a, i) => `${a.name}${i > last ? "?" : ""}: ${a.type}${i < last && !a.required ? " | undefined" : ""}`).join(", ");
}

/** method writes one method with its variants. */
function method(op) {
  const { args, kind } = signature(op);
  const list = variants(op, args);
  const path = "`" + op.path.replace(/\{(\w+)\}/g, (_, name) => "${segment(" + (name === "id" ? "id" : `${name}Id`) + ")}") + "`";
  const sends = args.filter((a) => a.name === "query" || a.name === "body").map((a) => a.name);
  const extra = [...sends, "options"];
  if (kind === "binary") extra.push('type: "application/octet-stream"');
  if (kind === "lines") extra.push(`type: "${lines}"`);
  if (op.safe && op.method !== "GET") extra.push("safe: true");
  const joined = op.query.filter((p) => [p.schema.type].flat().includes("array") && p.explode === false).map((p) => p.name);
  if (joined.length) extra.push(`joined: ${JSON.stringify(joined)}`);
  const send = result(op) === "Download" ? "download" : "call";
  const code = `return this.#client.${send}("${op.method}", ${path.includes("$") ? path : `"${op.path}"`}, { ${extra.join(", ")} });`;
  const heads = list.map(([changed, options, out]) => `${op.name}(${parameters(args, changed, options, changed.undef === true)}): Promise<${out}>`);
  if (heads.length === 1) return `${doc(op.text, "  ")}  ${heads[0]} {\n    ${code}\n  }\n`;
  const loose = args.map((a) => `${a.name}${a.required ? "" : "?"}: ${a.required || a.type === "string" ? a.type : `${a.type}`}`);
  const optional = loose.length && args.some((a, i) => !a.required && args.slice(i + 1).some((b) => b.required));
  if (optional) throw new Error(`${op.id}: an optional argument stands before a required one`);
  return `${doc(op.text, "  ")}${heads.map((h) => `  ${h};\n`).join("")}  ${op.name}(${[...loose, "options?: CallOptions"].join(", ")}): Promise<never> {\n    ${code}\n  }\n`;
}

/** allName is the name of the method that follows the cursors of another: list, listTeam → all, allTeam. */
function allName(op) {
  if (/^list(?=$|[A-Z])/.test(op.name)) return op.name.replace(/^list/, "all");
  return `${op.name}All`;
}

/** all writes the method that follows the cursors of a list. */
function all(op) {
  const next = page(op);
  if (!next) return "";
  const { args } = signature(op);
  const options = "CallOptions";
  const name = next.list ? allName(op) : `${op.name}Pages`;
  const text = next.list
    ? `Calls ${op.name} for page after page, and returns the items one by one.`
    : `Calls ${op.name} for page after page, and returns the pages.`;
  const where = next.inBody ? "body" : "query";
  const call = args.map((a) => (a.name === where ? `{ ...${where}, cursor }` : a.name));
  const fetch = `(cursor) => this.${op.name}(${[...call, "options"].join(", ")})`;
  const start = `${where}?.cursor`.replace("?.", args.find((a) => a.name === where).required ? "." : "?.");
  const run = next.list ? `items(${fetch}, (page) => page.${next.list}, ${start})` : `pages(${fetch}, ${start})`;
  return `${doc(text, "  ")}  ${name}(${parameters(args, {}, options, false)}): AsyncIterable<${next.item ?? result(op)}> {\n    return ${run};\n  }\n`;
}

/** inLines is the second method of an operation that takes JSON or lines of JSON. */
function inLines(op) {
  const types = op.body?.content ?? {};
  if (!types[json] || !types[lines]) return "";
  const code = `return this.#client.call("${op.method}", "${op.path}", { body, options, type: "${lines}" });`;
  const text = `${op.text.split(". ")[0].replace(/\.$/, "")}, from lines of JSON.`;
  return `${doc(text, "  ")}  ${op.name}Lines(body: Upload, options?: CallOptions): Promise<${result(op)}> {\n    ${code}\n  }\n`;
}

const byTag = operations();
const sent = new Set();
for (const [, ops] of byTag) for (const op of ops) reach(op.body, sent);

let text = `// Generated by generate.mjs from /openapi.json. Do not edit.
import { items, pages, segment } from "./client.ts";
import type { CallOptions, FromOffset, IfMatch, IfNoneMatch, LociClient, NotOnce, Once, Upload } from "./client.ts";
import type { Download } from "./download.ts";

`;
for (const name of Object.keys(schemas).sort()) text += declaration(name, sent.has(name)) + "\n";
const properties = [];
for (const [tag, ops] of byTag) {
  const property = groups[tag].property ?? tag;
  const name = `${upperFirst(property)}Api`;
  properties.push([property, name, tag]);
  text += ops.map(queryType).join("");
  text += `${doc(`The routes with the tag "${tag}".`)}export class ${name} {\n  readonly #client: LociClient;\n\n`;
  text += `  constructor(client: LociClient) {\n    this.#client = client;\n  }\n`;
  const taken = new Set();
  for (const op of ops) {
    for (const part of [method(op), inLines(op), all(op)].filter(Boolean)) {
      const named = /^ {2}(\w+)\(/m.exec(part)[1];
      if (taken.has(named)) throw new Error(`two methods of ${tag} are called ${named} (${op.id}): name one of them in methods`);
      taken.add(named);
      text += "\n" + part;
    }
  }
  text += "}\n\n";
}
text += `/** The groups of routes, as properties of Loci. */
export interface Groups {
${properties.map(([property, name]) => `  readonly ${property}: ${name};\n`).join("")}}

/** Makes all groups of a client. */
export function groups(client: LociClient): Groups {
  return {
${properties.map(([property, name]) => `    ${property}: new ${name}(client),\n`).join("")}  };
}
`;
await writeFile(output, text);
