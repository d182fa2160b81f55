import type { RenderResult } from "@testing-library/react";
import { screen } from "@testing-library/react";
import type { ComponentProps, ReactNode } from "react";
import { useLiveConnection } from "../../../realtime/index.ts";
import { renderOnCache } from "../../messages/testing/render-feature.tsx";
import { givenTicket } from "../../tickets/testing/given-ticket.ts";
import { Composer } from "../composer.tsx";

type Props = Partial<ComponentProps<typeof Composer>> & { ticketId?: number };

/** The composer of ticket 1 with Helena Duarte, for Marina Prado (7), in a conversation and with the live channel. */
export function renderComposer({ ticketId = 1, ...props }: Props = {}): RenderResult {
  const ticket = givenTicket(ticketId);
  return renderOnCache(
    <Live>
      <section data-conversation="">
        <Composer
          ticket={{ ...ticket, contact: { ...ticket.contact, name: "Helena Duarte" } }}
          user={{ id: 7, name: "Marina Prado" }}
          disabledReason={null}
          mustFocus={false}
          {...props}
        />
      </section>
    </Live>,
  );
}

export const field = (): HTMLTextAreaElement =>
  screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Mensagem para Helena Duarte" });

function Live({ children }: { children: ReactNode }): ReactNode {
  useLiveConnection(3);
  return children;
}
