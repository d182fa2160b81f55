import { z } from "zod";
import type { Graph, GraphAccess } from "./graph.ts";

const numberInfo = z.looseObject({ display_phone_number: z.string() });

/** The digits of the account's number, as Meta shows it. Throws GraphError. */
export async function readNumber(
  graph: Graph,
  { phoneNumberId, accessToken }: GraphAccess & { phoneNumberId: string },
  signal?: AbortSignal,
): Promise<string> {
  const answer = await graph.call(
    { accessToken },
    {
      method: "GET",
      path: phoneNumberId,
      query: { fields: "display_phone_number,verified_name,quality_rating" },
      ...(signal ? { signal } : {}),
    },
  );
  return numberInfo.parse(answer).display_phone_number.replaceAll(/\D/g, "");
}
