export { readSetting, useCompany, useSetting } from "./api.ts";
