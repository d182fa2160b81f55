import type { Routes } from "../../platform/http/routes.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { SendingDeps } from "./sending.ts";
import { createSending, sweepPush } from "./sending.ts";
import type { NoticeSettings } from "./notices.ts";
import { createSubscribers, defaultNoticeSettings, subscribeNotices } from "./notices.ts";
import { createPushServices } from "./services.ts";
import { saveChoices, sendTest, showPush, subscribe, unsubscribe } from "./subscriptions.ts";

type PushDeps = Omit<SendingDeps, "services" | "settings"> & {
  fetch: GuardedFetch;
  /** Empty: those of the known browsers. */
  hosts: readonly string[];
  /** The installation's address for others, which push services may want to know; null when nobody said it. */
  publicUrl: string | null | undefined;
  settings?: Partial<NoticeSettings> | undefined;
};

export type { NoticeSettings } from "./notices.ts";

/** The push services of Chromium, Firefox, Safari and Edge. */
const knownHosts = [
  ...["fcm.googleapis.com", "updates.push.services.mozilla.com"],
  ...["*.push.services.mozilla.com", "web.push.apple.com", "*.push.apple.com"],
  ...["*.notify.windows.com", "*.wns.windows.com"],
];

/** Push messages to phones and computers whose page is closed (docs/phone-and-push.md). */
export function createPushFeature(given: PushDeps) {
  const { hosts, publicUrl } = given;
  const services = createPushServices({
    ...given,
    hosts: hosts.length > 0 ? hosts : knownHosts,
    contact: publicUrl?.startsWith("https:") ? publicUrl : "mailto:push@balcao.invalid",
  });
  const settings = { ...defaultNoticeSettings, ...given.settings };
  const deps = { ...given, services, settings, subscribers: createSubscribers(given) };
  const { subscribers } = deps;
  subscribeNotices(deps, subscribers);
  const sending = createSending(deps);
  return {
    /** For processes that work on jobs. */
    sending,
    /** Every process that changes tickets must know who has subscriptions. */
    start: () => subscribers.start(),
    close: () => subscribers.stop(),
    /** For the job runner. */
    sweep: () => sweepPush(deps),
    register(routes: Routes): void {
      routes.handle("GET /push", ({ ctx }) => showPush(deps, ctx));
      routes.handle("PUT /push/choices", ({ ctx, body }) => saveChoices(deps, ctx, body));
      routes.handle("POST /push/subscriptions", ({ ctx, body }) => subscribe(deps, ctx, body));
      routes.handle("POST /push/subscriptions/remove", ({ ctx, body }) =>
        unsubscribe(deps, ctx, body.endpoint),
      );
      routes.handle("POST /push/test", ({ ctx, body }) => sendTest(deps, ctx, body.endpoint));
    },
  };
}
