export const notes = {
  label: "Nova observação",
  placeholder: "Só a equipe vê",
  add: "Adicionar observação",
  short: "Escreva pelo menos 2 caracteres",
  added: "Observação adicionada com sucesso!",
  deleted: "Observação excluída com sucesso!",
  delete: "Excluir a observação de {{author}}, {{moment}}",
  formerUser: "Ex-usuário",
} as const;
