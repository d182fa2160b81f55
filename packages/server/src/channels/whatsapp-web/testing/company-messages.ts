import type { proto } from "baileys";
import { jidDecode } from "baileys";
import type { AccountState, Receiver } from "./account.ts";
import { lidOf, receiverOf } from "./account.ts";
import type { LinkedDevice } from "./linked-device.ts";
import type { BinaryNode } from "./nodes.ts";
import { child, childrenOf, node, now } from "./nodes.ts";

/** A message that a device of the company sends: acknowledged as the account's `answer` says, then delivered. */
export async function takeMessage(
  account: AccountState,
  device: LinkedDevice,
  stanza: BinaryNode,
): Promise<void> {
  const { id, to } = stanza.attrs;
  if (!id || !to) throw new Error("a message without id or receiver");
  const { answer } = account;
  if (answer === "lose") {
    account.lost.push(id);
    return;
  }
  if (answer !== "mute") {
    device.line?.send(
      node("ack", {
        ...{ class: "message", id, from: to, t: now() },
        error: typeof answer === "object" ? answer.error : undefined,
      }),
    );
  }
  if (typeof answer === "object") return;
  if (to.endsWith("@g.us")) return deliverToGroup(account, device, stanza, id, to);
  for (const { jid, enc } of ciphertexts(stanza, to)) {
    const receiver = receiverOf(account, jid);
    if (!receiver || (jidDecode(jid)?.device ?? 0) !== 0) continue;
    await deliver(account, device, receiver, { id, to, enc });
  }
}

type Encrypted = { id: string; to: string; enc: BinaryNode };

async function deliver(
  account: AccountState,
  device: LinkedDevice,
  receiver: Receiver,
  { id, to, enc }: Encrypted,
): Promise<void> {
  if (receiver.drops(id, to, device)) return;
  const type = enc.attrs["type"] === "pkmsg" ? "pkmsg" : "msg";
  const arrival = { id, to, from: device };
  let message: proto.Message;
  try {
    message = await receiver.user.device.decrypt(
      lidOf(account.user, device),
      type,
      enc.content as Uint8Array,
    );
  } catch (error) {
    return receiver.unreadable({ ...arrival, message: {} }, `${type}: ${String(error)}`);
  }
  await receiver.take({ ...arrival, message });
}

/** The pairs of receiving device and ciphertext; a message for one device only has it beneath itself. */
function ciphertexts(stanza: BinaryNode, to: string): { jid: string; enc: BinaryNode }[] {
  const participants = child(stanza, "participants");
  if (!participants) {
    const enc = child(stanza, "enc");
    return enc ? [{ jid: to, enc }] : [];
  }
  return childrenOf(participants).flatMap((receiver) => {
    const enc = child(receiver, "enc");
    return enc && receiver.attrs["jid"] ? [{ jid: receiver.attrs["jid"], enc }] : [];
  });
}

async function deliverToGroup(
  account: AccountState,
  device: LinkedDevice,
  stanza: BinaryNode,
  id: string,
  to: string,
): Promise<void> {
  const author = lidOf(account.user, device);
  for (const { jid, enc } of ciphertexts({ ...stanza, content: participantsOf(stanza) }, to)) {
    const receiver = receiverOf(account, jid);
    if (!receiver || (jidDecode(jid)?.device ?? 0) !== 0) continue;
    const type = enc.attrs["type"] === "pkmsg" ? "pkmsg" : "msg";
    const told = await receiver.user.device.decrypt(author, type, enc.content as Uint8Array);
    const key = told.senderKeyDistributionMessage;
    if (key) await receiver.user.device.learnSenderKey(author, key);
  }
  const common = childrenOf(stanza).find(
    ({ tag, attrs }) => tag === "enc" && attrs["type"] === "skmsg",
  );
  const group = account.groups.get(jidDecode(to)?.user ?? "");
  if (!common || !group) return;
  for (const member of group.members) {
    const receiver = account.receivers.get(member.lid);
    if (receiver?.drops(id, to, device)) continue;
    const message = await member.device.decryptOfGroup(to, author, common.content as Uint8Array);
    await receiver?.take({ id, to, from: device, message });
  }
}

function participantsOf(stanza: BinaryNode): BinaryNode[] {
  return childrenOf(stanza).filter(({ tag }) => tag === "participants");
}
