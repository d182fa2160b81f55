export { readAutomaticText, readSetting, reasonList, useCompany, useSetting } from "./api.ts";
