import type { Page, Route } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { showWaiting, tickets } from "../support/screens.ts";

// The refused acceptance is a 400 in the console of the one who came second.
test.use({ expectedErrors: /status of 400 .*\/api\/tickets\/\d+/ });

test("when two agents accept at the same moment, one gets the ticket and the other reads who has it", async ({
  signedIn,
  staff,
  network,
}) => {
  const marina = await signedIn(staff.marina);
  const caio = await signedIn(staff.caio);
  const customer = await network.customer("Bianca Moreira");
  await customer.writes("Qual o valor do frete?");
  for (const page of [marina, caio]) {
    await showWaiting(page);
    await expect(tickets.card(page, customer.name)).toBeVisible();
  }
  await holdUntilBothAsk([marina, caio]);

  const accept = `Aceitar atendimento de ${customer.name}`;
  await Promise.all(
    [marina, caio].map((page) => page.getByRole("button", { name: accept }).click()),
  );

  const opened = /\/tickets\/[0-9a-f-]{36}$/;
  await expect.poll(() => [marina, caio].filter((page) => opened.test(page.url())).length).toBe(1);
  const [winner, loser, name] = opened.test(marina.url())
    ? [marina, caio, "Marina Prado"]
    : [caio, marina, "Caio Nunes"];

  await expect(tickets.composer(winner, customer.name)).toBeEnabled();
  await expect(loser.getByText(`${name} já está atendendo`)).toBeVisible();
  await expect(tickets.card(loser, customer.name)).toHaveCount(0);
  await expect(loser).toHaveURL("/tickets");
  expect((await customer.ticket()).user?.name).toBe(name);
});

/** Holds the requests that accept until each page has made its own: neither can hear of the other's before. */
async function holdUntilBothAsk(pages: readonly Page[]): Promise<void> {
  const held: Route[] = [];
  for (const page of pages) {
    await page.route("**/api/tickets/*", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      held.push(route);
      if (held.length < pages.length) return undefined;
      await Promise.all(held.map((one) => one.continue()));
      return undefined;
    });
  }
}
