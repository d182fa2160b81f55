import { expect, test } from "vitest";
import { passwordFault, passwordStrength } from "./passwords.ts";

const easy = { code: "ERR_PASSWORD_EASY" };
const about = ["Ana Reis", "ana.reis@aurora.example", "Boutique Aurora"];

test.each([
  ["     ", easy],
  [" 12345 ", easy],
  ["12345", easy],
  ["987654321", easy],
  ["aaaaaa", easy],
  ["ababababa", easy],
  ["QWERTY", easy],
  ["lkjhg", easy],
  ["Senha123", easy],
  ["Mudar@123", easy],
  ["flamengo", easy],
  ["família", easy],
  ["P@ssw0rd", easy],
  ["ana reis", easy],
  ["Ana.Reis", easy],
  ["ana.reis@aurora.example", easy],
  ["boutique aurora", easy],
  ["1234", { code: "ERR_PASSWORD_SHORT", data: { min: 5 } }],
  ["segredo-123", null],
  ["x7k2p", null],
  ["meu gato dorme", null],
])("the password %j may be set: %j", (password, fault) => {
  expect(passwordFault(password, { about })).toEqual(fault);
});

test("a company may demand more characters, never fewer than the specification", () => {
  const short = (min: number) => ({ code: "ERR_PASSWORD_SHORT", data: { min } });
  expect(passwordFault("x7k2p9q", { min: 8 })).toEqual(short(8));
  expect(passwordFault("x7k2p9qd", { min: 8 })).toBeNull();
  expect(passwordFault("x7k2", { min: 1 })).toEqual(short(5));
});

test.each([
  ["12345", 0],
  ["x7k2p", 1],
  ["segredo-123", 1],
  ["anareis1", 1],
  ["gw7kq2ps", 2],
  ["aurora-2026x", 2],
  ["gw7kq2ps4x", 3],
  ["Kmtpx-qhert-47abc", 4],
  ["o gato dorme no telhado", 4],
])("the strength of %j is %i", (password, strength) => {
  expect(passwordStrength(password, { about })).toBe(strength);
});
