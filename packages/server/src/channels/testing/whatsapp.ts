import { sql } from "drizzle-orm";
import { expect, onTestFinished } from "vitest";
import { createSeal } from "../../platform/secrets/seal.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import type { ChannelAdapter } from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import type { WhatsAppWebSettings } from "../whatsapp-web/index.ts";
import { createWhatsAppWeb } from "../whatsapp-web/index.ts";
import type { Peer, PeerOptions } from "../whatsapp-web/testing/peer.ts";
import { startPeer } from "../whatsapp-web/testing/peer.ts";
import { newConnection, stateOf } from "./company.ts";
import { eventually } from "./eventually.ts";
import type { ProcessOptions, TestProcess } from "./process.ts";
import { startProcess } from "./process.ts";

export type WhatsAppWorld = {
  peer: Peer;
  account: ReturnType<Peer["account"]>;
  line: LineRef;
  process: TestProcess;
};

export type WhatsAppOptions = ProcessOptions & {
  whatsApp?: Partial<WhatsAppWebSettings>;
  /** Stands around the adapter. */
  wrap?: (adapter: ChannelAdapter) => ChannelAdapter;
};

/** A process of the product that speaks WhatsApp Web with the peer. */
export function startWhatsAppProcess(
  database: TestDatabase,
  peer: Peer,
  options: WhatsAppOptions = {},
): Promise<TestProcess> {
  const { whatsApp, wrap = (adapter) => adapter, ...more } = options;
  return startProcess(database, {
    ...more,
    settings: { openingMs: 20_000, sendMs: 10_000, ...more.settings },
    adapters: (db) => {
      const { adapter } = createWhatsAppWeb({
        db,
        seal: createSeal("a secret of this test"),
        sources: systemSources,
        log: createLogger({ level: process.env["LOG"] ?? "silent", pretty: false }),
        settings: {
          socketUrl: peer.url,
          rootKey: peer.rootKeyHex,
          mediaHost: peer.mediaHost,
          endMs: 500,
          ...whatsApp,
        },
      });
      return [["whatsapp-web", wrap(adapter)]];
    },
  });
}

let accounts = 0;

/** A connection that wants to be linked, a phone to link it with, and a process that is not running its channels yet. */
export async function newWhatsAppWorld(
  database: TestDatabase,
  options: WhatsAppOptions & { pairingPhone?: boolean; peer?: PeerOptions } = {},
): Promise<WhatsAppWorld> {
  const { pairingPhone = false, peer: peerOptions, ...more } = options;
  const peer = await startPeer(peerOptions);
  onTestFinished(() => peer.close());
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  accounts += 1;
  const account = peer.account(`55119${String(accounts).padStart(8, "0")}`);
  if (pairingPhone) {
    await database.db.acrossCompanies((tx) =>
      tx.query(
        sql`update connections set pairing_phone = ${account.phoneNumber} where id = ${line.connectionId}`,
      ),
    );
  }
  const process = await startWhatsAppProcess(database, peer, more);
  return { peer, account, line, process };
}

/** Scans the code that the product shows, and waits until the connection is used. */
export async function linkWhatsApp(
  database: TestDatabase,
  { account, line }: Pick<WhatsAppWorld, "account" | "line">,
): Promise<void> {
  await account.scanQr(await shownCode(database, line));
  await eventually(async () => {
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" });
  });
  await account.connected();
}

export function shownCode(database: TestDatabase, line: LineRef): Promise<string> {
  return eventually(async () => {
    const { qrcode } = await stateOf(database.db, line);
    if (qrcode === "") throw new Error("no code is shown");
    return qrcode;
  });
}
