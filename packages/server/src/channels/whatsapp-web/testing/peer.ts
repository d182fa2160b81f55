import { toNumber } from "baileys";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { repairLibrary } from "../library-repairs.ts";
import type { AccountState } from "./account.ts";
import { answerWithCode, readFinish, readHello } from "./code-linking.ts";
import type { CompanyAccount, Linking } from "./company.ts";
import { createCompanyAccount } from "./company.ts";
import { until } from "./inbox.ts";
import type { Line } from "./line.ts";
import { answerLine } from "./line.ts";
import type { LinkedDevice } from "./linked-device.ts";
import type { Registration } from "./linking.ts";
import { link, newId, openRegistration, readCode } from "./linking.ts";
import { openMediaHost } from "./media-host.ts";
import type { BinaryNode } from "./nodes.ts";
import { child, node, SERVER } from "./nodes.ts";
import { newServerIdentity } from "./noise-identity.ts";
import type { DeviceSession } from "./sessions.ts";
import { login } from "./sessions.ts";

export type PeerOptions = {
  /** How many codes a client gets to show, one after the other. */
  codes?: number;
  /** Its certificate is signed by another root than the one it names. */
  forgedCertificate?: boolean;
};

/**
 * A WhatsApp Web service in miniature, on this machine: the real client links with it, logs in and exchanges encrypted
 * messages with simulated people. It keeps its state in this process, so a client may crash and reconnect.
 */
export type Peer = Awaited<ReturnType<typeof startPeer>>;

export async function startPeer(options: PeerOptions = {}) {
  repairLibrary(null);
  const identity = newServerIdentity(options.forgedCertificate ?? false);
  const media = await openMediaHost();
  const accounts = new Map<string, CompanyAccount>();
  const registrations = new Set<Registration>();
  const sessions = new Map<Line, DeviceSession>();
  const errors: unknown[] = [];
  let attempts = 0;
  let isAway = false;

  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;

  const registrationOf = (line: Line): Registration | undefined =>
    [...registrations].find((registration) => registration.line === line);

  server.on("connection", (socket) => {
    if (isAway) return socket.terminate();
    attempts += 1;
    answerLine(socket, identity, {
      onLine: (line) => {
        if (line.payload.devicePairingData) {
          registrations.add(openRegistration(line, options.codes ?? 6));
          return;
        }
        const phone = String(toNumber(line.payload.username));
        const session = login(line, accounts.get(phone)?.state, media);
        if (session) sessions.set(line, session);
      },
      onStanza: async (line, stanza) => {
        const registration = registrationOf(line);
        if (registration) onRegistering(registration, stanza);
        await sessions.get(line)?.onStanza(stanza);
      },
      onClose: (line) => {
        const registration = registrationOf(line);
        if (registration) registrations.delete(registration);
        sessions.get(line)?.onClose();
        sessions.delete(line);
      },
      onError: (error) => errors.push(error),
    });
  });

  function onRegistering(registration: Registration, stanza: BinaryNode): void {
    const { line, answers } = registration;
    const { id, type } = stanza.attrs;
    if (type === "result" || type === "error") {
      answers.get(id ?? "")?.(stanza);
      return;
    }
    const linkCode = child(stanza, "link_code_companion_reg");
    const stage = linkCode?.attrs["stage"];
    if (stage === "companion_hello") {
      const code = readHello(stanza);
      if (accounts.get(code.phone)?.state.linking === "no-codes") {
        line.send(refusal(id));
        return;
      }
      registration.code = code;
    }
    if (stage === "companion_finish") answers.get("companion_finish")?.(stanza);
    const content =
      registration.code && stage === "companion_hello" ? helloReply(registration) : [];
    line.send(node("iq", { from: SERVER, type: "result", id }, content));
  }

  const linking: Linking = {
    scan: async (state, text, forged) => {
      const { ref, advSecret } = readCode(text);
      const registration = [...registrations].find(({ refs }) => refs.includes(ref));
      if (!registration) throw new Error("the code has expired");
      return finish(state, registration, forged ? Buffer.alloc(advSecret.length) : advSecret);
    },
    type: async (state, code) => {
      // People type slower than a client says what it shows.
      const registration = await until("a client that shows a code", () =>
        [...registrations].find((one) => one.code?.phone === state.user.phone),
      );
      const { line, answers, code: attempt } = registration;
      if (!attempt) throw new Error("the client shows no code");
      const finished = new Promise<BinaryNode>((resolve) => {
        answers.set("companion_finish", resolve);
      });
      await answerWithCode(line, attempt, state, code);
      const secret = readFinish(await finished, attempt, state);
      return finish(state, registration, secret);
    },
  };

  async function finish(
    state: AccountState,
    registration: Registration,
    secret: Uint8Array,
  ): Promise<LinkedDevice> {
    if (state.linking === "passkey") {
      registration.line.send(
        node("notification", { from: SERVER, type: "passkey_prologue_request", id: newId() }),
      );
      throw new Error("the account wants another proof");
    }
    const device = await link(state, registration, secret);
    registrations.delete(registration);
    return device;
  }

  return {
    url: `ws://127.0.0.1:${port}`,
    rootKeyHex: identity.rootKeyHex,
    /** Files: over https, with a certificate of its own. */
    media,
    mediaHost: media.host,
    certificatePem: media.certificatePem,
    /** The company's account with this phone; a new one has nobody linked. */
    account: (phone: string, name = "Empresa"): CompanyAccount => {
      const known = accounts.get(phone);
      if (known) return known;
      const account = createCompanyAccount(phone, name, linking, media);
      accounts.set(phone, account);
      return account;
    },
    /** Connections that were opened so far, in vain or not. */
    attempts: (): number => attempts,
    /** Clients that wait to be linked. */
    waitingForLink: (): number => registrations.size,
    /** Errors of the service; empty in a test that passes. */
    errors: (): readonly unknown[] => errors,
    /** Not reachable, until `comesBack`; connections are cut. */
    goesAway: (): void => {
      isAway = true;
      for (const socket of server.clients) socket.terminate();
    },
    comesBack: (): void => {
      isAway = false;
    },
    close: async (): Promise<void> => {
      for (const socket of server.clients) socket.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await media.close();
    },
  };
}

function refusal(id: string | undefined): BinaryNode {
  const error = node("error", { code: "400", text: "bad-request" });
  return node("iq", { from: SERVER, type: "error", id }, [error]);
}

function helloReply({ code }: Registration): BinaryNode[] {
  if (!code) return [];
  return [
    node("link_code_companion_reg", { stage: "companion_hello" }, [
      node("link_code_pairing_ref", {}, code.ref),
    ]),
  ];
}
