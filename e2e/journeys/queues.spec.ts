import { settledCount } from "../support/equal.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, showWaiting, tickets } from "../support/screens.ts";

// Opening what one may not see is a 403 in the console.
test.use({ expectedErrors: /status of 403 .*\/api\/tickets\// });

test("an agent outside the queue gets no event of its tickets, one inside gets all", async ({
  signedIn,
  staff,
  network,
}) => {
  const outside = await signedIn(staff.caio);
  const inside = await signedIn(staff.beatriz);
  for (const page of [outside, inside]) await showWaiting(page);
  const [outsideBefore, insideBefore] = await Promise.all(
    [outside, inside].map((page) => settledCount(page, "Aguardando")),
  );
  const customer = await network.customer("Renata Figueiredo");

  await test.step("without a queue every agent sees the ticket", async () => {
    await customer.writes("Enviei o comprovante do PIX");
    for (const page of [outside, inside]) {
      await expect(tickets.card(page, customer.name)).toBeVisible();
    }
    await expect(tickets.chip(outside, "Aguardando")).toHaveText(
      `Aguardando ${Number(outsideBefore) + 1}`,
    );
  });

  const ticket = await customer.ticket();
  await test.step("in the queue Financeiro it leaves the lists of agents outside it", async () => {
    await network.moveToQueue(ticket, "Financeiro");
    await expect(tickets.card(inside, customer.name)).toContainText("Financeiro");
    await expect(tickets.card(outside, customer.name)).toHaveCount(0);
    await expect(tickets.chip(outside, "Aguardando")).toHaveText(`Aguardando ${outsideBefore}`);
    await expect(tickets.chip(inside, "Aguardando")).toHaveText(
      `Aguardando ${Number(insideBefore) + 1}`,
    );
  });

  await test.step("its later events stay there", async () => {
    await customer.writes("Chegou?");
    await expect(tickets.card(inside, customer.name)).toContainText("Chegou?");
    // Events of one company arrive in order: once the other one is here, this one would be.
    const other = await network.customer("Samuel Tavares");
    await other.writes("Bom dia");
    await expect(tickets.card(outside, other.name)).toBeVisible();
    await expect(tickets.card(outside, customer.name)).toHaveCount(0);
    await expect(tickets.chip(outside, "Aguardando")).toHaveText(
      `Aguardando ${Number(outsideBefore) + 1}`,
    );
  });

  await test.step("its address is refused to the agent outside and opens for the one inside", async () => {
    await acceptWaiting(inside, customer.name);
    await outside.goto(`/tickets/${ticket.uuid}`);
    await expect(outside.getByText("Acesso não permitido")).toBeVisible();
    await expect(outside).toHaveURL("/tickets");
    await expect(outside.getByText("Enviei o comprovante do PIX")).toHaveCount(0);

    await inside.reload();
    await expect(tickets.message(inside, "Enviei o comprovante do PIX")).toBeVisible();
  });

  await test.step("an admin sees it, with its agent", async () => {
    const admin = await signedIn(staff.renata);
    await admin.getByRole("button", { name: "Ver todos" }).click();
    await expect(tickets.card(admin, customer.name)).toContainText("Beatriz Lopes");
    await admin.goto(`/tickets/${ticket.uuid}`);
    await expect(tickets.message(admin, "Enviei o comprovante do PIX")).toBeVisible();
  });
});
