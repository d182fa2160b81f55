import type { MessageTemplate } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";

/** The templates that Meta has approved for a connection. */
export function useTemplates(connectionId: number) {
  return useQuery({
    queryKey: ["templates", connectionId],
    queryFn: async ({ signal }): Promise<MessageTemplate[]> => {
      const params = { connectionId };
      return (await call("GET /whatsapp/:connectionId/templates", { params }, { signal }))
        .templates;
    },
    meta: { live: false },
  });
}
