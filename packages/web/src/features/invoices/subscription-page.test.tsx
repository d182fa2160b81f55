import type { Subscription } from "@balcao/contract";
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { SubscriptionPage } from "./subscription-page.tsx";
import { ENDED, givenSubscription, NOW, PAID_UNTIL } from "./testing/given-subscription.ts";

const TRIAL_END = "2026-11-23T02:59:59.999Z";

function open(dates: Partial<Subscription["company"]>, fields: Partial<Subscription> = {}) {
  const company = { ...givenSubscription().company, ...dates };
  fakeServer({
    "GET /api/subscription": () => ({ body: givenSubscription({ company, ...fields }) }),
  });
  const steps = memorySteps("/subscription");
  renderOnCache(
    <Router steps={steps}>
      <SubscriptionPage />
    </Router>,
  );
  return { address: () => steps.current() };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  startSession(givenToken("t", 3_600), givenUser({ company: { dueDate: TRIAL_END } }));
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
});

const last = "2026-11-20T02:59:59.999Z";
test.each([
  [{ dueDate: TRIAL_END, trialExpiration: TRIAL_END }, "Período de teste, restam 3 dias"],
  [{ dueDate: last, trialExpiration: last }, "Período de teste, termina hoje"],
  [{ dueDate: PAID_UNTIL, trialExpiration: last }, "Ativa, vence em 30 dias (19/12/2026)"],
  [{ dueDate: last, trialExpiration: null }, "Ativa, vence hoje"],
  [{ dueDate: ENDED, trialExpiration: null }, "Venceu em 18/11/2026"],
  [{ dueDate: null, trialExpiration: null }, "Ativa, sem vencimento"],
])("the dates %j are told as %j, with the billing e-mail", async (dates, words) => {
  open(dates);
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.getByText("contato@aurora.com.br")).toBeTruthy();
});

test("the button leads to the checkout of the open invoice", async () => {
  const { address } = open({ dueDate: TRIAL_END, trialExpiration: TRIAL_END });
  await userEvent.click(await screen.findByRole("button", { name: "Assine Agora!" }));
  expect(address()).toMatchObject({ pathname: "/financeiro", search: "?pay" });
});

test.each([
  ["financeiro@conectasul.com.br", "Para assinar, escreva para financeiro@conectasul.com.br"],
  ["", "Para assinar, fale com quem instalou o sistema na sua empresa."],
])("where nothing can be paid it says whom to contact: %j", async (contact, words) => {
  open({}, { invoice: null, canPay: false, contact });
  await userEvent.click(await screen.findByRole("button", { name: "Assine Agora!" }));
  const dialog = await screen.findByRole("dialog", { name: "Fale com a gente" });
  expect(dialog.textContent).toContain(words);
  expect(within(dialog).queryByRole("link")?.getAttribute("href") ?? "").toBe(
    contact && `mailto:${contact}`,
  );
});
