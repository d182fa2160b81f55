export { ContactDrawer } from "./contact-drawer.tsx";
