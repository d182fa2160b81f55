export { demoStaff } from "./demo.ts";
export type { ChannelHistory } from "./demo-history.ts";
export type { FirstStartReport, ProvisioningDeps } from "./first-start.ts";
export { createProvisioning } from "./first-start.ts";
export * from "./builders.ts";
