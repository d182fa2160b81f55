import type { ProgramRequest } from "./api.ts";

export const codeLanguages = ["curl", "javascript", "typescript", "python", "php"] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

type Sample = ProgramRequest & {
  /** The address of the installation, such as `https://chat.loja.com.br`. */
  origin: string;
  token: string;
};

/** The call as code that does the same. */
export function codeOf(language: CodeLanguage, sample: Sample): string {
  switch (language) {
    case "curl":
      return curl(sample);
    case "javascript":
      return javascript(sample);
    case "typescript":
      return typescript(sample);
    case "python":
      return python(sample);
    case "php":
      return php(sample);
  }
}

const urlOf = ({ origin, path }: Sample): string => origin + path;

function headersOf(sample: Sample, hasContentType: boolean): [name: string, value: string][] {
  const { token, idempotencyKey, json, file } = sample;
  return [
    ["Authorization", `Bearer ${token}`],
    ...(hasContentType && json !== null && file === null
      ? [["Content-Type", "application/json"] satisfies [string, string]]
      : []),
    ...(idempotencyKey === null
      ? []
      : [["Idempotency-Key", idempotencyKey] satisfies [string, string]]),
  ];
}

/** The values that go with a file, as text. */
const fieldsOf = ({ json }: Sample): [name: string, value: string][] =>
  Object.entries(json ?? {}).map(([name, value]) => [name, String(value)]);

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);
const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2);
const quoted = (value: unknown): string => JSON.stringify(value);

/** For a shell, which reads nothing between single quotes. */
const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl(sample: Sample): string {
  const { method, json, file } = sample;
  const parts = [
    `curl ${method === "GET" || method === "POST" ? "" : `-X ${method} `}${shellText(urlOf(sample))}`,
    ...headersOf(sample, true).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
  ];
  if (file !== null) {
    for (const [name, value] of fieldsOf(sample)) {
      parts.push(`--form-string ${shellText(`${name}=${value}`)}`);
    }
    parts.push(`-F ${shellText(`medias=@${file.name}`)}`);
  } else if (json !== null) parts.push(`-d ${shellText(jsonOf(json))}`);
  return parts.join(" \\\n  ");
}

function javascript(sample: Sample): string {
  const { method, json, file } = sample;
  const lines: string[] = [];
  let body = "";
  if (file !== null) {
    lines.push('import { openAsBlob } from "node:fs";', "", "const form = new FormData();");
    for (const [name, value] of fieldsOf(sample)) {
      lines.push(`form.set(${quoted(name)}, ${quoted(value)});`);
    }
    const name = quoted(file.name);
    lines.push(`form.set("medias", await openAsBlob(${name}), ${name});`, "");
    body = "  body: form,\n";
  } else if (json !== null) body = `  body: JSON.stringify(${indented(jsonOf(json), "  ")}),\n`;
  const headers = headersOf(sample, true).map(([name, value]) => {
    const key = name === "Authorization" ? name : quoted(name);
    return `    ${key}: ${quoted(value)},\n`;
  });
  lines.push(
    `const response = await fetch(${quoted(urlOf(sample))}, {`,
    `  method: ${quoted(method)},`,
    `  headers: {\n${headers.join("")}  },\n${body}});`,
    "console.log(response.status, await response.json());",
  );
  return lines.join("\n");
}

/** How the client of `packages/client` names a call: with its body or the values of its query, and the id in its path. */
const clientCalls: readonly [call: RegExp, code: (given: string, id: string) => string][] = [
  [/^POST \/api\/messages\/send$/, (given) => `connection.send(${given})`],
  [/^POST \/api\/v1\/messages$/, (given) => `messages.send(${given})`],
  [/^POST \/api\/v1\/contacts$/, (given) => `contacts.create(${given})`],
  [/^GET \/api\/v1\/(?:contacts|tickets)\/(\d+)$/, (_given, id) => `get(${id})`],
  [/^PUT \/api\/v1\/(?:contacts|tickets)\/(\d+)$/, (given, id) => `update(${id}, ${given})`],
  [/^PUT \/api\/v1\/tickets\/(\d+)\/tags$/, (given, id) => `setTags(${id}, ${given})`],
  [/^POST \/api\/v1\/tickets\/(\d+)\/draft$/, (given, id) => `draft(${id}, ${given})`],
  [/^GET \/api\/v1\/queues$/, () => "list()"],
  [/^GET \/api\/v1\/templates$/, (given) => `list(${given})`],
  [/^GET \/api\/v1\/(?:messages|contacts|tickets|tags)$/, (given) => `page(${given})`],
];

function typescript(sample: Sample): string {
  const { method, origin, path, token, idempotencyKey, json, file } = sample;
  const [address = "", search = ""] = path.split("?");
  const call = `${method} ${address}`;
  const known = clientCalls.find(([pattern]) => pattern.test(call));
  if (known === undefined) return javascript(sample);
  const [pattern, codeOfCall] = known;
  const [, id = ""] = pattern.exec(call) ?? [];
  // The key of the older call is a value of its body; the client has it as an option.
  const { idempotencyKey: keyInBody, ...body } = json ?? {};
  const key = idempotencyKey ?? keyInBody;
  const query = Object.fromEntries(
    [...new URLSearchParams(search)].map(([name, value]) => [name, valueInQuery(name, value)]),
  );
  // Calls with one value take it as it is.
  const [only] = Object.values(json === null ? query : body);
  const takesOne = /\/(\d+\/(tags|draft)|templates)$/.test(address);
  const given = takesOne ? jsonOf(only) : objectText(json === null ? query : body);
  const options = [
    ...(key === undefined ? [] : [`idempotencyKey: ${quoted(key)}`]),
    ...(file === null
      ? []
      : [
          `files: [{ name: ${quoted(file.name)}, content: await openAsBlob(${quoted(file.name)}) }]`,
        ]),
  ];
  const whole = options.length === 0 ? given : `${given}, {\n  ${options.join(",\n  ")},\n}`;
  const made = codeOfCall(whole, id);
  const group = /^\w+\./.test(made) ? "" : `${address.split("/")[3] ?? ""}.`;
  return [
    ...(file === null ? [] : ['import { openAsBlob } from "node:fs";']),
    'import { createBalcao } from "@balcao/client";',
    "",
    "const balcao = createBalcao({",
    `  url: ${quoted(origin)},`,
    `  token: ${quoted(token)},`,
    "});",
    `const answer = await balcao.${group}${made};`,
    "console.log(answer);",
  ].join("\n");
}

const valueInQuery = (name: string, value: string): unknown =>
  /^(limit|\w+Id)$/.test(name) ? Number(value) : value;

/** An object as code has it: without quotes around the names. */
const objectText = (value: object): string => jsonOf(value).replaceAll(/^(\s*)"(\w+)":/gm, "$1$2:");

function python(sample: Sample): string {
  const { method, json, file } = sample;
  const headers = headersOf(sample, false).map(
    ([name, value]) => `        ${quoted(name)}: ${quoted(value)},\n`,
  );
  const lines = [
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${quoted(urlOf(sample))},`,
    `    headers={\n${headers.join("")}    },`,
  ];
  const values = (entries: [string, unknown][]): string =>
    `{\n${entries.map(([name, value]) => `        ${quoted(name)}: ${pythonValue(value)},\n`).join("")}    },`;
  if (file !== null) {
    lines.push(
      `    data=${values(fieldsOf(sample))}`,
      `    files=[("medias", open(${quoted(file.name)}, "rb"))],`,
    );
  } else if (json !== null) lines.push(`    json=${values(Object.entries(json))}`);
  return [...lines, ")", "print(response.status_code, response.json())"].join("\n");
}

function pythonValue(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return quoted(value);
  const fields = Object.entries(value).map(([name, one]) => `${quoted(name)}: ${pythonValue(one)}`);
  return `{${fields.join(", ")}}`;
}

const phpText = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

function phpValue(value: unknown): string {
  if (typeof value === "string") return phpText(value);
  if (Array.isArray(value)) return `[${value.map(phpValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return quoted(value);
  const fields = Object.entries(value).map(([name, one]) => `${phpText(name)} => ${phpValue(one)}`);
  return `[${fields.join(", ")}]`;
}

function php(sample: Sample): string {
  const { method, json, file } = sample;
  const headers = headersOf(sample, true).map(
    ([name, value]) => `        ${phpText(`${name}: ${value}`)},\n`,
  );
  const array = (entries: [string, string][]): string =>
    `[\n${entries.map(([name, value]) => `        ${phpText(name)} => ${value},\n`).join("")}    ]`;
  const lines = [
    "<?php",
    `$curl = curl_init(${phpText(urlOf(sample))});`,
    "curl_setopt_array($curl, [",
    "    CURLOPT_RETURNTRANSFER => true,",
    `    CURLOPT_CUSTOMREQUEST => ${phpText(method)},`,
    `    CURLOPT_HTTPHEADER => [\n${headers.join("")}    ],`,
  ];
  if (file !== null) {
    const fields = fieldsOf(sample).map(([name, value]): [string, string] => [
      name,
      phpText(value),
    ]);
    const all = array([...fields, ["medias", `new CURLFile(${phpText(file.name)})`]]);
    lines.push(`    CURLOPT_POSTFIELDS => ${all},`);
  } else if (json !== null) {
    const all = array(
      Object.entries(json).map(([name, value]): [string, string] => [name, phpValue(value)]),
    );
    lines.push(`    CURLOPT_POSTFIELDS => json_encode(${all}),`);
  }
  return [
    ...lines,
    "]);",
    "$answer = curl_exec($curl);",
    'echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), " ", $answer;',
  ].join("\n");
}
