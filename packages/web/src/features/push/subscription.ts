import type { PushChoices } from "@balcao/contract";
import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentLanguage } from "../../i18n/index.ts";

/** The choices of the signed-in user, which are the same on all devices, and the installation's key. */
export const pushQuery = queryOptions({
  queryKey: ["push"],
  queryFn: ({ signal }) => call("GET /push", {}, { signal }),
});

/** Keeps the choices; they are shown at once. */
export async function saveChoices(choices: PushChoices): Promise<void> {
  queryClient.setQueryData(pushQuery.queryKey, (known) => known && { ...known, choices });
  try {
    await call("PUT /push/choices", { body: choices });
  } catch (error) {
    await queryClient.invalidateQueries({ queryKey: pushQuery.queryKey });
    throw error;
  }
}

/** Whether this browser gets push messages, or the reason why it cannot. */
export type DeviceState = "on" | "off" | "denied" | "iphone" | "insecure" | "unsupported";

/** iPads say that they are Macs, with a screen to touch. */
const isApple = (): boolean =>
  /iPhone|iPad/.test(navigator.userAgent) ||
  (navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1);

/** Opened from its icon, in a window of its own. */
export const isInstalled = (): boolean => matchMedia("(display-mode: standalone)").matches;

export async function readDevice(): Promise<DeviceState> {
  if (!window.isSecureContext) return "insecure";
  const canPush = "serviceWorker" in navigator && "PushManager" in window;
  if (isApple() && !isInstalled() && !canPush) return "iphone";
  if (!canPush || !("Notification" in window)) return "unsupported";
  if (Notification.permission === "denied") return "denied";
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  return subscription && Notification.permission === "granted" ? "on" : "off";
}

/** Asks for the permission (only after a press), and has push messages shown in this browser. */
export async function turnOn(publicKey: string): Promise<DeviceState> {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") return permission === "denied" ? "denied" : "off";
  // The page registers it when it is idle, which may be later.
  await navigator.serviceWorker.register("/sw.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  // One for another key, as after a restore into another installation, cannot be used.
  if (before && keyOf(before) !== publicKey) await before.unsubscribe();
  const subscription = await pushManager.subscribe({
    ...{ userVisibleOnly: true, applicationServerKey: publicKey },
  });
  try {
    await tellServer(subscription);
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
  return "on";
}

function keyOf({ options }: PushSubscription): string | null {
  const key = options.applicationServerKey;
  return key && base64url(key);
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function tellServer(subscription: PushSubscription): Promise<void> {
  const [p256dh, auth] = [subscription.getKey("p256dh"), subscription.getKey("auth")];
  if (!p256dh || !auth) throw new Error("the subscription has no keys");
  const keys = { p256dh: base64url(p256dh), auth: base64url(auth) };
  const { endpoint } = subscription;
  await call("POST /push/subscriptions", { body: { endpoint, keys, language: currentLanguage() } });
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Ends push messages in this browser. The server is told first: a browser that cannot be reached gets none either. */
export async function turnOff(): Promise<DeviceState> {
  const subscription = await ownSubscription();
  if (subscription) {
    await call("POST /push/subscriptions/remove", { body: { endpoint: subscription.endpoint } });
    await subscription.unsubscribe();
  }
  return "off";
}

/** Has a message sent to this browser; answers whether its push service took it. */
export async function sendTest(): Promise<boolean> {
  const subscription = await ownSubscription();
  if (!subscription) return false;
  // The server may have forgotten it meanwhile.
  await tellServer(subscription);
  const body = { endpoint: subscription.endpoint };
  return (await call("POST /push/test", { body })).isTaken;
}
