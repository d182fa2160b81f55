import { lazyPart } from "../../ui/lazy-part.tsx";

/** The tab of the settings. */
export const PrivacyPanel = lazyPart(
  async () => (await import("./privacy-panel.tsx")).PrivacyPanel,
  "inline",
  "trust",
);

/** The entry of a contact's menu. */
export const PersonDataItem = lazyPart(
  async () => (await import("./person-dialog.tsx")).PersonDataItem,
  "inline",
  "trust",
);

/** A contact's consent and, for those who manage privacy, its personal data. */
export const PersonDialog = lazyPart(
  async () => (await import("./person-dialog.tsx")).PersonDialog,
  "over",
  "trust",
);
