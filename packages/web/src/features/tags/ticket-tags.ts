import type { Tag, Ticket } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { notifyError } from "../../ui/index.ts";
import { refreshTags, tagsKey } from "./api.ts";

/** The company's tags by name, read when they are first wanted; undefined until they are there. */
export function useAllTags(isWanted: boolean): readonly Tag[] | undefined {
  useCompanyEvent("tag", refreshTags);
  const { data } = useQuery({
    queryKey: [...tagsKey, "list"],
    enabled: isWanted,
    queryFn: ({ signal }) => call("GET /tags/list", { query: {} }, { signal }),
  });
  return data;
}

type Ticketed = Pick<Ticket, "id" | "tags">;

/**
 * The tags of a ticket and the way to replace them: shown at once, taken back when the server refuses. Changes go one
 * after the other, and the last one stands.
 */
export function useTicketTags(ticket: Ticketed): {
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
  // The live event brings the ticket with its new tags; from then on that is what is shown.
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
