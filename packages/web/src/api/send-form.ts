import { failureOf, noReply, parseJson } from "./client.ts";

export type UploadOptions = {
  signal?: AbortSignal | undefined;
  /** Upload progress, from 0 to 1. */
  onProgress?: ((part: number) => void) | undefined;
};

/** An upload may take any time; it fails after this long without progress. */
const STALLED_AFTER_MS = 60_000;

type FormRequest = { method: string; url: string; form: FormData; token: string | null };

/** XMLHttpRequest, because `fetch` reports no upload progress. */
export function sendForm(
  target: FormRequest,
  { signal, onProgress }: UploadOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new DOMException("aborted", "AbortError"));
      return;
    }
    const request = new XMLHttpRequest();
    let isStalled = false;
    let stall: ReturnType<typeof setTimeout>;
    const moved = (): void => {
      clearTimeout(stall);
      stall = setTimeout(() => {
        isStalled = true;
        request.abort();
      }, STALLED_AFTER_MS);
    };
    const abort = (): void => request.abort();
    signal?.addEventListener("abort", abort);
    const settle = (finish: () => void): void => {
      clearTimeout(stall);
      signal?.removeEventListener("abort", abort);
      finish();
    };

    request.upload.addEventListener("progress", (event) => {
      moved();
      if (event.lengthComputable && event.total > 0) onProgress?.(event.loaded / event.total);
    });
    request.addEventListener("load", () =>
      settle(() => {
        const isDone = request.status >= 200 && request.status < 300;
        if (isDone) resolve(parseJson(request.responseText));
        else reject(failureOf(request.status, request.responseText));
      }),
    );
    request.addEventListener("error", () => settle(() => reject(noReply("ERR_NETWORK"))));
    request.addEventListener("abort", () =>
      settle(() => {
        if (isStalled) reject(noReply("ERR_TIMEOUT"));
        else reject(new DOMException("aborted", "AbortError"));
      }),
    );

    request.open(target.method, target.url);
    request.setRequestHeader("accept", "application/json");
    if (target.token !== null) request.setRequestHeader("authorization", `Bearer ${target.token}`);
    moved();
    request.send(target.form);
  });
}
