import type { ReplyOf } from "@balcao/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { onCompanyEvent, onceLive, readAgain } from "./live.ts";

const key = ["ai-offer"];
const offerQuery = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => onceLive(key, () => call("GET /aiService/offer", {}, { signal })),
});
const nothing: ReplyOf<"GET /aiService/offer"> = { helps: false, transcribes: false };

onCompanyEvent("aiService", () => void readAgain({ queryKey: key }));

/** The help that the company's AI service offers now; none until it is wanted and read. */
export const useAiOffer = (isWanted = true): ReplyOf<"GET /aiService/offer"> =>
  useQuery({ ...offerQuery, enabled: isWanted }).data ?? nothing;
