import { lazyPart } from "../../ui/lazy-part.tsx";

/** Push messages and installing on this device, in the profile of the signed-in user. */
export const DeviceSection = lazyPart(
  async () => (await import("./device-section.tsx")).DeviceSection,
  "inline",
  "trust",
);
