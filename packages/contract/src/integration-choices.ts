export const integrationTypes = ["n8n", "webhook", "typebot", "dialogflow"] as const;
export type IntegrationType = (typeof integrationTypes)[number];

/** The states of a delivery. `waiting`: another try follows. */
export const deliveryStates = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why a try failed without an answer of the receiver. */
export const deliveryFaults = [
  "refused-address",
  "no-answer",
  "unreachable",
  "too-large",
  "stopped",
] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

/** Characters of an integration's name. */
export const integrationNameLimits = { min: 2, max: 50 } as const;
