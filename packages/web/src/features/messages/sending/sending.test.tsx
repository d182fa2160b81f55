import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import type { FakeUpload } from "../../../testing/fake-uploads.ts";
import { fakeUploads } from "../../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import type { ChosenFile } from "./sending.ts";
import {
  discardUnsent,
  OutboxKeeper,
  sendAgain,
  sendFiles,
  sendText,
  settleUnsent,
  unsentCount,
  useUnsent,
} from "./sending.ts";
import { givenMessage } from "../testing/given-message.ts";
import type { UnsentMessage } from "./unsent-messages.ts";

/** Stands for the browser's storage of files, which the test browser does not have. */
const storage = vi.hoisted(() => ({ files: new Map<string, File>(), isFull: false }));
vi.mock("./kept-files.ts", () => ({
  keepFile: async (clientId: string, file: File) => {
    if (storage.isFull) return false;
    storage.files.set(clientId, file);
    return true;
  },
  keptFile: async (clientId: string) => storage.files.get(clientId) ?? null,
  forgetFile: async (clientId: string) => void storage.files.delete(clientId),
  sweepFiles: async () => undefined,
}));

let uploads: FakeUpload[];
let requests: SeenRequest[];
const revoked = vi.fn();

beforeEach(() => {
  endSession("logout");
  storage.files.clear();
  storage.isFull = false;
  startSession(givenToken("t"), givenUser());
  ({ uploads } = fakeUploads());
  ({ requests } = fakeServer({
    "POST /api/messages/1": () => ({ body: givenMessage(9, { fromMe: true }) }),
  }));
  revoked.mockReset();
  vi.spyOn(URL, "revokeObjectURL").mockImplementation(revoked);
});

const chosen = (name: string, caption = ""): ChosenFile => ({
  file: new File(["abc"], name, { type: "image/png" }),
  kind: "image",
  caption,
  previewUrl: `blob:${name}`,
});

function unsentOf(ticketId: number): () => readonly UnsentMessage[] {
  const { result } = renderHook(() => useUnsent(ticketId));
  return () => result.current;
}

function first(unsent: () => readonly UnsentMessage[]): UnsentMessage {
  const [message] = unsent();
  if (!message) throw new Error("nothing is unsent");
  return message;
}

async function upload(count: number): Promise<FakeUpload> {
  await waitFor(() => expect(uploads).toHaveLength(count));
  const last = uploads[count - 1];
  if (!last) throw new Error("nothing was uploaded");
  return last;
}

function leave(): boolean {
  const event = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

const stored = (one: FakeUpload, n: number) =>
  givenMessage(n, { fromMe: true, clientId: one.field("clientId") });

describe("files", () => {
  test("are sent one by one in order, each with its caption and its own clientId", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png", "primeira"), chosen("b.png")]));
    expect(unsent().map(({ file, state }) => [file?.name, state])).toEqual([
      ["a.png", "sending"],
      ["b.png", "sending"],
    ]);
    const a = await upload(1);
    expect([a.file().name, a.field("body"), a.field("fromMe")]).toEqual([
      "a.png",
      "primeira",
      "true",
    ]);
    expect(uploads).toHaveLength(1);
    act(() => a.answer(200, stored(a, 1)));
    const b = await upload(2);
    expect(b.file().name).toBe("b.png");
    expect(b.field("clientId")).not.toBe(a.field("clientId"));
    act(() => b.answer(200, stored(b, 2)));
    await waitFor(() => expect(unsent()).toEqual([]));
    expect(revoked.mock.calls.flat()).toEqual(["blob:a.png", "blob:b.png"]);
  });

  test("show their upload progress", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png")]));
    const a = await upload(1);
    act(() => a.progress(0.5));
    expect(unsent()[0]).toMatchObject({ state: "uploading", progress: 0.5 });
  });

  test("that are refused stay with the reason, do not stop the next one, and retry really sends", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png", "legenda"), chosen("b.png")]));
    const a = await upload(1);
    act(() => a.answer(415, { error: "x", code: "ERR_FILE_TYPE_FORBIDDEN" }));
    const b = await upload(2);
    act(() => b.answer(200, stored(b, 2)));
    await waitFor(() => expect(unsent()).toHaveLength(1));
    expect(first(unsent)).toMatchObject({
      state: "failed",
      errorCode: "ERR_FILE_TYPE_FORBIDDEN",
      body: "legenda",
    });
    expect(revoked).not.toHaveBeenCalledWith("blob:a.png");

    act(() => sendAgain(first(unsent)));
    const again = await upload(3);
    expect(again.file().name).toBe("a.png");
    expect(again.field("clientId")).toBe(a.field("clientId"));
    act(() => again.answer(200, stored(again, 1)));
    await waitFor(() => expect(unsent()).toEqual([]));
  });

  test("can be discarded during the upload; the next one continues", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png"), chosen("b.png")]));
    const a = await upload(1);
    act(() => discardUnsent(first(unsent)));
    expect(a.isAborted).toBe(true);
    const b = await upload(2);
    expect(b.file().name).toBe("b.png");
    expect(unsent().map(({ file }) => file?.name)).toEqual(["b.png"]);
  });

  test("discarded before their turn are never sent", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png"), chosen("b.png")]));
    const a = await upload(1);
    act(() => {
      const second = unsent()[1];
      if (second) discardUnsent(second);
    });
    act(() => a.answer(200, stored(a, 1)));
    await waitFor(() => expect(unsent()).toEqual([]));
    expect(uploads).toHaveLength(1);
  });

  test("a text written after them waits for them", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png")]));
    act(() => sendText(1, "viu?"));
    const a = await upload(1);
    expect(requests).toEqual([]);
    act(() => a.answer(200, stored(a, 1)));
    await waitFor(() => expect(unsent()).toEqual([]));
    expect(requests.map(({ call }) => call)).toEqual(["POST /api/messages/1"]);
  });

  test("a reply goes with the first of them", async () => {
    unsentOf(1);
    const quotedMsg = givenMessage(3);
    act(() => sendFiles(1, [chosen("a.png"), chosen("b.png")], { quotedMsg }));
    const a = await upload(1);
    expect(a.field("quotedMsgId")).toBe(quotedMsg.id);
    act(() => a.answer(200, stored(a, 1)));
    expect((await upload(2)).field("quotedMsgId")).toBeNull();
  });

  test("that the live event reports are no longer unsent", async () => {
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png")]));
    const a = await upload(1);
    act(() => settleUnsent(1, a.field("clientId") ?? ""));
    expect(unsent()).toEqual([]);
    expect(a.isAborted).toBe(false);
    act(() => a.breakOff());
    expect(unsent()).toEqual([]);
  });

  test("the browser asks before the page is left during an upload, not while a file waits in the storage", async () => {
    const unsent = unsentOf(1);
    expect(leave()).toBe(false);
    act(() => sendFiles(1, [chosen("a.png")]));
    const a = await upload(1);
    expect(leave()).toBe(true);
    act(() => a.breakOff());
    await waitFor(() => expect(first(unsent)).toMatchObject({ state: "waiting", isKept: true }));
    expect(leave()).toBe(false);
  });

  test("end with the session: nothing of it is left after signing out", async () => {
    unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png")]));
    const a = await upload(1);
    await waitFor(() => expect(storage.files.size).toBe(1));
    act(() => endSession("logout"));
    expect(a.isAborted).toBe(true);
    expect(revoked).toHaveBeenCalledWith("blob:a.png");
    await waitFor(() => expect(storage.files.size).toBe(0));
  });

  test("wait for the same user after a session that was ended; another user neither sends nor sees them", async () => {
    sendFiles(1, [chosen("a.png", "legenda")]);
    await upload(1);
    await waitFor(() => expect(storage.files.size).toBe(1));
    act(() => endSession("expired"));
    startSession(givenToken("t"), givenUser({ id: 8 }));
    renderHook(() => OutboxKeeper());
    expect(unsentCount()).toBe(0);
    act(() => endSession("logout"));
    startSession(givenToken("t"), givenUser());
    renderHook(() => OutboxKeeper());
    const again = await upload(2);
    expect([again.file().name, again.field("body")]).toEqual(["a.png", "legenda"]);
  });

  test("that the browser has no room for are sent all the same, and asked about before the page goes", async () => {
    storage.isFull = true;
    const unsent = unsentOf(1);
    act(() => sendFiles(1, [chosen("a.png")]));
    const a = await upload(1);
    act(() => a.breakOff());
    await waitFor(() => expect(first(unsent)).toMatchObject({ state: "waiting", isKept: false }));
    expect(leave()).toBe(true);
  });

  test("whose content is gone say so", async () => {
    act(() => sendFiles(1, [chosen("a.png")]));
    await upload(1);
    await waitFor(() => expect(storage.files.size).toBe(1));
    act(() => endSession("expired"));
    storage.files.clear();
    startSession(givenToken("t"), givenUser());
    const unsent = unsentOf(1);
    renderHook(() => OutboxKeeper());
    await waitFor(() =>
      expect(first(unsent)).toMatchObject({ state: "failed", errorCode: "ERR_FILE_NOT_KEPT" }),
    );
  });
});

test("a text has its replied message and its undo time", async () => {
  const unsent = unsentOf(1);
  const quotedMsg = givenMessage(3);
  act(() => sendText(1, "30 dias", { quotedMsg, undoSeconds: 5 }));
  expect(first(unsent).quotedMsg).toBe(quotedMsg);
  await waitFor(() => expect(unsent()).toEqual([]));
  expect(requests[0]?.body).toMatchObject({
    body: "30 dias",
    quotedMsg: { id: quotedMsg.id },
    undoSeconds: 5,
  });
});
