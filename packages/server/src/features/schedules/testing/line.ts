import type { Schedule, SimulatorMessage } from "@balcao/contract";
import { expect, vi } from "vitest";
import type { TestApp, TestAppOptions } from "../../../testing/app.ts";
import { testApp } from "../../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../../testing/given.ts";
import { unique } from "../../../testing/given.ts";

export const patience = { interval: 20 };

/** The product, looking for due schedules and for connections all the time. */
export const schedulingApp = (options: TestAppOptions = {}): Promise<TestApp> =>
  testApp({ scheduleLookMs: 20, channelSettings: { lookEveryMs: 100 }, ...options });

export type Line = Awaited<ReturnType<typeof createLine>>;

/** A company with a connected connection, an admin and an agent. */
export async function createLine(app: TestApp) {
  const { given } = app;
  const company: GivenCompany = await given.company();
  const admin = await given.admin({ company });
  const agent = await given.agent({ company, name: "Ana" });
  const connectionId = await given.connection({ company });
  const line = { company, admin, agent, connectionId };
  await vi.waitFor(
    async () => expect(await connectionStatus(app, line)).toBe("CONNECTED"),
    patience,
  );
  return line;
}

export async function connectionStatus(
  app: TestApp,
  { admin, connectionId }: Pick<Line, "admin" | "connectionId">,
): Promise<string> {
  const reply = await app.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
  return reply.body.status;
}

export const setNetwork = (app: TestApp, { admin, connectionId }: Line, network: object) =>
  app.as(admin).put(`/simulator/connections/${connectionId}/network`, network);

/** A customer with a closed ticket on the line. */
export function newCustomer(app: TestApp, { company, connectionId }: Line, name = "Bia Cliente") {
  const phone = `55119${String(80_000_000 + unique())}`;
  return app.given.ticket({ company, connectionId, phone, contactName: name, status: "closed" });
}

/** The company's messages on the customer's phone, in their order. */
export async function arrived(
  app: TestApp,
  { admin, connectionId }: Line,
  phone: string,
): Promise<SimulatorMessage[]> {
  const path = `/simulator/connections/${connectionId}/chats/${phone}/messages`;
  const { body } = await app.as(admin).get<SimulatorMessage[]>(path);
  return body.filter(({ fromCustomer }) => !fromCustomer);
}

/** A schedule so many minutes ahead. */
export async function schedule(
  app: TestApp,
  user: GivenUser,
  wish: { contactId: number; minutes: number; body?: string },
): Promise<Schedule> {
  const { contactId, minutes, body = "Olá de novo" } = wish;
  const sendAt = new Date(app.clock.now().getTime() + minutes * 60_000).toISOString();
  const reply = await app.as(user).post<Schedule>("/schedules", { body, contactId, sendAt });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

export async function show(app: TestApp, user: GivenUser, id: number): Promise<Schedule> {
  return (await app.as(user).get<Schedule>(`/schedules/${id}`)).body;
}

/** Resolves once the schedule is in this state. */
export function untilStatus(
  app: TestApp,
  user: GivenUser,
  id: number,
  status: Schedule["status"],
): Promise<Schedule> {
  return vi.waitFor(async () => {
    const found = await show(app, user, id);
    expect(found).toMatchObject({ status });
    return found;
  }, patience);
}

export const MINUTE_MS = 60_000;
