import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { createLine, newCustomer, schedule, show } from "./testing/line.ts";

test("a due message is taken within five seconds, without a wake-up", async () => {
  const app = await testApp();
  const line = await createLine(app);
  const { contactId } = await newCustomer(app, line);
  const { id } = await schedule(app, line.agent, { contactId, minutes: 1 });
  app.clock.advance(61_000);
  // A little more than the pause: the round itself takes its time.
  await vi.waitFor(
    async () => expect((await show(app, line.agent, id)).status).not.toBe("PENDENTE"),
    { timeout: 8_000, interval: 50 },
  );
});
