import { afterEach, describe, expect, test, vi } from "vitest";
import { fakeServer } from "../testing/fake-server.ts";
import { givenUser } from "../testing/given.ts";
import { ApiError, call, endOnServer } from "./client.ts";
import { currentSession, endSession, startSession } from "./session-store.ts";

const expired = { status: 403, body: { error: "Invalid token.", code: "ERR_TOKEN_EXPIRED" } };
const renewed = { body: { token: "new", user: givenUser({ name: "Marina Lima" }) } };
const unread = { body: { unreadMessages: 0 } };
const markRead = () => call("POST /messages/:ticketId/read", { params: { ticketId: 12 } });

afterEach(() => {
  vi.restoreAllMocks();
  endSession("logout");
});

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error("expected an ApiError");
  return error;
}

test("a call goes below /api with its parameters, its query and the bearer", async () => {
  const { requests } = fakeServer({
    "GET /api/simulator/connections/4/chats": () => ({ body: [] }),
  });
  startSession("t1", givenUser());
  await call("GET /simulator/connections/:connectionId/chats", {
    params: { connectionId: 4 },
    query: { searchParam: "joão & maria" },
  });
  expect(requests).toEqual([
    {
      call: "GET /api/simulator/connections/4/chats?searchParam=jo%C3%A3o+%26+maria",
      authorization: "Bearer t1",
      body: undefined,
    },
  ]);
});

test("empty query values are left out and parameters are encoded", async () => {
  const { requests } = fakeServer({
    "GET /api/simulator/connections/4/chats/55%2F1/messages": () => ({ body: [] }),
  });
  startSession("t1", givenUser());
  await call("GET /simulator/connections/:connectionId/chats/:phone/messages", {
    params: { connectionId: 4, phone: "55/1" },
    query: { beforeId: "" },
  });
  expect(requests[0]?.call).toBe("GET /api/simulator/connections/4/chats/55%2F1/messages");
});

describe("an expired token", () => {
  test("is renewed once and the call is repeated with the new one", async () => {
    const { requests } = fakeServer({
      "POST /api/messages/12/read": ({ authorization }) =>
        authorization === "Bearer new" ? unread : expired,
      "POST /api/auth/refresh_token": () => renewed,
    });
    startSession("old", givenUser());
    expect(await markRead()).toEqual({ unreadMessages: 0 });
    expect(requests.map(({ call: name }) => name)).toEqual([
      "POST /api/messages/12/read",
      "POST /api/auth/refresh_token",
      "POST /api/messages/12/read",
    ]);
    expect(currentSession()?.user.name).toBe("Marina Lima");
  });

  test("met by several calls at once is renewed once for all of them", async () => {
    const { requests } = fakeServer({
      "POST /api/messages/12/read": ({ authorization }) =>
        authorization === "Bearer new" ? unread : expired,
      "POST /api/auth/refresh_token": () => renewed,
    });
    startSession("old", givenUser());
    await Promise.all([markRead(), markRead(), markRead()]);
    const renewals = requests.filter(({ call: name }) => name.endsWith("refresh_token"));
    expect(renewals).toHaveLength(1);
  });

  test("that another tab has renewed already is not renewed again", async () => {
    const { requests } = fakeServer({
      "POST /api/messages/12/read": ({ authorization }) =>
        authorization === "Bearer of-other-tab" ? unread : expired,
    });
    startSession("old", givenUser());
    localStorage.setItem("token", JSON.stringify("of-other-tab"));
    await markRead();
    expect(requests.map(({ authorization }) => authorization)).toEqual([
      "Bearer old",
      "Bearer of-other-tab",
    ]);
  });

  test("that stays expired after the renewal is an error, not a loop", async () => {
    const { requests } = fakeServer({
      "POST /api/messages/12/read": () => expired,
      "POST /api/auth/refresh_token": () => renewed,
    });
    startSession("old", givenUser());
    expect((await failureOf(markRead())).code).toBe("ERR_TOKEN_EXPIRED");
    expect(requests).toHaveLength(3);
  });

  test("that cannot be renewed without a network keeps the session", async () => {
    fakeServer({
      "POST /api/messages/12/read": () => expired,
      "POST /api/auth/refresh_token": () => "unreachable",
    });
    startSession("old", givenUser());
    expect((await failureOf(markRead())).code).toBe("ERR_NETWORK");
    expect(currentSession()?.token).toBe("old");
  });

  test("is not renewed while the session is ended on the server, and no call is made", async () => {
    const { requests } = fakeServer({ "DELETE /api/auth/logout": () => expired });
    startSession("old", givenUser());
    const ended = failureOf(endOnServer());
    expect((await failureOf(markRead())).status).toBe(401);
    expect((await ended).status).toBe(401);
    expect(requests).toHaveLength(1);
  });

  test("with a refused renewal ends the session", async () => {
    fakeServer({
      "POST /api/messages/12/read": () => expired,
      "POST /api/auth/refresh_token": () => ({
        status: 401,
        body: { error: "ERR_SESSION_EXPIRED", code: "ERR_SESSION_EXPIRED" },
      }),
    });
    startSession("old", givenUser());
    expect((await failureOf(markRead())).status).toBe(401);
    expect(currentSession()).toBeNull();
  });
});

test("a missing permission is an error without a renewal", async () => {
  const { requests } = fakeServer({
    "POST /api/messages/12/read": () => ({
      status: 403,
      body: { error: "ERR_NO_PERMISSION", code: "ERR_NO_PERMISSION" },
    }),
  });
  startSession("t1", givenUser());
  expect((await failureOf(markRead())).code).toBe("ERR_NO_PERMISSION");
  expect(requests).toHaveLength(1);
  expect(currentSession()).not.toBeNull();
});

describe("a 401", () => {
  const refused = {
    status: 401,
    body: { error: "ERR_SESSION_EXPIRED", code: "ERR_SESSION_EXPIRED" },
  };

  test("clears the session", async () => {
    fakeServer({ "POST /api/messages/12/read": () => refused });
    startSession("t1", givenUser());
    await failureOf(markRead());
    expect(currentSession()).toBeNull();
    expect(localStorage.getItem("token")).toBeNull();
  });

  test("that answers a call of an earlier session leaves the present one alone", async () => {
    fakeServer({
      "POST /api/messages/12/read": () => {
        startSession("t2", givenUser());
        return refused;
      },
    });
    startSession("t1", givenUser());
    await failureOf(markRead());
    expect(currentSession()?.token).toBe("t2");
  });

  test("for a sign-in reports a wrong password and keeps the session", async () => {
    const { requests } = fakeServer({
      "POST /api/auth/login": () => ({
        status: 401,
        body: { error: "ERR_INVALID_CREDENTIALS", code: "ERR_INVALID_CREDENTIALS" },
      }),
    });
    const signIn = call("POST /auth/login", { body: { email: "a@b.co", password: "x" } });
    expect((await failureOf(signIn)).code).toBe("ERR_INVALID_CREDENTIALS");
    expect(requests[0]?.authorization).toBeNull();
  });
});

test("a call is not repeated as another user who signed in meanwhile", async () => {
  const { requests } = fakeServer({
    "POST /api/messages/12/read": () => {
      startSession("of-another", givenUser({ id: 8 }));
      return expired;
    },
  });
  startSession("old", givenUser());
  expect((await failureOf(markRead())).code).toBe("ERR_SESSION_EXPIRED");
  expect(requests).toHaveLength(1);
  expect(currentSession()?.token).toBe("of-another");
});

test("a renewal that ends after signing out does not bring the session back", async () => {
  fakeServer({
    "POST /api/messages/12/read": () => expired,
    "POST /api/auth/refresh_token": () => {
      endSession("logout");
      return renewed;
    },
  });
  startSession("old", givenUser());
  await markRead().catch(() => undefined);
  expect(currentSession()).toBeNull();
  expect(localStorage.getItem("token")).toBeNull();
});

describe("without a usable reply", () => {
  test("a network failure is ERR_NETWORK", async () => {
    fakeServer({ "GET /api/version": () => "unreachable" });
    const { status, code } = await failureOf(call("GET /version", {}));
    expect([status, code]).toEqual([0, "ERR_NETWORK"]);
  });

  test("a call times out after 20 seconds as ERR_TIMEOUT", async () => {
    fakeServer({ "GET /api/version": () => "never" });
    const clock = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(clock.signal);
    const failure = failureOf(call("GET /version", {}));
    clock.abort();
    expect((await failure).code).toBe("ERR_TIMEOUT");
    expect(timeout).toHaveBeenCalledWith(20_000);
  });

  test("a call aborted by its caller rejects with the abort, not with an error to show", async () => {
    fakeServer({ "GET /api/version": () => "never" });
    const caller = new AbortController();
    const answer = call("GET /version", {}, { signal: caller.signal });
    caller.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });

  test("a proxy's page in place of the product is ERR_UNAVAILABLE", async () => {
    fakeServer({ "GET /api/version": () => ({ status: 502, html: "<h1>Bad Gateway</h1>" }) });
    expect((await failureOf(call("GET /version", {}))).code).toBe("ERR_UNAVAILABLE");
  });
});

test("an error without a code has its text as the code", async () => {
  fakeServer({
    "GET /api/version": () => ({ status: 409, body: { error: "Algo específico" } }),
  });
  const { code, message } = await failureOf(call("GET /version", {}));
  expect([code, message]).toEqual(["Algo específico", "Algo específico"]);
});
