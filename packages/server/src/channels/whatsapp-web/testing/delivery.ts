import type { Line } from "./line.ts";
import type { BinaryNode } from "./nodes.ts";
import { childrenOf, node } from "./nodes.ts";

/**
 * The stanzas on their way to one linked device. A stanza stays until the device has said that it has it, and goes out
 * again at each login before that: at least once, as the real service does.
 */
export type Delivery = ReturnType<typeof createDelivery>;

export function createDelivery() {
  /** A person may say the same of a message twice: each time is on its way by itself. */
  const waiting = new Map<string, BinaryNode[]>();
  const trails = new Map<string, string[]>();
  let line: Line | undefined;

  function note(id: string | undefined, what: string): void {
    if (id === undefined) return;
    trails.set(id, [...(trails.get(id) ?? []), what]);
  }

  return {
    give: (stanza: BinaryNode): void => {
      const key = keyOf(stanza.tag, stanza);
      // The replacement of an unreadable message takes its place.
      const before = stanza.tag === "message" ? [] : (waiting.get(key) ?? []);
      waiting.set(key, [...before, stanza]);
      line?.send(stanza);
      if (stanza.tag === "message") note(stanza.attrs["id"], line ? "sent" : "kept");
    },
    /** The device takes stanzas from now on; first what it missed. */
    open: (to: Line): void => {
      const missedOnes = [...waiting.values()].flat();
      const count = String(missedOnes.length);
      if (missedOnes.length > 0) {
        to.send(node("ib", {}, [node("offline_preview", { count, message: "0" })]));
      }
      for (const missed of missedOnes) {
        to.send({ ...missed, attrs: { ...missed.attrs, offline: "0" } });
        if (missed.tag === "message") note(missed.attrs["id"], "sent at login");
      }
      to.send(node("ib", {}, [node("offline", { count })]));
      line = to;
    },
    close: (): void => {
      line = undefined;
    },
    /** A receipt or an acknowledgement of the device. */
    settle: (said: BinaryNode): void => {
      const { type, error } = said.attrs;
      for (const id of idsOf(said)) note(id, `${said.tag} ${error ?? type ?? ""}`.trim());
      if (said.tag === "receipt") {
        for (const id of idsOf(said)) waiting.delete(`message/${id}`);
        return;
      }
      // One for each, in the order in which they went out.
      const key = keyOf(said.attrs["class"] ?? "", said);
      const rest = waiting.get(key)?.slice(1) ?? [];
      if (rest.length > 0) waiting.set(key, rest);
      else waiting.delete(key);
    },
    /** The steps of a message, for diagnosis of a failed test. */
    trailOf: (id: string): readonly string[] => trails.get(id) ?? [],
    /** Unconfirmed stanzas, as `kind/id`. */
    waiting: (): string[] => [...waiting.keys()],
    count: (): number => waiting.size,
    /** Whether a message of this id is still to be confirmed. */
    has: (id: string): boolean => waiting.has(`message/${id}`),
  };
}

/** Receipts of several kinds carry the id of one message. */
function keyOf(tag: string, { attrs }: BinaryNode): string {
  const id = attrs["id"] ?? "";
  return tag === "receipt" ? `receipt/${id}/${attrs["type"] ?? ""}` : `${tag}/${id}`;
}

/** The messages that a receipt is about. */
export function idsOf(receipt: BinaryNode): string[] {
  const first = receipt.attrs["id"];
  const more = childrenOf(receipt)
    .filter(({ tag }) => tag === "list")
    .flatMap(childrenOf)
    .map(({ attrs }) => attrs["id"]);
  return [first, ...more].filter((id) => id !== undefined);
}
