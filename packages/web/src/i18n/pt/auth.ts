/** The texts of the pages before signing in. */
export const auth = {
  auth: {
    title: "Entrar",
    lead: "Atenda seus clientes em um só lugar.",
    headline: "Cada cliente com uma resposta, cada conversa com um dono.",
    product: "O WhatsApp da loja com a equipe inteira: filas, chatbot e histórico na mesma tela.",
    email: "E-mail",
    emailPlaceholder: "voce@empresa.com.br",
    password: "Senha",
    submit: "Entrar",
    emailRequired: "Informe o e-mail",
    emailInvalid: "E-mail inválido",
    passwordRequired: "Informe a senha",
    welcome: "Login efetuado com sucesso!",
  },
} as const;
