import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";

const app = await testApp();

test.each([
  ["/prompt", "prompts"],
  ["/queueIntegration", "queueIntegrations"],
])("%s is an empty page, whatever the plan", async (path, list) => {
  const flags = { useOpenAi: false, useIntegrations: false };
  for (const plan of [{}, flags]) {
    const user = await app.given.agent({ company: await app.given.company({ plan }) });
    const reply = await app.as(user).get(`${path}?pageNumber=1&searchParam=`);
    expect([reply.status, reply.body]).toEqual([200, { [list]: [], count: 0, hasMore: false }]);
  }
});
