import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** A message that the product asked Meta to send, as Meta words it. */
export type GraphMessage = {
  to?: string;
  type?: string;
  text?: { body: string };
  template?: { name: string; components?: unknown[] };
};

/** Meta's side of the official API: takes what the product sends, and tells it what customers write. */
export type Graph = {
  url: string;
  account: typeof account;
  sent: GraphMessage[];
  /** A customer writes; `hoursAgo` says when. */
  writes(
    webhookUrl: string,
    customer: { phone: string; name: string },
    message: { body: string; hoursAgo?: number },
  ): Promise<void>;
  stop(): Promise<void>;
};

const account = {
  phoneNumberId: "100000000000001",
  businessAccountId: "200000000000002",
  accessToken: "EAAjourney",
  appSecret: "journey-app-secret",
};

const templates = [
  {
    name: "pedido_saiu",
    language: "pt_BR",
    category: "UTILITY",
    status: "APPROVED",
    components: [
      { type: "BODY", text: "Olá {{1}}, seu pedido sai {{2}}." },
      { type: "FOOTER", text: "Loja Paulista" },
    ],
  },
  {
    name: "boas_vindas",
    language: "pt_BR",
    category: "MARKETING",
    status: "APPROVED",
    components: [{ type: "BODY", text: "Seja bem-vindo!" }],
  },
];

const HOUR_SECONDS = 3_600;

export async function startGraph(): Promise<Graph> {
  const sent: GraphMessage[] = [];

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (request.headers.authorization !== `Bearer ${account.accessToken}`) {
      return { status: 401, body: { error: { message: "refused", code: 190 } } };
    }
    const path = new URL(request.url ?? "/", "http://graph").pathname;
    const edge = path.split("/").at(-1);
    if (edge === "message_templates") return { status: 200, body: { data: templates } };
    if (edge === "messages") {
      const message = (await json(request)) as GraphMessage & { status?: string }; // the product's own words
      if (message.status === "read") return { status: 200, body: { success: true } };
      sent.push(message);
      return {
        status: 200,
        body: {
          messaging_product: "whatsapp",
          contacts: [{ input: message.to, wa_id: message.to }],
          messages: [{ id: `wamid.${randomBytes(12).toString("hex")}` }],
        },
      };
    }
    if (edge === account.phoneNumberId) {
      const number = { id: edge, display_phone_number: "+55 1140000000", verified_name: "Loja" };
      return { status: 200, body: number };
    }
    return { status: 200, body: { success: true } };
  }

  const server = createServer((request: IncomingMessage, reply: ServerResponse) => {
    void answer(request).then(({ status, body }) => {
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");

  return {
    url: `http://127.0.0.1:${address.port}`,
    account,
    sent,
    async writes(webhookUrl, { phone, name }, { body, hoursAgo = 0 }) {
      const seconds = Math.floor(Date.now() / 1_000) - Math.floor(hoursAgo * HOUR_SECONDS);
      const value = {
        messaging_product: "whatsapp",
        metadata: {
          display_phone_number: "551140000000",
          phone_number_id: account.phoneNumberId,
        },
        contacts: [{ profile: { name }, wa_id: phone }],
        messages: [
          {
            id: `wamid.${randomBytes(12).toString("hex")}`,
            from: phone,
            timestamp: String(seconds),
            type: "text",
            text: { body },
          },
        ],
      };
      const text = JSON.stringify({
        object: "whatsapp_business_account",
        entry: [{ id: account.businessAccountId, changes: [{ field: "messages", value }] }],
      });
      const signature = createHmac("sha256", account.appSecret).update(text).digest("hex");
      const reply = await fetch(webhookUrl, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-hub-signature-256": `sha256=${signature}`,
        },
        body: text,
      });
      if (!reply.ok) throw new Error(`the webhook answered ${reply.status}`);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
