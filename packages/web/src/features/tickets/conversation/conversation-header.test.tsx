import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderScreen } from "../../../testing/render.tsx";
import { ConversationHeader } from "./conversation-header.tsx";
import { contactNamed } from "../testing/tickets-screen.tsx";
import { givenTicket } from "../testing/given-ticket.ts";

function show(name: string, isNarrow: boolean): HTMLElement {
  renderScreen(
    <ConversationHeader
      ticket={givenTicket(1, { contact: contactNamed(1, name) })}
      isNarrow={isNarrow}
      busyWith={null}
      commands={["resolve"]}
      isContactOpen={false}
      onCommand={vi.fn()}
      onBack={vi.fn()}
    />,
  );
  return screen.getByRole("heading", { name });
}

const seen = (heading: HTMLElement) =>
  heading.querySelector("[aria-hidden=true]")?.textContent ?? heading.textContent;

test("on a narrow screen a name is cut at 10 characters, but not for screen readers", () => {
  expect(seen(show("Helena Duarte", true))).toBe("Helena Dua…");
});

test("a name of 10 characters is not cut there", () => {
  expect(seen(show("Ana Souzas", true))).toBe("Ana Souzas");
});

test("on a wide screen names are not cut", () => {
  expect(seen(show("Maria Antonieta de Bragança", false))).toBe("Maria Antonieta de Bragança");
});
