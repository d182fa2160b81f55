export { useCompany } from "./company-hours.ts";
export { LiveSettings, readSetting, useSetting } from "./live-settings.ts";
