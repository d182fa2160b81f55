import type { ProgramRequest, Trial } from "./api.ts";

/** What the reference shows of a call, read from the OpenAPI document. */
export type DocumentedCall = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: readonly Field[];
  body: readonly Field[];
  /** The fields of a good reply, and its status. */
  reply: readonly Field[];
  replyStatus: string;
  /** The codes of the refusals, as the document lists them. */
  refusals: string;
};

export type Field = {
  /** Inner fields follow with their whole path: `contact.name`. */
  name: string;
  type: string;
  isRequired: boolean;
  text: string;
};

type Branch = Readonly<Record<string, unknown>>;

const isBranch = (value: unknown): value is Branch =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const branchOf = (value: unknown): Branch => (isBranch(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const methods = ["get", "post", "put", "delete"] as const;
/** Deeper ones are named by their type alone. */
const DEPTH_MAX = 3;

/** The calls of a document in its order. What it does not say is empty. */
export function callsOf(document: unknown): DocumentedCall[] {
  const root = branchOf(document);
  return Object.entries(branchOf(root["paths"])).flatMap(([path, item]) =>
    methods
      .filter((method) => isBranch(branchOf(item)[method]))
      .map((method) => callOf(root, path, method, branchOf(branchOf(item)[method]))),
  );
}

function callOf(root: Branch, path: string, method: string, operation: Branch): DocumentedCall {
  const responses = branchOf(operation["responses"]);
  const replyStatus = Object.keys(responses).find((status) => status.startsWith("2")) ?? "";
  const refusal = branchOf(responses["4XX"] ?? responses["4xx"]);
  return {
    id: `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    summary: textOf(operation["summary"]),
    description: textOf(operation["description"]),
    parameters: listOf(operation["parameters"])
      .map((one) => resolved(root, one))
      .filter((one) => one["in"] !== "header")
      .map((one) => ({
        name: textOf(one["name"]),
        type: typeOf(root, one["schema"]),
        isRequired: one["required"] === true,
        text: textOf(one["description"]) || textOf(branchOf(one["schema"])["description"]),
      })),
    body: fieldsOf(root, schemaIn(operation["requestBody"])),
    reply: fieldsOf(root, schemaIn(responses[replyStatus])),
    replyStatus,
    refusals: textOf(refusal["description"]),
  };
}

function schemaIn(holder: unknown): unknown {
  const content = branchOf(branchOf(holder)["content"]);
  return branchOf(content["application/json"] ?? Object.values(content)[0])["schema"];
}

/** The schema itself, where it is a reference to another place of the document. */
function resolved(root: Branch, schema: unknown): Branch {
  const reference = textOf(branchOf(schema)["$ref"]);
  if (!reference.startsWith("#/")) return branchOf(schema);
  return reference
    .slice(2)
    .split("/")
    .reduce<Branch>((at, part) => branchOf(at[part]), root);
}

/** Of several forms the first one with fields, without `null`. */
function shapeOf(root: Branch, schema: unknown): Branch {
  const own = resolved(root, schema);
  const forms = [...listOf(own["anyOf"]), ...listOf(own["oneOf"]), ...listOf(own["allOf"])];
  if (forms.length === 0) return own;
  const all = forms.map((one) => resolved(root, one)).filter((one) => one["type"] !== "null");
  return all.find((one) => isBranch(one["properties"])) ?? all[0] ?? own;
}

function fieldsOf(root: Branch, schema: unknown, before = "", depth = 1): Field[] {
  const shape = shapeOf(root, schema);
  if (shape["type"] === "array") return fieldsOf(root, shape["items"], `${before}[].`, depth);
  const required = listOf(shape["required"]);
  return Object.entries(branchOf(shape["properties"])).flatMap(([name, inner]) => {
    const own = resolved(root, inner);
    const field: Field = {
      name: before + name,
      type: typeOf(root, inner),
      isRequired: required.includes(name),
      text: textOf(own["description"]),
    };
    const shapeInside = shapeOf(root, inner);
    const isList = shapeInside["type"] === "array";
    const inside = isList ? shapeOf(root, shapeInside["items"]) : shapeInside;
    if (!isBranch(inside["properties"]) || depth >= DEPTH_MAX) return [field];
    const path = `${before}${name}${isList ? "[]" : ""}.`;
    return [field, ...fieldsOf(root, inside, path, depth + 1)];
  });
}

/** `string`, `integer or null`, `"open" | "closed"`, `list of object`. */
function typeOf(root: Branch, schema: unknown): string {
  const own = resolved(root, schema);
  const values = listOf(own["enum"]);
  if (values.length > 0) return values.map((one) => JSON.stringify(one)).join(" | ");
  if ("const" in own) return JSON.stringify(own["const"]);
  const forms = [...listOf(own["anyOf"]), ...listOf(own["oneOf"])];
  if (forms.length > 0) {
    return [...new Set(forms.map((one) => typeOf(root, one)))].join(" | ");
  }
  const type = listOf(own["type"]).map(textOf).join(" | ") || textOf(own["type"]);
  if (type === "array") return `${typeOf(root, own["items"])}[]`;
  return type || "object";
}

/** A request that shows the call, with the values of the trial. */
export function sampleOf(call: DocumentedCall, trial: Trial): ProgramRequest {
  const known: Readonly<Record<string, unknown>> = {
    number: trial.number || "5511987654321",
    body: trial.body || "Olá!",
    ...(trial.connectionId === null ? {} : { connectionId: trial.connectionId }),
  };
  const valueOf = ({ name, type }: Field): unknown => known[name] ?? valueByType(type);
  const isShown = ({ name, isRequired }: Field): boolean => isRequired || name in known;
  const query = call.parameters.filter(
    (one) => isShown(one) && !call.path.includes(`{${one.name}}`),
  );
  const search = new URLSearchParams(query.map((one) => [one.name, String(valueOf(one))]));
  const path = call.path.replaceAll(/\{\w+\}/g, "1");
  const body = call.body.filter((one) => !/[.[]/.test(one.name) && isShown(one));
  return {
    method: call.method,
    path: query.length === 0 ? path : `${path}?${search}`,
    idempotencyKey:
      call.path.endsWith("/v1/messages") && call.method === "POST" ? "pedido-88213" : null,
    json:
      call.body.length === 0
        ? null
        : Object.fromEntries(body.map((one) => [one.name, valueOf(one)])),
    file: null,
  };
}

function valueByType(type: string): unknown {
  if (type.startsWith('"')) return JSON.parse(type.split(" | ")[0] ?? '""') as unknown;
  if (type.endsWith("[]")) return [valueByType(type.slice(0, -2))];
  if (/integer|number/.test(type)) return 1;
  if (type.includes("boolean")) return false;
  return type.includes("object") ? {} : "texto";
}
