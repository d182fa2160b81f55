import { companyEvent, clientEvents, endpoints, ticketStatuses } from "@balcao/contract";
import { expect, onTestFailed, test, vi } from "vitest";
import type { LiveClient } from "../../features/auth/testing/live-client.ts";
import { connectLive } from "../../features/auth/testing/live-client.ts";
import { testApp } from "../app.ts";
import { createDatabase, testDatabase } from "../database.ts";
import { converse } from "./crash/conversation.ts";
import { newInstallation } from "./crash/installation.ts";
import { createClient, signIn } from "./crash/patient-client.ts";

function openTicketsPage(client: LiveClient): LiveClient {
  client.socket.emit(clientEvents.joinNotification);
  for (const status of ticketStatuses) client.socket.emit(clientEvents.joinTickets, status);
  return client;
}

const often = { interval: 20 };

test("events of one process reach the sockets of the other at once", async () => {
  const database = await testDatabase();
  const left = await testApp({ database, distributed: true });
  const right = await testApp({ database, distributed: true });
  const { given } = left;
  const company = await given.company();
  const queueId = await given.queue({ company });
  const [ana, bia] = [
    await given.agent({ company, queueIds: [queueId] }),
    await given.agent({ company, queueIds: [queueId] }),
  ];
  const admin = await given.admin({ company });
  const connectionId = await given.connection({ company, queueIds: [queueId] });
  const anasPage = openTicketsPage(await left.live(ana));
  const biasPage = openTicketsPage(await right.live(bia));

  const chat = `/simulator/connections/${connectionId}/chats/5511944440001`;
  await right.as(admin).post(`${chat}/messages`, { body: "Bom dia" });
  const arrived = await anasPage.next(companyEvent(company.id, "appMessage"));
  expect(arrived).toMatchObject({ action: "create", message: { body: "Bom dia" } });
  expect(await biasPage.next(companyEvent(company.id, "appMessage"))).toEqual(arrived);

  const list = await right.as(bia).get("/tickets?status=pending");
  const [ticket] = endpoints["GET /tickets"].reply.parse(list.body).tickets;
  // Ana accepts in the right process; Bia gets the event there, and Ana's socket in the left one gets it too.
  const accepted = await right.as(ana).put(`/tickets/${ticket?.id}`, { status: "open" });
  expect(accepted.status).toBe(200);
  await vi.waitFor(() => {
    for (const page of [anasPage, biasPage]) {
      expect(page.heard.map(({ payload }) => payload)).toContainEqual({
        action: "delete",
        ticketId: ticket?.id,
      });
    }
  }, often);
  // Bia, in the left process, is too late.
  const second = await left.as(bia).put(`/tickets/${ticket?.id}`, { status: "open" });
  expect([second.status, second.body]).toMatchObject([400, { code: "ERR_OTHER_OPEN_TICKET" }]);

  // The answer is accepted by whichever process and sent by the one that has the connection.
  for (const [index, process] of [left, right].entries()) {
    const reply = await process
      .as(ana)
      .post(`/messages/${ticket?.id}`, { body: `Resposta ${index}` });
    expect(reply.status).toBe(200);
  }
  await vi.waitFor(async () => {
    const reply = await left.as(admin).get<{ body: string }[]>(`${chat}/messages`);
    expect(reply.body.map(({ body }) => body)).toEqual(["Bom dia", "Resposta 0", "Resposta 1"]);
  }, often);
  // Bia got no such event.
  const heardByBia = JSON.stringify(biasPage.heard);
  expect(heardByBia).not.toContain("Resposta");

  // One stops, whoever had the connection: the other one goes on.
  await left.close();
  const more = `${chat}/messages`;
  await right.as(admin).post(more, { body: "Ainda aí?" });
  await vi.waitFor(async () => {
    const reply = await right
      .as(ana)
      .get<{ messages: { body: string }[] }>(`/messages/${ticket?.id}`);
    expect(reply.body.messages.map(({ body }) => body)).toContain("Ainda aí?");
  }, often);
});

test(
  "two real processes on one server serve as one, also when one of them is killed",
  { timeout: 300_000 },
  async () => {
    const environment = { DATABASE_URL: await createDatabase() };
    const left = await newInstallation({ environment });
    const right = await newInstallation({ environment });
    onTestFailed(() => void process.stderr.write(`${left.output()}\n${right.output()}`));
    const accounts = left.accounts();
    const [account] = accounts.agents;
    if (!account) throw new Error("the demo has no agents");
    const admin = await signIn(right, accounts.admin);
    const session = endpoints["POST /auth/login"].reply.parse(
      JSON.parse((await createClient(left.url, null).tryOnce("POST", "/auth/login", account)).text),
    );
    const page = openTicketsPage(await connectLive(left.url, session.token, {}));
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");

    // The customer's phone and the agent's calls are on the right, the agent's socket is on the left.
    const agent = createClient(right.url, session.token);
    const talk = { customer: admin, agent, connectionId: line.id, messages: 10, answers: 5 };
    const phone = "5511944440002";
    const { answered } = await converse({ ...talk, phone });
    const eventName = companyEvent(session.user.companyId, "appMessage");
    const bodiesHeard = (): string[] =>
      page.heard
        .filter(({ name }) => name === eventName)
        .map(({ payload }) => JSON.stringify(payload));
    await vi.waitFor(() => {
      for (const text of ["Mensagem 1 de", "Mensagem 10 de", ...answered]) {
        expect(bodiesHeard().some((body) => body.includes(text))).toBe(true);
      }
    }, often);

    // Whichever process owns the connection when the left one crashes: the right one soon serves everything.
    await left.kill();
    // The lease of a killed process lasts seventeen seconds: they pass at once.
    await right.query("update connection_leases set expires_at = now()");
    const later = await converse({ ...talk, phone: "5511944440003" });
    await vi.waitFor(
      async () => {
        const chat = `/simulator/connections/${line.id}/chats/${later.phone}/messages`;
        const messages = await admin.call(
          "GET /simulator/connections/:connectionId/chats/:phone/messages",
          chat,
        );
        expect(
          messages.filter(({ fromCustomer }) => !fromCustomer).map(({ body }) => body),
        ).toEqual(later.answered);
      },
      { timeout: 60_000, interval: 200 },
    );
  },
);
