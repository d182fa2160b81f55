import type { Conversation } from "./demo-script.ts";
import {
  acknowledged,
  beatriz,
  caio,
  closed,
  customer,
  from,
  later,
  marina,
  until,
  withFile,
} from "./demo-script.ts";

/** Conversations that were resolved. */
export const closedConversations: readonly Conversation[] = [
  {
    customer: "Aline Souza",
    phone: "5511903846120",
    tags: ["Pós-venda"],
    cycles: [
      closed(
        "Marina Prado",
        "Suporte",
        until(
          78,
          customer("Oi! Recebi o pedido mas faltou o cinto que vinha junto"),
          marina("Oi, Aline! Puxa vida. Pedido *88221*, certo?"),
          customer("Isso mesmo"),
          marina("Confirmei com o depósito: ele ficou na bancada 🙈 Já vai agora por motoboy."),
          customer("Jura? Que rápido!"),
          later(12, marina("O motoboy saiu agora, chega em uns 40 minutos.")),
          later(38, customer("Chegou! Muito obrigada 💚")),
          acknowledged(4, marina("Nós que agradecemos, Aline! Um ótimo dia ☀️")),
        ),
      ),
    ],
  },
  {
    customer: "Márcia Teles",
    phone: "5511909917254",
    cycles: [
      closed(
        "Caio Nunes",
        "Vendas",
        until(
          213,
          customer("Olá! A loja abre no feriado?"),
          caio("Olá, Márcia! Abrimos sim, das *10h às 16h*."),
          customer("E o provador infantil está funcionando?"),
          caio("Está! Temos do 2 ao 14, inclusive a linha *mãe e filha* 👩‍👧"),
          customer("Ai que fofo, vou levar a minha pequena"),
          acknowledged(3, caio("Vão ser muito bem-vindas! Até lá 🤗")),
        ),
      ),
    ],
  },
  {
    customer: "Rafael Nogueira",
    phone: "5511901460387",
    cycles: [
      closed(
        "Beatriz Lopes",
        "Financeiro",
        from(
          1,
          "11:12",
          customer("Preciso da nota fiscal da compra do dia 3, em nome da empresa"),
          beatriz("Bom dia, Rafael! Me passa o CNPJ e o e-mail, por favor?"),
          customer("00.000.000/0001-00, contato@nogueira.example"),
          beatriz("Obrigada. Vou cancelar a nota no CPF e emitir a nova."),
          later(
            22,
            withFile("invoice", beatriz("Pronto! Nota *004.512*, também no seu e-mail 📧")),
          ),
          customer("Chegou aqui, perfeito"),
          beatriz("Qualquer coisa é só chamar. Bom trabalho!"),
        ),
      ),
    ],
  },
  {
    customer: "Juliana Peixoto",
    phone: "5511907582049",
    tags: ["Cliente VIP", "Pós-venda"],
    cycles: [
      closed(
        "Caio Nunes",
        "Vendas",
        from(
          4,
          "15:03",
          customer("Caio!! O blazer off-white chegou?"),
          caio("Chegou hoje, Ju! Três peças só 🏃‍♀️"),
          customer("Separa um M pra mim, busco amanhã"),
          caio("Separado! Quer que eu deixe a *calça Vega* junto, para provar?"),
          customer("Você me conhece 😂 quero"),
        ),
      ),
      closed(
        "Marina Prado",
        "Suporte",
        from(
          1,
          "16:30",
          customer("Oi! Comprei o blazer na loja e esqueci de pedir a etiqueta de presente 😅"),
          marina("Oi, Juliana! Sem problema, dá para trocar pelo CPF em até 30 dias."),
          customer("Então minha irmã pode trocar sem nada?"),
          marina("Só com o seu CPF e a etiqueta interna da peça 👌"),
          customer("Maravilha, obrigada!"),
          marina("Imagina! Diga a ela que estamos esperando com um café ☕"),
        ),
      ),
    ],
  },
  {
    customer: "Tatiane Freitas",
    phone: "5511904093376",
    tags: ["Troca"],
    cycles: [
      closed(
        "Marina Prado",
        "Suporte",
        from(
          2,
          "10:41",
          customer("Oi, quero trocar a blusa de seda, veio com um fio puxado"),
          marina("Oi, Tatiane! Você pode me mandar uma foto do fio?"),
          customer("Estou no trabalho agora, mando à noite. Mas é bem na manga"),
          marina("Nem precisa, confio em você 😊 Prefere outra igual ou um vale-compra?"),
          customer("Outra igual, por favor. Tamanho G, azul"),
          marina("Última G azul reservada! A coleta e a entrega são no mesmo dia."),
          later(4, marina("Agendei para *amanhã, das 14h às 18h*. Protocolo: ```TR-30418```")),
          customer("Que eficiência! Obrigada"),
        ),
        from(
          1,
          "17:55",
          customer("Blusa nova na mão, tudo certo!"),
          marina("Que bom! Obrigada por avisar 💙"),
        ),
      ),
    ],
  },
  {
    customer: "Gustavo Meireles",
    phone: "5511908157742",
    cycles: [
      closed(
        "Caio Nunes",
        "Vendas",
        from(
          2,
          "13:20",
          customer("Boa tarde, tem gravata borboleta?"),
          caio("Boa tarde, Gustavo! Temos em cetim e em veludo 🎀"),
          customer("Qual combina mais com terno azul-marinho?"),
          caio("O *veludo bordô* fica incrível. E temos o lenço da mesma cor."),
          customer("Quanto fica o kit?"),
          caio("Gravata R$ 89,90 + lenço R$ 49,90. O kit sai por *R$ 124,90*."),
          later(6, customer("Pode mandar o link?")),
          caio("https://boutiqueaurora.example/kit-veludo"),
          later(15, customer("Comprado! Obrigado pela ajuda")),
          acknowledged(3, caio("Valeu, Gustavo! Arrasa na festa 🕺")),
        ),
      ),
    ],
  },
  {
    customer: "Cláudia Bastos",
    phone: "5511902641195",
    cycles: [
      closed(
        "Beatriz Lopes",
        "Financeiro",
        from(
          3,
          "09:26",
          customer("Bom dia, meu cartão foi recusado no site três vezes"),
          customer("E o limite está liberado, já falei com o banco"),
          beatriz("Bom dia, Cláudia! Vi as tentativas aqui. O antifraude pediu confirmação."),
          beatriz("Você autoriza que eu libere a compra de *R$ 512,80*?"),
          customer("Autorizo sim, sou eu mesma kkk"),
          later(5, beatriz("Liberado! Pode tentar de novo, agora passa de primeira.")),
          later(7, customer("Passou! Obrigada 🙌")),
          beatriz("Oba! Seu pedido é o *88189*. Boas compras!"),
        ),
      ),
    ],
  },
  {
    customer: "Priscila Yamada",
    phone: "5511906925508",
    tags: ["Orçamento"],
    cycles: [
      closed(
        "Caio Nunes",
        "Vendas",
        from(
          3,
          "17:08",
          customer("Olá, quanto custa bordar iniciais nos roupões?"),
          caio("Olá, Priscila! O bordado sai por R$ 25,00 cada, até 3 letras."),
          customer("São 8 roupões para um chá de panela"),
          caio("Para 8 eu faço por *R$ 20,00* cada. Fica pronto em 4 dias úteis."),
          customer("Hmm, é pra sexta. Não dá né?"),
          caio("Sexta não consigo garantir, e prefiro não prometer 😔"),
          customer("Entendi! Obrigada pela sinceridade, fica pra próxima"),
          acknowledged(2, caio("Obrigado você! E um chá lindo para a noiva 💐")),
        ),
      ),
    ],
  },
  {
    customer: "Natália Dornelles",
    phone: "5511905073923",
    tags: ["Pós-venda"],
    cycles: [
      closed(
        "Marina Prado",
        "Suporte",
        from(
          4,
          "14:35",
          customer("Como lavo o vestido de linho? Tenho medo de estragar"),
          marina("Oi, Natália! À mão, com água fria e sabão neutro, e secar *à sombra*."),
          customer("Posso passar ferro?"),
          marina("Pode, do avesso e ainda úmido. Fica lisinho!"),
          marina("Tem um guia completo aqui: https://boutiqueaurora.example/cuidados"),
          customer("Amei, já salvei ❤️"),
          marina("Que bom! Aproveite muito o vestido 🌸"),
        ),
      ),
    ],
  },
  {
    customer: "Roberto Alencar",
    phone: "5511909308864",
    cycles: [
      closed(
        "Marina Prado",
        "Suporte",
        from(
          4,
          "10:02",
          customer("Bom dia, coloquei o endereço errado no pedido 88093"),
          marina("Bom dia, Roberto! Ainda não saiu, dá tempo. Qual é o certo?"),
          customer("Rua das Acácias, 120, apto 51. Coloquei 15"),
          marina("Corrigido ✅ Fica assim:\n> Rua das Acácias, 120, apto 51"),
          customer("Isso! Salvou meu dia"),
          marina("Que bom que você avisou a tempo. Até a próxima!"),
        ),
      ),
    ],
  },
];
