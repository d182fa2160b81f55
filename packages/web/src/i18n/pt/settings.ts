export const settings = {
  title: "Configurações",
  options: "Opções",
  saved: "Operação atualizada com sucesso.",
  groups: {
    service: "Atendimento",
    chatbot: "Chatbot e horários",
    incoming: "Grupos e chamadas",
    security: "Segurança",
  },
  sendGreetingAccepted: {
    label: "Saudação ao aceitar",
    help: "Quando alguém aceita um atendimento, o cliente recebe uma saudação com o nome do atendente.",
  },
  sendMsgTransfTicket: {
    label: "Aviso de transferência",
    help: "O cliente é avisado quando o atendimento passa para outra fila ou outro atendente.",
  },
  userRating: {
    label: "Pesquisa de satisfação",
    help: "Ao resolver um atendimento, o cliente é convidado a dar uma nota de 1 a 3.",
  },
  scheduleType: {
    label: "Horário de atendimento",
    help: "Fora do horário o chatbot não responde: o cliente recebe só a mensagem de fora do horário.",
    values: {
      disabled: "Não verificar",
      company: "Um horário para a empresa",
      queue: "Um horário por fila",
    },
    toHours: "Definir os horários",
    toQueues: "Definir os horários nas filas",
  },
  sendGreetingMessageOneQueues: {
    label: "Saudação com uma só fila",
    help: "Se a conexão tem uma única fila, o cliente recebe a saudação dela antes do atendimento.",
  },
  chatBotType: {
    label: "Tipo de menu do chatbot",
    help: "O menu é um texto numerado: o cliente responde com o número da opção.",
    values: { text: "Texto" },
  },
  CheckMsgIsGroup: {
    label: "Ignorar mensagens de grupos",
    help: "Mensagens de grupos não viram atendimentos. Desligado, cada grupo é um atendimento.",
  },
  call: {
    label: "Aceitar chamadas",
    help: "Desligado, chamadas de voz e vídeo são recusadas e o cliente é convidado a escrever.",
  },
  passwordMinLength: {
    label: "Tamanho mínimo da senha",
    help: "Vale para as senhas definidas a partir de agora; as que já existem continuam valendo.",
    value: "{{min}} caracteres",
  },
  hours: {
    title: "Horários",
    heading: "Horários da empresa",
    text: "Fora destes horários o chatbot não responde e os clientes aguardam na lista.",
    openNow: "Agora são {{time}} ({{zone}}): aberto.",
    closedNow: "Agora são {{time}} ({{zone}}): fechado.",
    saved: "Horários atualizados com sucesso.",
    textsTitle: "O que o cliente recebe fora do horário",
    texts:
      "Cada conexão tem a sua mensagem de fora do horário, enviada uma vez a cada período fechado.",
    toConnections: "Definir a mensagem nas conexões",
    silent_one: "Sem mensagem, nada é enviado: {{names}}.",
    silent_other: "Sem mensagem, nada é enviado: {{names}}.",
  },
  outOfHours: {
    title: "Fora do horário.",
    company: "A empresa abre {{when}}.",
    queue: "A fila {{name}} abre {{when}}.",
    companyNever: "Nenhum dia da semana tem horário para a empresa.",
    queueNever: "Nenhum dia da semana tem horário para a fila {{name}}.",
    today: "hoje às {{time}}",
    onDay: "{{day}} às {{time}}",
  },
} as const;
