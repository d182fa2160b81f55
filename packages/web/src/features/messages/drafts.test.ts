import { beforeEach, expect, test } from "vitest";
import { keepDraft, readDraft } from "./drafts.ts";

beforeEach(() => localStorage.clear());

test("each ticket and each user has an own draft", () => {
  keepDraft(localStorage, 1, 10, "para Helena");
  keepDraft(localStorage, 1, 11, "para Otávio");
  expect(readDraft(localStorage, 1, 10)).toBe("para Helena");
  expect(readDraft(localStorage, 1, 11)).toBe("para Otávio");
  expect(readDraft(localStorage, 2, 10)).toBe("");
});

test("an emptied draft leaves nothing behind", () => {
  keepDraft(localStorage, 1, 10, "x");
  keepDraft(localStorage, 1, 10, "");
  expect(localStorage).toHaveLength(0);
});

test("a full storage does not disturb the writing", () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
    removeItem: () => undefined,
  };
  expect(() => keepDraft(full, 1, 10, "x")).not.toThrow();
});
