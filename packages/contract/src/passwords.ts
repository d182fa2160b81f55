import { limits } from "./limits.ts";

/**
 * The passwords that are guessed first, folded (`fold`), world-wide and in Brazil. Repeated characters and runs of the
 * keyboard are refused by rule and are not listed.
 */
const common: ReadonlySet<string> = new Set(
  `000000a 102030 1020304050 10203040 112233 11223344 121314 123321 123654 123654789 123mudar 131313a 142536 147258 147258369 147852 147852369
  159357 159753 159951 1a2b3c 1a2b3c4d 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 20202020 246810 252525a 258456 321654 321654987 357159 456123
  456852 4815162342 741852 741852963 753951 789456 789456123 789789 852456 951753 963852 963852741 987456 999999a
  12345a 12345q 123456a 123456b 123456q 1234567a 12345678a 123456789a 123abc 123qwe 123456abc 1234abcd a12345 a123456 a1234567 a12345678
  a123456789 aa123456 aa12345678 abc12 abc123 abc1234 abc12345 abc123456 abcd123 abcd1234 abcde123 asd123 asdf1234 q1w2e3 q1w2e3r4 q1w2e3r4t5
  qaz123 qazwsx qazwsxedc qwe123 qweasd qweasdzxc qwer1234 qwert123 qwerty1 qwerty12 qwerty123 qwerty1234 qwerty12345 zaq12wsx zaq1zaq1 zxc123
  zxcvbnm1 aaaaa1 azerty azerty123
  access access14 admin admin1 admin12 admin123 admin1234 admin12345 admin@123 admin@1234 administrator adobe123 alexander amanda andrea andrew
  angel angels anthony apple arsenal ashley austin baby babygirl bailey banana barcelona baseball basketball batman beautiful biteme blink182
  blessed boomer bubbles buster butter butterfly changeme changeme1 charlie cheese chelsea chocolate chris computer cookie corvette cowboy daniel
  david default diamond dolphin donald dragon eminem family fender ferrari flower football forever freedom friends fuckyou fuckyou1 gabriel
  gateway george ginger google guest guitar hannah harley heaven hello hello1 hello123 hockey hottie hunter ihateyou iloveu iloveyou iloveyou1
  internet jackson jasmine jennifer jessica jessie jesus jesus1 jordan jordan23 joseph joshua juice justin killer killer123 letmein letmein1
  lakers liverpool login loveme lovely london love love123 lucky maggie manchester master master123 matrix matthew maverick mercedes merlin
  metallica michael michelle mickey midnight monkey monkey1 monster mother mustang myname mypassword naruto nicole ninja nothing orange p@ssw0rd
  p@ssword p4ssword pa$$word pass pass1 pass12 pass123 pass1234 pass12345 passw0rd passw0rd1 password password! password1 password1! password12
  password123 password1234 password@123 peanut pepper phoenix player please pokemon pokemon1 porsche power princess princess1 purple rachel
  ranger richard robert rocky root root123 samantha samsung samuel scooter secret secret1 secret123 server shadow shadow1 silver slipknot soccer
  sophie spider spiderman starwars steven summer sunshine sunshine1 superman superman1 support sweety taylor temp temp123 temp1234 tennis
  test test1 test12 test123 test1234 test12345 tester thomas thunder tigger trustno1 user user123 user1234 victoria welcome welcome1 welcome123
  welcome@123 whatever william winner winter yankees zaq12wsx
  acesso acesso123 acesso@123 adriana alegria alemanha alessandra alexandre aline amizade amor amor123 amorzinho amoreterno amordaminhavida anabeatriz
  anaclara anajulia anapaula anderson andre123 antonio aparecida arthur atendimento atendente atlanta atletico avai bahia barbara beatriz beijaflor
  bemvindo benfica bernardo bianca botafogo bradesco brasil brasil1 brasil10 brasil123 brasil2014 brasil2024 brasil2025 brasil2026 brasileiro
  bruna bruno bruno123 cachorro caio1234 camila carlos carlos123 carolina caroline casa123 cassia celular cervejaria chocolate1 cliente cliente123
  contato corinthians corinthians1 coritiba crianca cristiane cristiano cristina cruzeiro daniela danilo davi123 debora deus123 deusefiel
  deuseamor deusefiel1 deusnocomando diego diego123 douglas edsonbr eduarda eduardo eduardo1 eduardo123 elaine emanuel emanuelle empresa empresa1
  empresa123 empresa@123 enzo1234 escola espirito estrela estrela1 eutambem eusoueu euteamo euteamo1 euteamo123 fabiana fabio123 fabricio familia
  familia1 familia123 feijoada felicidade felipe felipe123 fernanda fernanda1 fernando fernando1 flamengo flamengo1 flamengo10 flamengo123
  flamengo81 florzinha fluminense fluminense1 forca fortaleza francisco futebol gabriel1 gabriel123 gabriela gabriela1 gatinha gatinho geovana
  gerente giovanna girassol gisele goias gostosa gremio gremio1 gremio1903 guilherme guilherme1 guitarra gustavo gustavo1 gustavo123 heitor helena
  henrique henrique1 igor1234 inter123 internacional internet1 isabela isabella isabelle itau123 jamile janeiro jaqueline jesus123 jesuscristo
  jesusteama jesusmeama joao123 joao1234 joaovitor jonathan jorge123 juliana juliana1 juliano julia123 karina kelly123 laranja larissa larissa1
  leandro leonardo leonardo1 leticia leticia1 liberdade linda123 lucas lucas1 lucas123 lucas1234 luana123 luciana luiz1234 maisa123 manuela marcela
  marcelo marcelo1 marcia marcio123 marcos marcos123 maria maria1 maria123 mariaclara mariana mariana1 marina mateus mateus123 matheus matheus1
  matheus123 mauricio meuamor meuamor1 meudeus meubebe michele miguel miguel123 minhasenha minhavida monica mudar mudar1 mudar123 mudar1234
  mudar@123 mudesenha natalia nicolas nossasenhora novasenha palmeiras palmeiras1 pamela patricia patricia1 paulista paulo123 pedro pedro123
  pedro1234 pedrohenrique portugal princesa princesa1 priscila rafael rafael1 rafael123 rafaela rafaela1 raimundo rebeca recife regina renata
  renato123 ricardo ricardo1 ricardo123 roberto roberta rodrigo rodrigo1 rodrigo123 rogerio romario ronaldo ronaldinho sabrina samara
  sandra santana santos santos1 santos123 saopaulo saopaulo1 saudade segredo segredo1 segredo123 senha senha1 senha12 senha123 senha1234 senha12345
  senha123456 senha321 senha@1 senha@12 senha@123 senha@1234 senhas senhafacil senhaforte senhanova senhasecreta silva123 simone sistema sistema123
  sophia sousa123 suporte suporte123 tatiane teamo teamo1 teamo123 teamomuito thais123 thiago thiago1 thiago123 tiago123 trabalho trocar trocar123
  trocarsenha trocasenha usuario usuario1 usuario123 valeria vanessa vanessa1 vascaino vasco vasco123 vascodagama vendas vendas123 vendedor veronica
  victor victor123 vinicius vinicius1 vitoria vitoria1 vitoria123 vivavida viviane wellington wesley123 whatsapp whatsapp1 whatsapp123 xuxa1234 yasmin
  atende123 balcao balcao123 loja123 loja1234 teste teste1 teste12 teste123 teste1234 teste@123 padrao padrao123 bemvindo1 bemvindo123`.split(
    /\s+/,
  ),
);

/** Rows of the keyboard, the alphabet and the digits: a password that is a part of one, either way, is guessed at once. */
const runs = ["01234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
const bothWays = runs.flatMap((run) => [run, Array.from(run).toReversed().join("")]);

/** Why a password is not accepted where one is set: the code and data that the server answers. */
export type PasswordFault =
  | { code: "ERR_PASSWORD_SHORT"; data: { min: number } }
  | { code: "ERR_PASSWORD_EASY" };

export type PasswordContext = {
  /** The company's minimum length; the specification's minimum always applies too. */
  min?: number;
  /** Name, e-mail, company: as passwords they are guessed first. */
  about?: readonly string[];
};

/** The fault of a password of allowed length; null when it may be set. It is not checked at sign-in. */
export function passwordFault(
  password: string,
  { min = limits.passwordMin, about = [] }: PasswordContext = {},
): PasswordFault | null {
  const least = Math.max(min, limits.passwordMin);
  if (password.length < least) return { code: "ERR_PASSWORD_SHORT", data: { min: least } };
  const folded = fold(password);
  const isEasy =
    isRepeated(folded) ||
    bothWays.some((run) => run.includes(folded)) ||
    common.has(folded) ||
    about.flatMap(guessesOf).includes(folded);
  return isEasy ? { code: "ERR_PASSWORD_EASY" } : null;
}

/** 0: not accepted, 1: weak, 2: fair, 3: good, 4: strong. */
export type PasswordStrength = 0 | 1 | 2 | 3 | 4;

/** How hard a password is to guess, roughly: for the people who choose one, not to decide by. */
export function passwordStrength(password: string, context?: PasswordContext): PasswordStrength {
  if (passwordFault(password, context) !== null) return 0;
  const bits = guessingBits(password, context?.about ?? []);
  if (bits < 36) return 1;
  if (bits < 50) return 2;
  return bits < 65 ? 3 : 4;
}

/** Lower case, without accents and blanks. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\p{M}\s]/gu, "")
    .toLowerCase();
}

/** Empty, or up to three characters repeated. */
function isRepeated(folded: string): boolean {
  return [1, 2, 3].some((step) =>
    Array.from(folded).every((character, at, all) => character === all[at % step]),
  );
}

/** The term as a whole, what stands before the `@`, and its words. */
function guessesOf(term: string): string[] {
  return [term, term.split("@")[0] ?? "", ...term.split(/[\s.@_-]/)]
    .map(fold)
    .filter((guess) => guess !== "");
}

/** A word that everybody knows counts as one and a half characters, one more step of a run as a quarter. */
const WORD_CHARACTERS = 1.5;
const STEP_CHARACTERS = 0.25;

function guessingBits(password: string, about: readonly string[]): number {
  let rest = fold(password);
  let characters = password.length - rest.length;
  const words = [...common, ...about.flatMap(guessesOf)]
    .filter((word) => word.length >= 4 && rest.includes(word))
    .toSorted((a, b) => b.length - a.length);
  for (const word of words) {
    if (!rest.includes(word)) continue;
    rest = rest.replace(word, " ");
    characters += WORD_CHARACTERS;
  }
  let step: number | null = null;
  let previous: number | null = null;
  for (const character of rest.replaceAll(" ", "")) {
    const code = character.charCodeAt(0);
    const next: number | null = previous === null ? null : code - previous;
    const goesOn: boolean =
      next !== null && Math.abs(next) <= 1 && (step === null || step === next);
    characters += goesOn ? STEP_CHARACTERS : 1;
    [step, previous] = [goesOn ? next : null, code];
  }
  return characters * Math.log2(alphabetOf(password));
}

/** Characters among which a guesser has to choose. */
function alphabetOf(password: string): number {
  const kinds: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[^a-zA-Z0-9]/, 32],
  ];
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0);
}
