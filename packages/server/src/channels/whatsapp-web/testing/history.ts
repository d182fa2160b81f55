import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { proto } from "baileys";
import type { AccountState } from "./account.ts";
import { lidOf, newMessageId, pnOf, postTo } from "./account.ts";
import type { LinkedDevice } from "./linked-device.ts";

const deflated = promisify(deflate);

/** A phone gives a newly linked device what was said before; without it a client waits for it. */
export async function giveHistory(account: AccountState, device: LinkedDevice): Promise<void> {
  const { user } = account;
  const { RECENT } = proto.HistorySync.HistorySyncType;
  const people = [...new Set(account.receivers.values())].filter((one) => one.user !== user);
  const history = proto.HistorySync.encode({
    syncType: RECENT,
    conversations: account.history,
    chunkOrder: 1,
    progress: 100,
    phoneNumberToLidMappings: people.map((person) => ({
      pnJid: pnOf(person.user),
      lidJid: lidOf(person.user),
    })),
  }).finish();
  const message: proto.IMessage = {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: RECENT,
        ...{ chunkOrder: 1, progress: 100 },
        initialHistBootstrapInlinePayload: await deflated(history),
      },
    },
  };
  await postTo(account, device, user, {
    id: newMessageId(),
    message,
    attrs: { from: pnOf(user), sender_lid: lidOf(user), type: "text", category: "peer" },
  });
}
