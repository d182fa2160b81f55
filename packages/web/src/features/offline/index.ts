export { installOffer } from "./installing.ts";
