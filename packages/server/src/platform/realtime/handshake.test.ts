import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CompanyId, UserId } from "@balcao/contract";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { connectLive } from "../../features/auth/testing/live-client.ts";
import type { Authenticator } from "../context.ts";
import { DomainError } from "../context.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { systemSources } from "../sources.ts";
import { createRealtimeServer } from "./server.ts";

/** A live channel over an authenticator whose database behaves like this. */
async function started(authorise: Authenticator["authorise"]) {
  const server = createServer();
  const lines: string[] = [];
  const realtime = await createRealtimeServer({
    options: { distributed: false, serviceUrl: "", checkPayloads: true },
    server,
    log: pino({ level: "trace" }, { write: (line: string) => lines.push(line) }),
    clock: systemSources.clock,
    ids: systemSources.ids,
    metrics: createMetrics(),
    authenticator: {
      identify: async () => ({
        companyId: 1 as CompanyId,
        userId: 1 as UserId,
        tokenVersion: 1,
      }),
      knownBrowser: () => null,
      authorise,
      reload: async () => null,
    },
    canSeeTicket: async () => false,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await realtime.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, lines };
}

test("while the database is away nobody is refused: the client waits until it is back", async () => {
  let tries = 0;
  const { url, lines } = await started(async ({ companyId, userId }, _call, requestId) => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error("down"), { code: "ECONNREFUSED" });
    const plan = {
      useCampaigns: true,
      useKanban: true,
      useOpenAi: true,
      useIntegrations: true,
      useSchedules: true,
      useInternalChat: true,
      useExternalApi: true,
    };
    const actor = { kind: "user", name: "Ana", profile: "user", super: false } as const;
    return {
      companyId,
      requestId,
      actor: { ...actor, userId, seesNoQueue: false, queueIds: [], ownerlessQueueIds: [], plan },
    };
  });
  const client = await connectLive(url, "secret-token", { inQuery: true });
  expect(client.ending()).toBeNull();
  expect(tries).toBe(2);
  expect(lines.join()).not.toContain("secret-token");
});

test("a refusal is told as its code, a defect as one of ours and without its words", async () => {
  const refusing = await started(async () => {
    throw new DomainError("ERR_SESSION_EXPIRED");
  });
  expect((await connectLive(refusing.url, "t", {})).ending()).toBe("ERR_SESSION_EXPIRED");
  const broken = await started(async () => {
    throw new TypeError("inner words");
  });
  expect((await connectLive(broken.url, "t", {})).ending()).toBe("ERR_INTERNAL");
  expect(broken.lines.join()).toContain("handshake failed");
});
