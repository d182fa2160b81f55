import { lazyPart } from "../../ui/lazy-part.tsx";

/** The roles of the company, as a whole page with the strip of tabs below its title. */
export const RolesPanel = lazyPart(
  async () => (await import("./roles-panel.tsx")).RolesPanel,
  "page",
  "trust",
);

/** The choice of a profile or role in a user's form. */
export const RoleField = lazyPart(
  async () => (await import("./role-field.tsx")).RoleField,
  "inline",
  "trust",
);
export { UserTabs } from "./user-tabs.tsx";
