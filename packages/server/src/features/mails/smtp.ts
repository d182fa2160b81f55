import { createTransport } from "nodemailer";
import type { SmtpConfig } from "../../platform/config/config.ts";

export type MailAddress = { name: string; address: string };

export type Letter = {
  /** The same at each try, so that readers' programs can tell a repetition. */
  id: string;
  to: MailAddress;
  subject: string;
  text: string;
  html: string;
};

/** The answer of a mail server to a letter, in its own words. `isFinal`: another try would be refused too. */
export type Delivery = { isTaken: true; words: string } | Refusal;
type Refusal = { isTaken: false; words: string; isFinal: boolean };

/** The way out for e-mail. */
export type MailServer = {
  host: string;
  from: MailAddress;
  /** Never throws: whatever goes wrong is a delivery that was not taken. */
  send(letter: Letter): Promise<Delivery>;
};

/** For the connection, the server's greeting, and each silence after that. */
const CONNECTION_MS = 10_000;
const GREETING_MS = 10_000;
const SILENCE_MS = 30_000;

/** An SMTP server. Each letter has a connection of its own: they are few. */
export function createSmtpServer(config: SmtpConfig, from: MailAddress): MailServer {
  const { host, port, user, tls } = config;
  const transport = createTransport({
    ...{ host, port, secure: tls === "always" },
    ...(tls === "none" ? { ignoreTLS: true } : { requireTLS: tls === "starttls" }),
    ...(user ? { auth: { user: user.name, pass: user.password } } : {}),
    connectionTimeout: CONNECTION_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const secret = user?.password ?? "";

  return {
    ...{ host, from },
    async send({ id, to, subject, text, html }) {
      const name = oneLine(to.name);
      if (!isPlainAddress(to.address)) return refusedHere(`not an e-mail address: ${to.address}`);
      try {
        const { response } = await transport.sendMail({
          ...{ from, to: { name, address: to.address }, subject: oneLine(subject), text, html },
          messageId: `<${id}@${from.address.split("@")[1] ?? host}>`,
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return { isTaken: true, words: wordsOf(response, secret) };
      } catch (error) {
        return refusalOf(error, secret);
      }
    },
  };
}

/** Codes of a letter that the server read and refused; all other errors are of the connection or of the account. */
const ofLetter = new Set(["EENVELOPE", "EMESSAGE"]);
const PERMANENT_FROM = 500;
const WORDS_MAX = 500;

function refusalOf(error: unknown, secret: string): Refusal {
  if (!(error instanceof Error)) return { isTaken: false, words: "unknown error", isFinal: false };
  const { code, responseCode, response } = error as SmtpError;
  const isFinal = ofLetter.has(code ?? "") && (responseCode ?? 0) >= PERMANENT_FROM;
  return { isTaken: false, words: wordsOf(response ?? error.message, secret), isFinal };
}

/** Fields of the library's errors. */
type SmtpError = Error & { code?: string; responseCode?: number; response?: string };

function refusedHere(words: string): Refusal {
  return { isTaken: false, words: wordsOf(words, ""), isFinal: true };
}

/** For people to read; a server may repeat what it was sent. */
function wordsOf(text: string, secret: string): string {
  const shown = secret === "" ? text : text.replaceAll(secret, "•••");
  return oneLine(shown).slice(0, WORDS_MAX);
}

/** A text without line breaks and other control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, " ").trim();
}

/** One address and nothing else: no list, no name, no line break. */
function isPlainAddress(address: string): boolean {
  return /^[^\s\p{Cc}@,;<>()"\\]+@[^\s\p{Cc}@,;<>()"\\]+$/u.test(address);
}
