import type { AccountState, Receiver } from "./account.ts";
import { lidOf, pnOf, receiverOf } from "./account.ts";
import type { BinaryNode } from "./nodes.ts";
import { child, childrenOf, node } from "./nodes.ts";

/** Says which of the asked people are on the network, with which devices and under which addresses. */
export function answerUsync(account: AccountState, query: BinaryNode): BinaryNode[] {
  const usync = child(query, "usync");
  const asked = childrenOf(child(usync, "query") ?? query).map(({ tag }) => tag);
  const users = childrenOf(child(usync, "list") ?? query).flatMap((user) => {
    const receiver = askedFor(account, user);
    if (!receiver || account.lookup === "empty") return []; // as the service does: those who are not there are not in its answer
    const jid = user.attrs["jid"] ?? pnOf(receiver.user);
    return [node("user", { jid }, partsOf(account, receiver, asked, jid))];
  });
  return [
    node("usync", { sid: usync?.attrs["sid"], mode: "query", context: "interactive" }, [
      node(
        "result",
        {},
        asked.map((tag) => node(tag)),
      ),
      node("list", {}, users),
    ]),
  ];
}

function askedFor(account: AccountState, user: BinaryNode): Receiver | undefined {
  if (user.attrs["jid"]) return receiverOf(account, user.attrs["jid"]);
  const phone = child(user, "contact")?.content;
  const digits = phone === undefined ? "" : Buffer.from(phone as Uint8Array).toString();
  return account.receivers.get(digits.replace(/\D/g, ""));
}

function partsOf(
  account: AccountState,
  { user }: Receiver,
  asked: readonly string[],
  jid: string,
): BinaryNode[] {
  const isCompany = user === account.user;
  const linked = isCompany ? [...account.devices.keys()] : [];
  const devices = [
    node("device", { id: "0" }),
    ...linked.map((id) => node("device", { id: String(id), "key-index": String(id) })),
  ];
  const parts: Record<string, BinaryNode> = {
    contact: node("contact", { type: "in" }),
    devices: node("devices", {}, [node("device-list", { hash: "2:00000000" }, devices)]),
    lid: node("lid", { val: lidOf(user) }),
  };
  return asked.flatMap((tag) => {
    if (tag === "lid" && jid.endsWith("@lid")) return [];
    const part = parts[tag];
    return part ? [part] : [];
  });
}
