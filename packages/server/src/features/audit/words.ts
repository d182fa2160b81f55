import type { AuditAction, AuditKind, SheetLanguage } from "@balcao/contract";

type Words = {
  file: string;
  titles: string[];
  actions: Record<AuditAction, string>;
  kinds: Record<AuditKind, string>;
};

/** The texts of the spreadsheet. */
export const auditWords: Record<SheetLanguage, Words> = {
  pt: {
    file: "auditoria",
    titles: [
      ...["Quando", "Quem", "Visita do suporte", "Ação", "O quê", "Nome", "Código"],
      ...["Antes", "Depois", "Endereço IP", "Aparelho", "Requisição"],
    ],
    actions: {
      ...{ added: "criou", changed: "mudou", removed: "excluiu", restored: "restaurou" },
      ...{ opened: "abriu", exported: "baixou", merged: "uniu", massChanged: "mudou em massa" },
      ...{ ended: "encerrou", erased: "apagou os dados", replaced: "substituiu dados" },
    },
    kinds: {
      ...{ setting: "configuração", user: "usuário", company: "empresa", connection: "conexão" },
      ...{ queue: "fila", tag: "etiqueta", resolveReason: "motivo", macro: "macro" },
      ...{ fileList: "lista de arquivos", apiToken: "token da API", webhook: "webhook" },
      ...{ integration: "integração", prompt: "agente de IA", aiService: "serviço de IA" },
      ...{ knowledge: "conhecimento", campaignSetting: "configuração de campanhas" },
      ...{ campaign: "campanha", contactList: "lista de contatos" },
      ...{ contactImport: "importação de contatos", brand: "marca", plan: "plano" },
      ...{ billingSettings: "cobrança", announcement: "aviso", help: "vídeo de ajuda" },
      ...{ companyArchive: "exportação da empresa", visit: "visita do suporte" },
      ...{ invoice: "fatura", payment: "pagamento", contact: "contato", ticket: "atendimento" },
      ...{ file: "arquivo", audit: "auditoria", factor: "segundo fator" },
      ...{ recoveryCodes: "códigos de recuperação", passkey: "chave de acesso", session: "sessão" },
      ...{ role: "perfil", person: "pessoa", consent: "consentimento" },
      ...{ privacyRules: "regras de privacidade" },
      ...{ backup: "cópia de segurança", whaticketImport: "importação do Whaticket" },
      ...{ quickMessage: "resposta rápida" },
    },
  },
  en: {
    file: "audit",
    titles: [
      ...["When", "Who", "Support visit", "Action", "What", "Name", "Code"],
      ...["Before", "After", "IP address", "Device", "Request"],
    ],
    actions: {
      ...{ added: "added", changed: "changed", removed: "deleted", restored: "restored" },
      ...{
        opened: "opened",
        exported: "downloaded",
        merged: "merged",
        massChanged: "changed in bulk",
      },
      ...{ ended: "ended", erased: "erased the data", replaced: "replaced data" },
    },
    kinds: {
      ...{ setting: "setting", user: "user", company: "company", connection: "connection" },
      ...{ queue: "queue", tag: "tag", resolveReason: "reason", macro: "macro" },
      ...{ fileList: "file list", apiToken: "API token", webhook: "webhook" },
      ...{ integration: "integration", prompt: "AI agent", aiService: "AI service" },
      ...{ knowledge: "knowledge", campaignSetting: "campaign setting" },
      ...{ campaign: "campaign", contactList: "contact list" },
      ...{ contactImport: "contact import", brand: "brand", plan: "plan" },
      ...{ billingSettings: "billing", announcement: "announcement", help: "help video" },
      ...{ companyArchive: "company export", visit: "support visit" },
      ...{ invoice: "invoice", payment: "payment", contact: "contact", ticket: "conversation" },
      ...{ file: "file", audit: "audit", factor: "second factor" },
      ...{ recoveryCodes: "recovery codes", passkey: "passkey", session: "session" },
      ...{ role: "role", person: "person", consent: "consent" },
      ...{ privacyRules: "privacy rules" },
      ...{ backup: "backup", whaticketImport: "Whaticket import" },
      ...{ quickMessage: "quick reply" },
    },
  },
  es: {
    file: "auditoria",
    titles: [
      ...["Cuándo", "Quién", "Visita del soporte", "Acción", "Qué", "Nombre", "Código"],
      ...["Antes", "Después", "Dirección IP", "Dispositivo", "Solicitud"],
    ],
    actions: {
      ...{ added: "creó", changed: "cambió", removed: "eliminó", restored: "restauró" },
      ...{ opened: "abrió", exported: "descargó", merged: "unió", massChanged: "cambió en masa" },
      ...{ ended: "cerró", erased: "borró los datos", replaced: "sustituyó datos" },
    },
    kinds: {
      ...{ setting: "configuración", user: "usuario", company: "empresa", connection: "conexión" },
      ...{ queue: "cola", tag: "etiqueta", resolveReason: "motivo", macro: "macro" },
      ...{ fileList: "lista de archivos", apiToken: "token de la API", webhook: "webhook" },
      ...{ integration: "integración", prompt: "agente de IA", aiService: "servicio de IA" },
      ...{ knowledge: "conocimiento", campaignSetting: "configuración de campañas" },
      ...{ campaign: "campaña", contactList: "lista de contactos" },
      ...{ contactImport: "importación de contactos", brand: "marca", plan: "plan" },
      ...{ billingSettings: "cobro", announcement: "aviso", help: "video de ayuda" },
      ...{ companyArchive: "exportación de la empresa", visit: "visita del soporte" },
      ...{ invoice: "factura", payment: "pago", contact: "contacto", ticket: "conversación" },
      ...{ file: "archivo", audit: "auditoría", factor: "segundo factor" },
      ...{
        recoveryCodes: "códigos de recuperación",
        passkey: "llave de acceso",
        session: "sesión",
      },
      ...{ role: "perfil", person: "persona", consent: "consentimiento" },
      ...{ privacyRules: "reglas de privacidad" },
      ...{ backup: "copia de seguridad", whaticketImport: "importación de Whaticket" },
      ...{ quickMessage: "respuesta rápida" },
    },
  },
};
