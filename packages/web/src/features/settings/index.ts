export {
  changeHolidays,
  readAutomaticText,
  readSetting,
  reasonList,
  useCompany,
  useSetting,
} from "./api.ts";
