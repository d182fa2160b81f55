import type { Profile } from "@balcao/contract/permissions";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";
import type { NewUserBody, UserChangeBody } from "./api.ts";

/** A user as the form holds him. */
export type UserValues = {
  name: string;
  email: string;
  /** Empty: the present one stays. */
  password: string;
  /** The present one, where the user changes the own e-mail or password. */
  currentPassword: string;
  profile: Profile;
  queueIds: number[];
  seesNoQueue: boolean;
  /** An id, or "" for the company's default connection. */
  whatsappId: string;
};

/** As far as the form asks: a user of the list call, or the signed-in one. */
export type FormUser = {
  id: number;
  name: string;
  email: string;
  profile: Profile;
  allTicket: string;
  whatsappId: number | null;
  queues: readonly { id: number }[];
};

/** What the form begins with; `null` is a new user, who is an agent unless somebody says otherwise. */
export function valuesOf(user: FormUser | null): UserValues {
  return {
    name: user?.name ?? "",
    email: user?.email ?? "",
    password: "",
    currentPassword: "",
    profile: user?.profile ?? "user",
    queueIds: user?.queues.map(({ id }) => id) ?? [],
    seesNoQueue: seesTicketsWithoutQueue(user?.allTicket ?? ""),
    whatsappId: user?.whatsappId == null ? "" : String(user.whatsappId),
  };
}

type Dirty = Partial<Record<keyof UserValues, unknown>>;

export function newBodyOf(values: UserValues): NewUserBody {
  return {
    name: values.name.trim(),
    email: values.email.trim(),
    password: values.password,
    profile: values.profile,
    allTicket: values.seesNoQueue ? "enabled" : "desabled",
    whatsappId: values.whatsappId === "" ? null : Number(values.whatsappId),
    queueIds: values.queueIds,
  };
}

/** Whether a user changes how one signs in. */
export function changesSignIn(
  user: FormUser,
  values: Pick<UserValues, "email" | "password">,
): boolean {
  return values.password !== "" || values.email.trim() !== user.email;
}

/** Only what was changed: what somebody else changed meanwhile stays. */
export function changeBodyOf(values: UserValues, dirty: Dirty): UserChangeBody {
  const all = newBodyOf(values);
  return {
    ...(dirty.name ? { name: all.name } : {}),
    ...(dirty.email ? { email: all.email } : {}),
    ...(values.password === "" ? {} : { password: all.password }),
    ...(values.currentPassword === "" ? {} : { currentPassword: values.currentPassword }),
    ...(dirty.profile ? { profile: all.profile } : {}),
    ...(dirty.seesNoQueue ? { allTicket: all.allTicket } : {}),
    ...(dirty.whatsappId ? { whatsappId: all.whatsappId } : {}),
    ...(dirty.queueIds ? { queueIds: all.queueIds } : {}),
  };
}
