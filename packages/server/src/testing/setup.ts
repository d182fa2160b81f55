import { afterAll } from "vitest";
import { runEndOfFile } from "./end-of-file.ts";
import { waitPatiently } from "./patience.ts";

waitPatiently();

afterAll(runEndOfFile);
