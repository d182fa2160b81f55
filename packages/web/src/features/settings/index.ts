export { useCompany } from "./company-hours.ts";
export { readSetting, useSetting } from "./live-settings.ts";
