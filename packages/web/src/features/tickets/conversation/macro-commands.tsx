import type { Macro, Ticket } from "@balcao/contract";
import { IconBolt } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { queryClient } from "../../../api/query-client.ts";
import { hasCode } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import type { Command } from "../../../ui/commands.ts";
import { useOfferCommands } from "../../../ui/commands.ts";
import { notifyError } from "../../../ui/index.ts";
import { offerUndo } from "../../../ui/undo.tsx";
import { useIsTouched } from "../../../ui/use-is-touched.ts";
import { createStore, useStore } from "../../../store/index.ts";
import { useSession } from "../../auth/index.ts";
import { keysOf, macroList, runMacro } from "../../macros/index.ts";
import { undoTicketChange } from "../api.ts";
import { writeTicketEvent } from "../list/ticket-pages.ts";
import type { Leave } from "./ticket-actions.ts";
import { opensNext } from "./ticket-actions.ts";

type Props = {
  /** The opened ticket. */
  ticket: Ticket;
  /** Called before the ticket may leave; its result is called afterwards. */
  onLeave: (ticket: Ticket, how: { isOpeningNext: boolean }) => Leave;
  /** The company requires a reason, and the macro has none. */
  onReasonRequired: (ticket: Ticket) => void;
};

const none: readonly Macro[] = [];

export type MacroCommand = Command & { name: string };
/** The macros of the opened ticket, for its menu. */
const shown = createStore<readonly MacroCommand[]>([]);

export function useMacroCommands(): readonly MacroCommand[] {
  return useStore(shown);
}

/** Offers the macros for the opened ticket: in the palette, and by their keys. All steps of one can be undone together. */
export function MacroCommands({ ticket, onLeave, onReasonRequired }: Props): null {
  const { t } = useTranslation();
  const { user } = useSession();
  const isTouched = useIsTouched();
  const { data: macros = none } = useQuery({ ...macroList.query, enabled: isTouched });
  const { mutate, isPending } = useMutation({
    mutationFn: async (macro: Macro) => {
      const leave = onLeave(ticket, { isOpeningNext: opensNext(user.id) });
      return { leave, ...(await runMacro(macro.id, ticket.id)) };
    },
    onSuccess: ({ leave, ticket: after, undo }, { name }) => {
      writeTicketEvent({ action: "update", ticket: after });
      if (after.status !== "open") leave({ kind: "macroRun", name, undo });
      else if (undo !== undefined) {
        const bringBack = async (): Promise<void> => {
          await undoTicketChange(ticket.id, undo.id);
        };
        offerUndo({ kind: "macroRun", name, undo: bringBack });
      }
    },
    onError: (error) => {
      if (hasCode(error, "ERR_REASON_REQUIRED")) onReasonRequired(ticket);
      else notifyError(error);
    },
  });
  // A waiting ticket is accepted first, a resolved one is reopened.
  const canRun = ticket.status === "open" && !isPending;
  const offered = canRun ? macros : none;

  const commands = useMemo(
    () =>
      offered.map((macro): MacroCommand => ({
        ...{ id: `macro-${macro.id}`, name: macro.name },
        label: t("macros.command", { name: macro.name }),
        icon: IconBolt,
        ...(macro.key === null ? {} : { keys: keysOf(macro.key) }),
        run: () => mutate(macro),
      })),
    [offered, t, mutate],
  );
  useOfferCommands(commands);
  useEffect(() => {
    shown.set(commands);
    return () => shown.set([]);
  }, [commands]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
      // By physical key: Alt and Shift change the character.
      const [, key] = /^(?:Digit|Numpad)([1-9])$/.exec(event.code) ?? [];
      if (key === undefined || !canRun) return;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      event.preventDefault();
      void runByKey(key);
    };
    // The keys may be pressed before the macros were read.
    const runByKey = async (key: string): Promise<void> => {
      try {
        const known = await queryClient.ensureQueryData(macroList.query);
        const macro = known.find((one) => one.key === key);
        if (macro) mutate(macro);
      } catch (error) {
        notifyError(error);
      }
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [canRun, mutate]);
  return null;
}
