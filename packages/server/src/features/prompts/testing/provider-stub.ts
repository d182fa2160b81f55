import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { atEndOfFile } from "../../../testing/end-of-file.ts";

/** A request as the service got it. */
export type Asked = {
  path: string;
  key: string;
  /** The JSON body, or the text of a form. */
  body: {
    model?: string;
    messages?: { role: string; content: string }[];
    [field: string]: unknown;
  };
  raw: string;
  /** One of the first three with its key. */
  isEarly: boolean;
};

type Behaviour = (response: ServerResponse, asked: Asked) => void;

const json = (response: ServerResponse, status: number, body: unknown): void => {
  // Retries of tests follow at once.
  const headers = { "content-type": "application/json", "retry-after-ms": "1" };
  response.writeHead(status, headers).end(JSON.stringify(body));
};
const refusal =
  (status: number, code: string, message = code): Behaviour =>
  (response) =>
    json(response, status, { error: { message, code, type: code } });
const choice =
  (message: object, finish = "stop"): Behaviour =>
  (response) =>
    json(response, 200, {
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    });

/** The key of a request says how the service behaves. */
const behaviours: Record<string, Behaviour> = {
  ok: choice({ content: "Temos sim, por R$ 10." }),
  tool: choice({
    content: null,
    tool_calls: [
      {
        ...{ id: "call_1", type: "function" },
        function: {
          name: "transferir_para_atendimento",
          arguments: '{"motivo":"quer uma pessoa"}',
        },
      },
    ],
  }),
  words: choice({
    content: "Ação: Transferir para o setor de atendimento. Já chamo alguém, Ana.",
  }),
  cut: choice({ content: "Abrimos às nove. Fechamos às dezoito. Aos sába" }, "length"),
  link: choice({ content: "Veja [aqui](https://golpe.example/x) ou https://loja.example/troca" }),
  hang: () => undefined,
  refused: refusal(401, "invalid_api_key"),
  quota: refusal(429, "insufficient_quota"),
  busy: refusal(429, "rate_limit_exceeded"),
  broken: refusal(500, "server_error"),
  unknown: refusal(404, "model_not_found"),
  elsewhere: (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  html: (response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Bem-vindo</h1>"),
  halfJson: (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[{"mes'),
  empty: (response) => json(response, 200, { choices: [] }),
  silent: choice({ content: "" }),
  huge: (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"choices":"${"x".repeat(11_000_000)}"}`);
  },
  /** Fails with the first three requests: a call with its retries. */
  flaky: (response, asked) =>
    (asked.isEarly ? refusal(500, "server_error") : behaviours["ok"])?.(response, asked),
  /** A model that knows neither the old limit of tokens nor tools. */
  modern: (response, asked) => {
    if ("max_tokens" in asked.body) {
      refusal(400, "unsupported_parameter", "Unsupported parameter: 'max_tokens'")(response, asked);
    } else if ("tools" in asked.body) {
      refusal(400, "unsupported", "this model does not support tools")(response, asked);
    } else choice({ content: "Olá!" })(response, asked);
  },
};

/**
 * An OpenAI-compatible service and Azure's speech in this process, over real HTTP. The key says how it behaves; a key with
 * something after a dash behaves as the part before it.
 */
export async function startProviderStub() {
  const requests: Asked[] = [];
  /** What it says of the next sounds. */
  const heard = { text: "Qual é o prazo?" };
  const sound = { content: Buffer.alloc(0) as Buffer };
  /** Before each answer. */
  const gate = { wait: (): Promise<void> => Promise.resolve() };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const path = request.url ?? "";
    const speechKey = request.headers["ocp-apim-subscription-key"];
    const bearer = request.headers.authorization?.replace("Bearer ", "");
    const key = typeof speechKey === "string" ? speechKey : (bearer ?? "");
    const isJson = request.headers["content-type"]?.includes("json") ?? false;
    const body = isJson ? (JSON.parse(raw) as Asked["body"]) : {};
    const isEarly = requests.filter((one) => one.key === key).length < 3;
    const asked = { path, key, raw, body, isEarly };
    requests.push(asked);
    await gate.wait();
    const behave = behaviours[key.split("-")[0] ?? ""] ?? refusal(401, "invalid_api_key");
    const isOk = behave === behaviours["ok"];
    if (path.startsWith("/speech") && isOk) response.end(sound.content);
    else if (path.endsWith("/audio/transcriptions") && isOk) json(response, 200, heard);
    else if (path.endsWith("/models") && isOk) {
      json(response, 200, { data: [{ id: "gpt-b" }, { id: "gpt-a" }] });
    } else behave(response, asked);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ url, requests, heard, sound, gate },
    baseUrl: `${url}/v1`,
    speechUrl: (region: string): string => `${url}/speech/${region}`,
    /** The chats that it was asked with a key. */
    chatsOf: (key: string): Asked[] =>
      requests.filter((asked) => asked.key === key && asked.path.endsWith("/chat/completions")),
  };
}
