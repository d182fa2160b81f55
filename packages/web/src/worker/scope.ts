// The types of the browser's pages do not have those of workers, and both cannot be in one program: here is what ours uses.

type Waiting = Event & { waitUntil(work: Promise<unknown>): void };

export type WindowClient = {
  url: string;
  focused: boolean;
  visibilityState: "visible" | "hidden";
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
};

/** A notification's button; one of type `text` has a field to write into, where the browser can. */
export type NotificationButton = { action: string; title: string; type?: "button" | "text" };
export type ShownOptions = NotificationOptions & {
  actions?: NotificationButton[];
  renotify?: boolean;
  timestamp?: number;
};

export type PushEvent = Waiting & { data: { json(): unknown } | null };
export type ClickEvent = Waiting & {
  notification: Notification;
  action: string;
  reply?: string | null;
};
export type FetchEvent = Waiting & {
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
};

type Events = {
  install: Waiting & { addRoutes?: (rules: readonly object[]) => Promise<void> };
  activate: Waiting;
  fetch: FetchEvent;
  push: PushEvent;
  notificationclick: ClickEvent;
};

export type WorkerScope = {
  addEventListener<Name extends keyof Events>(
    name: Name,
    listener: (event: Events[Name]) => void,
  ): void;
  skipWaiting(): Promise<void>;
  location: Location;
  registration: ServiceWorkerRegistration;
  navigator: Navigator & { setAppBadge?: (count?: number) => Promise<void> };
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window"; includeUncontrolled: true }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
};
