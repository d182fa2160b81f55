import type { auth as pt } from "../pt/auth.ts";
import type { SameShape } from "../same-shape.ts";

export const auth: SameShape<typeof pt> = {
  auth: {
    title: "Sign in",
    lead: "Serve your customers in one place.",
    headline: "Every customer gets a reply, every conversation has an owner.",
    product: "Your shop's WhatsApp with the whole team: queues, chatbot and history on one screen.",
    email: "E-mail",
    emailPlaceholder: "you@company.com",
    password: "Password",
    submit: "Sign in",
    emailRequired: "Enter the e-mail",
    emailInvalid: "Invalid e-mail",
    passwordRequired: "Enter the password",
    welcome: "Signed in successfully!",
  },
};
