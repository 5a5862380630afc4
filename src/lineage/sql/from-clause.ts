import { readExpression } from './expression.ts';
import {
  endsWithName,
  filterByName,
  formatName,
  type Identifier,
  identifierOf,
  isSameName,
  readNameParts,
  storedIdentifier,
} from './identifier.ts';
import {
  createNameScope,
  findColumnIn,
  type NamedQuery,
  type NameScope,
  resolveName,
  type SqlReadContext,
} from './name-scope.ts';
import { expandStar, renameColumns } from './select-list.ts';
import { readCallText } from './source-text.ts';
import {
  columnsOfTable,
  combineColumns,
  knownColumnsOf,
  LITERAL_COLUMN,
  renameColumn,
  type SqlColumn,
  type SqlRelation,
  tableColumn,
  unclearColumns,
  uniteColumns,
  unknownColumnsOf,
  type YieldedColumns,
} from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';

const createRelation = (name: readonly Identifier[], parts: YieldedColumns, writtenDown: boolean): SqlRelation => ({
  name,
  parts,
  written: writtenDown && unknownColumnsOf(parts).length === 0,
});

const plainIdentifier = (text: string): Identifier => ({ text, style: 'plain' });

type TableAlias = { readonly name: Identifier | undefined; readonly columns: readonly Identifier[] };

export const readTableAlias = (node: unknown): TableAlias => ({
  name: identifierOf(nodeAt(node)?.['name']),
  columns: nodeListAt(node, 'columns').flatMap((column) => {
    const name = identifierOf(nodeAt(column)?.['name']) ?? identifierOf(column);
    return name ? [name] : [];
  }),
});

const findNamedQuery = (
  reading: SqlReadContext,
  from: NamedQuery | undefined,
  name: readonly Identifier[],
): YieldedColumns | undefined => {
  const [only] = name;
  if (only === undefined || name.length > 1) return undefined;
  for (let here = from; here; here = here.next) if (isSameName(here.name, only, reading.dialect)) return here.parts;
  return undefined;
};

/** Finds the columns of a name in FROM: a common table expression, a temporary table or a table. */
export const findTable = (
  reading: SqlReadContext,
  scope: NameScope | undefined,
  name: readonly Identifier[],
): SqlRelation => {
  const query = findNamedQuery(reading, scope?.named, name) ?? reading.temporary(name);
  if (query) return createRelation(name, query, true);
  const table = name.map((part) => part.text);
  return createRelation(name, columnsOfTable(table, reading.columnsOf(table)), false);
};

/** Creates the relation of a column's elements or a function's rows: columns with these names, or any columns. */
const createElementRelation = (
  source: SqlColumn,
  alias: TableAlias,
  fields: readonly SqlColumn[] | undefined,
): SqlRelation => {
  const name = alias.name ? [alias.name] : [];
  if (alias.columns.length > 0)
    return createRelation(
      name,
      alias.columns.map((column) => renameColumn(source, column)),
      true,
    );
  const own = alias.name ? [renameColumn(source, alias.name)] : [];
  if (fields) return createRelation(name, [...own, ...fields], false);
  return createRelation(
    name,
    [...own, { rest: (field) => renameColumn(source, field), without: [], weak: true }],
    false,
  );
};

/** Returns the relation with one column that is only a row counter. */
const withCounter = (made: SqlRelation, which: 'first' | 'last'): SqlRelation => {
  const columns = knownColumnsOf(made.parts);
  const counter = which === 'first' ? columns[0] : columns.at(-1);
  if (columns.length < 2) return made;
  return {
    ...made,
    parts: made.parts.map((part) => (part === counter ? renameColumn(LITERAL_COLUMN, counter.name) : part)),
  };
};

const FLATTEN_COLUMNS = ['seq', 'key', 'path', 'index', 'value', 'this'];

/** Creates the rows of a table function; each column comes from all arguments. */
const readFunctionRows = (
  reading: SqlReadContext,
  scope: NameScope,
  name: unknown,
  args: unknown,
  alias: TableAlias,
  ordinal: boolean,
): SqlRelation => {
  const word = formatName(readNameParts(name) ?? []).toLowerCase();
  const source = readExpression(reading, scope, [args], () => readCallText(reading.tokens, name, word));
  const fields =
    word === 'flatten' ? FLATTEN_COLUMNS.map((field) => renameColumn(source, plainIdentifier(field))) : undefined;
  const made = createElementRelation(source, alias, fields);
  if (word === 'posexplode') return withCounter(made, 'first');
  return ordinal ? withCounter(made, 'last') : made;
};

/** Returns the fields of an array's elements, when the catalog knows them. */
const readElementFields = (
  reading: SqlReadContext,
  scope: NameScope,
  arrays: readonly unknown[],
  text: string,
): readonly SqlColumn[] | undefined => {
  if (arrays.length !== 1) return undefined;
  const [derivation, ...others] = readExpression(reading, scope, arrays[0], () => text).derivations;
  const [origin] =
    derivation && derivation.text === undefined && others.length === 0 ? derivation.origins.values() : [];
  if (origin === undefined) return undefined;
  const fields = (reading.columnsOf(origin.table) ?? []).filter(
    (column) => column.length === origin.column.length + 1 && origin.column.every((part, at) => column[at] === part),
  );
  if (fields.length === 0) return undefined;
  return fields.map((column) => {
    const name = storedIdentifier(column.at(-1) ?? '');
    return renameColumn(combineColumns([tableColumn(name, { table: origin.table, column })], text), name);
  });
};

const readUnnest = (reading: SqlReadContext, scope: NameScope, held: SyntaxNode): readonly SqlRelation[] => {
  const alias = readTableAlias(held['alias']);
  const arrays = nodeListAt(held, 'array_exprs');
  const text = readCallText(reading.tokens, arrays, 'unnest');
  const source = readExpression(reading, scope, arrays, () => text);
  const made = createElementRelation(source, alias, readElementFields(reading, scope, arrays, text));
  const rows = held['with_ordinality'] === true ? withCounter(made, 'last') : made;
  if (held['with_offset'] !== true) return [rows];
  const offset = identifierOf(held['with_offset_alias']) ?? plainIdentifier('offset');
  return [rows, createRelation([], [renameColumn(LITERAL_COLUMN, offset)], true)];
};

/** `FROM t x, x.items i`: reads the elements of a column of a preceding relation. */
const readPathRelation = (
  reading: SqlReadContext,
  scope: NameScope,
  name: readonly Identifier[],
  alias: TableAlias,
): SqlRelation | undefined => {
  const [first, ...steps] = name;
  if (first === undefined || steps.length === 0 || !reading.dialect.pathsInFrom) return undefined;
  const known = scope.relations.some(
    (one) => one.name.length === 1 && endsWithName(one.name, [first], reading.dialect),
  );
  return known
    ? createElementRelation(combineColumns([resolveName(reading, scope, name)], formatName(name)), alias, undefined)
    : undefined;
};

const readTableFactor = (reading: SqlReadContext, scope: NameScope, held: SyntaxNode): SqlRelation => {
  const alias = readTableAlias(held['alias']);
  if (isSyntaxNode(held['args'])) {
    const { name, args } = { name: held['name'], args: held['args']['args'] };
    return readFunctionRows(reading, scope, name, args, alias, held['with_ordinality'] === true);
  }
  const name = readNameParts(held['name']);
  const own = alias.name ? [alias.name] : (name ?? []);
  if (name === undefined || held['json_path'] != null)
    return createRelation(own, [unclearColumns('unsupported')], false);
  const path = readPathRelation(reading, scope, name, alias);
  if (path) return path;
  const found = findTable(reading, scope, name);
  return createRelation(own, renameColumns(found.parts, alias.columns), found.written || alias.columns.length > 0);
};

type FactorReader = (
  reading: SqlReadContext,
  scope: NameScope,
  held: SyntaxNode,
  apply: boolean,
) => readonly SqlRelation[];

const readUnsupported: FactorReader = (reading, scope, held) => {
  const { name } = readTableAlias(held['alias']);
  // The table is read as well, so that it counts as named by the statement.
  readFactor(reading, createNameScope([], undefined, scope.named), held['table'], false);
  return [createRelation(name ? [name] : [], [unclearColumns('unsupported')], false)];
};

const FACTOR_READERS: Readonly<Record<string, FactorReader>> = {
  Table: (reading, scope, held) => [readTableFactor(reading, scope, held)],
  Derived: (reading, scope, held, apply) => {
    const alias = readTableAlias(held['alias']);
    const query = nodeAt(held['subquery']);
    const outer = apply || held['lateral'] === true ? scope : undefined;
    const parts = query ? reading.query(reading, query, outer, scope.named) : [];
    return [createRelation(alias.name ? [alias.name] : [], renameColumns(parts, alias.columns), true)];
  },
  TableFunction: (reading, scope, held) => {
    const call = nodeAt(held['expr'], 'Function');
    const alias = readTableAlias(held['alias']);
    return [
      readFunctionRows(
        reading,
        scope,
        call?.['name'],
        call ? nodeListAt(call, 'args', 'List', 'args') : held['expr'],
        alias,
        false,
      ),
    ];
  },
  Function: (reading, scope, held) => [
    readFunctionRows(
      reading,
      scope,
      held['name'],
      held['args'],
      readTableAlias(held['alias']),
      held['with_ordinality'] === true,
    ),
  ],
  UNNEST: (reading, scope, held) => readUnnest(reading, scope, held),
  NestedJoin: (reading, scope, held) => {
    const { name } = readTableAlias(held['alias']);
    if (name === undefined) {
      readTableWithJoins(reading, scope, held['table_with_joins']);
      return [];
    }
    const inner = createNameScope([], undefined, scope.named);
    readTableWithJoins(reading, inner, held['table_with_joins']);
    return [createRelation([name], expandStar(reading, inner), false)];
  },
  JsonTable: (reading, scope, held) => {
    const text = () => readCallText(reading.tokens, held['json_expr'], 'json_table');
    return [
      createElementRelation(
        readExpression(reading, scope, [held['json_expr']], text),
        readTableAlias(held['alias']),
        undefined,
      ),
    ];
  },
  Pivot: readUnsupported,
  Unpivot: readUnsupported,
  MatchRecognize: readUnsupported,
};

const readFactor = (
  reading: SqlReadContext,
  scope: NameScope,
  node: unknown,
  apply: boolean,
): readonly SqlRelation[] => {
  const { choice, held } = choiceOf(node);
  const factor = Object.hasOwn(FACTOR_READERS, choice) ? FACTOR_READERS[choice] : undefined;
  return factor && isSyntaxNode(held)
    ? factor(reading, scope, held, apply)
    : [createRelation([], [unclearColumns('unsupported')], false)];
};

/** Merges the two columns of the same name that a join unites; the column of the side that keeps all its rows wins. */
const joinColumns = (
  reading: SqlReadContext,
  left: SqlColumn,
  right: SqlColumn,
  kind: string,
  name: Identifier,
): SqlColumn => {
  reading.spend(1);
  if (/Full/.test(kind)) return uniteColumns([left, right], name);
  if (/Right/.test(kind)) return renameColumn(right, name);
  const inner = /^(Join|Inner|StraightJoin)$/.test(kind);
  return renameColumn(inner && left.unresolved.length > 0 ? right : left, name);
};

const joinUsing = (
  reading: SqlReadContext,
  scope: NameScope,
  added: SqlRelation,
  names: readonly Identifier[],
  kind: string,
): void => {
  const before: NameScope = { ...scope, outer: undefined, aliases: [] };
  const made = names.map((name) => {
    const left = resolveName(reading, before, [name]);
    return joinColumns(reading, left, findColumnIn(reading, added.parts, name, name.text), kind, name);
  });
  const others = scope.joined.filter(
    (column) => !column.name || filterByName(names, column.name, (name) => name, reading.dialect).length === 0,
  );
  scope.joined.splice(0, scope.joined.length, ...others, ...made);
};

const findCommonNames = (reading: SqlReadContext, scope: NameScope, added: SqlRelation): readonly Identifier[] => {
  if ([...scope.relations, added].some(({ parts }) => unknownColumnsOf(parts).length > 0)) scope.natural.unclear = true;
  const names = knownColumnsOf(added.parts).flatMap(({ name }) => (name ? [name] : []));
  const before = scope.relations.flatMap(({ parts }) => knownColumnsOf(parts));
  return names.filter((name) => filterByName(before, name, (column) => column.name, reading.dialect).length > 0);
};

const readJoin = (reading: SqlReadContext, scope: NameScope, join: SyntaxNode): void => {
  const { choice: kind, held } = choiceOf(join['join_operator']);
  if (/ArrayJoin/.test(kind)) {
    readArrayJoin(reading, scope, join['relation']);
    return;
  }
  const added = readFactor(reading, scope, join['relation'], /Apply/.test(kind));
  const constraint = choiceOf(nodeAt(held)?.['constraint'] ?? held);
  const [only] = added;
  if (only && added.length === 1) {
    if (constraint.choice === 'Natural') joinUsing(reading, scope, only, findCommonNames(reading, scope, only), kind);
    const names = constraint.choice === 'Using' && Array.isArray(constraint.held) ? constraint.held : [];
    const columns = names.map((name: unknown) => readNameParts(name)?.at(-1)).filter((name) => name !== undefined);
    if (columns.length > 0) joinUsing(reading, scope, only, columns, kind);
  }
  // A semi join only filters, and one of its sides adds no columns.
  if (/RightSemi|RightAnti/.test(kind)) scope.relations.splice(0);
  if (!/^(Left)?(Semi|Anti)$/.test(kind)) scope.relations.push(...added);
};

/** ClickHouse ARRAY JOIN: the elements replace the column, or get the name of an alias. */
const readArrayJoin = (reading: SqlReadContext, scope: NameScope, factor: unknown): void => {
  const table = nodeAt(factor, 'Table');
  const [alias, name] = [readTableAlias(table?.['alias']), readNameParts(table?.['name'])];
  if (alias.name === undefined || name === undefined) return;
  const source = combineColumns([resolveName(reading, scope, name)], `ARRAY JOIN ${formatName(name)}`);
  scope.relations.push(createRelation([], [renameColumn(source, alias.name)], true));
};

const readTableWithJoins = (reading: SqlReadContext, scope: NameScope, node: unknown): void => {
  if (!isSyntaxNode(node)) return;
  scope.relations.push(...readFactor(reading, scope, node['relation'], false));
  for (const join of nodeListAt(node, 'joins')) if (isSyntaxNode(join)) readJoin(reading, scope, join);
};

const readLateralView = (reading: SqlReadContext, scope: NameScope, view: unknown): void => {
  const call = nodeAt(view, 'lateral_view', 'Function');
  const columns = nodeListAt(view, 'lateral_col_alias')
    .map(identifierOf)
    .filter((name) => name !== undefined);
  const alias: TableAlias = { name: readNameParts(nodeAt(view)?.['lateral_view_name'])?.at(-1), columns };
  scope.relations.push(
    readFunctionRows(reading, scope, call?.['name'], nodeListAt(call, 'args', 'List', 'args'), alias, false),
  );
};

/** Reads tables and joins into a scope; later ones can refer to earlier ones. */
export const readFrom = (
  reading: SqlReadContext,
  scope: NameScope,
  from: readonly unknown[],
  views: readonly unknown[],
): void => {
  for (const tables of from) readTableWithJoins(reading, scope, tables);
  for (const view of views) readLateralView(reading, scope, view);
};
