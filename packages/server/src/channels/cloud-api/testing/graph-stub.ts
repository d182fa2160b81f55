import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { atEndOfFile } from "../../../testing/end-of-file.ts";

/** A number at the stubbed Meta, with the credentials that open it. */
export type StubAccount = {
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  displayNumber: string;
};

/** A send request: its body, with the id that the stub gave it. */
export type StubMessage = { wamid: string; body: SentBody };
export type SentBody = {
  to?: string;
  recipient?: string;
  type: string;
  biz_opaque_callback_data?: string;
  context?: { message_id: string };
  text?: { body: string };
  template?: { name: string; language: { code: string }; components?: unknown[] };
  reaction?: { message_id: string; emoji: string };
  [kind: string]: unknown;
};

export type StubFile = { mime: string; name: string; content: Buffer };

/** Faults of the next sends, one each; later sends succeed. */
export type StubFault =
  /** The Graph API refuses with this code. */
  | { code: number; status?: number }
  /** It takes the message and breaks the line before it answers. */
  | "cut-after"
  /** It takes the message and never answers. */
  | "silent"
  /** A proxy answers 502 with a page. */
  | "bad-gateway";

export type GraphStub = {
  url: string;
  version: string;
  /** A number with fresh credentials. */
  newAccount(): StubAccount;
  /** Templates of an account, as Meta lists them. */
  templates: Map<string, unknown[]>;
  sent(account: StubAccount): StubMessage[];
  /** Message ids that were marked read; with `typing` where that was shown. */
  marks: { wamid: string; typing: boolean }[];
  uploads: (StubFile & { id: string })[];
  subscribed: Set<string>;
  /** A file of a customer; `at` has its address lead somewhere else. */
  addFile(file: StubFile, more?: { at?: string; sha256?: string; bytes?: number }): string;
  faults: StubFault[];
  /** The token is void from now on. */
  revoke(account: StubAccount): void;
  /** It does not answer until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  latencyMs: number;
  /** Requests per path without its ids. */
  counts: Map<string, number>;
};

/** Every stub has this one, with one template. */
export const sampleAccount: StubAccount = {
  phoneNumberId: "100000000000001",
  businessAccountId: "200000000000002",
  accessToken: "EAAsample",
  appSecret: "sample-app-secret",
  verifyToken: "sample-verify-token",
  displayNumber: "551140000000",
};

export const sampleTemplate = {
  name: "boas_vindas",
  language: "pt_BR",
  category: "UTILITY",
  status: "APPROVED",
  components: [
    { type: "HEADER", format: "TEXT", text: "Pedido {{1}}" },
    { type: "BODY", text: "Olá {{1}}, seu pedido sai {{2}}." },
    { type: "FOOTER", text: "Loja Paulista" },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "Falar com alguém" },
        { type: "URL", text: "Acompanhar", url: "https://loja.example/p/{{1}}" },
      ],
    },
  ],
};

/** Meta's Graph API in miniature on a local port, in the memory of the test's process. */
export async function startGraphStub(): Promise<GraphStub> {
  const version = "v25.0";
  const accounts = new Map([[sampleAccount.accessToken, sampleAccount]]);
  const sent = new Map<string, StubMessage[]>([[sampleAccount.phoneNumberId, []]]);
  const files = new Map<string, StubFile & { at?: string; sha256?: string; bytes?: number }>();
  let server = createServer(answer);
  const port = await listen(server, 0);
  const url = `http://127.0.0.1:${port}`;

  const stub: GraphStub = {
    url,
    version,
    newAccount() {
      const account = {
        phoneNumberId: digits(15),
        businessAccountId: digits(15),
        accessToken: `EAA${randomBytes(12).toString("hex")}`,
        appSecret: randomBytes(16).toString("hex"),
        verifyToken: randomBytes(8).toString("hex"),
        displayNumber: `55119${digits(8)}`,
      };
      accounts.set(account.accessToken, account);
      sent.set(account.phoneNumberId, []);
      return account;
    },
    templates: new Map([[sampleAccount.businessAccountId, [sampleTemplate]]]),
    sent: ({ phoneNumberId }) => sent.get(phoneNumberId) ?? [],
    marks: [],
    uploads: [],
    subscribed: new Set(),
    addFile(file, more = {}) {
      const id = digits(16);
      files.set(id, { ...file, ...more });
      return id;
    },
    faults: [],
    revoke: ({ accessToken }) => void accounts.delete(accessToken),
    async goAway() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    async comeBack() {
      server = createServer(answer);
      await listen(server, port);
    },
    latencyMs: 0,
    counts: new Map(),
  };
  atEndOfFile(() => stub.goAway());

  function answer(request: IncomingMessage, reply: ServerResponse): void {
    void handle(request, reply).catch((error: unknown) => {
      reply.destroy(error instanceof Error ? error : undefined);
    });
  }

  async function handle(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? "/", url);
    const body = await buffer(request);
    if (stub.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, stub.latencyMs));
    const account = accounts.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (!account) return refuse(reply, 190, 401);
    if (address.pathname.startsWith("/files/")) return sendFile(reply, address.pathname.slice(7));
    const [, given, id = "", edge = ""] = address.pathname.split("/");
    if (given !== version) return refuse(reply, 2500, 400);
    const kind = `${request.method ?? ""} ${edge || (id === account.phoneNumberId ? "number" : "media")}`;
    stub.counts.set(kind, (stub.counts.get(kind) ?? 0) + 1);
    switch (kind) {
      case "GET number":
        return json(reply, {
          id,
          display_phone_number: `+${account.displayNumber.slice(0, 2)} ${account.displayNumber.slice(2)}`,
          verified_name: "Loja",
          quality_rating: "GREEN",
        });
      case "POST subscribed_apps":
        stub.subscribed.add(id);
        return json(reply, { success: true });
      case "GET message_templates":
        return json(reply, page(stub.templates.get(id) ?? [], address));
      case "POST media":
        return takeUpload(reply, body, request.headers["content-type"] ?? "");
      case "GET media":
        return describe(reply, id);
      case "POST messages":
        return take(reply, account, JSON.parse(body.toString("utf8")));
      default:
        return refuse(reply, 100, 400);
    }
  }

  type Given = SentBody & { status?: string; message_id?: string; typing_indicator?: unknown };

  function take(reply: ServerResponse, account: StubAccount, body: Given): void {
    if (body.status === "read") {
      const typing = body.typing_indicator !== undefined;
      stub.marks.push({ wamid: body.message_id ?? "", typing });
      return json(reply, { success: true });
    }
    const fault = stub.faults.shift();
    if (typeof fault === "object") return refuse(reply, fault.code, fault.status ?? 400);
    if (fault === "bad-gateway") return void reply.writeHead(502).end("<html>Bad gateway</html>");
    const wamid = `wamid.${randomBytes(16).toString("base64")}`;
    sent.get(account.phoneNumberId)?.push({ wamid, body });
    if (fault === "cut-after") return void reply.destroy();
    if (fault === "silent") return;
    const contact = body.recipient
      ? { input: body.recipient, user_id: body.recipient }
      : { input: body.to, wa_id: body.to };
    json(reply, { messaging_product: "whatsapp", contacts: [contact], messages: [{ id: wamid }] });
  }

  function takeUpload(reply: ServerResponse, body: Buffer, contentType: string): void {
    const boundary = /boundary=(\S+)/.exec(contentType)?.[1] ?? "";
    const parts = body.toString("latin1").split(`--${boundary}`);
    const part = parts.find((one) => one.includes('name="file"')) ?? "";
    const start = part.indexOf("\r\n\r\n") + 4;
    const file = {
      id: digits(16),
      name: /filename="([^"]*)"/.exec(part)?.[1] ?? "",
      mime: /Content-Type: (.*)\r\n/.exec(part)?.[1] ?? "",
      content: Buffer.from(part.slice(start, -2), "latin1"),
    };
    stub.uploads.push(file);
    json(reply, { id: file.id });
  }

  function describe(reply: ServerResponse, id: string): void {
    const file = files.get(id);
    if (!file) return refuse(reply, 100, 400);
    json(reply, {
      id,
      url: file.at ?? `${url}/files/${id}`,
      mime_type: file.mime,
      sha256: file.sha256 ?? createHash("sha256").update(file.content).digest("hex"),
      file_size: file.bytes ?? file.content.byteLength,
    });
  }

  function sendFile(reply: ServerResponse, id: string): void {
    const file = files.get(id);
    if (file) reply.writeHead(200, { "content-type": file.mime }).end(file.content);
    else reply.writeHead(404).end();
  }

  return stub;
}

/** Two rows a page, so that pages are turned. */
function page(rows: unknown[], address: URL): unknown {
  const start = Number(address.searchParams.get("after") ?? 0);
  const end = start + 2;
  const next = end < rows.length ? { next: `${address.href}&after=${end}` } : {};
  return { data: rows.slice(start, end), paging: { cursors: { after: String(end) }, ...next } };
}

function json(reply: ServerResponse, body: unknown): void {
  reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function refuse(reply: ServerResponse, code: number, status: number): void {
  const error = { message: "(#0) refused", type: "OAuthException", code, fbtrace_id: "A1" };
  reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
}

function digits(count: number): string {
  return Array.from(randomBytes(count), (byte) => String((byte % 9) + 1)).join("");
}

/** Delivers as Meta does: signed over the bytes. Answers the status. */
export async function deliver(
  webhookUrl: string,
  account: StubAccount,
  body: unknown,
  { signature, method = "POST" }: { signature?: string | null; method?: string } = {},
): Promise<number> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const right = `sha256=${createHmac("sha256", account.appSecret).update(text).digest("hex")}`;
  const given = signature === undefined ? right : signature;
  const reply = await fetch(webhookUrl, {
    method,
    headers: {
      "content-type": "application/json",
      ...(given === null ? {} : { "x-hub-signature-256": given }),
    },
    body: text,
  });
  await reply.arrayBuffer();
  return reply.status;
}
