import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "@balcao/contract";
import {
  apiContact,
  apiMessage,
  apiScopes,
  apiTicket,
  messageTemplate,
  publicApiEndpoints,
} from "@balcao/contract";
import { z } from "zod";

// Writes the types of the calls for other programs from the contract: `npm run client`. A test compares what is in `calls.ts`
// with what the contract says now.

const target = fileURLToPath(new URL("calls.ts", import.meta.url));

type Schema = { [key: string]: unknown };
const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** The type of a JSON schema as TypeScript writes it. */
function typeOf(schema: unknown, indent: string): string {
  if (!isSchema(schema)) return "unknown";
  if (typeof schema[NAME] === "string") return schema[NAME];
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  const forms = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  if (forms.length > 0) {
    const types = new Set(forms.map((one) => typeOf(one, indent)));
    if (types.has("string")) types.delete('""');
    return [...types].join(" | ");
  }
  if (Array.isArray(type))
    return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(" | ");
  if (type === "array") {
    const item = typeOf(schema["items"], indent);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object" && isSchema(schema["properties"])) return objectOf(schema, indent);
  if (type === "object") return `Record<string, ${typeOf(schema["additionalProperties"], indent)}>`;
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function objectOf({ properties, required }: Schema, indent: string): string {
  const names = Array.isArray(required) ? required : [];
  const inner = `${indent}  `;
  const fields = Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]) => {
    const text =
      isSchema(schema) && typeof schema["description"] === "string" ? schema["description"] : "";
    const note = text === "" ? "" : `${inner}/** ${text} */\n`;
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${note}${inner}${key}${names.includes(name) ? "" : "?"}: ${typeOf(schema, inner)};\n`;
  });
  return fields.length === 0 ? "Record<string, never>" : `{\n${fields.join("")}${indent}}`;
}

/** Replies that have a name of their own. */
const named = new Map<z.core.$ZodType, string>([
  [apiContact, "Contact"],
  [apiMessage, "Message"],
  [apiTicket, "Ticket"],
  [messageTemplate, "Template"],
]);
const NAME = "x-name";

/** Ids are read from texts as well as numbers, and are numbers in replies; a choice with a boolean is written as one. */
function toType(schema: z.ZodType, io: "input" | "output", indent: string): string {
  const json = z.toJSONSchema(schema, {
    ...{ io, unrepresentable: "any" },
    override({ zodSchema, jsonSchema }) {
      const name = Object.is(zodSchema, schema) ? undefined : named.get(zodSchema);
      const types = jsonSchema.anyOf?.map(({ type }) => type) ?? [];
      if (name !== undefined) Object.assign(jsonSchema, { [NAME]: name });
      else if (types.includes("boolean")) {
        delete jsonSchema.anyOf;
        jsonSchema.type = "boolean";
      } else if (types.join() === "number,string") {
        delete jsonSchema.anyOf;
        jsonSchema.type = "number";
      }
    },
  });
  return typeOf(json, indent);
}

/** Lists of a query, which the wire has as JSON in a text. */
const jsonLists = /Ids$/;

function requestOf({ params, query, body, upload }: Endpoint): string {
  const parts: string[] = [];
  const indent = "    ";
  if (params) parts.push(`params: ${toType(params, "input", indent)}`);
  if (query) {
    const lists = toType(query, "input", indent).replaceAll(
      /(\w+\??): string;/g,
      (whole, name: string) =>
        jsonLists.test(name.replace("?", "")) ? `${name}: readonly number[];` : whole,
    );
    const numbers = lists.replace(/(limit\?): [^;]+;/, "$1: number;");
    parts.push(`query: ${numbers}`);
  }
  if (body) parts.push(`body: ${toType(body, "input", indent)}`);
  if (upload) parts.push("files: readonly FileToSend[]");
  return parts.length === 0 ? "Record<string, never>" : `{ ${parts.join("; ")} }`;
}

/** The text of `src/calls.ts` for the contract as it is. */
export function generated(): string {
  const calls = Object.entries(publicApiEndpoints as Record<string, Endpoint>);
  const types = calls.map(
    ([name, endpoint]) => `  /** ${endpoint.summary.replaceAll("`", "")} */
  ${JSON.stringify(name)}: {
    request: ${requestOf(endpoint)};
    reply: ${named.get(endpoint.reply) ?? toType(endpoint.reply, "output", "    ")};
  };\n`,
  );
  const shapes = [...named].map(
    ([schema, name]) => `export type ${name} = ${toType(schema as z.ZodType, "output", "")};\n\n`,
  );
  return `// Written by \`npm run client\` from the contract. Changes belong there.

/** A file with its name. */
export type FileToSend = { name: string; content: Blob };

${shapes.join("")}/** Each call by its method and path below \`/api\`. */
export type Calls = {
${types.join("")}};

/** The permissions that a token can have. */
export type Scope = ${apiScopes.map((scope) => JSON.stringify(scope)).join(" | ")};
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = generated();
  if (readFileSync(target, { encoding: "utf8", flag: "a+" }) !== text) writeFileSync(target, text);
}
