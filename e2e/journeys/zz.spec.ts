import { test, signIn } from "../support/journey.ts";
test("d", async ({ browserOf, staff }) => {
  const page = await browserOf();
  page.on("console", (m) => console.log("C", m.type(), m.text()));
  page.on("pageerror", (e) => console.log("E", e.stack));
  page.on("response", (r) => r.url().includes("api") && console.log(r.status(), r.url()));
  await page.goto("/login");
  await page.evaluate(() => { const s = Storage.prototype.setItem; Storage.prototype.setItem = function (k, v) { console.log("set", k); s.call(this, k, v); }; });
  await signIn(page, staff.marina);
  await page.waitForTimeout(3000);
  console.log(page.url(), await page.locator("body").innerText());
});
