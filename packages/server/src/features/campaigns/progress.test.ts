import { beforeAll, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { createLine, patience, schedulingApp } from "../schedules/testing/line.ts";
import { newMembers, planned, recipients, setSettings, statusOf } from "./testing/running.ts";

let app: TestApp;
beforeAll(async () => {
  app = await schedulingApp();
});

test("how a campaign gets on is told once a second at most, and once more at the end", async () => {
  const line = await createLine(app);
  await setSettings(app, line, { messageInterval: 0, greaterInterval: 0 });
  const live = await app.live(line.admin);
  const id = await planned(app, line, { members: newMembers(6) });
  const before = app.clock.now().getTime();
  await vi.waitFor(
    async () => {
      app.clock.advance(500);
      expect(await statusOf(app, id)).toBe("FINALIZADA");
      expect((await recipients(app, id)).every(({ status }) => status === "delivered")).toBe(true);
    },
    { ...patience, interval: 40 },
  );
  type Told = { record: { id: number; status: string; counts: Record<string, number> } };
  const name = `company-${line.company.id}-campaign`;
  const told = () =>
    live.heard
      .filter((event) => event.name === name)
      .map(({ payload }) => (payload as Told).record);
  await vi.waitFor(async () => {
    app.clock.advance(500);
    expect(told().at(-1)).toMatchObject({
      id,
      status: "FINALIZADA",
      counts: { people: 6, delivered: 6, waiting: 0 },
    });
  }, patience);
  const seconds = (app.clock.now().getTime() - before) / 1_000;
  // The start and the end are told besides.
  expect(told().length).toBeLessThanOrEqual(seconds + 2);
});
