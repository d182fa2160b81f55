import type { Conversation } from "./demo-script.ts";
import {
  caio,
  closed,
  customer,
  deleted,
  from,
  later,
  marina,
  pending,
  until,
  withFile,
} from "./demo-script.ts";

/** Conversations that wait for an agent, some of them without a queue. */
export const pendingConversations: readonly Conversation[] = [
  {
    customer: "Diego Nascimento",
    phone: "5511904410982",
    cycles: [
      pending(
        null,
        until(
          4,
          customer("Oi, tudo bem?"),
          customer("quero saber do meu pedido"),
          customer("comprei na semana passada e até agora não chegou"),
          later(2, customer("o número é 88176")),
          customer("está no nome da minha mãe, Célia Nascimento"),
          later(2, customer("tem alguém aí? 🙏")),
        ),
      ),
    ],
  },
  {
    customer: "Camila Rocha",
    phone: "5511907025569",
    tags: ["Cliente VIP"],
    cycles: [
      closed(
        "Caio Nunes",
        "Vendas",
        from(
          3,
          "16:15",
          customer("Caio, a saia plissada voltou pro estoque?"),
          caio("Oi, Camila! Voltou hoje, nas cores *off-white* e *musgo* 🌿"),
          customer("Quero a musgo, tamanho P"),
          caio("Reservada! Link para pagar: https://boutiqueaurora.example/sacola/7f3k"),
          later(9, customer("Pago ✅")),
          caio("Recebido! Amanhã já sai para entrega. Obrigado pela preferência 💚"),
          customer("Vocês são demais"),
        ),
      ),
      pending(
        "Vendas",
        until(
          7,
          customer("Oi gente! A saia chegou e ficou PERFEITA"),
          customer("Agora preciso de uma blusa pra combinar 😅"),
          customer("Que cor vocês indicam?"),
        ),
      ),
    ],
  },
  {
    customer: "Fernanda Lima",
    phone: "5511901973340",
    cycles: [
      pending(
        null,
        until(
          18,
          customer("Olá! Vi o anúncio do *vestido Serena* no Instagram"),
          customer("Ainda tem no tamanho 44?"),
          later(3, customer("E vocês fazem ajuste de barra?")),
          customer("Meu casamento civil é no dia 28, preciso receber antes"),
          later(4, customer("Moro em Campinas")),
          customer("Ah, e queria saber se parcela sem juros"),
        ),
      ),
    ],
  },
  {
    customer: "Thiago Barros",
    phone: "5511906248813",
    tags: ["Troca"],
    cycles: [
      pending(
        "Suporte",
        until(
          35,
          customer("Olá, ganhei uma camisa de vocês no meu aniversário"),
          customer("Queria trocar por outra cor, mas não tenho a nota"),
          caio("Olá, Thiago! Parabéns atrasado 🎉 Sem a nota também dá, pela etiqueta."),
          caio("Vou passar você para a *Marina*, do suporte, que cuida das trocas."),
          later(5, customer("Show, fico no aguardo")),
          withFile("label", customer("O código da etiqueta é AUR-2231-G")),
          later(8, customer("Ela ainda está por aí?")),
        ),
      ),
    ],
  },
  {
    customer: "Sônia Albuquerque",
    phone: "5511908304427",
    cycles: [
      pending(
        "Financeiro",
        until(
          192,
          customer("Olá, fui cobrada duas vezes pela mesma compra"),
          customer("Foram duas parcelas de R$ 216,50 no mesmo dia"),
          marina("Olá, dona Sônia! Sinto muito pelo susto. Qual foi o número do pedido?"),
          customer("É o 88158"),
          marina(
            "Encontrei. Uma das cobranças ficou mesmo duplicada. Vou transferir para o *Financeiro*, que faz o cancelamento para a senhora.",
          ),
          customer("Está bem, obrigada minha filha"),
          later(16, deleted(customer("Posso mandar a foto da fatura se ajudar"))),
          customer("Só não queria pagar juros por causa disso 😟"),
        ),
      ),
    ],
  },
  {
    customer: "Vanessa Prates",
    phone: "5511905597038",
    tags: ["Orçamento"],
    cycles: [
      pending(
        null,
        from(
          1,
          "14:26",
          customer("Boa tarde!"),
          customer("Sou produtora e estou montando o figurino de um comercial"),
          customer("Preciso alugar ou comprar umas 15 peças em tons claros"),
          later(3, customer("Vocês trabalham com *consignação*?")),
          customer("A gravação é no fim do mês, aqui em São Paulo"),
          later(6, customer("Segue a referência: https://pastas.example/figurino-verao")),
          customer("Aguardo retorno, obrigada!"),
        ),
      ),
    ],
  },
  {
    customer: "Eduardo Kato",
    phone: "5511902736651",
    cycles: [
      closed(
        "Caio Nunes",
        "Vendas",
        from(
          4,
          "11:48",
          customer("Oi, quanto está o cachecol de lã cinza?"),
          caio("Oi, Eduardo! R$ 119,90, e no PIX R$ 113,90 🧣"),
          customer("Vou pensar e volto a falar"),
          caio("Fica à vontade! Estamos por aqui das 9h às 20h."),
        ),
      ),
      pending(
        "Vendas",
        from(
          2,
          "15:40",
          customer("Boa tarde, voltei por causa do cachecol"),
          customer("Quero dois, um cinza e um azul-marinho"),
          later(5, customer("Dá pra embrulhar separado?")),
          customer("São presentes 🎁"),
        ),
      ),
    ],
  },
];
