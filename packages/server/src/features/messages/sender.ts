import type { Address, InboundMessage } from "../../channels/port.ts";
import type { Person } from "../contacts/index.ts";
import { keyedAddresses } from "../contacts/index.ts";

/** With whom the message's chat is: a person by all known addresses, or a group. */
export function chatPartner({ ref, from }: InboundMessage): Person {
  const { chat } = ref;
  if (chat.kind === "group") return { addresses: keyedAddresses([chat]), isGroup: true };
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
  if (ref.fromMe) return null;
  const author = ref.author ? [ref.author] : [];
  const addresses = keyedAddresses([...author, ...from.addresses]).filter(
    (address) => address.kind !== "group",
  );
  return addresses.length === 0 ? null : { addresses, isGroup: false, pushName: from.displayName };
}

function isSame(a: Address, b: Address): boolean {
  return a.kind === b.kind && a.value === b.value;
}
