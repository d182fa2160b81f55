import { randomBytes } from "node:crypto";
import type { proto } from "baileys";
import type { AccountState, Group, LinkHabit, LookupHabit, ServiceAnswer } from "./account.ts";
import { newUser, pnOf } from "./account.ts";
import type { Contact } from "./contact.ts";
import { createContact } from "./contact.ts";
import { groupJid } from "./groups.ts";
import { until } from "./inbox.ts";
import type { BrokenFrame } from "./line.ts";
import type { LinkedDevice } from "./linked-device.ts";
import type { MediaHost } from "./media-host.ts";
import { node } from "./nodes.ts";
import { createOwnPhone } from "./phone.ts";

/** How a phone takes a scanned or typed code. */
export type Linking = {
  scan(state: AccountState, text: string, forged: boolean): Promise<LinkedDevice>;
  type(state: AccountState, code: string): Promise<LinkedDevice>;
};

export type ContactOptions = { name?: string; lid?: string };

/** The company's account: its phone, its contacts, and what the service does with it. */
export type CompanyAccount = ReturnType<typeof createCompanyAccount>;

export function createCompanyAccount(
  phoneNumber: string,
  name: string,
  linking: Linking,
  media: MediaHost,
) {
  const state: AccountState = {
    user: newUser(phoneNumber, name),
    ...{ devices: new Map(), nextDeviceId: 1, receivers: new Map(), groups: new Map() },
    ...{
      history: [],
      isBanned: false,
      linking: "agree",
      isSilent: false,
      lookup: "answer",
      answer: "accept",
      lost: [],
    },
  };
  const phone = createOwnPhone(state, media);
  enter(state, phone.receiver);
  const contacts = new Map<string, Contact>();

  const devices = (): LinkedDevice[] => [...state.devices.values()];
  /** The last words to each connected device. */
  const dismiss = (last: ReturnType<typeof node>): void => {
    for (const { line } of devices()) {
      line?.send(last);
      line?.close();
    }
  };

  return {
    state,
    phone,
    phoneNumber,
    lid: state.user.lid,
    jid: pnOf(state.user),
    /** Points the phone's camera at a code; resolves when the client is linked. */
    scanQr: (text: string) => linking.scan(state, text, false),
    /** A link in the account's name that is not signed with the code's secret: the client has to refuse it. */
    forgeLink: (text: string) => linking.scan(state, text, true),
    /** Types the code that a client shows; rejects when it is another one. */
    typeCode: (code: string) => linking.type(state, code),
    /** The person with this phone; a new one is on the network from now on. */
    contact: (number: string, options: ContactOptions = {}): Contact => {
      const known = contacts.get(number);
      if (known) return known;
      const user = newUser(number, options.name ?? `Cliente ${number.slice(-4)}`, options.lid);
      const contact = createContact(state, user, media);
      contacts.set(number, contact);
      enter(state, contact.receiver);
      return contact;
    },
    group: (subject: string, members: readonly Contact[]): Group & { jid: string } => {
      const id = `120363${randomBytes(6).readUIntBE(0, 6)}`;
      const group = { id, subject, members: members.map(({ user }) => user) };
      state.groups.set(id, group);
      return { ...group, jid: groupJid(group) };
    },
    /** The history that the phone gives to newly linked devices. */
    setHistory: (conversations: readonly proto.IConversation[]): void => {
      state.history = [...conversations];
    },
    setLinking: (habit: LinkHabit): void => {
      state.linking = habit;
    },
    setLookup: (habit: LookupHabit): void => {
      state.lookup = habit;
    },
    setAnswer: (answer: ServiceAnswer): void => {
      state.answer = answer;
    },
    /** Ids of the messages that were swallowed. */
    lost: (): readonly string[] => state.lost,
    linkedDevices: (): number => state.devices.size,
    isConnected: (): boolean => devices().some(({ line }) => line !== null),
    /** How often a linked device has logged in since it was linked. */
    logins: (): number => devices().reduce((sum, { logins }) => sum + logins, 0),
    /** Resolves when a linked device has logged in and takes messages. */
    connected: () =>
      until(`a login of ${phoneNumber}`, () =>
        devices().find(({ line, hasHistory }) => line !== null && hasHistory),
      ),
    /** Stanzas that linked devices have not confirmed. */
    undelivered: (): number => devices().reduce((sum, { delivery }) => sum + delivery.count(), 0),
    /** The steps of a contact's message on its way. */
    trailOf: (id: string): string[] => devices().flatMap(({ delivery }) => delivery.trailOf(id)),
    /**
     * Whether every linked device has confirmed a message. One that comes again after a crash may be confirmed without a
     * receipt: the device says that its key was used.
     */
    hasConfirmed: (id: string): boolean => !devices().some(({ delivery }) => delivery.has(id)),
    /** The same by name, with what became of it so far: for a test that fails. */
    undeliveredTrails: (): string[] =>
      devices().flatMap(({ delivery }) =>
        delivery
          .waiting()
          .map((key) => `${key}: ${delivery.trailOf(key.split("/")[1] ?? "").join(", ")}`),
      ),
    /** Sends an unreadable frame to every linked device. */
    sendBroken: (frame: BrokenFrame): void => {
      for (const { line } of devices()) line?.sendBroken(frame);
    },
    /** Cuts the connection. */
    drop: (): void => {
      for (const { line } of devices()) line?.cut();
    },
    /** The connection stays and nothing moves on it any more, until `speaks`. */
    silence: (): void => {
      state.isSilent = true;
    },
    speaks: (): void => {
      state.isSilent = false;
    },
    /** Unlinked on the phone. */
    unlink: (): void => {
      const last = node("stream:error", { code: "401" }, [
        node("conflict", { type: "device_removed" }),
      ]);
      dismiss(last);
      state.devices.clear();
    },
    /** Another client uses the same link. */
    replace: (): void =>
      dismiss(node("stream:error", {}, [node("conflict", { type: "replaced" })])),
    ban: (): void => {
      state.isBanned = true;
      dismiss(node("failure", { reason: "403" }));
    },
    /** Asks the client to start again, as the service does at will. */
    restart: (): void => dismiss(node("stream:error", { code: "515" })),
    /** The service's own trouble, with its number: 503, 500, 405, … */
    fail: (reason: number): void => dismiss(node("failure", { reason: String(reason) })),
  };
}

function enter(state: AccountState, receiver: Contact["receiver"]): void {
  state.receivers.set(receiver.user.phone, receiver);
  state.receivers.set(receiver.user.lid, receiver);
}
