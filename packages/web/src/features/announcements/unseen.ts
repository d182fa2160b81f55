import { createStore } from "../../store/index.ts";

/** How many announcements this account has not seen; `announcement-news.tsx` keeps it. */
export const unseenCount = createStore(0);
