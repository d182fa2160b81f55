import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeServer } from "../testing/fake-server.ts";
import type { FakeUpload } from "../testing/fake-uploads.ts";
import { fakeUploads } from "../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../testing/given.ts";
import { currentSession, endSession, startSession } from "./session-store.ts";
import { upload } from "./upload.ts";

let uploads: FakeUpload[];
const photo = new File(["abc"], "foto.png", { type: "image/png" });
const token = givenToken("t", 900);

beforeEach(() => {
  ({ uploads } = fakeUploads());
  startSession(token, givenUser());
});

afterEach(() => {
  vi.useRealTimers();
  endSession("logout");
});

const send = (options: Parameters<typeof upload>[2] = {}) =>
  upload(
    "POST /messages/:ticketId",
    { params: { ticketId: 4 }, fields: { body: ["um", "dois"] }, files: { medias: [photo] } },
    options,
  );

async function nextUpload(count = 1): Promise<FakeUpload> {
  await waitFor(() => expect(uploads).toHaveLength(count));
  const last = uploads.at(-1);
  if (!last) throw new Error("nothing was uploaded");
  return last;
}

test("text fields are sent before the files, with the bearer, and progress is reported", async () => {
  const parts: number[] = [];
  const reply = send({ onProgress: (part) => parts.push(part) });
  const request = await nextUpload();
  expect(request.call).toBe("POST /api/messages/4");
  expect(request.authorization).toBe(`Bearer ${token}`);
  expect(request.parts).toEqual(["body", "body", "medias"]);
  expect(request.file().name).toBe("foto.png");
  request.progress(0.25);
  request.progress(1);
  request.answer(200, { id: "m" });
  expect(await reply).toEqual({ id: "m" });
  expect(parts).toEqual([0.25, 1]);
});

test("a refusal is an error with the server's code and data", async () => {
  const reply = send();
  const data = { name: "foto.png", maxBytes: 5 };
  (await nextUpload()).answer(413, {
    error: "ERR_FILE_TOO_LARGE",
    code: "ERR_FILE_TOO_LARGE",
    data,
  });
  await expect(reply).rejects.toMatchObject({ status: 413, code: "ERR_FILE_TOO_LARGE", data });
});

test("a broken connection is ERR_NETWORK", async () => {
  const reply = send();
  (await nextUpload()).breakOff();
  await expect(reply).rejects.toMatchObject({ code: "ERR_NETWORK" });
});

test("an upload without progress for a minute times out", async () => {
  vi.useFakeTimers();
  const reply = send();
  const failure = expect(reply).rejects.toMatchObject({ code: "ERR_TIMEOUT" });
  await vi.advanceTimersByTimeAsync(59_000);
  uploads[0]?.progress(0.1);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(uploads[0]?.isAborted).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await failure;
});

test("an upload aborted by its caller rejects with the abort", async () => {
  const caller = new AbortController();
  const reply = send({ signal: caller.signal });
  const request = await nextUpload();
  caller.abort();
  await expect(reply).rejects.toMatchObject({ name: "AbortError" });
  expect(request.isAborted).toBe(true);
});

test("a token about to expire is renewed before the upload, not after", async () => {
  const renewed = givenToken("new", 900);
  fakeServer({
    "POST /api/auth/refresh_token": () => ({ body: { token: renewed, user: givenUser() } }),
  });
  startSession(givenToken("old", 20), givenUser());
  const reply = send();
  const request = await nextUpload();
  expect(request.authorization).toBe(`Bearer ${renewed}`);
  request.answer(200, {});
  await reply;
  expect(uploads).toHaveLength(1);
});

test("an expired token is renewed once and the files are sent again", async () => {
  const renewed = givenToken("new", 900);
  fakeServer({
    "POST /api/auth/refresh_token": () => ({ body: { token: renewed, user: givenUser() } }),
  });
  const reply = send();
  (await nextUpload()).answer(403, { error: "Invalid token.", code: "ERR_TOKEN_EXPIRED" });
  const second = await nextUpload(2);
  expect(second.authorization).toBe(`Bearer ${renewed}`);
  second.answer(200, {});
  await reply;
});

test("a 401 ends the session", async () => {
  const reply = send();
  (await nextUpload()).answer(401, { error: "ERR_SESSION_EXPIRED", code: "ERR_SESSION_EXPIRED" });
  await expect(reply).rejects.toMatchObject({ status: 401 });
  expect(currentSession()).toBeNull();
});
