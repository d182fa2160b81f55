// Imported where it is opened: the sign-in page and the dialogs load none of it before.
export { AccountSecurity } from "./account-section.tsx";
export { signInWithPasskey } from "./api.ts";
export { ColleagueSecurity } from "./colleague-section.tsx";
export { CompanySecurity } from "./company-panel.tsx";
export { SignInStep } from "./sign-in-step.tsx";
