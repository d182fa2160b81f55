import type { Conversation } from "./demo-script.ts";
import {
  acknowledged,
  beatriz,
  caio,
  closed,
  customer,
  edited,
  from,
  later,
  marina,
  open,
  reacted,
  refused,
  replying,
  until,
  withFile,
} from "./demo-script.ts";

/** Conversations that an agent is having now. */
export const openConversations: readonly Conversation[] = [
  {
    customer: "Helena Duarte",
    phone: "5511904562210",
    tags: ["Cliente VIP", "Troca"],
    cycles: [
      open(
        "Marina Prado",
        "Suporte",
        0,
        from(
          1,
          "17:42",
          customer("Oi, boa tarde!"),
          reacted(
            "😍",
            withFile(
              "dress",
              customer("Chegou hoje o vestido Aurora verde, pedido *88213*. É lindo 😍"),
            ),
          ),
          customer("Mas pedi o M e ficou largo na cintura, acho que o P ia ser perfeito"),
          marina(
            "Boa tarde, Helena! Que pena que não serviu de primeira. Vou separar um *P* aqui para você, só um instante 💚",
          ),
          later(
            4,
            marina(
              "Separei! Nossa política de trocas está aqui: https://boutiqueaurora.example/trocas",
            ),
          ),
          customer("Ótimo, vou ler com calma e te falo amanhã"),
          marina("Combinado, fica reservado no seu nome até sexta."),
        ),
        until(
          4,
          customer("Oi, Marina! Li tudo"),
          withFile(
            "label",
            customer("Ele veio assim na caixa, com a etiqueta. Não usei, só provei"),
          ),
          marina(
            "Oi, Helena! Perfeito então. A troca é *por nossa conta*: você prefere receber o tamanho P em casa ou quer provar na loja?",
          ),
          edited(reacted("🙏", marina("O prazo é de 30 dias e a coleta passa na sua casa."))),
          replying(2, customer("O P, por favor. Consegue coletar na quinta?")),
          refused(
            marina("Consigo sim! Coleta na quinta, das 9h às 12h. Vou enviar o código por aqui."),
          ),
        ),
      ),
    ],
  },
  {
    customer: "Larissa Campos",
    phone: "5511901187342",
    tags: ["Orçamento"],
    cycles: [
      open(
        "Caio Nunes",
        "Vendas",
        1,
        until(
          9,
          customer("Oii, tudo bem?"),
          customer(
            "Vou ser madrinha em novembro e a cor é *terracota*. Vocês têm longo nessa cor?",
          ),
          caio(
            "Oi, Larissa! Tudo ótimo, e parabéns pela madrinhagem ✨ Temos três modelos em terracota, do 36 ao 46.",
          ),
          caio(
            "• *Longo Amélia*, crepe: R$ 489,90\n• *Longo Serena*, chiffon: R$ 559,90\n• *Midi Clara*, cetim: R$ 399,90",
          ),
          caio("Fotos de todos: https://boutiqueaurora.example/colecao/terracota"),
          later(6, customer("Nossa, amei o Serena 😍😍")),
          customer("Somos 5 madrinhas, tem desconto?"),
          caio("Para 5 peças consigo *10%* e os ajustes de barra ficam por nossa conta."),
          later(5, customer("Show! Vou falar com as meninas. Qual o prazo dos ajustes?")),
        ),
      ),
    ],
  },
  {
    customer: "Otávio Ramos",
    phone: "5511907734158",
    cycles: [
      open(
        "Caio Nunes",
        "Vendas",
        2,
        until(
          23,
          customer("Olá! Vi no site uma jaqueta de linho areia, tem na loja da Paulista?"),
          caio("Olá, Otávio! Tem sim: *M* e *GG*. Qual é o seu tamanho?"),
          customer("Uso M"),
          caio("Última M da loja, hein? 😄 Sai por R$ 349,90, ou R$ 332,40 no PIX."),
          customer("Consegue guardar pra mim até amanhã?"),
          caio("Guardo com prazer. Está no caixa, em seu nome."),
          caio("Av. Paulista, piso térreo da galeria: https://maps.example/boutique-aurora"),
          later(3, customer("Perfeito, vou passar aí amanhã às 15h")),
          customer("Tem estacionamento perto?"),
        ),
      ),
    ],
  },
  {
    customer: "Renata Figueiredo",
    phone: "5511905528861",
    cycles: [
      open(
        "Beatriz Lopes",
        "Financeiro",
        3,
        until(
          42,
          customer("Olá, fiz uma compra ontem e o pagamento aparece como pendente"),
          customer("Pedido 88240"),
          beatriz(
            "Olá, Renata! Achei seu pedido. O boleto *não foi compensado*, mas posso gerar um PIX com o mesmo valor. Prefere?",
          ),
          customer("Prefiro PIX sim"),
          beatriz("Valor: *R$ 268,00*\nChave (e-mail):\n```financeiro@boutiqueaurora.example```"),
          beatriz("Assim que pagar me envia o comprovante por aqui, que eu libero na hora 🙂"),
          later(11, customer("Pronto, paguei!")),
          customer("Enviei o comprovante do PIX agora no e-mail, porque aqui não foi"),
          customer("Conseguem despachar logo?"),
        ),
      ),
    ],
  },
  {
    customer: "Samuel Tavares",
    phone: "5511909246673",
    tags: ["Pós-venda"],
    cycles: [
      open(
        "Marina Prado",
        "Suporte",
        0,
        from(
          2,
          "11:05",
          customer("Olá, comprei um presente pra minha esposa e precisava que chegasse até sexta"),
          customer("pedido 88197"),
          marina("Olá, Samuel! Vou conferir a rota de entrega, um minutinho."),
          later(
            7,
            marina(
              "Está embalado para presente 🎁 e sai do depósito amanhã. A transportadora promete entrega *até quinta*.",
            ),
          ),
          customer("Ufa! Dá pra colocar um cartão junto?"),
          marina("Dá sim, me manda o texto que eu mesma escrevo."),
          customer("_Para a mulher mais elegante do Brasil. Com amor, Samuel_"),
          marina("Que lindo! ❤️ Anotado."),
        ),
        until(
          51,
          customer("Oi, alguma novidade?"),
          marina("Oi, Samuel! Acabei de ver aqui: código de rastreio *AU552310BR*."),
          marina("https://rastreio.example/AU552310BR"),
          acknowledged(3, marina("Seu pedido saiu para entrega 🚚")),
        ),
      ),
    ],
  },
  {
    customer: "Bianca Moreira",
    phone: "5511902269907",
    cycles: [
      open(
        "Caio Nunes",
        "Vendas",
        1,
        until(
          124,
          customer("Oi! Vocês entregam fora de São Paulo?"),
          caio("Oi, Bianca! Entregamos no Brasil todo 🇧🇷 O que você está procurando?"),
          customer("O conjunto de alfaiataria rosa que vocês postaram ontem"),
          caio(
            "Ah, o *conjunto Flora*! Blazer R$ 429,90 e calça R$ 289,90. Levando os dois sai por ~R$ 719,80~ *R$ 659,90*.",
          ),
          customer("Aaaa que tudo"),
          customer("Calça 40 e blazer M"),
          caio("Tenho os dois tamanhos. Posso montar a sacola para você?"),
          later(8, customer("Qual o valor do frete para Recife?")),
        ),
      ),
    ],
  },
  {
    customer: "Joana Castilho",
    phone: "5511906681294",
    tags: ["Cliente VIP"],
    cycles: [
      closed(
        "Marina Prado",
        "Suporte",
        from(
          4,
          "10:20",
          customer("Bom dia, meu cinto veio com a fivela solta"),
          marina("Bom dia, Joana! Puxa, desculpe. Pode me dizer o número do pedido?"),
          customer("88102"),
          marina("Obrigada! Prefere outro cinto igual ou o valor de volta?"),
          customer("Prefiro o valor, já comprei outro na viagem"),
          marina("Sem problemas. A coleta passa amanhã de manhã e o financeiro faz o estorno."),
          customer("Obrigada, querida!"),
        ),
      ),
      open(
        "Beatriz Lopes",
        "Financeiro",
        0,
        until(
          186,
          customer("Oi! O cinto já foi coletado, mas o estorno não apareceu na fatura"),
          beatriz("Oi, Joana! O estorno de *R$ 129,90* foi pedido ontem à operadora."),
          beatriz("Ele aparece em até *duas faturas*, conforme o fechamento do seu cartão."),
          customer("Hmm, meu cartão fecha dia 20. Dá tempo?"),
          acknowledged(
            4,
            beatriz("Dá sim! E qualquer coisa eu envio a carta de estorno para o banco 📄"),
          ),
        ),
      ),
    ],
  },
  {
    customer: "Ateliê Mariposa",
    phone: "5511908819035",
    tags: ["Orçamento", "Cliente VIP"],
    cycles: [
      open(
        "Caio Nunes",
        "Vendas",
        0,
        from(
          3,
          "14:10",
          customer("Boa tarde, aqui é a Lúcia do Ateliê Mariposa"),
          customer("Vocês vendem no atacado? Preciso de 30 camisas brancas para um desfile"),
          caio("Boa tarde, Lúcia! Vendemos a partir de 12 peças. Qual modelo te interessa?"),
          customer("A *camisa Íris*, de algodão"),
          caio("Grade do 36 ao 48?"),
          customer("Do 36 ao 44. 6 de cada"),
          later(
            25,
            caio(
              "*Orçamento nº 412*\n30 × Camisa Íris branca\nUnitário: R$ 139,00\nTotal: *R$ 4.170,00*\nPrazo: 8 dias úteis\n_Válido por 7 dias_",
            ),
          ),
          customer("Recebido, vou levar para a minha sócia 👍"),
        ),
        until(
          305,
          customer("Fechado! Podemos passar aí para ver o tecido antes?"),
          caio("Claro! Amanhã às 10h fica bom? Deixo três peças separadas."),
          customer("Fica ótimo"),
          acknowledged(2, caio("Combinado, até amanhã! 🦋")),
        ),
      ),
    ],
  },
  {
    customer: "Lucas Andrade",
    phone: "5511903357716",
    tags: ["Troca"],
    cycles: [
      open(
        "Marina Prado",
        "Suporte",
        0,
        from(
          1,
          "09:34",
          customer("Bom dia. A calça que comprei desbotou na primeira lavagem"),
          customer("Lavei com água fria, do jeito que está na etiqueta"),
          marina("Bom dia, Lucas! Isso não é normal, vamos resolver. É a *calça Tom* preta?"),
          customer("Isso, tamanho 42"),
          marina("Você consegue trazer na loja ou prefere a coleta?"),
          customer("Passo na loja no sábado"),
          marina(
            "Perfeito. Já deixei uma nova separada e o *vale-troca* no seu CPF, assim ninguém te faz repetir a história 😉",
          ),
          later(14, customer("Valeu, Marina! Atendimento nota 10 👏")),
        ),
      ),
    ],
  },
];
