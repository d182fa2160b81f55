import "fake-indexeddb/auto";
import { hashKey } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { ApiError } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentSession, endSession, startSession, startVisit } from "../../api/session-store.ts";
import { givenUser } from "../../testing/given.ts";
import { startKeeping } from "./keeper.ts";
import { openVault, removeVault } from "./vault.ts";

let stop: () => void = () => undefined;
afterEach(async () => {
  stop();
  endSession("logout");
  queryClient.clear();
  await removeVault();
});

const history = (count: number, more: object = {}) => ({
  ...{ messages: Array.from({ length: count }, (_, id) => ({ id })), hasMore: false },
  ...{ hasNewer: false, ...more },
});

/** The kept value of a query; opened anew, as by the next page. */
async function kept(key: unknown[]): Promise<unknown> {
  const vault = await openVault(currentSession()?.id ?? "", Date.now);
  const found = await vault.get(hashKey(key));
  vault.close();
  return found?.value ?? null;
}

/** The number of stored rows; opened without the key, which is made only once. */
async function countRows(): Promise<number> {
  if ((await indexedDB.databases()).length === 0) return 0;
  const opening = indexedDB.open("balcao.kept", 1);
  await new Promise((resolve) => opening.addEventListener("success", resolve));
  const asked = opening.result.transaction("rows").objectStore("rows").count();
  await new Promise((resolve) => asked.addEventListener("success", resolve));
  opening.result.close();
  return asked.result;
}

/** Leaves the page, and waits until so many values are written; the time of the last one is a row more. */
async function leave(values: number): Promise<void> {
  dispatchEvent(new Event("pagehide"));
  await vi.waitFor(async () => expect(await countRows()).toBe(values + 1));
}

test("the end of a conversation is kept, and no search, no part of the past and no secret of a connection", async () => {
  startSession("t", givenUser());
  stop = startKeeping();
  queryClient.setQueryData(["messages", 7], history(60));
  queryClient.setQueryData(["messages", 8], history(3, { hasNewer: true }));
  queryClient.setQueryData(["tickets", "search", "CPF"], ["Ana"]);
  const secrets = { token: "segredo", qrcode: "2@abc", pairingCode: "ABCD" };
  queryClient.setQueryData(["connections"], [{ id: 1, name: "Loja", ...secrets }]);
  await leave(2);
  expect(await kept(["messages", 7])).toEqual({
    ...{ messages: history(60).messages.slice(-50), hasMore: true, hasNewer: false },
  });
  expect([await kept(["messages", 8]), await kept(["tickets", "search", "CPF"])]).toEqual([
    ...[null, null],
  ]);
  expect(await kept(["connections"])).toEqual([
    { id: 1, name: "Loja", token: null, qrcode: "", pairingCode: "" },
  ]);
});

test("without a network the kept value is shown, until the server answers again", async () => {
  startSession("t", givenUser());
  stop = startKeeping();
  queryClient.setQueryData(["messages", 7], history(2));
  await leave(1);
  queryClient.clear();
  const ask = (queryFn: () => Promise<object>) =>
    queryClient.fetchQuery({ queryKey: ["messages", 7], queryFn, retry: false, staleTime: 0 });
  const away = new ApiError({ status: 0, code: "ERR_NETWORK" });
  await expect(ask(() => Promise.reject(away))).rejects.toBe(away);
  await vi.waitFor(() => expect(queryClient.getQueryData(["messages", 7])).toEqual(history(2)));
  expect(queryClient.getQueryState(["messages", 7])?.error).toBeNull();
  await ask(async () => history(3));
  expect(queryClient.getQueryData(["messages", 7])).toEqual(history(3));
});

test("a visit of the provider keeps nothing", async () => {
  startSession("t", givenUser());
  stop = startKeeping();
  queryClient.setQueryData(["messages", 7], history(2));
  await leave(1);
  startVisit("t", givenUser(), { companyName: "Aurora", endsAt: "2099-01-01T00:00:00.000Z" });
  queryClient.setQueryData(["messages", 8], history(2));
  dispatchEvent(new Event("pagehide"));
  // Longer than a vault takes to open.
  await new Promise((resolve) => {
    setTimeout(resolve, 60);
  });
  expect(await indexedDB.databases()).toEqual([]);
});
