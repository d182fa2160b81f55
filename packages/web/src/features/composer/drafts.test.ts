import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DraftContent, DraftKeeper, SaveDraft } from "./drafts.ts";
import { createDraftKeeper, keepDraft, readDraft } from "./drafts.ts";

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const text = (body: string): DraftContent => ({ body, quotedMsgId: null });

/**
 * A window of user 1 in ticket 10; `saved` are the drafts that reached the server, `received` those of another window.
 */
function window(save: SaveDraft = () => Promise.resolve()) {
  const saved: string[] = [];
  const received: string[] = [];
  const keeper: DraftKeeper = createDraftKeeper({
    storage: localStorage,
    userId: 1,
    ticketId: 10,
    nowMs: () => Date.now(),
    save: async (content, wish) => {
      await save(content, wish);
      saved.push(content.body);
    },
  });
  keeper.tell(({ body }) => received.push(body));
  return { keeper, saved, received };
}

test("a draft is in this browser at once and on the server 600 ms after the last key", async () => {
  const { keeper, saved } = window();
  keeper.write(text("O"));
  await vi.advanceTimersByTimeAsync(500);
  keeper.write(text("Oi"));
  expect(readDraft(localStorage, 1, 10)).toEqual({ ...text("Oi"), isSaved: false });
  await vi.advanceTimersByTimeAsync(599);
  expect(saved).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(saved).toEqual(["Oi"]);
  expect(readDraft(localStorage, 1, 10).isSaved).toBe(true);
});

test("leaving saves at once, but not without a change", async () => {
  const { keeper, saved } = window();
  keeper.flush({ keepalive: true });
  keeper.write(text("Oi"));
  keeper.flush({ keepalive: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(saved).toEqual(["Oi"]);
});

test("saves are sequential: an older text never arrives last", async () => {
  const waiting: (() => void)[] = [];
  const { keeper, saved } = window(() => new Promise((resolve) => waiting.push(resolve)));
  keeper.write(text("a"));
  keeper.flush({ keepalive: false });
  keeper.write(text("ab"));
  keeper.flush({ keepalive: false });
  expect(waiting).toHaveLength(1);
  waiting[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  waiting[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(saved).toEqual(["a", "ab"]);
});

test("a failed save is kept locally and retried, and wins over the server's draft", async () => {
  let isOffline = true;
  const { keeper, saved, received } = window(() =>
    isOffline ? Promise.reject(new Error("offline")) : Promise.resolve(),
  );
  keeper.write(text("escrito sem rede"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(readDraft(localStorage, 1, 10)).toEqual({ ...text("escrito sem rede"), isSaved: false });
  isOffline = false;
  keeper.receive(text("o que o servidor tinha"));
  await vi.advanceTimersByTimeAsync(0);
  expect([saved, received]).toEqual([["escrito sem rede"], []]);
});

test("another window's draft waits while the user types and is applied afterwards", async () => {
  const { keeper, received } = window();
  keeper.write(text("aqui"));
  await vi.advanceTimersByTimeAsync(4_000);
  keeper.receive(text("lá"));
  expect(received).toEqual([]);
  keeper.receive(text("lá, depois"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(received).toEqual(["lá, depois"]);
  expect(keeper.content().body).toBe("lá, depois");
  keeper.receive(text("lá, ainda"));
  expect(received).toEqual(["lá, depois", "lá, ainda"]);
});

test("continued typing wins over another window's draft", async () => {
  const { keeper, saved, received } = window();
  keeper.write(text("aqui"));
  await vi.advanceTimersByTimeAsync(4_000);
  keeper.receive(text("lá"));
  keeper.write(text("aqui e agora"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(received).toEqual([]);
  expect(saved.at(-1)).toBe("aqui e agora");
});

test("sending clears it here and on the server", async () => {
  const { keeper, saved } = window();
  keeper.write(text("Oi"));
  await vi.advanceTimersByTimeAsync(600);
  keeper.clear();
  await vi.advanceTimersByTimeAsync(0);
  expect(saved).toEqual(["Oi", ""]);
  expect(localStorage).toHaveLength(0);
});

test("drafts are separate per ticket and user, and an emptied draft is removed", () => {
  keepDraft(localStorage, 1, 10, { ...text("para Helena"), isSaved: true });
  keepDraft(localStorage, 1, 11, { ...text("para Otávio"), isSaved: true });
  expect(readDraft(localStorage, 1, 10).body).toBe("para Helena");
  expect(readDraft(localStorage, 1, 11).body).toBe("para Otávio");
  expect(readDraft(localStorage, 2, 10).body).toBe("");
  keepDraft(localStorage, 1, 10, { ...text(""), isSaved: true });
  expect(localStorage).toHaveLength(1);
});

test("a full storage or invalid stored data does not break the composer", () => {
  const full = {
    getItem: () => "{",
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
    removeItem: () => undefined,
  };
  expect(readDraft(full, 1, 10).body).toBe("");
  expect(() => keepDraft(full, 1, 10, { ...text("x"), isSaved: false })).not.toThrow();
});
