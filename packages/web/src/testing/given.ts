import type { SessionUser } from "@balcao/contract";
import { sessionUser } from "@balcao/contract";

type Changes = Partial<Omit<SessionUser, "id" | "companyId" | "company">> & {
  id?: number;
  companyId?: number;
  company?: Partial<SessionUser["company"]>;
};

/** A signed-in user as the server sends it. */
export function givenUser(changes: Changes = {}): SessionUser {
  const companyId = changes.companyId ?? 3;
  return sessionUser.parse({
    id: 7,
    name: "Marina Prado",
    email: "marina@aurora.com.br",
    profile: "admin",
    super: false,
    allTicket: "enabled",
    whatsappId: null,
    queues: [],
    availability: "available",
    pauseReason: null,
    availabilitySince: "2026-11-20T10:00:00.000Z",
    ...changes,
    companyId,
    company: {
      id: companyId,
      name: "Boutique Aurora",
      email: "contato@aurora.com.br",
      phone: null,
      status: true,
      dueDate: "2099-12-18T15:00:00.000Z",
      recurrence: "MENSAL",
      planId: 1,
      trialExpiration: null,
      timeZone: "America/Sao_Paulo",
      settings: [{ key: "campaignsEnabled", value: "true" }],
      ...changes.company,
    },
  });
}

/** An access token that the client can read; `expiresInSeconds` from now. */
export function givenToken(name: string, expiresInSeconds = 900): string {
  const part = (value: unknown): string => btoa(JSON.stringify(value)).replaceAll("=", "");
  const exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
  return [part({ alg: "HS256" }), part({ exp }), name].join(".");
}
