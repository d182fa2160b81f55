import type { EndpointName, Endpoints, RequestOf } from "@balcao/contract";
import { ApiError, callUrl, failureOf, noReply, withSession } from "./client.ts";

const DOWNLOAD_TIMEOUT_MS = 60_000;

/** The bytes behind a call's address, with the bearer by the rules of `call`. Throws `ApiError`. */
export async function download(url: string, signal: AbortSignal): Promise<Blob> {
  return await withSession(async (token) => {
    const timeLimit = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
    try {
      const response = await fetchFile(url, token, {
        method: "GET",
        signal: AbortSignal.any([signal, timeLimit]),
      });
      return await response.blob();
    } catch (cause) {
      if (cause instanceof ApiError || signal.aborted) throw cause;
      const code = timeLimit.aborted ? "ERR_TIMEOUT" : "ERR_NETWORK";
      throw new ApiError({ status: 0, code, cause });
    }
  });
}

/** Calls of the contract that answer with a file. */
export type FileCallName = {
  [K in EndpointName]: Endpoints[K] extends { sendsFile: true } ? K : never;
}[EndpointName];

/** The server sends a file while it makes it, which may take any time; it fails after this long without a byte. */
const STALLED_AFTER_MS = 600_000;
/** The browser reads the file after the press of the link has returned. */
const KEPT_FOR_SAVING_MS = 60_000;

/**
 * Fetches the file of a call, with the bearer by the rules of `call`, and has the browser save it under the server's name for it.
 * Resolves when all of it has come. Throws `ApiError`; then nothing is saved.
 */
export async function saveFile<K extends FileCallName>(
  name: K,
  request: RequestOf<K>,
): Promise<void> {
  const space = name.indexOf(" ");
  const url = callUrl(name.slice(space + 1), request);
  const asked = {
    method: name.slice(0, space),
    ...("body" in request ? { body: JSON.stringify(request.body) } : {}),
  };
  const file = await withSession((token) => readWhole(url, token, asked));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file.content);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR_SAVING_MS);
}

async function readWhole(
  url: string,
  token: string | null,
  asked: Asked,
): Promise<{ name: string; content: Blob }> {
  const stall = new AbortController();
  const abort = (): void => stall.abort();
  let timer = setTimeout(abort, STALLED_AFTER_MS);
  try {
    const { headers, body } = await fetchFile(url, token, { ...asked, signal: stall.signal });
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const reader = body?.getReader();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      clearTimeout(timer);
      timer = setTimeout(abort, STALLED_AFTER_MS);
      parts.push(next.value);
    }
    const type = headers.get("content-type") ?? "";
    return { name: nameOf(headers), content: new Blob(parts, { type }) };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw noReply(stall.signal.aborted ? "ERR_TIMEOUT" : "ERR_NETWORK", cause);
  } finally {
    clearTimeout(timer);
  }
}

type Asked = { method: string; body?: string };

async function fetchFile(
  url: string,
  token: string | null,
  asked: Asked & { signal: AbortSignal },
) {
  const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
  if (asked.body !== undefined) headers.set("content-type", "application/json");
  const response = await fetch(url, { ...asked, headers });
  if (!response.ok) throw failureOf(response.status, await response.text());
  return response;
}

/** The name that the server gives the file; without one the browser chooses it. */
function nameOf(headers: Headers): string {
  const [, name = ""] =
    /filename\*=UTF-8''([^;]+)/i.exec(headers.get("content-disposition") ?? "") ?? [];
  try {
    return decodeURIComponent(name);
  } catch {
    return ""; // from a proxy: not our encoding
  }
}
