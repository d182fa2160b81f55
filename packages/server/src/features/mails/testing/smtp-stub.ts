import { text } from "node:stream/consumers";
import type { SMTPServerOptions } from "smtp-server";
import { SMTPServer } from "smtp-server";
import { atEndOfFile } from "../../../testing/end-of-file.ts";

/** A letter as a mail server has it: its envelope, and the source of what was sent. */
export type ReceivedMail = { from: string; to: string[]; source: string; isEncrypted: boolean };

/** A refusal of the next letters, one each. */
export type StubRefusal = { code: number; words: string };

export type SmtpStub = {
  port: number;
  /** Leads the product here, without encryption. */
  environment: { SMTP_URL: string; MAIL_FROM: string };
  received: ReceivedMail[];
  /** Refusals of the content of the next letters. */
  refusals: StubRefusal[];
  /** Called with each letter before it is taken. */
  onMail: (mail: ReceivedMail) => Promise<void>;
};

/** A real mail server on this machine, which keeps what it takes. Options are those of the library. */
export async function startSmtpStub(options: SMTPServerOptions = {}): Promise<SmtpStub> {
  const stub: SmtpStub = {
    ...{ port: 0, received: [], refusals: [], environment: { SMTP_URL: "", MAIL_FROM: "" } },
    onMail: () => Promise.resolve(),
  };
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: options.key === undefined, logger: false },
    ...options,
    onData(stream, { envelope, secure }, done) {
      const take = async (): Promise<void> => {
        const source = await text(stream);
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const to = envelope.rcptTo.map(({ address }) => address);
        const mail = { from, to, source, isEncrypted: secure };
        await stub.onMail(mail);
        const refusal = stub.refusals.shift();
        if (refusal) {
          throw Object.assign(new Error(refusal.words), { responseCode: refusal.code });
        }
        stub.received.push(mail);
      };
      take().then(
        () => done(null, "taken"),
        (error: unknown) => done(error instanceof Error ? error : new Error("no error")),
      );
    },
  });
  // A client that leaves in the middle is no fault of the test.
  server.on("error", () => undefined);
  const { port } = await new Promise<{ port: number }>((resolve) => {
    const listening = server.listen(0, "127.0.0.1", () => {
      const address = listening.address();
      if (address === null || typeof address === "string") throw new Error("no TCP address");
      resolve(address);
    });
  });
  atEndOfFile(() => new Promise((resolve) => server.close(() => resolve())));
  const environment = {
    SMTP_URL: `smtp://127.0.0.1:${port}?insecure`,
    MAIL_FROM: "Conecta Sul <no-reply@conecta.example>",
  };
  return Object.assign(stub, { port, environment });
}

/** The text of a letter: its parts are quoted-printable or base64. */
export function textOf({ source }: ReceivedMail): string {
  const [, , plain = ""] =
    /content-type: text\/plain[^]*?\r\n(content-[^]*?\r\n)?\r\n([^]*?)\r\n--/i.exec(source) ?? [];
  return /transfer-encoding: base64/i.test(source.split(plain)[0] ?? "")
    ? Buffer.from(plain, "base64").toString()
    : unquoted(plain);
}

function unquoted(lines: string): string {
  const joined = lines.replaceAll(/=\r\n/g, "");
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}
