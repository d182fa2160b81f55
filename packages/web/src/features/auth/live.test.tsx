import { act, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  adoptStoredSession,
  currentSession,
  endSession,
  renewSession,
  signOutToExplain,
  startSession,
} from "../../api/session-store.ts";
import type { FakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { LiveSession } from "./live.ts";
import { useStoredSession } from "./session.ts";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const reload = vi.fn();
const signIn = { action: "update", user: { id: 7, email: "marina@aurora.com.br", companyId: 3 } };

/** Does what the shell does with a session. */
function Screen(): ReactNode {
  const session = useStoredSession();
  return session ? <LiveSession key={session.id} session={session} /> : <p>signed out</p>;
}

async function online(): Promise<FakeSocket> {
  const before = sockets.length;
  renderScreen(<Screen />);
  await waitFor(() => expect(sockets.length).toBeGreaterThan(before));
  const socket = sockets.at(-1);
  if (!socket) throw new Error("no socket was opened");
  act(() => socket.receive("ready"));
  return socket;
}

/** Our own sign-in was long enough ago: a sign-in event belongs to another one. */
const signedInAWhileAgo = (): void => {
  const now = Date.now();
  vi.setSystemTime(now - 60_000);
  startSession(givenToken("ours", 3_600), givenUser());
  vi.setSystemTime(now);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  reload.mockReset();
  vi.spyOn(window.location, "reload").mockImplementation(reload);
});

afterEach(() => {
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("when the account signs in on another computer", () => {
  test("a notice is shown, and a second later the session is cleared and the page reloads", async () => {
    signedInAWhileAgo();
    const socket = await online();
    act(() => socket.receive("company-3-auth", signIn));
    expect(currentSession()).not.toBeNull();
    expect(await screen.findByText("Sua conta foi acessada em outro computador.")).toBeTruthy();
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
    expect(localStorage.getItem("token")).toBeNull();
    expect(signOutToExplain()).toBe("elsewhere");
  });

  test("a call that is refused within that second changes nothing", async () => {
    signedInAWhileAgo();
    const socket = await online();
    act(() => socket.receive("company-3-auth", signIn));
    act(() => endSession("expired"));
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
    expect(signOutToExplain()).toBe("elsewhere");
  });

  test("another user of the company stays signed in", async () => {
    signedInAWhileAgo();
    const socket = await online();
    act(() => socket.receive("company-3-auth", { ...signIn, user: { ...signIn.user, id: 8 } }));
    expect(signOutToExplain()).toBeNull();
  });

  test("a session that has just started ignores its own event", async () => {
    startSession(givenToken("ours", 3_600), givenUser());
    const socket = await online();
    act(() => socket.receive("company-3-auth", signIn));
    expect(signOutToExplain()).toBeNull();
  });

  test("a tab of an older sign-in does not clear a newer one", async () => {
    signedInAWhileAgo();
    const socket = await online();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const newer = givenToken("newer", 3_600);
    act(() => socket.receive("company-3-auth", signIn));
    // Like another tab: this one notices it only through the storage.
    localStorage.setItem("balcao.session", JSON.stringify({ id: "newer", startedAtMs: 1 }));
    localStorage.setItem("token", JSON.stringify(newer));
    act(() => adoptStoredSession());
    act(() => void vi.advanceTimersByTime(5_000));
    expect(reload).not.toHaveBeenCalled();
    expect(currentSession()?.token).toBe(newer);
  });

  test("it works after a renewal of the token too", async () => {
    signedInAWhileAgo();
    const socket = await online();
    act(() => renewSession(givenToken("renewed", 3_600), givenUser()));
    act(() => socket.receive("company-3-auth", signIn));
    expect(signOutToExplain()).toBe("elsewhere");
  });
});

describe("when the user changes on the server", () => {
  test("the signed-in user is replaced", async () => {
    signedInAWhileAgo();
    const socket = await online();
    const user = givenUser({ name: "Marina Lima", profile: "user" });
    act(() => socket.receive("company-3-user", { action: "update", user }));
    expect(currentSession()?.user).toMatchObject({ name: "Marina Lima", profile: "user" });
  });

  test("another user's change is ignored", async () => {
    signedInAWhileAgo();
    const socket = await online();
    const user = givenUser({ id: 8, name: "Caio" });
    act(() => socket.receive("company-3-user", { action: "update", user }));
    expect(currentSession()?.user.name).toBe("Marina Prado");
  });

  test("a removed user is signed out", async () => {
    signedInAWhileAgo();
    const socket = await online();
    act(() => socket.receive("company-3-user", { action: "delete", userId: 7 }));
    expect(await screen.findByText("signed out")).toBeTruthy();
  });
});

test("signing out closes the live channel", async () => {
  signedInAWhileAgo();
  const socket = await online();
  act(() => endSession("logout"));
  expect(socket.isOpen).toBe(false);
});
