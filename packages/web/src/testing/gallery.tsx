import "../ui/styles/index.ts";
import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { ConnectionStatus } from "@balcao/contract";
import { NativeSelect, Switch, TextInput } from "@mantine/core";
import {
  IconBolt,
  IconCloudOff,
  IconMoon,
  IconPencil,
  IconPlugConnectedX,
  IconPlus,
  IconTag,
  IconTrash,
} from "@tabler/icons-react";
import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { useForm } from "react-hook-form";
import { queryClient } from "../api/query-client.ts";
import { AckIcon, Bubble } from "../features/messages/index.ts";
import { TicketCard } from "../features/tickets/list/ticket-card.tsx";
import { givenTicket } from "../features/tickets/testing/given-ticket.ts";
import { startTexts, textParts, withTexts } from "../i18n/index.ts";
import { browserSteps, Router } from "../router/index.tsx";
import { Button } from "../ui/button.tsx";
import { ColorField } from "../ui/color-field.tsx";
import { ColorScheme } from "../ui/color-scheme.ts";
import { FormDialog } from "../ui/dialogs/form-dialog.tsx";
import { QuestionDialog } from "../ui/dialogs/question-dialog.tsx";
import { FieldGroup } from "../ui/field-group.tsx";
import {
  AppAvatar,
  ConnectionPill,
  EmptyState,
  IconButton,
  ListSkeleton,
  LoadFailed,
  NoticeStrip,
  notifyError,
  notifyInfo,
  notifySuccess,
  QueueDot,
} from "../ui/index.ts";
import { Look } from "../ui/look.tsx";
import { TagMark } from "../ui/marks.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { RecordTable, RowName } from "../ui/page/record-table.tsx";
import { QueueChoice } from "../ui/queue-choice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ThemeToggle } from "../ui/theme-toggle.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { TooltipHost } from "../ui/tooltip.tsx";
import { UndoBar } from "../ui/undo-bar.tsx";
import classes from "./gallery.module.css";

// `/gallery` of the development server: every component of the kit in each of its states. The theme is switched at the top.

const noop = (): void => undefined;

type PartProps = { name: string; isWide?: boolean; children: ReactNode };

function Part({ name, isWide = false, children }: PartProps): ReactNode {
  return (
    <section className={`${classes["part"]} ${isWide ? classes["wide"] : ""}`} aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Row({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes["row"]}>{children}</div>;
}

function Buttons(): ReactNode {
  const looks = ["filled", "default", "subtle"] as const;
  return (
    <Part name="Buttons">
      {looks.map((variant) => (
        <Row key={variant}>
          <Button variant={variant}>Salvar</Button>
          <Button variant={variant} leftSection={<IconPlus size={15} aria-hidden="true" />}>
            Novo
          </Button>
          <Button variant={variant} disabled>
            Parado
          </Button>
          <Button variant={variant} loading>
            Salvando
          </Button>
          <Button variant={variant} size="xs">
            Pequeno
          </Button>
        </Row>
      ))}
      <Row>
        <Button color="bad">Excluir</Button>
        <IconButton label="Editar" icon={IconPencil} shortcut="Alt E" />
        <IconButton label="Ativo" icon={IconBolt} isActive />
        <IconButton label="Cheio" icon={IconPlus} variant="filled" />
        <IconButton label="Pequeno" icon={IconTrash} size="small" />
        <IconButton label="Parado" icon={IconTrash} disabled />
      </Row>
    </Part>
  );
}

function Fields(): ReactNode {
  const [choice, setChoice] = useState<"one" | "two" | "three">("two");
  const [queueIds, setQueueIds] = useState([1]);
  const { control } = useForm({ defaultValues: { color: "#0d6b59" } });
  return (
    <Part name="Fields">
      <TextInput label="Nome" placeholder="Loja Paulista" />
      <TextInput
        label="Com ajuda"
        description="Aparece no início da mensagem."
        defaultValue="Ana"
      />
      <TextInput label="Com erro" error="Obrigatório" />
      <TextInput label="Parado" disabled defaultValue="Não muda" />
      <PasswordField label="Senha" defaultValue="segredo" />
      <NativeSelect label="Fila" data={["Vendas", "Suporte", "Financeiro", "Trocas"]} />
      <div>
        <p id="gallery-choice">Até três escolhas</p>
        <Segmented
          aria-labelledby="gallery-choice"
          value={choice}
          choices={[
            { value: "one", label: "Não verificar" },
            { value: "two", label: "Por fila" },
            { value: "three", label: "Da empresa" },
          ]}
          onChange={setChoice}
        />
      </div>
      <Row>
        <Switch label="Desligado" />
        <Switch label="Ligado" defaultChecked />
        <Switch label="Parado" disabled />
      </Row>
      <FieldGroup legend="Seção" help="Uma frase sobre os campos.">
        <TextInput label="Campo da seção" />
      </FieldGroup>
      <QueueChoice
        legend="Filas"
        help="As filas da pessoa."
        queues={[
          { id: 1, name: "Vendas", color: "#2f8f6b" },
          { id: 2, name: "Suporte", color: "#3b82c4" },
        ]}
        value={queueIds}
        onChange={setQueueIds}
      />
      <ColorField control={control} name="color" others={[{ name: "Vendas", color: "#da534f" }]} />
    </Part>
  );
}

const statuses: readonly ConnectionStatus[] = [
  "CONNECTED",
  "qrcode",
  "PAIRING",
  "OPENING",
  "TIMEOUT",
  "DISCONNECTED",
];

function Marks(): ReactNode {
  return (
    <Part name="Marks">
      <Row>
        {statuses.map((status) => (
          <ConnectionPill key={status} status={status} />
        ))}
      </Row>
      <Row>
        {["#da534f", "#329d5a", "#328bd6", "#ffdd00", "#111111"].map((color) => (
          <TagMark key={color} name="Etiqueta" color={color} />
        ))}
      </Row>
      <Row>
        {["#da534f", "#329d5a", "#328bd6"].map((color) => (
          <span key={color}>
            <QueueDot color={color} /> Fila
          </span>
        ))}
      </Row>
      <Row>
        {["Helena Duarte", "Otávio Ramos", "Clínica Vida", "🎀"].map((name, index) => (
          <AppAvatar key={name} name={name} id={index} size={40} />
        ))}
      </Row>
    </Part>
  );
}

function Notices(): ReactNode {
  return (
    <Part name="Notices">
      <NoticeStrip tone="info" icon={IconCloudOff} title="Sem conexão.">
        Tentando de novo em 4 s.
      </NoticeStrip>
      <NoticeStrip
        tone="bad"
        icon={IconPlugConnectedX}
        title="Loja Paulista desconectada."
        action={{ label: "Reconectar", onClick: noop }}
      >
        As mensagens não estão sendo enviadas.
      </NoticeStrip>
      <NoticeStrip tone="warn" icon={IconMoon} title="Fora do horário.">
        A empresa abre na segunda-feira, às 9h.
      </NoticeStrip>
      <NoticeStrip tone="ok" icon={IconBolt} title="Conexão restabelecida.">
        Tudo já está na tela.
      </NoticeStrip>
      <Row>
        <Button variant="default" onClick={() => notifySuccess("Contato salvo")}>
          Sucesso
        </Button>
        <Button variant="default" onClick={() => notifyInfo("Reiniciando as conexões")}>
          Aviso
        </Button>
        <Button variant="default" onClick={() => notifyError("Selecione uma fila")}>
          Erro
        </Button>
      </Row>
    </Part>
  );
}

function States(): ReactNode {
  return (
    <Part name="Empty, loading, failed">
      <EmptyState
        icon={IconTag}
        drawing="sheet"
        title="Nenhum registro"
        text="Etiquetas agrupam atendimentos por assunto."
        action={<Button>Adicionar</Button>}
      />
      {(["talk", "tray", "archive", "search"] as const).map((drawing) => (
        <EmptyState key={drawing} icon={IconTag} drawing={drawing} title="Tudo em dia" />
      ))}
      <ListSkeleton rows={3} />
      <LoadFailed icon={IconTag} error={new Error("unknown")} onRetry={noop} />
    </Part>
  );
}

const actions = { accept: noop, finish: noop, spy: noop };

function Cards(): ReactNode {
  const cards = [
    givenTicket(1, { lastMessage: "Perfeito, vou passar aí hoje às 15h" }),
    givenTicket(2, { unreadMessages: 3, lastMessage: "Enviei o comprovante do PIX agora" }),
    givenTicket(3, { status: "pending", chatbot: true, unreadMessages: 120 }),
    givenTicket(4, { lastMessageFromMe: true, lastMessageFailed: true }),
    givenTicket(5, { lastMessageFromMe: true, lastMessageAck: 4, lastMessageKind: "image" }),
    givenTicket(6, { status: "closed", isGroup: true }),
  ];
  return (
    <Part name="Ticket cards">
      <ul className="bc-plain-list" aria-label="Cartões">
        {cards.map((ticket, index) => (
          <li key={ticket.id}>
            <TicketCard
              ticket={ticket}
              isSelected={index === 1}
              showsUser={index === 0}
              showsStatus={index === 5}
              showsConnection
              isAccepting={false}
              targetQueue={undefined}
              isChosen={index === 3}
              onChoose={noop}
              nowMs={Date.UTC(2026, 10, 20, 10, 42)}
              actions={actions}
            />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Bubbles(): ReactNode {
  return (
    <Part name="Bubbles">
      <div className={classes["canvas"]}>
        <Bubble isOwn={false} text="Oi, bom dia!" foot="10:03" />
        <Bubble isOwn={false} endsGroup text="Consegue coletar na quinta?" foot="10:04" />
        {[0, 1, 3, 4].map((ack) => (
          <div key={ack} className={classes["own"]}>
            <Bubble
              isOwn
              endsGroup={ack === 4}
              text="Consigo sim!"
              foot={
                <>
                  10:05 <AckIcon ack={ack} />
                </>
              }
            />
          </div>
        ))}
        <div className={classes["own"]}>
          <Bubble isOwn hasFailed endsGroup text="Coleta na quinta, das 9h às 12h." foot="10:12" />
        </div>
      </div>
    </Part>
  );
}

type Person = { id: number; name: string; email: string };

const people: readonly Person[] = [
  { id: 1, name: "Marina Prado", email: "marina@exemplo.com.br" },
  {
    ...{ id: 2, name: "Maria Antônia de Albuquerque Cavalcanti e Silva dos Santos" },
    email: "maria.antonia.de.albuquerque.cavalcanti@exemplo-muito-longo.com.br",
  },
];

function Tables(): ReactNode {
  const columns = [
    {
      ...{ id: "name", title: "Nome", isName: true as const },
      renderCell: ({ name }: Person) => <RowName name={name} />,
      sortBy: ({ name }: Person) => name,
    },
    { id: "email", title: "E-mail", renderCell: ({ email }: Person) => email },
  ];
  const pages = {
    ...{ isPrevious: false, hasMore: false, isLoadingMore: false, error: null },
    ...{ loadMore: noop, retry: noop },
  };
  const table = { columns, sort: { by: "name", descending: false }, onSort: noop };
  return (
    <Part name="Tables" isWide>
      <RecordTable
        {...table}
        label="Pessoas"
        pages={{ ...pages, rows: people, count: people.length }}
        identify={({ id }) => id}
        renderActions={({ name }) => (
          <>
            <IconButton label={`Editar ${name}`} icon={IconPencil} />
            <IconButton label={`Excluir ${name}`} icon={IconTrash} />
          </>
        )}
        empty={{ icon: IconTag, title: "Nenhum registro" }}
      />
      <RecordTable
        {...table}
        label="Ninguém"
        pages={{ ...pages, rows: [], count: 0 }}
        identify={({ id }) => id}
        renderActions={null}
        empty={{
          ...{ icon: IconTag, title: "Nenhum registro", text: "Para que serve a lista." },
          action: <Button>Adicionar</Button>,
        }}
      />
    </Part>
  );
}

function Dialogs(): ReactNode {
  const [opened, setOpened] = useState<"form" | "question" | "undo" | null>(null);
  const close = (): void => setOpened(null);
  return (
    <Part name="Dialogs">
      <Row>
        <Button variant="default" onClick={() => setOpened("form")}>
          Formulário
        </Button>
        <Button variant="default" onClick={() => setOpened("question")}>
          Pergunta
        </Button>
        <Button variant="default" onClick={() => setOpened("undo")}>
          Desfazer
        </Button>
      </Row>
      {opened === "form" ? (
        <FormDialog
          title="Editar Loja Paulista"
          submitLabel="Salvar"
          isBusy={false}
          error="Outra conexão já usa este nome."
          onSubmit={(event) => event.preventDefault()}
          onClose={close}
        >
          <FieldGroup legend="Conta">
            <TextInput label="Nome da conta" defaultValue="Loja Paulista" />
          </FieldGroup>
          <FieldGroup legend="Mensagens">
            {["Saudação", "Fora do horário", "Ao resolver", "Despedida"].map((label) => (
              <TextInput key={label} label={label} />
            ))}
          </FieldGroup>
        </FormDialog>
      ) : null}
      <QuestionDialog
        opened={opened === "question"}
        title="Excluir a etiqueta VIP?"
        text="Ela será removida de 3 atendimentos."
        confirm="Excluir"
        isDestructive
        onConfirm={close}
        onClose={close}
      />
      {opened === "undo" ? (
        <UndoBar
          offer={{ kind: "resolved", name: "Helena Duarte", undo: () => Promise.resolve() }}
          seconds={6}
          onEnd={close}
        />
      ) : null}
    </Part>
  );
}

function Gallery(): ReactNode {
  return (
    <main className={classes["page"]}>
      <header className={classes["head"]}>
        <h1>Components</h1>
        <ThemeToggle />
      </header>
      <div className={classes["parts"]}>
        <Buttons />
        <Marks />
        <Notices />
        <Dialogs />
        <Fields />
        <Cards />
        <Bubbles />
        <States />
        <Tables />
      </div>
    </main>
  );
}

await startTexts();
for (const part of textParts) await withTexts(part, Promise.resolve());
const root = document.querySelector("#root");
if (!root) throw new Error("gallery.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ColorScheme />
      <Toasts />
      <TooltipHost />
      <Router steps={browserSteps()}>
        <Look>
          <Gallery />
        </Look>
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
