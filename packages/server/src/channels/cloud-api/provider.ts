import { limits } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type {
  Address,
  Capabilities,
  ChatProvider,
  CloseReason,
  DurableEvent,
  MediaRef,
  MessageRef,
  NumberAnswer,
  ProviderContext,
  ProviderErrorKind,
  SendCommand,
  SendOutcome,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { CloudAccount } from "./accounts.ts";
import { readAccount, readNumber } from "./accounts.ts";
import type { Graph } from "./graph.ts";
import { GraphError } from "./graph.ts";
import { openMedia } from "./media.ts";
import { readBusyAcrossCompanies, readSilent, takeDeliveries } from "./rows.ts";
import type { BsuidField } from "./sending.ts";
import { isWamid, LatestMessages, sendCommand } from "./sending.ts";

export type CloudSettings = {
  bsuidField: BsuidField;
  /** Time between two checks of the credentials. */
  checkEveryMs: number;
  /** A message without a status from Meta for this long is unconfirmed. */
  silenceMs: number;
  silenceLookMs: number;
};

export type ProviderDeps = {
  db: Database;
  seal: Seal;
  graph: Graph;
  settings: CloudSettings;
  log: Logger;
  /** Called when the session opens; from then on `lookSoon` is called when there are deliveries. */
  register: (provider: CloudProvider) => () => void;
};

export const cloudCapabilities: Capabilities = {
  qr: false,
  pairingCode: false,
  presence: false,
  edit: false,
  revoke: false,
  react: true,
  numberCheck: false,
  profilePicture: false,
  groups: false,
  templates: true,
  freeTextWindowHours: limits.freeTextWindowHours,
  clientMessageId: false,
  resends: 0,
};

/** The reason for which a refusal ends the session. */
const endings: Partial<Record<ProviderErrorKind, CloseReason>> = {
  auth: "auth",
  banned: "banned",
  "not-connected": "network",
};

/**
 * A connection on the official API. There is no socket: it is connected while Meta accepts its credentials; Meta's
 * deliveries are in a table, from which the connection's owner reads them.
 */
export class CloudProvider implements ChatProvider {
  readonly capabilities = cloudCapabilities;
  readonly #context: ProviderContext;
  readonly #deps: ProviderDeps;
  readonly #latest = new LatestMessages();
  readonly #sending = new Set<Promise<unknown>>();
  #account: CloudAccount | null = null;
  #state: "new" | "connected" | "closed" = "new";
  #unregister: (() => void) | undefined;
  #timers: NodeJS.Timeout[] = [];
  #look: Promise<void> | null = null;
  #lookAgain = false;
  #isGivingUp = false;

  constructor(context: ProviderContext, deps: ProviderDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  get connectionId() {
    return this.#context.connectionId;
  }

  async start(): Promise<void> {
    const { seal, graph, log } = this.#deps;
    const account = await this.#context.transaction((tx) => readAccount(tx, seal, this.#context));
    if (this.#state !== "new") return;
    if (!account) {
      await this.#end("auth");
      return;
    }
    this.#account = account;
    let number: string;
    try {
      number = await readNumber(graph, account, this.#context.signal);
      await this.#subscribe(account);
    } catch (error) {
      log.warn({ err: error, connectionId: this.connectionId }, "Meta does not take the account");
      await this.#end(reasonOf(error) ?? "network");
      return;
    }
    await this.#connected(number);
  }

  async stop(): Promise<void> {
    this.#close();
    await Promise.allSettled([this.#look, ...this.#sending]);
  }

  async unlink(): Promise<void> {
    // The credentials are settings of the connection and stay; Meta has no link that could be removed.
  }

  async send(command: SendCommand): Promise<SendOutcome> {
    const account = this.#account;
    if (this.#state !== "connected" || !account) {
      return { result: "refused", failure: { kind: "not-connected" } };
    }
    const { graph, settings, log } = this.#deps;
    const { bsuidField } = settings;
    const deps = { graph, account, context: this.#context, bsuidField, log };
    const outcome = await this.#noted(sendCommand(deps, command));
    if (outcome.result === "refused") {
      const reason = endings[outcome.failure.kind];
      if (reason) void this.#endQuietly(reason);
    }
    return outcome;
  }

  async openMedia(file: MediaRef, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return openMedia(this.#deps.graph, this.#connectedAccount(), file, signal);
  }

  /** Meta does not tell which numbers it has; an unreachable one is reported when a message is sent. */
  async checkNumbers(numbers: readonly string[]): Promise<readonly NumberAnswer[]> {
    return numbers.map((number) => ({ asked: number, exists: true, number }));
  }

  async refuseCall(): Promise<void> {
    // This channel receives no calls.
  }

  async markRead(refs: readonly MessageRef[]): Promise<void> {
    for (const { id, fromMe } of refs) {
      if (!fromMe && isWamid(id)) await this.#tellRead(id, {});
    }
  }

  /** Meta shows typing for 25 seconds or until the reply, and also marks the message read. */
  async setTyping(chat: Address, isTyping: boolean): Promise<void> {
    const wamid = this.#latest.of(chat);
    if (!isTyping || wamid === null || this.#state !== "connected") return;
    try {
      await this.#tellRead(wamid, { typing_indicator: { type: "text" } });
    } catch (error) {
      this.#deps.log.info({ err: error, connectionId: this.connectionId }, "typing was not told");
    }
  }

  async profilePicture(): Promise<null> {
    return null;
  }

  async isIdle(): Promise<boolean> {
    if (this.#look) return false;
    if (this.#state !== "connected") return true;
    const busy = await readBusyAcrossCompanies(this.#deps.db, [this.connectionId]);
    return busy.length === 0;
  }

  /** Reads the deliveries now, or once more after the running read. */
  lookSoon(): void {
    if (this.#state !== "connected") return;
    this.#lookAgain = true;
    this.#look ??= this.#lookWhileAsked().finally(() => {
      this.#look = null;
      if (this.#lookAgain) this.lookSoon();
    });
  }

  /** Without this Meta delivers nothing; an app without the right to subscribe was subscribed by a person. */
  async #subscribe(account: CloudAccount): Promise<void> {
    const { graph, log } = this.#deps;
    try {
      const path = `${account.businessAccountId}/subscribed_apps`;
      await graph.call(account, { method: "POST", path, signal: this.#context.signal });
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      log.warn({ err: error, connectionId: this.connectionId }, "webhooks were not subscribed");
    }
  }

  async #connected(number: string): Promise<void> {
    if (this.#state !== "new") return;
    this.#state = "connected";
    const { register, settings } = this.#deps;
    this.#unregister = register(this);
    this.#timers = [
      setInterval(() => void this.#check(), settings.checkEveryMs),
      setInterval(() => void this.#giveUpSilent(), settings.silenceLookMs),
    ];
    for (const timer of this.#timers) timer.unref();
    await this.#context.sink.tell({ type: "state", status: "CONNECTED", number });
    this.lookSoon();
  }

  /** Only Meta's answer about the account ends the session; network errors are noticed when sending. */
  async #check(): Promise<void> {
    const account = this.#account;
    if (this.#state !== "connected" || !account) return;
    try {
      await readNumber(this.#deps.graph, account, this.#context.signal);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === "auth" || reason === "banned") await this.#endQuietly(reason);
    }
  }

  /** One at a time: while the database is slow, looks would pile up. */
  async #giveUpSilent(): Promise<void> {
    if (this.#state !== "connected" || this.#isGivingUp) return;
    this.#isGivingUp = true;
    try {
      const { settings } = this.#deps;
      const silent = await this.#context.transaction((tx) =>
        readSilent(tx, this.#context, settings.silenceMs),
      );
      const failure = { kind: "unconfirmed" } as const;
      await this.#context.sink.store(
        silent.map(({ providerId, to: chat }) => ({
          type: "send-failed",
          providerId,
          chat,
          failure,
        })),
      );
    } catch (error) {
      this.#troubled(error);
    } finally {
      this.#isGivingUp = false;
    }
  }

  async #tellRead(wamid: string, more: Readonly<Record<string, unknown>>): Promise<void> {
    const account = this.#connectedAccount();
    const { graph, log } = this.#deps;
    const path = `${account.phoneNumberId}/messages`;
    const body = { messaging_product: "whatsapp", status: "read", message_id: wamid, ...more };
    try {
      await graph.call(account, { method: "POST", path, body, signal: this.#context.signal });
    } catch (error) {
      // For example a message that is too old: another attempt would be refused too.
      const isFinal = error instanceof GraphError && error.failure.kind === "bad-request";
      if (!isFinal) throw error;
      log.info({ err: error, connectionId: this.connectionId }, "a message was not marked read");
    }
  }

  #connectedAccount(): CloudAccount {
    if (this.#state !== "connected" || !this.#account) throw new Error("not connected");
    return this.#account;
  }

  async #noted<T>(work: Promise<T>): Promise<T> {
    this.#sending.add(work);
    try {
      return await work;
    } finally {
      this.#sending.delete(work);
    }
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain && this.#state === "connected") {
      this.#lookAgain = false;
      try {
        if (await this.#take()) this.#lookAgain = true;
      } catch (error) {
        this.#troubled(error);
      }
    }
    if (this.#state !== "connected") this.#lookAgain = false;
  }

  async #take(): Promise<boolean> {
    const { phoneNumberId } = this.#connectedAccount();
    const onEvents = (events: readonly DurableEvent[]) => this.#latest.note(events);
    const { log } = this.#deps;
    return takeDeliveries({ context: this.#context, phoneNumberId, log, onEvents });
  }

  #close(): void {
    this.#state = "closed";
    for (const timer of this.#timers) clearInterval(timer);
    this.#unregister?.();
    this.#unregister = undefined;
  }

  async #end(reason: CloseReason): Promise<void> {
    if (this.#state === "closed") return;
    this.#close();
    await this.#context.sink.tell({ type: "state", status: "DISCONNECTED", reason });
  }

  async #endQuietly(reason: CloseReason): Promise<void> {
    try {
      await this.#end(reason);
    } catch (error) {
      this.#troubled(error);
    }
  }

  /** The next poll retries, unless another process owns the connection now. */
  #troubled(error: unknown): void {
    if (error instanceof LeaseLost) this.#close();
    else this.#deps.log.warn({ err: error, connectionId: this.connectionId }, "deliveries wait");
  }
}

function reasonOf(error: unknown): CloseReason | null {
  return error instanceof GraphError ? (endings[error.failure.kind] ?? null) : null;
}
