import type { ConnectionId } from "@balcao/contract";
import type { BaileysEventMap, WASocket } from "baileys";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type {
  Address,
  CallEvent,
  Capabilities,
  ChannelAdapter,
  ChatProvider,
  CloseReason,
  MediaRef,
  MessageRef,
  NumberAnswer,
  ProfilePicture,
  ProviderContext,
  SendCommand,
  SendOutcome,
  TransientEvent,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { AuthState } from "./auth-state.ts";
import { openAuthState } from "./auth-state.ts";
import { closeReason, cutSocket, endSocket, logOut, socketEnd } from "./closing.ts";
import { keyOf, selfOf, toJid } from "./content/addresses.ts";
import { openMedia } from "./content/media.ts";
import { Delivery } from "./delivery.ts";
import { Incoming, PollKeys } from "./incoming.ts";
import { repairLibrary } from "./library-repairs.ts";
import { PlaintextJournal } from "./plaintext-journal.ts";
import { fetchPicture, Groups, NumberCheck, PresenceSubscriptions, renewMedia } from "./queries.ts";
import { send, SentMessages } from "./sending.ts";
import type { SessionCaches, WhatsAppWebSettings } from "./socket.ts";
import {
  beforeReceipts,
  defaultWhatsAppWebSettings,
  newSessionCaches,
  openSocket,
} from "./socket.ts";

export type SessionsDeps = {
  db: Database;
  /** Encrypts credentials, keys and messages. */
  seal: Seal;
  sources: Sources;
  log: Logger;
  settings?: Partial<WhatsAppWebSettings>;
};

type ProviderDeps = SessionsDeps & { settings: WhatsAppWebSettings; caches: SessionCaches };

export const whatsAppWebCapabilities: Capabilities = {
  qr: true,
  pairingCode: true,
  presence: true,
  edit: true,
  revoke: true,
  react: true,
  numberCheck: true,
  profilePicture: true,
  groups: true,
  templates: false,
  freeTextWindowHours: null,
  clientMessageId: true,
  // Phones drop the second message with an id, but this is not guaranteed: few resends, and not for long. A message in
  // the socket's queue counts as an attempt too, so two would be too few.
  resends: 5,
};

/** A session of a linked device, with one socket. Permanent state is in the tables. */
class WhatsAppWebProvider implements ChatProvider {
  readonly capabilities = whatsAppWebCapabilities;
  readonly #context: ProviderContext;
  readonly #deps: ProviderDeps;
  readonly #journal: PlaintextJournal;
  readonly #sent: SentMessages;
  readonly #groups = new Groups();
  readonly #numbers = new NumberCheck();
  readonly #delivery: Delivery;
  /** Sends in progress. */
  readonly #sending = new Set<Promise<SendOutcome>>();
  readonly #presences: PresenceSubscriptions;
  #auth: AuthState | undefined;
  #incoming: Incoming | undefined;
  #socket: WASocket | undefined;
  #isOpen = false;
  #isOver = false;
  #codesShown = 0;

  constructor(context: ProviderContext, deps: ProviderDeps) {
    const { db, seal, log } = deps;
    this.#context = context;
    this.#deps = deps;
    this.#presences = new PresenceSubscriptions(deps.log);
    this.#journal = new PlaintextJournal({ db, seal, context, log });
    this.#sent = new SentMessages({ db, seal, context });
    this.#delivery = new Delivery({
      sink: context.sink,
      connectionId: context.connectionId,
      stored: (messageIds) => this.#journal.forget(messageIds),
      log,
    });
  }

  async start(): Promise<void> {
    const auth = await this.#open();
    const incoming = new Incoming({
      auth,
      groups: this.#groups,
      polls: new PollKeys(auth.keys),
      delivery: this.#delivery,
      clock: this.#deps.sources.clock,
      wasLate: (messageId) => this.#journal.wasLate(messageId),
      isChange: (messageId) => this.#journal.isChange(messageId),
      tell: (event) => this.#tell(event),
      pendingMs: this.#deps.settings.pendingMs,
      log: this.#deps.log,
    });
    this.#incoming = incoming;
    await this.#journal.replay(async (messages) => {
      const events = await incoming.eventsOf(messages);
      if (events.length > 0) await this.#context.sink.store(events);
    });
    if (this.#isOver) return;
    this.#connect(auth, incoming);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#isOpen = false;
    this.#incoming?.close();
    this.#delivery.close();
    if (this.#socket) await endSocket(this.#socket, this.#deps.settings.endMs);
    await Promise.allSettled(this.#sending);
    await this.#auth?.close();
  }

  async unlink(): Promise<void> {
    const auth = await this.#open();
    const { settings, log } = this.#deps;
    if (auth.isLinked) await logOut(this.#newSocket(auth), settings, log);
    await auth.wipe();
  }

  async send(command: SendCommand): Promise<SendOutcome> {
    const socket = this.#socket;
    if (!this.#isOpen || !socket) return { result: "refused", failure: { kind: "not-connected" } };
    const { settings, log } = this.#deps;
    const deps = { context: this.#context, sent: this.#sent, uploadMs: settings.uploadMs, log };
    const sending = send(deps, socket, command);
    this.#sending.add(sending);
    try {
      return await sending;
    } finally {
      this.#sending.delete(sending);
    }
  }

  async openMedia(file: MediaRef, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const socket = this.#connected();
    const { mediaHost, queryMs } = this.#deps.settings;
    return openMedia(file, {
      signal,
      ...(mediaHost === null ? {} : { extraOrigin: `https://${mediaHost}` }),
      renew: (locator) => renewMedia(socket, locator, queryMs),
    });
  }

  checkNumbers(numbers: readonly string[]): Promise<readonly NumberAnswer[]> {
    return this.#numbers.ask(this.#connected(), numbers);
  }

  async refuseCall({ id, from, chat }: CallEvent): Promise<void> {
    // The address under which the call came.
    const caller = from.addresses.find(({ kind }) => kind === chat.kind) ?? chat;
    await this.#connected().rejectCall(id, toJid(caller));
  }

  async markRead(refs: readonly MessageRef[]): Promise<void> {
    await this.#connected().readMessages(refs.map(keyOf));
  }

  async setTyping(chat: Address, isTyping: boolean): Promise<void> {
    if (!this.#isOpen || !this.#socket) return;
    this.#presences.add(this.#socket, toJid(chat));
    await this.#socket.sendPresenceUpdate(isTyping ? "composing" : "paused", toJid(chat));
  }

  profilePicture(address: Address, signal: AbortSignal): Promise<ProfilePicture | null> {
    return fetchPicture(this.#connected(), { address, signal }, this.#deps.settings);
  }

  async isIdle(): Promise<boolean> {
    return this.#delivery.isIdle && (this.#incoming?.isIdle ?? true);
  }

  async #open(): Promise<AuthState> {
    const { db, seal, log } = this.#deps;
    this.#auth ??= await openAuthState({
      db,
      seal,
      log,
      context: this.#context,
      onFailure: (error) => this.#onKeysFailed(error),
    });
    return this.#auth;
  }

  #newSocket(auth: AuthState): WASocket {
    const { settings, caches, log } = this.#deps;
    this.#socket = openSocket({
      connectionId: this.#context.connectionId,
      auth,
      journal: this.#journal,
      groups: this.#groups,
      findSent: (id) => this.#sent.find(id),
      caches,
      settings,
      log,
    });
    return this.#socket;
  }

  #connect(auth: AuthState, incoming: Incoming): void {
    const socket = this.#newSocket(auth);
    beforeReceipts(socket, (stanza) => incoming.receipt(stanza));
    socket.ws.on("CB:ack,class:message", (node) => incoming.acknowledged(node));
    // The account requires a passkey, which only a person at a browser can give.
    socket.ws.on("CB:notification,type:passkey_prologue_request", () => {
      if (!auth.isLinked) void this.#end("link-refused");
    });
    socket.ws.on("CB:iq,type:error", () => {
      if (this.#context.pairingPhone !== null && !auth.isLinked) void this.#end("link-refused");
    });
    socket.ev.process((events) => {
      if (events["creds.update"]) auth.saveCredentials();
      if (this.#isOver) return;
      if (events["connection.update"]) this.#onConnection(auth, events["connection.update"]);
      if (events["messages.upsert"]) this.#presences.addWriters(socket, events["messages.upsert"]);
      incoming.take(socket, events);
    });
  }

  #onConnection(auth: AuthState, update: BaileysEventMap["connection.update"]): void {
    if (update.qr !== undefined) void this.#onCode(update.qr);
    if (update.isNewLogin) this.#tell({ type: "state", status: "PAIRING" });
    if (update.connection === "open") this.#onOpen(auth);
    if (update.connection === "close") {
      const end = socketEnd(update.lastDisconnect?.error);
      void this.#end(closeReason(end, { isLinked: auth.isLinked }));
    }
  }

  #onOpen(auth: AuthState): void {
    this.#isOpen = true;
    this.#incoming?.connected();
    const { pn } = selfOf(auth.creds.me);
    this.#tell({ type: "state", status: "CONNECTED", ...(pn === null ? {} : { number: pn }) });
  }

  async #onCode(text: string): Promise<void> {
    const { pairingPhone } = this.#context;
    this.#codesShown += 1;
    if (pairingPhone === null) {
      if (this.#codesShown > this.#deps.settings.codes) await this.#end("qr-expired");
      else this.#tell({ type: "qr", text });
      return;
    }
    // A typed code is valid as long as all scanned codes together.
    if (this.#codesShown > 1) return;
    try {
      const code = await this.#socket?.requestPairingCode(pairingPhone);
      if (code) this.#tell({ type: "pairing-code", text: code });
    } catch (error) {
      this.#warn(error, "no pairing code was given");
      await this.#end("network");
    }
  }

  async #end(reason: CloseReason): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    try {
      // Credentials of a banned account stay, for an investigation.
      if (reason === "logged-out") await this.#auth?.wipe();
    } catch (error) {
      this.#warn(error, "the credentials of an unlinked connection were not deleted");
    }
    this.#tell({ type: "state", status: "DISCONNECTED", reason });
  }

  #onKeysFailed(error: unknown): void {
    if (this.#socket) cutSocket(this.#socket);
    if (this.#isOver) return;
    if (!(error instanceof LeaseLost))
      this.#warn(error, "the keys of a connection cannot be read or written");
    void this.#end("network");
  }

  #connected(): WASocket {
    if (!this.#isOpen || !this.#socket) throw new Error("not connected");
    return this.#socket;
  }

  #tell(event: TransientEvent): void {
    this.#context.sink.tell(event).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) this.#warn(error, "a state was not reported");
    });
  }

  #warn(error: unknown, message: string): void {
    this.#deps.log.warn({ err: error, connectionId: this.#context.connectionId }, message);
  }
}

/**
 * Creates sessions with Baileys, which is repaired first. Throws when the check of the service's signatures does not
 * work: then no message of the service could be trusted.
 */
export function createSessions(deps: SessionsDeps): ChannelAdapter["createProvider"] {
  const settings = { ...defaultWhatsAppWebSettings, ...deps.settings };
  repairLibrary(settings.rootKey);
  const cachesOf = new Map<ConnectionId, SessionCaches>();
  return (context) => {
    const caches = cachesOf.get(context.connectionId) ?? newSessionCaches();
    cachesOf.set(context.connectionId, caches);
    return new WhatsAppWebProvider(context, { ...deps, settings, caches });
  };
}
