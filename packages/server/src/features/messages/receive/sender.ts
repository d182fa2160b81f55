import type { Address, InboundMessage, Peer } from "../../../channels/port.ts";
import type { Person } from "../../contacts/index.ts";
import { keyedAddresses } from "../../contacts/index.ts";

/** With whom the message's chat is: a person by all known addresses, or a group. */
export function chatPartner({ ref, from, chatName }: InboundMessage): Person {
  const { chat } = ref;
  if (chat.kind === "group") {
    return { addresses: keyedAddresses([chat]), isGroup: true, pushName: chatName };
  }
  if (!ref.fromMe) {
    return {
      addresses: keyedAddresses([chat, ...from.addresses]),
      isGroup: false,
      pushName: from.displayName,
    };
  }
  // Of a message of the company's own, `from` may be the company: it counts only when it is the chat's.
  const isChat = from.addresses.some((address) => isSame(address, chat));
  return { addresses: keyedAddresses(isChat ? [chat, ...from.addresses] : [chat]), isGroup: false };
}

/** Who wrote in a group; null for the company itself, and where nobody is named. */
export function groupAuthor({ ref, from }: InboundMessage): Person | null {
  return ref.fromMe ? null : groupMember(from, ref.author);
}

/** A member of a group, by all that is known of him; null where nobody is named. */
export function groupMember(peer: Peer, author?: Address): Person | null {
  const named = author ? [author, ...peer.addresses] : peer.addresses;
  const addresses = keyedAddresses(named).filter((address) => address.kind !== "group");
  return addresses.length === 0 ? null : { addresses, isGroup: false, pushName: peer.displayName };
}

function isSame(a: Address, b: Address): boolean {
  return a.kind === b.kind && a.value === b.value;
}
