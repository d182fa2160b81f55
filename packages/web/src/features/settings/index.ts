export { readSetting, reasonList, useCompany, useSetting } from "./api.ts";
