export { CampaignTabs } from "./campaign-tabs.tsx";
