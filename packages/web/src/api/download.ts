import { ApiError, failureOf, withSession } from "./client.ts";

const DOWNLOAD_TIMEOUT_MS = 60_000;

/** The bytes behind a call's address, with the bearer by the rules of `call`. Throws `ApiError`. */
export async function download(url: string, signal: AbortSignal): Promise<Blob> {
  return await withSession(async (token) => {
    const timeLimit = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
    const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
    try {
      const response = await fetch(url, {
        method: "GET",
        headers,
        signal: AbortSignal.any([signal, timeLimit]),
      });
      if (!response.ok) throw failureOf(response.status, await response.text());
      return await response.blob();
    } catch (cause) {
      if (cause instanceof ApiError || signal.aborted) throw cause;
      const code = timeLimit.aborted ? "ERR_TIMEOUT" : "ERR_NETWORK";
      throw new ApiError({ status: 0, code, cause });
    }
  });
}
