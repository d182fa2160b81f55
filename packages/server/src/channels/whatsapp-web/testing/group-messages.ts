import type { AccountState, Group, Posted, User } from "./account.ts";
import { lidOf, pnOf } from "./account.ts";
import { groupJid } from "./groups.ts";
import { takeBundle } from "./linked-device.ts";
import { node, now } from "./nodes.ts";

/** Which members have sent their group key to which device of the company. */
const toldKeys = new WeakMap<User, Set<string>>();

/** A member's message in a group: encrypted once, its sender key given to each device that lacks it. */
export async function postToGroup(
  account: AccountState,
  group: Group,
  sender: User,
  { id, message, attrs }: Posted,
): Promise<void> {
  const jid = groupJid(group);
  const { ciphertext, senderKeyDistributionMessage } = await sender.device.encryptForGroup(
    jid,
    lidOf(sender),
    message,
  );
  const told = toldKeys.get(sender) ?? new Set();
  toldKeys.set(sender, told);
  for (const device of account.devices.values()) {
    const parts = [node("enc", { v: "2", type: "skmsg" }, ciphertext)];
    const deviceJid = lidOf(account.user, device);
    if (!told.has(`${jid}/${deviceJid}`)) {
      told.add(`${jid}/${deviceJid}`);
      if (!(await sender.device.hasSession(deviceJid))) {
        await sender.device.startSession(deviceJid, takeBundle(device));
      }
      const key = await sender.device.encrypt(deviceJid, {
        senderKeyDistributionMessage: {
          groupId: jid,
          axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage,
        },
      });
      parts.unshift(node("enc", { v: "2", type: key.type }, key.ciphertext));
    }
    device.delivery.give(
      node(
        "message",
        {
          ...{ id, from: jid, t: now(), notify: sender.name, addressing_mode: "lid" },
          ...{ participant: lidOf(sender), participant_pn: pnOf(sender) },
          ...attrs,
        },
        parts,
      ),
    );
  }
}
