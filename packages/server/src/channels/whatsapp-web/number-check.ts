import type { BinaryNode, WASocket } from "baileys";
import { getBinaryNodeChild, getBinaryNodeChildren } from "baileys";
import type { NumberAnswer } from "../port.ts";
import { toAddress } from "./content/addresses.ts";

type Asked = {
  numbers: readonly string[];
  resolve: (answers: readonly NumberAnswer[]) => void;
  reject: (error: unknown) => void;
};

/** Between two queries (behaviour 10.5); what is asked meanwhile goes into the next one. */
const GAP_MS = 1_000;
const BATCH = 50;

/** Asks the network which numbers it has, several in one query and not more than one query a second. */
export class NumberCheck {
  #waiting: Asked[] = [];
  #isRunning = false;
  #lastAtMs = -Infinity;

  ask(socket: WASocket, numbers: readonly string[]): Promise<readonly NumberAnswer[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ numbers, resolve, reject });
      if (!this.#isRunning) void this.#run(socket);
    });
  }

  async #run(socket: WASocket): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const waitMs = this.#lastAtMs + GAP_MS - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const asked = this.#take();
      this.#lastAtMs = performance.now();
      try {
        const numbers = [...new Set(asked.flatMap((one) => one.numbers))];
        const answers = await query(socket, numbers);
        const byNumber = new Map(answers.map((answer) => [answer.asked, answer]));
        for (const one of asked) {
          one.resolve(one.numbers.map((number) => byNumber.get(number) ?? absent(number)));
        }
      } catch (error) {
        for (const one of asked) one.reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** Whole questions up to the size of a query, but at least one. */
  #take(): Asked[] {
    let size = 0;
    const count = this.#waiting.findIndex(({ numbers }) => (size += numbers.length) > BATCH);
    return this.#waiting.splice(0, count === -1 ? this.#waiting.length : Math.max(count, 1));
  }
}

async function query(socket: WASocket, numbers: readonly string[]): Promise<NumberAnswer[]> {
  if (numbers.length === 0) return [];
  const users = numbers.map((number) => ({
    tag: "user",
    attrs: {},
    content: [{ tag: "contact", attrs: {}, content: `+${number}` }],
  }));
  const reply = await socket.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "usync" },
    content: [
      {
        tag: "usync",
        attrs: {
          context: "interactive",
          mode: "query",
          sid: socket.generateMessageTag(),
          last: "true",
          index: "0",
        },
        content: [
          { tag: "query", attrs: {}, content: [{ tag: "contact", attrs: {} }] },
          { tag: "list", attrs: {}, content: users },
        ],
      },
    ],
  });
  if (!reply) throw new Error("the network did not say which numbers it has");
  return answersOf(reply, numbers);
}

/** Numbers that are not on the network may be missing in the reply. */
export function answersOf(reply: BinaryNode, numbers: readonly string[]): NumberAnswer[] {
  const list = getBinaryNodeChild(getBinaryNodeChild(reply, "usync"), "list");
  const found = getBinaryNodeChildren(list, "user").flatMap((user) => {
    const address = toAddress(user.attrs["jid"]);
    const contact = getBinaryNodeChild(user, "contact");
    if (address?.kind !== "pn" || contact?.attrs["type"] !== "in") return [];
    return [{ number: address.value, asked: digitsOf(contact) }];
  });
  return numbers.map((asked) => {
    const match =
      found.find((one) => one.asked === asked || one.number === asked) ??
      found.find((one) => one.asked === "" && isSamePhone(one.number, asked));
    return match ? { asked, exists: true, number: match.number } : absent(asked);
  });
}

/** What was asked, as the reply repeats it. */
function digitsOf({ content }: BinaryNode): string {
  if (typeof content === "string") return content.replace(/\D/g, "");
  return content instanceof Uint8Array ? Buffer.from(content).toString().replace(/\D/g, "") : "";
}

/** Brazil's mobile numbers are known with and without their ninth digit: 55, area, then the last eight digits. */
function isSamePhone(one: string, other: string): boolean {
  return (
    one.startsWith("55") &&
    one.slice(0, 4) === other.slice(0, 4) &&
    one.slice(-8) === other.slice(-8)
  );
}

function absent(asked: string): NumberAnswer {
  return { asked, exists: false, number: asked };
}
