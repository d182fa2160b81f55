import { expect, test } from "../support/journey.ts";

// A refusal by the policy is an error in the console, and would fail any other journey.
test.use({ expectedErrors: /Content Security Policy/ });

test("the page runs no code but its own files, and the console tells of what was refused", async ({
  browserOf,
}) => {
  const page = await browserOf();
  await page.goto("/login");
  const refusal = page.waitForEvent("console", (message) => message.type() === "error");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.documentElement.dataset.injected = 'yes'";
    document.head.append(script);
    return document.documentElement.dataset["injected"] ?? "no";
  });
  expect(ran).toBe("no");
  expect((await refusal).text()).toContain("Content Security Policy");
});
