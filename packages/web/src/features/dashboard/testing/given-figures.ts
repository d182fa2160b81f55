import type { DashboardFigures, DashboardNow, Measures, UserFigures } from "@balcao/contract";
import { dashboardEndpoints } from "@balcao/contract";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";

/** A Monday, 16:40 in São Paulo. */
export const at = "2026-11-23T19:40:00.000Z";

const ago = (minutes: number): string => new Date(Date.parse(at) - minutes * 60_000).toISOString();

const measures = (some: Partial<Measures> = {}): Measures => ({
  ...{ attendances: 512, resolved: 486, running: 26, reopened: 19, newContacts: 128 },
  wait: { seconds: 360, count: 400 },
  firstAnswer: { seconds: 160, count: 380 },
  support: { seconds: 1_440, count: 480 },
  ratings: { average: 2.7, count: 224, counts: [12, 41, 171] },
  ...some,
});

export const nothing: Partial<Measures> = {
  ...{ attendances: 0, resolved: 0, running: 0, reopened: 0, newContacts: 0 },
  wait: { seconds: null, count: 0 },
  firstAnswer: { seconds: null, count: 0 },
  support: { seconds: null, count: 0 },
  ratings: { average: null, count: 0, counts: [0, 0, 0] },
};

export const user = (id: number, name: string, some: Partial<UserFigures> = {}): UserFigures =>
  ({
    ...{ id, name, isRemoved: false, online: true, openNow: 3, ...measures({ resolved: 50 }) },
    ...some,
  }) as UserFigures; // ids of tests are plain numbers

const hours = Array.from({ length: 24 }, (_, hour) => hour);

export const figures = (some: object = {}): DashboardFigures =>
  dashboardEndpoints["GET /dashboard/figures"].reply.parse({
    period: {
      ...{ from: "2026-11-17", to: "2026-11-23", days: 7, timeZone: "America/Sao_Paulo" },
      unit: "day",
    },
    before: {
      ...{ from: "2026-11-10", to: "2026-11-16" },
      measures: measures({
        ...{ attendances: 450, resolved: 434, reopened: 20, newContacts: 117 },
        wait: { seconds: 480, count: 1 },
        firstAnswer: { seconds: 190, count: 1 },
        support: { seconds: 1_320, count: 1 },
        ratings: { average: 2.6, count: 200, counts: [12, 41, 147] },
      }),
    },
    measures: measures(),
    unhappyAfterWait: 8,
    users: [user(1, "Caio Nunes", { resolved: 142 })],
    queues: [{ id: 1, name: "Vendas", color: "#2f8f6f", isRemoved: false, ...measures() }],
    series: [17, 18, 19, 20, 21, 22, 23].map((day) => ({
      ...{ from: `2026-11-${day}`, to: `2026-11-${day}`, hour: null },
      ...{ attendances: day, resolved: day - 1 },
    })),
    heatMap: Array.from({ length: 7 }, (_, weekday) =>
      hours.map((hour) => (weekday === 3 && hour === 11 ? 19 : 1)),
    ),
    totals: null,
    ...some,
  });

const wait = (minutes: number, contactName: string, queueName: string | null) => ({
  ...{ ticketId: 4, ticketUuid: "u-4", contactName, queueName, since: ago(minutes) },
});

export const queue = (id: number | null, name: string, waiting: number, minutes: number) => ({
  ...{ id, name, color: id === null ? "" : "#2f8f6f", waiting },
  longest: waiting === 0 ? null : wait(minutes, `Cliente de ${name}`, name),
  ...{ targetMinutes: 8, people: 3, online: 2 },
});

export const member = (id: number, name: string, some: object = {}) => ({
  ...{ id, name, online: true, lastSeenAt: null, availability: "available", pauseReason: null },
  ...{ availabilitySince: ago(60), open: 3, oldestSince: ago(9), queueIds: [1], ...some },
});

export const now = (some: object = {}): DashboardNow =>
  dashboardEndpoints["GET /dashboard/now"].reply.parse({
    ...{ at, timeZone: "America/Sao_Paulo", today: "2026-11-23", hour: 16 },
    waiting: { count: 12, hourAgo: 9, longest: wait(56, "Renata Figueiredo", "Financeiro") },
    open: { count: 31, unanswered: 5 },
    withChatbot: { count: 7, inMenu: 4, outOfHours: 3 },
    people: { online: 5, total: 6 },
    resolvedToday: { count: 64, before: 71, beforeDay: "2026-11-16" },
    waitToday: { seconds: 360, count: 60 },
    ratingsToday: { average: 2.8, count: 29 },
    targetMinutes: 8,
    queues: [queue(1, "Vendas", 20, 18), queue(null, "", 1, 75)],
    team: [member(1, "Caio Nunes")],
    hours: hours.map((hour) => ({ hour, attendances: hour === 11 ? 13 : 0, usual: 2 })),
    ...some,
  });

const company = {
  ...{ id: 3, name: "Loja", email: "", phone: null, status: true, dueDate: null, createdAt: at },
  plan: {
    ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
    ...{ useCampaigns: false, useKanban: false, useOpenAi: false, useIntegrations: false },
    ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
    ...{ createdAt: at, updatedAt: at },
  },
};

/** Answers to the calls of the filters. */
export const standing = {
  "GET /api/queue": () => ({
    body: [{ id: 1, name: "Vendas", color: "#2f8f6f", orderQueue: 1, updatedAt: at }],
  }),
  "GET /api/users/list": () => ({ body: [{ id: 1, name: "Caio Nunes" }] }),
  "GET /api/tags/list": () => ({ body: [] }),
  "GET /api/whatsapp": () => ({
    body: [
      { id: 2, name: "Loja Paulista", status: "CONNECTED", disconnectedAt: null },
      { id: 3, name: "Loja Centro", status: "DISCONNECTED", disconnectedAt: ago(158) },
    ],
  }),
  "GET /api/companies/listPlan/3": () => ({ body: company }),
};

/** Signs an admin in. */
export function signIn(): void {
  startSession(givenToken("t", 36_000), givenUser({ profile: "admin" }));
}
