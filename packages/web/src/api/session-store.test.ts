import { afterEach, describe, expect, test, vi } from "vitest";
import { givenUser } from "../testing/given.ts";
import {
  adoptStoredSession,
  currentSession,
  endSession,
  followOtherTabs,
  renewSession,
  signOutToExplain,
  startSession,
  subscribeToSession,
  unsentPrefix,
  updateSessionUser,
} from "./session-store.ts";

afterEach(() => {
  endSession("logout");
});

test("the session is stored in the form that clients of the product family share", () => {
  startSession("a.b.c", givenUser());
  expect(localStorage.getItem("token")).toBe('"a.b.c"');
  expect(localStorage.getItem("companyId")).toBe("3");
  expect(localStorage.getItem("userId")).toBe("7");
  expect(localStorage.getItem("companyDueDate")).toBe("18/12/2099");
  expect(localStorage.getItem("cshow")).not.toBeNull();
});

test("the due date is the day in the company's time zone", () => {
  const company = { dueDate: "2026-12-18T01:00:00.000Z", timeZone: "America/Sao_Paulo" };
  startSession("t", givenUser({ company }));
  expect(localStorage.getItem("companyDueDate")).toBe("17/12/2026");
});

test("without campaigns there is no campaign flag", () => {
  startSession(
    "t",
    givenUser({ company: { settings: [{ key: "campaignsEnabled", value: "false" }] } }),
  );
  expect(localStorage.getItem("cshow")).toBeNull();
});

test("a renewed token is the same sign-in, a second sign-in is another", () => {
  startSession("t1", givenUser());
  const first = currentSession()?.id;
  renewSession("t2", givenUser());
  expect([currentSession()?.token, currentSession()?.id]).toEqual(["t2", first]);
  startSession("t3", givenUser());
  expect(currentSession()?.id).not.toBe(first);
});

test("a live update of the user keeps the settings that it does not carry", () => {
  startSession("t", givenUser());
  const { settings, ...company } = givenUser().company;
  updateSessionUser({ ...givenUser({ name: "Marina Lima" }), company });
  expect(currentSession()?.user.name).toBe("Marina Lima");
  expect(currentSession()?.user.company.settings).toEqual(settings);
});

describe("the end of a session", () => {
  test("by expiry keeps drafts for the same user and shows the reason", () => {
    startSession("t", givenUser());
    localStorage.setItem("draft", "meio escrito");
    endSession("expired");
    expect(currentSession()).toBeNull();
    expect(localStorage.getItem("token")).toBeNull();
    expect(localStorage.getItem("draft")).toBe("meio escrito");
    expect(signOutToExplain()).toBe("expired");
  });

  test("by signing out keeps only settings of the device and shows no reason", () => {
    localStorage.setItem("balcao.theme", "dark");
    localStorage.setItem("balcao.sign.7", "off");
    localStorage.setItem("balcao.tasks.3.7", "[]");
    startSession("t", givenUser());
    localStorage.setItem("draft", "meio escrito");
    endSession("logout");
    expect(localStorage.getItem("draft")).toBeNull();
    expect(localStorage.getItem("userId")).toBeNull();
    expect(localStorage.getItem("balcao.theme")).toBe("dark");
    expect(localStorage.getItem("balcao.sign.7")).toBe("off");
    expect(localStorage.getItem("balcao.tasks.3.7")).toBe("[]");
    expect(signOutToExplain()).toBeNull();
  });

  test("keeps unsent messages for their user, and signing out removes that user's alone", () => {
    const unsent = (userId: number): string => `${unsentPrefix({ companyId: 3, userId })}1.a`;
    startSession("t", givenUser());
    localStorage.setItem(unsent(7), "{}");
    endSession("elsewhere");
    startSession("t", givenUser({ id: 8 }));
    localStorage.setItem(unsent(8), "{}");
    endSession("logout");
    expect(localStorage.getItem(unsent(7))).toBe("{}");
    expect(localStorage.getItem(unsent(8))).toBeNull();
    startSession("t", givenUser());
    endSession("logout");
    expect(localStorage.getItem(unsent(7))).toBeNull();
  });

  test("by another computer keeps its reason when a refused call follows", () => {
    startSession("t", givenUser());
    endSession("elsewhere");
    endSession("expired");
    expect(signOutToExplain()).toBe("elsewhere");
  });

  test("shows its reason until the next sign-in", () => {
    startSession("t", givenUser());
    endSession("expired");
    startSession("t", givenUser());
    expect(signOutToExplain()).toBeNull();
  });
});

describe("the data of an ended session", () => {
  test("is kept for the same user's next session", () => {
    startSession("t", givenUser());
    localStorage.setItem("draft", "meio escrito");
    endSession("expired");
    startSession("t", givenUser());
    expect(localStorage.getItem("draft")).toBe("meio escrito");
  });

  test("is removed when another user signs in", () => {
    startSession("t", givenUser());
    localStorage.setItem("draft", "meio escrito");
    endSession("expired");
    startSession("t", givenUser({ id: 8 }));
    expect(localStorage.getItem("draft")).toBeNull();
  });
});

describe("another tab", () => {
  /** The event that the browser sends when another tab writes. */
  const tell = (key: string | null): void => {
    window.dispatchEvent(new StorageEvent("storage", { key, storageArea: localStorage }));
  };

  test("that renews the token renews it here", () => {
    const stop = followOtherTabs();
    startSession("t1", givenUser());
    localStorage.setItem("token", '"t2"');
    tell("token");
    expect(currentSession()?.token).toBe("t2");
    stop();
  });

  test("that signs out signs out here", () => {
    const stop = followOtherTabs();
    startSession("t1", givenUser());
    localStorage.removeItem("token");
    tell("token");
    expect(currentSession()).toBeNull();
    stop();
  });

  test("that clears everything signs out here", () => {
    const stop = followOtherTabs();
    startSession("t1", givenUser());
    localStorage.clear();
    tell(null);
    expect(currentSession()).toBeNull();
    stop();
  });

  test("that writes the same session changes nothing", () => {
    startSession("t1", givenUser());
    const listener = vi.fn();
    const stop = subscribeToSession(listener);
    adoptStoredSession();
    expect(listener).not.toHaveBeenCalled();
    stop();
  });
});

test.each(["{broken", '"only a text"', "null", '{"id":"7"}'])(
  "a stored user that cannot be read (%s) is nobody",
  (text) => {
    startSession("t1", givenUser());
    localStorage.setItem("balcao.user", text);
    adoptStoredSession();
    expect(currentSession()).toBeNull();
  },
);
