import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { createLine, newCustomer, schedule, show } from "./testing/line.ts";

test("a due message is taken without a wake-up", async () => {
  const app = await testApp();
  const line = await createLine(app);
  const { contactId } = await newCustomer(app, line);
  const { id } = await schedule(app, line.agent, { contactId, minutes: 1 });
  app.clock.advance(61_000);
  await vi.waitFor(async () =>
    expect((await show(app, line.agent, id)).status).not.toBe("PENDENTE"),
  );
});
