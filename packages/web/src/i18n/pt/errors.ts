import type { ErrorCode } from "@balcao/contract";
import type { LocalErrorCode } from "../../api/api-error.ts";

/** A text for every code of the contract, and for the failures that the browser finds itself. */
export const errors = {
  unknown: "Algo deu errado. Tente de novo.",
  ERR_NETWORK: "Sem resposta do servidor. Verifique sua conexão e tente de novo.",
  ERR_TIMEOUT: "O servidor demorou demais para responder. Tente de novo.",

  ERR_INVALID_REQUEST: "Os dados enviados não são válidos.",
  ERR_BODY_TOO_LARGE: "O conteúdo é grande demais.",
  ERR_UNSUPPORTED_MEDIA_TYPE: "Este tipo de arquivo não é aceito.",
  ERR_TOO_MANY_REQUESTS: "Muitas tentativas. Aguarde um pouco e tente de novo.",
  ERR_ROUTE_NOT_FOUND: "Esta função não existe nesta versão do sistema.",
  ERR_UNAVAILABLE: "O sistema está indisponível no momento. Tente de novo em instantes.",
  ERR_INTERNAL: "Erro interno do sistema. Tente de novo; se continuar, avise o suporte.",

  ERR_INVALID_CREDENTIALS: "E-mail ou senha incorretos.",
  ERR_SESSION_EXPIRED: "Sua sessão terminou. Entre de novo.",
  ERR_TOKEN_EXPIRED: "Sua sessão precisa ser renovada. Tente de novo.",
  ERR_SUBSCRIPTION_EXPIRED:
    "Opss! Sua assinatura venceu {{date}}. Entre em contato com o Suporte para mais informações!",
  ERR_COMPANY_DISABLED: "Esta empresa está desativada. Entre em contato com o Suporte.",
  ERR_NO_PERMISSION: "Você não tem permissão para fazer isso.",
  ERR_TICKET_FORBIDDEN: "Acesso não permitido",
  ERR_OTHER_COMPANY: "Você não possui permissão para acessar este recurso!",

  ERR_NO_COMPANY_FOUND: "Empresa não encontrada.",
  ERR_NO_SETTING_FOUND: "Configuração não encontrada.",
  ERR_NO_CONTACT_FOUND: "Contato não encontrado.",
  ERR_NO_TICKET_FOUND: "Atendimento não encontrado.",
  ERR_NO_USER_FOUND: "Usuário não encontrado.",
  ERR_NO_WAPP_FOUND: "Conexão não encontrada.",
  ERR_NO_MESSAGE_FOUND: "Mensagem não encontrada.",
  ERR_NO_TAG_FOUND: "Etiqueta não encontrada.",
  ERR_QUEUE_NOT_FOUND: "Fila não encontrada.",

  ERR_OTHER_OPEN_TICKET: "Já existe um atendimento aberto para este contato.",
  ERR_TICKET_TRANSITION: "O atendimento já mudou de situação. Veja como ele está agora.",
  ERR_MESSAGE_EMPTY: "Escreva a mensagem antes de enviar.",
  ERR_MESSAGE_NOT_FAILED: "Esta mensagem não está mais com falha.",
  ERR_FETCH_WAPP_MSG: "Mensagem não encontrada; talvez seja antiga demais.",
  ERR_WAPP_NOT_INITIALIZED: "A conexão não foi iniciada. Verifique a página de conexões.",
  ERR_NO_DEF_WAPP_FOUND: "Nenhuma conexão padrão encontrada. Verifique a página de conexões.",
  ERR_WAPP_INVALID_CONTACT: "Este número não é válido no aplicativo de conversa.",
  ERR_SENDING_WAPP_MSG: "Não foi possível enviar a mensagem. Verifique a conexão.",
  ERR_SIMULATOR_CODE: "Este QR code não vale mais. Leia o que está na tela agora.",
  ERR_SIMULATOR_NOT_LINKED: "Esta conexão não está vinculada.",
} as const satisfies Record<ErrorCode | LocalErrorCode | "unknown", string>;
