const firstNames = [
  ...["Ana", "Bento", "Clara", "Davi", "Elisa", "Fábio", "Glória", "Heitor", "Iara", "Joana"],
  ...["Lucas", "Marta", "Noel", "Olga", "Pedro", "Rita", "Samuel", "Tereza", "Vera", "Yuri"],
] as const;

const lastNames = [
  ...["Alves", "Barros", "Campos", "Dias", "Esteves", "Freitas", "Gomes", "Lima", "Moraes"],
  ...["Nogueira", "Oliveira", "Pires", "Queiroz", "Ramos", "Santos", "Teles", "Vieira"],
] as const;

/** A name for somebody who does not exist. */
export function madeUpName(): string {
  return `${oneOf(firstNames)} ${oneOf(lastNames)}`;
}

function oneOf(names: readonly string[]): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return names[number % names.length] ?? "";
}
