export { createDeliveryLog, readLogAgain } from "./api.ts";
export { Deliveries, useLogAddress } from "./deliveries.tsx";
export { Signature } from "./delivery-detail.tsx";
export { isWebAddress, kindWords } from "./integration-words.tsx";
export { ReceiverName, Stopped, TestButton, TestedState, useTests } from "./receiver-parts.tsx";
