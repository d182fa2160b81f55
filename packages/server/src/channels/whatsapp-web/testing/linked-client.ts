import { onTestFinished } from "vitest";
import type { PeerOptions } from "./peer.ts";
import { startPeer } from "./peer.ts";
import { createPlainClient } from "./plain-client.ts";

/** A peer with a client that has not been linked yet. */
export async function newClient(options: PeerOptions = {}) {
  const peer = await startPeer(options);
  const client = createPlainClient(peer);
  onTestFinished(async () => {
    await client.end();
    await peer.close();
  });
  return { peer, client, account: peer.account("5511900000001") };
}

/** A client that was linked by a scanned code and has logged in. */
export async function linkedClient(options: PeerOptions = {}) {
  const made = await newClient(options);
  const { client, account } = made;
  client.connect();
  await account.scanQr(await client.code());
  await client.closed(515);
  client.connect();
  await client.open();
  await account.connected();
  return made;
}
