import type { Ticket } from "@balcao/contract";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { TagMark } from "../../ui/marks.tsx";
import classes from "./tag-strip.module.css";

const TagPicker = lazyPart(async () => (await import("./tag-picker.tsx")).TagPicker);

type Ticketed = Pick<Ticket, "id" | "tags">;

/** The tags of a ticket, each removable, with a button to add or create tags (39 px, below the header). */
export function TagStrip({ ticket }: { ticket: Ticketed }): ReactNode {
  const { t } = useTranslation();
  const { tags, change } = useTicketTags(ticket);
  return (
    <div className={classes["strip"]} role="group" aria-label={t("tags.ofTicket")}>
      {tags.map((tag) => (
        <span key={tag.id} className={classes["tag"]}>
          <TagMark name={tag.name} color={tag.color} />
          <button
            type="button"
            className={classes["remove"]}
            aria-label={t("tags.remove", { name: tag.name })}
            onClick={() => change(tags.filter(({ id }) => id !== tag.id))}
          >
            <IconX size={13} stroke={1.9} aria-hidden="true" />
          </button>
        </span>
      ))}
      <OnDemand part={TagPicker} standIn={<PickerTarget aria-expanded={false} />}>
        <TagPicker tags={tags} onChange={change} Target={PickerTarget} />
      </OnDemand>
    </div>
  );
}

/** Opens the choice of tags. */
function PickerTarget(props: ComponentProps<"button">): ReactNode {
  const { t } = useTranslation();
  return (
    <button {...props} type="button" className={classes["add"]} aria-haspopup="listbox">
      <IconPlus size={13} stroke={1.9} aria-hidden="true" />
      {t("tags.addToTicket")}
    </button>
  );
}

/**
 * The tags of a ticket and a function that replaces them: shown at once, reverted if the server refuses. Changes are
 * sent in order.
 */
function useTicketTags(ticket: Ticketed): {
  tags: Ticket["tags"];
  change: (tags: Ticket["tags"]) => void;
} {
  const [wished, setWished] = useState<{ of: Ticketed; tags: Ticket["tags"] } | null>(null);
  const { mutate } = useMutation({
    scope: { id: `tags of ticket ${ticket.id}` },
    mutationFn: (tags: Ticket["tags"]) =>
      call("POST /tags/sync", {
        body: { ticketId: ticket.id, tags: tags.map(({ id }) => ({ id })) },
      }),
    onError: (error) => {
      setWished(null);
      notifyError(error);
    },
  });
  // The live event has the new tags; from then on those are shown.
  const isSettled = wished === null || sameTags(ticket.tags, wished.tags);
  const isOutdated = wished !== null && wished.of.id !== ticket.id;
  return {
    tags: isSettled || isOutdated ? ticket.tags : wished.tags,
    change(tags) {
      setWished({ of: ticket, tags });
      mutate(tags);
    },
  };
}

function sameTags(a: Ticket["tags"], b: Ticket["tags"]): boolean {
  const ids = (tags: Ticket["tags"]): string =>
    tags
      .map(({ id }) => id)
      .toSorted((x, y) => x - y)
      .join();
  return ids(a) === ids(b);
}
