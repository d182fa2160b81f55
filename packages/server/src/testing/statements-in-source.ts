import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  ArrowFunction,
  CallExpression,
  Expression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  MethodDeclaration,
  Node,
  ParameterDeclaration,
  VariableDeclaration,
} from "typescript/unstable/ast";
import {
  isArrowFunction,
  isBindingElement,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isTaggedTemplateExpression,
  isTemplateSpan,
  isTypeNode,
  isVariableDeclaration,
} from "typescript/unstable/ast";
import type { Checker, Project, Type } from "typescript/unstable/sync";
import { API, TypeFlags } from "typescript/unstable/sync";

/** The kinds of values that a field of a row type allows; `object` is any JSON value besides lists. */
export type Kind =
  | "string"
  | "number"
  | "boolean"
  | "Date"
  | "Buffer"
  | "null"
  | "undefined"
  | "anything"
  | "object"
  | { list: Kind[] };

/** The fields of a row type; of a union, those of all its members. */
export type RowShape = Record<string, Kind[]>;

/** A call that hands a hand-written statement to the database, and what it takes the rows for: null where it reads none. */
type Call = { place: string; file: string; code: string; rows: RowShape | null };

export type Statement = { place: string; name: string; text: string; rows: RowShape | null };

export type Found = {
  statements: Statement[];
  /** Calls whose statement is only known while the product runs, by file and function, and what they take the rows for. */
  unknown: { place: string; rows: RowShape | null }[];
};

const source = fileURLToPath(new URL("../", import.meta.url));
const config = fileURLToPath(new URL("../../tsconfig.json", import.meta.url));
const evaluator = fileURLToPath(new URL("statement-texts.ts", import.meta.url));

/**
 * Finds the statements that the wanted files (paths below `src`) hand to `query`, `read` and `readAcrossCompanies` of
 * platform/db/database.ts. The compiler says what each call takes the rows for; a process of its own says the texts.
 */
export function findStatements(isWanted: (path: string) => boolean): Found {
  const api = new API({ cwd: source });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`${config} was not read`);
    const { calls, unknown } = new Reader(project, isWanted).read();
    return { statements: evaluate(calls), unknown };
  } finally {
    api.close();
  }
}

/** Runs the code of each call among what its module knows; a statement that stands in several calls is in each. */
function evaluate(calls: readonly Call[]): Statement[] {
  const output = execFileSync(
    process.execPath,
    ["--conditions=source", "--no-warnings", evaluator],
    {
      input: JSON.stringify(calls.map(({ file, code }) => ({ file, code }))),
      maxBuffer: 64_000_000,
      encoding: "utf8",
    },
  );
  const found: { name: string; text: string }[][] = JSON.parse(output);
  return calls.flatMap(({ place, rows }, at) => {
    const statements = found[at] ?? [];
    if (statements.length === 0) throw new Error(`${place}: it stands for no statement`);
    return statements.map((statement) => ({ place, rows, ...statement }));
  });
}

/** A file without these hands nothing to the database, nor to a function that does; reading the others only takes time. */
const MENTION = /\b(Tx|tx|query|db\.read|readAcrossCompanies)\b/;

/** The calls that take a statement, and which argument it is. */
const TAKERS = { query: 0, readAcrossCompanies: 0, read: 1 };

/** Names that statement-texts.ts defines as well: a value that a template binds, and an empty template. */
const BOUND = "bound";
const NOTHING = "nothing";

type Variable = VariableDeclaration | ParameterDeclaration;
type Around = { before: string; after: string };
type Making = Around & { text: string };

class Reader {
  private readonly checker: Checker;
  private readonly callsByName = new Map<string, CallExpression[]>();
  private readonly shapes = new Map<number, RowShape>();
  private readonly project: Project;
  private readonly isWanted: (path: string) => boolean;

  constructor(project: Project, isWanted: (path: string) => boolean) {
    this.project = project;
    this.isWanted = isWanted;
    this.checker = project.checker;
  }

  read(): { calls: Call[]; unknown: Found["unknown"] } {
    for (const file of this.project.rootFiles) {
      if (!this.isWanted(relative(source, file))) continue;
      if (!MENTION.test(readFileSync(file, "utf8"))) continue;
      const parsed = this.project.program.getSourceFile(file);
      if (parsed) this.gatherCalls(parsed);
    }
    const calls: Call[] = [];
    const unknown: Found["unknown"] = [];
    for (const [name, at] of Object.entries(TAKERS)) {
      for (const call of this.callsByName.get(name) ?? []) {
        if (this.isOfDatabase(call)) this.addCall(call, call.arguments[at], { calls, unknown });
      }
    }
    return { calls, unknown };
  }

  private gatherCalls(node: Node): void {
    if (isCallExpression(node)) {
      const { expression } = node;
      const name = isPropertyAccessExpression(expression) ? expression.name : expression;
      if (isIdentifier(name)) {
        const calls = this.callsByName.get(name.text) ?? [];
        this.callsByName.set(name.text, calls);
        calls.push(node);
      }
    }
    node.forEachChild((child) => this.gatherCalls(child));
  }

  /** The driver's `query` and others of the name are not ours to check. */
  private isOfDatabase(call: CallExpression): boolean {
    const declared = this.checker.getResolvedSignature(call)?.declaration;
    return declared !== undefined && declared.path.endsWith("/platform/db/database.ts");
  }

  private addCall(
    call: CallExpression,
    statement: Expression | undefined,
    { calls, unknown }: { calls: Call[]; unknown: Found["unknown"] },
  ): void {
    if (!statement) throw new Error(`${placeOf(call)} hands over no statement`);
    for (const { expression, place } of this.handedOver(statement, call)) {
      const code = this.codeOf(expression);
      const file = expression.getSourceFile().fileName;
      for (const rows of this.rowsOf(call)) {
        if (code === undefined) unknown.push({ place, rows });
        else calls.push({ place, file, code, rows });
      }
    }
  }

  /** An expression; or, where it is a parameter, what callers hand over for it. */
  private handedOver(
    expression: Expression,
    call: CallExpression,
  ): { expression: Expression; place: string }[] {
    const itself = [{ expression, place: placeOf(call) }];
    const declared = isIdentifier(expression) ? this.variableOf(expression) : undefined;
    if (!declared || !isParameterDeclaration(declared)) return itself;
    const taker = declared.parent;
    const at = isFunction(taker) ? taker.parameters.indexOf(declared) : -1;
    const handed = this.callsOf(taker).flatMap((caller) => {
      const argument = caller.arguments[at];
      return argument ? [{ expression: argument, place: placeOf(caller) }] : [];
    });
    return handed.length > 0 ? handed : itself;
  }

  private callsOf(called: Node): CallExpression[] {
    const name = isFunctionDeclaration(called) ? called.name?.text : nameOfArrow(called);
    return (this.callsByName.get(name ?? "") ?? []).filter(
      (call) =>
        this.checker.getResolvedSignature(call)?.declaration?.resolve(this.project) === called,
    );
  }

  /** The row types of a call; where it has a type parameter, those that its callers give. */
  private rowsOf(call: CallExpression): (RowShape | null)[] {
    const signature = this.checker.getResolvedSignature(call);
    const promise = signature && this.checker.getReturnTypeOfSignature(signature);
    const [list] = promise?.isTypeReference() ? this.checker.getTypeArguments(promise) : [];
    const [row] = list?.isTypeReference() ? this.checker.getTypeArguments(list) : [];
    if (!row) throw new Error(`${placeOf(call)}: it answers no list of rows`);
    if (row.isTypeParameter()) {
      const [declared] = row.getSymbol()?.declarations ?? [];
      const generic = declared?.resolve(this.project)?.parent;
      const callers = generic ? this.callsOf(generic) : [];
      if (callers.length === 0) throw new Error(`${placeOf(call)}: nobody names its row type`);
      return callers.flatMap((caller) => this.rowsOf(caller));
    }
    const known = this.shapes.get(row.id);
    const shape = row.flags & TypeFlags.AnyOrUnknown ? null : (known ?? this.shapeOf(row));
    if (shape) this.shapes.set(row.id, shape);
    return [shape];
  }

  private shapeOf(row: Type): RowShape {
    const shape: RowShape = {};
    for (const member of row.isUnionType() ? row.getTypes() : [row]) {
      const fields = this.checker.getPropertiesOfType(member);
      for (const [at, type] of this.checker.getTypeOfSymbol(fields).entries()) {
        const name = fields[at]?.name ?? "";
        const kinds = type ? this.kindsOf(type) : [];
        shape[name] = [...(shape[name] ?? []), ...kinds];
      }
    }
    return shape;
  }

  private kindsOf(type: Type): Kind[] {
    const { flags } = type;
    if (type.isUnionType()) return type.getTypes().flatMap((member) => this.kindsOf(member));
    if (flags & TypeFlags.AnyOrUnknown) return ["anything"];
    if (flags & TypeFlags.StringLike) return ["string"];
    if (flags & TypeFlags.NumberLike) return ["number"];
    if (flags & TypeFlags.BooleanLike) return ["boolean"];
    if (flags & TypeFlags.Null) return ["null"];
    if (flags & TypeFlags.Undefined) return ["undefined"];
    // A branded id is what it is branded on.
    if (type.isIntersectionType()) {
      const members = type.getTypes().flatMap((member) => this.kindsOf(member));
      return [
        members.find((kind) => typeof kind === "string" && !kind.startsWith("object")) ?? "object",
      ];
    }
    const name = type.getSymbol()?.name;
    if (name === "Date") return ["Date"];
    if (name === "Buffer" || name === "Uint8Array") return ["Buffer"];
    if (this.checker.isArrayType(type) || this.checker.isTupleType(type)) {
      const items = type.isTypeReference() ? this.checker.getTypeArguments(type) : [];
      return [{ list: items.flatMap((item) => this.kindsOf(item)) }];
    }
    return ["object"];
  }

  /** Code that answers, one after the other, the statements for which an expression may stand. */
  private codeOf(expression: Expression): string | undefined {
    const made = this.makingOf(expression, new Set());
    return made && `(function* () { ${made.before} yield (${made.text}); ${made.after} })()`;
  }

  /**
   * An expression, and what has to stand around it to define what it takes of its function: constants, and every value
   * of what can only be one of a few. Values that a template binds are not needed. Undefined where the text depends on
   * more than that.
   */
  private makingOf(expression: Expression, defined: Set<string>): Making | undefined {
    const isTemplate = this.isSql(expression) || this.isListOfSql(expression);
    const made: Making = { before: "", after: "", text: "" };
    const replaced: { node: Node; by: string }[] = [];
    const visit = (node: Node): boolean => {
      if (isTypeNode(node)) return true;
      if (isTemplateSpan(node) && isTaggedTemplateExpression(node.parent.parent)) {
        if (this.isSql(node.expression)) return visit(node.expression);
        const type = this.checker.getTypeAtLocation(node.expression);
        const isList = type !== undefined && this.checker.isArrayType(type);
        replaced.push({ node: node.expression, by: isList ? `[${BOUND}]` : BOUND });
        return true;
      }
      const choices = this.choicesOf(node);
      if (choices) {
        const name = `choice${defined.size}`;
        defined.add(name);
        made.before += `for (const ${name} of ${JSON.stringify(choices.values)}) {`;
        made.after += "}";
        replaced.push({ node: choices.of, by: name });
      }
      if (isIdentifier(node)) {
        const declared = this.variableOf(node);
        if (!declared || !isInFunction(declared) || isWithin(declared, expression)) return true;
        const name = declared.name.getText();
        if (defined.has(name)) return true;
        defined.add(name);
        const definition = this.definitionOf(declared, defined);
        if (!definition && !isTemplate) return false;
        made.before +=
          definition?.before ?? `const ${name} = ${this.isSql(node) ? NOTHING : BOUND};`;
        made.after += definition?.after ?? "";
        return true;
      }
      let isKnown = true;
      node.forEachChild((child) => {
        const isName = isPropertyAccessExpression(node) || isPropertyAssignment(node);
        if ((isName && child === node.name) || child === choices?.of) return;
        isKnown = visit(child) && isKnown;
      });
      return isKnown;
    };
    if (!visit(expression)) return undefined;
    made.text = textWith(expression, replaced);
    return made;
  }

  /** The expression that chooses between statements, with its possible values: a condition, or a key of a table. */
  private choicesOf(node: Node): { of: Expression; values: (string | boolean)[] } | undefined {
    if (isConditionalExpression(node)) return { of: node.condition, values: [true, false] };
    if (!isElementAccessExpression(node)) return undefined;
    const of = node.argumentExpression;
    const values = this.valuesOf(this.checker.getTypeAtLocation(of));
    return values && { of, values };
  }

  private definitionOf(declared: Variable, defined: Set<string>): Around | undefined {
    if (!isVariableDeclaration(declared)) return undefined;
    const loop = declared.parent.parent;
    const from = isForOfStatement(loop) ? loop.expression : declared.initializer;
    const made = from && this.makingOf(from, defined);
    if (!made) return undefined;
    const { before, text, after } = made;
    const name = declared.name.getText();
    return isForOfStatement(loop)
      ? { before: `${before} for (const ${name} of ${text}) {`, after: `} ${after}` }
      : { before: `${before} const ${name} = ${text};`, after };
  }

  private valuesOf(type: Type | undefined): (string | boolean)[] | undefined {
    if (!type) return undefined;
    const members = type.isUnionType() ? type.getTypes() : [type];
    const values = members.flatMap((member): (string | boolean)[] => {
      const { flags } = member;
      if (flags & TypeFlags.StringLiteral && member.isLiteralType()) return [String(member.value)];
      if (flags & TypeFlags.BooleanLiteral) return [this.checker.typeToString(member) === "true"];
      return [];
    });
    return values.length === members.length ? values : undefined;
  }

  /** A template of drizzle, which binds its values, so that nobody needs to know them; or a name that it writes as it is. */
  private isSql(expression: Expression): boolean {
    const type = this.checker.getTypeAtLocation(expression);
    const members = type?.isUnionType() ? type.getTypes() : [type];
    return members.some((member) => ["SQL", "Name"].includes(member?.getSymbol()?.name ?? ""));
  }

  private isListOfSql(expression: Expression): boolean {
    const type = this.checker.getTypeAtLocation(expression);
    if (!type?.isTypeReference() || !this.checker.isArrayType(type)) return false;
    const [item] = this.checker.getTypeArguments(type);
    return item?.getSymbol()?.name === "SQL";
  }

  /** The variable or parameter of which the identifier is a part, or which it is. */
  private variableOf(node: Identifier): Variable | undefined {
    const symbol = isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node);
    let declared = symbol?.valueDeclaration?.resolve(this.project);
    while (declared && isBindingElement(declared)) declared = declared.parent.parent;
    if (!declared) return undefined;
    if (isVariableDeclaration(declared) || isParameterDeclaration(declared)) return declared;
    return undefined;
  }
}

/** The text of a node with others in place of some of what is in it. */
function textWith(node: Node, replaced: readonly { node: Node; by: string }[]): string {
  const start = node.getStart();
  return replaced
    .toSorted((one, other) => other.node.pos - one.node.pos)
    .reduce(
      (text, { node: inner, by }) =>
        text.slice(0, inner.getStart() - start) + by + text.slice(inner.getEnd() - start),
      node.getText(),
    );
}

function nameOfArrow(taker: Node): string | undefined {
  if (!isArrowFunction(taker) || !isVariableDeclaration(taker.parent)) return undefined;
  return isIdentifier(taker.parent.name) ? taker.parent.name.text : undefined;
}

function isInFunction(node: Node): boolean {
  for (let above = node.parent; above; above = above.parent) if (isFunction(above)) return true;
  return false;
}

function isFunction(
  node: Node,
): node is FunctionDeclaration | ArrowFunction | FunctionExpression | MethodDeclaration {
  return (
    isFunctionDeclaration(node) ||
    isArrowFunction(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node)
  );
}

function isWithin(node: Node, outer: Node): boolean {
  for (let above: Node = node; above; above = above.parent) if (above === outer) return true;
  return false;
}

/** The file below `src` and its function. */
function placeOf(node: Node): string {
  let name = "";
  for (let above = node; above; above = above.parent) {
    if (isFunctionDeclaration(above)) name = ` ${above.name?.text}`;
    if (isVariableDeclaration(above) && isIdentifier(above.name)) name = ` ${above.name.text}`;
  }
  return `${relative(source, node.getSourceFile().fileName)}${name}`;
}
