import { generateKeyPairSync } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { importSPKI, jwtVerify } from "jose";
import { atEndOfFile } from "../../../testing/end-of-file.ts";
import { googleAddresses } from "../dialogflow.ts";

/** A request as the other side has it. */
export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
/** What it answers; null: nothing at all, however long one waits. */
export type Answer = {
  status?: number;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
} | null;

export type HttpStub = {
  url: string;
  asked: Asked[];
  /** Answers each request. */
  answer: (asked: Asked) => Answer | Promise<Answer>;
};

/** A server on this machine, over real HTTP. */
export async function startHttpStub(answer: HttpStub["answer"] = () => ({})): Promise<HttpStub> {
  const stub: HttpStub = { url: "", asked: [], answer };
  const server = createServer((request, response) => {
    const work = async (): Promise<void> => {
      const { method = "", url: path = "", headers } = request;
      const asked = { method, path, headers, body: await text(request) };
      stub.asked.push(asked);
      const answered = await stub.answer(asked);
      if (answered === null) return;
      response.writeHead(answered.status ?? 200, answered.headers);
      response.end(answered.body ?? "");
    };
    work().catch(() => response.destroy());
  });
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, "127.0.0.1", () => {
      const address = listening.address();
      if (address === null || typeof address === "string") throw new Error("no TCP address");
      resolve(address.port);
    });
  });
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  stub.url = `http://127.0.0.1:${port}`;
  return stub;
}

const json = (value: unknown, status = 200): Answer => ({
  status,
  body: JSON.stringify(value),
  headers: { "content-type": "application/json" },
});

/** What a flow says at one step; a number is the status of a refusal. */
export type FlowStep = { messages?: unknown[]; input?: unknown } | number | null;
export const paragraph = (words: string) => ({
  type: "text",
  content: { type: "richText", richText: [{ type: "p", children: [{ text: words }] }] },
});

/** A typebot server whose flow the test writes: `start` begins each session, `next` answers a text in it. */
export async function startTypebotStub() {
  let sessions = 0;
  const flow = {
    start: (): FlowStep => ({ messages: [paragraph("Olá!")] }),
    next: (_text: string): FlowStep => ({ messages: [] }),
    lost: new Set<string>(),
    /** Before each answer. */
    wait: (): Promise<void> => Promise.resolve(),
  };
  const stub = await startHttpStub(async ({ path, body }) => {
    await flow.wait();
    const step = (of: FlowStep, more: object = {}): Answer => {
      if (of === null) return null;
      return typeof of === "number" ? json({ message: "no" }, of) : json({ ...of, ...more });
    };
    if (/^\/api\/v1\/typebots\/[\w-]+\/startChat$/.test(path)) {
      sessions += 1;
      return step(flow.start(), { sessionId: `session-${sessions}`, resultId: "r" });
    }
    const [, session = ""] = /^\/api\/v1\/sessions\/([\w-]+)\/continueChat$/.exec(path) ?? [];
    if (session === "" || flow.lost.has(session)) return json({ code: "NOT_FOUND" }, 404);
    const { message } = JSON.parse(body) as { message: string | { text: string } };
    return step(flow.next(typeof message === "string" ? message : message.text));
  });
  return { ...{ flow, asked: stub.asked, url: stub.url } };
}

/** A Google project with its service account. */
export function newServiceAccount(project: string) {
  const keys = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const account = {
    ...{ type: "service_account", project_id: project, private_key: keys.privateKey },
    client_email: `robo@${project}.iam.gserviceaccount.com`,
    // A trap: who follows it tells a stranger the assertion.
    token_uri: "http://127.0.0.1:1/token",
  };
  return { text: JSON.stringify(account), publicKey: keys.publicKey, email: account.client_email };
}

/** The key of the project "loja", of which the requests of the guarantees speak. */
export const sampleKey = newServiceAccount("loja");

/** Leads the product to stubs of what integrations reach: an agent that says "Oi", and receivers on this machine. */
export async function reachedByIntegrations() {
  const { agent, google } = await startDialogflowStub(sampleKey.publicKey);
  agent.reply = () => ({ queryResult: { fulfillmentMessages: [{ text: { text: ["Oi"] } }] } });
  return { googleAddresses: google, outsideHosts: ["127.0.0.1:*"] };
}

/** Google's token exchange and Dialogflow's REST call. Tokens are given only for assertions that the key has signed. */
export async function startDialogflowStub(publicKey: string) {
  const agent = {
    reply: (_query: { text?: string; audio?: string }): unknown => ({ queryResult: {} }),
    tokens: 0,
  };
  const stub = await startHttpStub(async ({ path, body, headers }) => {
    if (path === "/token") {
      const form = new URLSearchParams(body);
      const key = await importSPKI(publicKey, "RS256");
      const audience = googleAddresses.token;
      try {
        await jwtVerify(form.get("assertion") ?? "", key, { audience, clockTolerance: "10 years" });
      } catch {
        return json({ error: "invalid_grant" }, 400);
      }
      agent.tokens += 1;
      return json({ access_token: `token-${agent.tokens}`, expires_in: 3_600 });
    }
    if (headers.authorization !== `Bearer token-${agent.tokens}`) return json({}, 401);
    const { queryInput, inputAudio } = JSON.parse(body) as {
      queryInput: { text?: { text: string } };
      inputAudio?: string;
    };
    const replied = agent.reply({
      ...(queryInput.text && { text: queryInput.text.text }),
      ...(inputAudio !== undefined && { audio: inputAudio }),
    });
    return typeof replied === "number" ? json({}, replied) : json(replied);
  });
  const google = { token: `${stub.url}/token`, dialogflow: stub.url };
  return { agent, asked: stub.asked, google };
}
