import type { Connection } from "@balcao/contract";
import { afterEach, expect, test } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { connectionList } from "./api.ts";

afterEach(() => {
  queryClient.clear();
  endSession("logout");
});

function known(connection: Connection): () => Connection | undefined {
  queryClient.setQueryData(["connections"], [connection]);
  return () => queryClient.getQueryData<Connection[]>(["connections"])?.[0];
}

test("a late reply changes the settings and keeps the session of later events", () => {
  const shown = known(
    givenConnection(1, "Loja", {
      status: "CONNECTED",
      number: "5511940000001",
      updatedAt: "2026-11-20T10:00:02.000Z",
    }),
  );
  connectionList.apply({
    row: givenConnection(1, "Loja nova", {
      status: "OPENING",
      updatedAt: "2026-11-20T10:00:01.000Z",
    }),
  });
  expect(shown()).toMatchObject({
    name: "Loja nova",
    status: "CONNECTED",
    number: "5511940000001",
  });
});

test("a list read before an event does not remove the event's code", async () => {
  const late = givenConnection(1, "Loja nova", {
    status: "OPENING",
    qrcode: "",
    updatedAt: "2026-11-20T10:00:01.000Z",
  });
  const other = givenConnection(2, "Outra");
  fakeServer({ "GET /api/whatsapp": () => ({ body: [late, other] }) });
  startSession(givenToken("t", 3_600), givenUser());
  const reading = queryClient.query(connectionList.query);
  connectionList.apply({
    row: givenConnection(1, "Loja nova", {
      status: "qrcode",
      qrcode: "2@abc",
      updatedAt: "2026-11-20T10:00:02.000Z",
    }),
  });
  expect(await reading).toEqual([
    expect.objectContaining({ name: "Loja nova", status: "qrcode", qrcode: "2@abc" }),
    other,
  ]);
});

test("newer data replaces older data", () => {
  const shown = known(
    givenConnection(1, "Loja", { status: "OPENING", updatedAt: "2026-11-20T10:00:01.000Z" }),
  );
  connectionList.apply({
    row: givenConnection(1, "Loja", {
      status: "DISCONNECTED",
      updatedAt: "2026-11-20T10:00:02.000Z",
    }),
  });
  expect(shown()?.status).toBe("DISCONNECTED");
});
