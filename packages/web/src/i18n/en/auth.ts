import type { SameShape } from "../same-shape.ts";
import type { auth as pt } from "../pt/auth.ts";

export const auth: SameShape<typeof pt> = {
  title: "Sign in",
  lead: "Serve your customers in one place.",
  email: "E-mail",
  emailPlaceholder: "you@company.com",
  password: "Password",
  showPassword: "Show password",
  hidePassword: "Hide password",
  submit: "Sign in",
  emailRequired: "Enter the e-mail",
  emailInvalid: "This e-mail is not complete",
  passwordRequired: "Enter the password",
  welcome: "Signed in successfully!",
  ended: "Your session has ended. Sign in again to go on.",
  elsewhere: "Your account was accessed on another computer.",
  retryAfter_one: "Too many attempts. Try again in {{count}} second.",
  retryAfter_other: "Too many attempts. Try again in {{count}} seconds.",
  subscriptionEnds_one: "Your subscription ends in {{count}} day",
  subscriptionEnds_other: "Your subscription ends in {{count}} days",
  subscriptionEndsToday: "Your subscription ends today",
};
