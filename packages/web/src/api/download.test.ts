import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { givenToken, givenUser } from "../testing/given.ts";
import { saveFile } from "./download.ts";
import { endSession, startSession } from "./session-store.ts";

const token = givenToken("t", 900);
let saved: { name: string; content: Blob }[];

beforeEach(() => {
  startSession(token, givenUser());
  saved = [];
  const contents: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((content) => {
    if (content instanceof Blob) contents.push(content);
    return "blob:file";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    const content = contents.at(-1);
    if (content) saved.push({ name: this.download, content });
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  endSession("logout");
});

const words = new TextEncoder();

test("the file of a call is fetched with the bearer and saved under the server's name", async () => {
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    expect(url).toBe("/api/contact-imports/7/refused");
    expect(new Headers(init.headers).get("authorization")).toBe(`Bearer ${token}`);
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        stream.enqueue(words.encode("linha;"));
        stream.enqueue(words.encode("motivo"));
        stream.close();
      },
    });
    const name = encodeURIComponent("não importadas.xlsx");
    const headers = { "content-disposition": `attachment; filename*=UTF-8''${name}` };
    return Promise.resolve(new Response(body, { headers }));
  });
  await saveFile("GET /contact-imports/:contactImportId/refused", {
    params: { contactImportId: 7 },
  });
  expect(saved.map(({ name }) => name)).toEqual(["não importadas.xlsx"]);
  expect(await saved[0]?.content.text()).toBe("linha;motivo");
});

test.each([
  ["a refusal", { status: 404, code: "ERR_NO_IMPORT_FOUND" }],
  ["a cut connection", { status: 0, code: "ERR_NETWORK" }],
])("after %s nothing is saved", async (_, failure) => {
  const cut = new ReadableStream({
    start(stream) {
      stream.enqueue(words.encode("half"));
      stream.error(new TypeError("cut"));
    },
  });
  const refusal = JSON.stringify({ error: failure.code, code: failure.code });
  vi.stubGlobal("fetch", () =>
    Promise.resolve(
      failure.status === 0 ? new Response(cut) : new Response(refusal, { status: failure.status }),
    ),
  );
  await expect(saveFile("GET /contact-imports/example", {})).rejects.toMatchObject(failure);
  expect(saved).toEqual([]);
});

test("after ten minutes without a byte the file is given up", async () => {
  vi.useFakeTimers();
  vi.stubGlobal(
    "fetch",
    (_url: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      }),
  );
  const failed = expect(saveFile("GET /contact-imports/example", {})).rejects.toMatchObject({
    code: "ERR_TIMEOUT",
  });
  await vi.advanceTimersByTimeAsync(600_000);
  await failed;
});
