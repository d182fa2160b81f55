import type { AuthenticationCreds, BaileysEventMap, proto, WAMessage, WASocket } from "baileys";
import { initAuthCreds, makeWASocket, WA_CERT_DETAILS } from "baileys";
import { Agent } from "node:https";
import { pino } from "pino";
import { until } from "./inbox.ts";
import { createMemoryKeys } from "./memory-keys.ts";
import type { Peer } from "./peer.ts";

export function createPlainClient(peer: Peer) {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(peer.rootKeyHex, "hex");
  const creds: AuthenticationCreds = initAuthCreds();
  const keys = createMemoryKeys();
  const messages: { type: string; message: WAMessage }[] = [];
  const updates: { id: string; update: Partial<WAMessage> }[] = [];
  const acks: Record<string, string>[] = [];
  const histories: BaileysEventMap["messaging-history.set"][] = [];
  const closings: number[] = [];
  const kept = new Map<string, proto.IMessage>();
  const logger = pino({ level: process.env["PEER_LOG"] ?? "silent" });
  let qr: string | null = null;
  let isOpen = false;
  let wsConnecting = false;
  let sock: WASocket | undefined;

  function connect(): WASocket {
    isOpen = false;
    wsConnecting = false;
    qr = null;
    const opened = makeWASocket({
      auth: { creds, keys },
      waWebSocketUrl: peer.url,
      logger,
      markOnlineOnConnect: false,
      syncFullHistory: false,
      // Uploads and downloads trust the media host's own certificate.
      fetchAgent: new Agent({ ca: peer.certificatePem }),
      getMessage: async ({ id }) => kept.get(id ?? ""),
    });
    opened.ev.on("creds.update", (update) => Object.assign(creds, update));
    opened.ev.on("connection.update", (update) => {
      if (update.qr) qr = update.qr;
      if (update.connection === "open") isOpen = true;
      if (update.connection === "connecting") wsConnecting = true;
      if (update.connection === "close") {
        isOpen = false;
        closings.push(statusOf(update.lastDisconnect?.error));
      }
    });
    opened.ev.on("messaging-history.set", (history) => histories.push(history));
    opened.ev.on("messages.upsert", ({ type, messages: arrived }) => {
      for (const message of arrived) messages.push({ type, message });
    });
    opened.ev.on("messages.update", (changed) => {
      for (const { key, update } of changed) updates.push({ id: key.id ?? "", update });
    });
    opened.ws.on("CB:ack,class:message", ({ attrs }: { attrs: Record<string, string> }) => {
      acks.push(attrs);
    });
    sock = opened;
    return opened;
  }

  const current = (): WASocket => {
    if (!sock) throw new Error("not connected");
    return sock;
  };

  return {
    connect,
    creds,
    messages,
    updates,
    acks,
    closings,
    code: () => until("a code", () => qr),
    connecting: () => until("a connection", () => wsConnecting && current().ws.isOpen),
    open: () => until("the login", () => isOpen),
    closed: (status: number) => until(`a close with ${status}`, () => closings.includes(status)),
    receives: (text: string) =>
      until(`"${text}"`, () =>
        messages.find(
          ({ message: { key, message } }) =>
            !key.fromMe && (message?.conversation ?? message?.extendedTextMessage?.text) === text,
        ),
      ),
    nextHistory: () => until("the history", () => histories.at(-1)),
    /** A stanza as the library names it. */
    hears: (name: string) =>
      new Promise<void>((resolve) => {
        current().ws.once(name, () => resolve());
      }),
    next: <Name extends keyof BaileysEventMap>(name: Name) =>
      new Promise<BaileysEventMap[Name]>((resolve) => {
        const heard = (event: BaileysEventMap[Name]): void => {
          current().ev.off(name, heard);
          resolve(event);
        };
        current().ev.on(name, heard);
      }),
    arrives: (is: (message: WAMessage) => boolean) =>
      until("a message", () => messages.find(({ message }) => is(message))),
    updated: (id: string, is: (update: Partial<WAMessage>) => boolean) =>
      until(`a change of ${id}`, () => updates.some((one) => one.id === id && is(one.update))),
    /** As after its database was set back: what comes next cannot be read. */
    losesSessions: () => keys.forget("session"),
    statusOf: (id: string, status: number) =>
      until(
        `status ${status} of ${id}`,
        () =>
          // The library puts what it hears of a message that it is just telling of into that message.
          updates.some((one) => one.id === id && Number(one.update.status) === status) ||
          messages.some(
            ({ message }) => message.key.id === id && Number(message.status) === status,
          ),
      ),
    sends: async (to: string, text: string): Promise<string> => {
      const sent = await current().sendMessage(to, { text });
      const id = sent?.key.id;
      if (!id || !sent.message) throw new Error("nothing was sent");
      kept.set(id, sent.message);
      return id;
    },
    sock: current,
    end: async (): Promise<void> => {
      await sock?.end(undefined);
    },
  };
}

function statusOf(error: unknown): number {
  const output = (error as { output?: { statusCode?: number } } | undefined)?.output;
  return output?.statusCode ?? 0;
}
