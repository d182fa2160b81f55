import type { proto } from "baileys";
import type { AccountState, Posted, Receiver } from "./account.ts";
import { createTurns, lidOf, newMessageId, pnOf, post, postTo, retryCountOf } from "./account.ts";
import type { Contact } from "./contact.ts";
import type { Said } from "./contents.ts";
import { messageOf, stanzaType } from "./contents.ts";
import type { Received } from "./inbox.ts";
import { createInbox, until } from "./inbox.ts";
import { readRetryBundle, retryNodes, takeBundle } from "./linked-device.ts";
import type { MediaHost } from "./media-host.ts";
import { node, now } from "./nodes.ts";

export function createOwnPhone(account: AccountState, media: MediaHost) {
  const { user } = account;
  const inbox = createInbox();
  const turns = createTurns();
  const sent = new Map<string, Posted>();

  const receiver: Receiver = {
    user,
    drops: (id) => inbox.drops(id),
    take: async (arrival) => {
      const copy = arrival.message.deviceSentMessage?.message;
      // Requests of a linked device to its phone are no messages.
      if (copy && !copy.protocolMessage?.peerDataOperationRequestMessage)
        inbox.take({ ...arrival, message: copy });
    },
    unreadable: async ({ id, to, from }) => {
      inbox.keepPlace(id);
      const asks = retryNodes(id, inbox.countTry(id), await user.device.bundle());
      const attrs = { id, from: lidOf(user), recipient: to, type: "retry", t: now() };
      from.delivery.give(node("receipt", attrs, asks));
    },
    receipt: () => undefined,
    resend: (id, device, receipt) =>
      turns(async () => {
        const bundle = readRetryBundle(receipt) ?? takeBundle(device);
        await user.device.startSession(lidOf(user, device), bundle);
        const posted = sent.get(id);
        if (posted) await postTo(account, device, user, posted, retryCountOf(receipt));
      }),
    signal: () => undefined,
    fileOf: () => undefined,
  };

  return {
    receiver,
    /** Written on the phone to a contact. */
    sends: async (to: Contact, said: Said, options: { id?: string } = {}): Promise<string> => {
      const message = await messageOf(said, media);
      const id = options.id ?? newMessageId();
      return turns(async () => {
        const destinationJid = lidOf(to.user);
        const attrs = {
          ...{ from: lidOf(user), recipient: destinationJid, recipient_pn: pnOf(to.user) },
          ...{ sender_pn: pnOf(user), peer_recipient_pn: pnOf(to.user), type: stanzaType(message) },
        };
        const copy: proto.IMessage = { deviceSentMessage: { destinationJid, message } };
        const posted = { id, message: copy, attrs };
        sent.set(id, posted);
        await post(account, user, posted);
        return id;
      });
    },
    /** Copies of what linked devices sent. */
    received: (): Received[] => inbox.all(),
    receivesId: (id: string): Promise<Received> => until(`a copy of ${id}`, () => inbox.find(id)),
  };
}
