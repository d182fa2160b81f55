import { request } from "node:https";
import type { SecureContextOptions } from "node:tls";
import { DomainError } from "../../../platform/context.ts";

/** Where the banks are, and how long they are waited for. */
export type BankSettings = {
  /** Longest wait for an answer. */
  callMs: number;
  /** Certificate authorities beside the usual ones. */
  ca?: string;
  /** Take the place of the banks' own addresses, with and without sandbox. */
  efiUrl: string | null;
  asaasUrl: string | null;
};

export type BankCall = {
  method: "GET" | "POST" | "PUT";
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  /** The client's certificate (mutual TLS). */
  certificate?: Pick<SecureContextOptions, "pfx" | "passphrase" | "cert" | "key">;
};

export type BankAnswer = { status: number; body: unknown };

/** Longest answer that is read. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * One call of a bank. Not with `fetch`, which has no client certificates. Answers every status below 500; throws ERR_BANK_AWAY
 * without an answer in time, and ERR_BANK_REFUSED when the bank does not take the certificate.
 */
export function callBank(
  { callMs, ca }: Pick<BankSettings, "callMs" | "ca">,
  { method, url, headers, body, certificate = {} }: BankCall,
): Promise<BankAnswer> {
  const hasCertificate = Object.keys(certificate).length > 0;
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    let isHandshakeDone = false;
    // With TLS 1.3 a bank that does not know the certificate closes right after the handshake.
    const fail = (error: unknown): void =>
      reject(toRefusal(error, isHandshakeDone && hasCertificate));
    const sent = request(
      url,
      {
        method,
        // No agent: a connection would go on with a certificate that was replaced.
        agent: false,
        ...certificate,
        ...(ca === undefined ? {} : { ca }),
        signal: AbortSignal.timeout(callMs),
        headers: {
          accept: "application/json",
          ...headers,
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        answer.on("data", (part: Buffer) => {
          bytes += part.length;
          if (bytes > ANSWER_BYTES) answer.destroy(new Error("the bank's answer is too long"));
          else parts.push(part);
        });
        answer.on("error", fail);
        answer.on("end", () => {
          const status = answer.statusCode ?? 0;
          if (status >= 500) fail(new Error(`the bank answered ${status}`));
          else resolve({ status, body: parsed(Buffer.concat(parts).toString()) });
        });
      },
    );
    sent.on("socket", (socket) =>
      socket.once("secureConnect", () => {
        isHandshakeDone = true;
      }),
    );
    sent.on("error", fail);
    sent.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A certificate that is not taken is not mended by a second try. */
function toRefusal(error: unknown, mayBeCertificate: boolean): DomainError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isClosed = mayBeCertificate && (code === "ECONNRESET" || code === "EPIPE");
  const isTls =
    isClosed || /^(ERR_SSL|ERR_OSSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  const refusal = isTls
    ? new DomainError("ERR_BANK_REFUSED", { words: code })
    : new DomainError("ERR_BANK_AWAY");
  refusal.cause = error;
  return refusal;
}
