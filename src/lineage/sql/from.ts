import {
  type Column,
  columnsOf,
  combined,
  NOTHING,
  plainColumn,
  type Relation,
  renamed,
  restsOf,
  tableParts,
  unclear,
  united,
  type Yield,
} from './column.ts';
import { columnOf } from './expression.ts';
import { endsWith, type Identifier, identifierOf, named, partsOf, sameName, stored, written } from './name.ts';
import { columnIn, lookUp, type Named, type Reading, type Scope, scopeOf } from './scope.ts';
import { everything, withNames } from './select.ts';
import { textOfCall } from './text.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';

const relation = (name: readonly Identifier[], parts: Yield, writtenDown: boolean): Relation => ({
  name,
  parts,
  written: writtenDown && restsOf(parts).length === 0,
});

const plain = (text: string): Identifier => ({ text, style: 'plain' });

type Alias = { readonly name: Identifier | undefined; readonly columns: readonly Identifier[] };

export const aliasOf = (node: unknown): Alias => ({
  name: identifierOf(nodeAt(node)?.['name']),
  columns: listAt(node, 'columns').flatMap((column) => {
    const name = identifierOf(nodeAt(column)?.['name']) ?? identifierOf(column);
    return name ? [name] : [];
  }),
});

const namedQuery = (reading: Reading, from: Named | undefined, name: readonly Identifier[]): Yield | undefined => {
  const [only] = name;
  if (only === undefined || name.length > 1) return undefined;
  for (let here = from; here; here = here.next) if (sameName(here.name, only, reading.dialect)) return here.parts;
  return undefined;
};

/** The columns of what a name in FROM means: a query named by WITH, a temporary table, or a table. */
export const tableNamed = (reading: Reading, scope: Scope | undefined, name: readonly Identifier[]): Relation => {
  const query = namedQuery(reading, scope?.named, name) ?? reading.temporary(name);
  if (query) return relation(name, query, true);
  const table = name.map((part) => part.text);
  return relation(name, tableParts(table, reading.columnsOf(table)), false);
};

/** What the elements of a column or the rows of a function have: columns of these names, or any at all. */
const elements = (source: Column, alias: Alias, fields: readonly Column[] | undefined): Relation => {
  const name = alias.name ? [alias.name] : [];
  if (alias.columns.length > 0)
    return relation(
      name,
      alias.columns.map((column) => renamed(source, column)),
      true,
    );
  const own = alias.name ? [renamed(source, alias.name)] : [];
  if (fields) return relation(name, [...own, ...fields], false);
  return relation(name, [...own, { rest: (field) => renamed(source, field), without: [], weak: true }], false);
};

/** The same rows, of which one column only counts them. */
const numbered = (made: Relation, which: 'first' | 'last'): Relation => {
  const columns = columnsOf(made.parts);
  const counter = which === 'first' ? columns[0] : columns.at(-1);
  if (columns.length < 2) return made;
  return { ...made, parts: made.parts.map((part) => (part === counter ? renamed(NOTHING, counter.name) : part)) };
};

const FLATTENED = ['seq', 'key', 'path', 'index', 'value', 'this'];

/** The rows that a function makes of its arguments: each of its columns comes from all of them. */
const rowsOf = (
  reading: Reading,
  scope: Scope,
  name: unknown,
  args: unknown,
  alias: Alias,
  ordinal: boolean,
): Relation => {
  const word = written(partsOf(name) ?? []).toLowerCase();
  const source = columnOf(reading, scope, [args], () => textOfCall(reading.tokens, name, word));
  const fields = word === 'flatten' ? FLATTENED.map((field) => renamed(source, plain(field))) : undefined;
  const made = elements(source, alias, fields);
  if (word === 'posexplode') return numbered(made, 'first');
  return ordinal ? numbered(made, 'last') : made;
};

/** The fields of an array's elements, where the catalog knows them. */
const fieldsIn = (
  reading: Reading,
  scope: Scope,
  arrays: readonly unknown[],
  text: string,
): readonly Column[] | undefined => {
  if (arrays.length !== 1) return undefined;
  const [derivation, ...others] = columnOf(reading, scope, arrays[0], () => text).derivations;
  const [origin] =
    derivation && derivation.text === undefined && others.length === 0 ? derivation.origins.values() : [];
  if (origin === undefined) return undefined;
  const fields = (reading.columnsOf(origin.table) ?? []).filter(
    (column) => column.length === origin.column.length + 1 && origin.column.every((part, at) => column[at] === part),
  );
  if (fields.length === 0) return undefined;
  return fields.map((column) => {
    const name = stored(column.at(-1) ?? '');
    return renamed(combined([plainColumn(name, { table: origin.table, column })], text), name);
  });
};

const unnested = (reading: Reading, scope: Scope, held: Node): readonly Relation[] => {
  const alias = aliasOf(held['alias']);
  const arrays = listAt(held, 'array_exprs');
  const text = textOfCall(reading.tokens, arrays, 'unnest');
  const source = columnOf(reading, scope, arrays, () => text);
  const made = elements(source, alias, fieldsIn(reading, scope, arrays, text));
  const rows = held['with_ordinality'] === true ? numbered(made, 'last') : made;
  if (held['with_offset'] !== true) return [rows];
  const offset = identifierOf(held['with_offset_alias']) ?? plain('offset');
  return [rows, relation([], [renamed(NOTHING, offset)], true)];
};

/** `FROM t x, x.items i`: the elements of a column of something that stands before. */
const walked = (reading: Reading, scope: Scope, name: readonly Identifier[], alias: Alias): Relation | undefined => {
  const [first, ...steps] = name;
  if (first === undefined || steps.length === 0 || !reading.dialect.pathsInFrom) return undefined;
  const known = scope.relations.some((one) => one.name.length === 1 && endsWith(one.name, [first], reading.dialect));
  return known ? elements(combined([lookUp(reading, scope, name)], written(name)), alias, undefined) : undefined;
};

const tableIn = (reading: Reading, scope: Scope, held: Node): Relation => {
  const alias = aliasOf(held['alias']);
  if (isNode(held['args'])) {
    const { name, args } = { name: held['name'], args: held['args']['args'] };
    return rowsOf(reading, scope, name, args, alias, held['with_ordinality'] === true);
  }
  const name = partsOf(held['name']);
  const own = alias.name ? [alias.name] : (name ?? []);
  if (name === undefined || held['json_path'] != null) return relation(own, [unclear('unsupported')], false);
  const path = walked(reading, scope, name, alias);
  if (path) return path;
  const found = tableNamed(reading, scope, name);
  return relation(own, withNames(found.parts, alias.columns), found.written || alias.columns.length > 0);
};

type Factor = (reading: Reading, scope: Scope, held: Node, apply: boolean) => readonly Relation[];

const unreadable: Factor = (reading, scope, held) => {
  const { name } = aliasOf(held['alias']);
  // The table below is read all the same, so that it counts among those the statement names.
  factorIn(reading, scopeOf([], undefined, scope.named), held['table'], false);
  return [relation(name ? [name] : [], [unclear('unsupported')], false)];
};

const FACTORS: Readonly<Record<string, Factor>> = {
  Table: (reading, scope, held) => [tableIn(reading, scope, held)],
  Derived: (reading, scope, held, apply) => {
    const alias = aliasOf(held['alias']);
    const query = nodeAt(held['subquery']);
    const outer = apply || held['lateral'] === true ? scope : undefined;
    const parts = query ? reading.query(reading, query, outer, scope.named) : [];
    return [relation(alias.name ? [alias.name] : [], withNames(parts, alias.columns), true)];
  },
  TableFunction: (reading, scope, held) => {
    const call = nodeAt(held['expr'], 'Function');
    const alias = aliasOf(held['alias']);
    return [
      rowsOf(reading, scope, call?.['name'], call ? listAt(call, 'args', 'List', 'args') : held['expr'], alias, false),
    ];
  },
  Function: (reading, scope, held) => [
    rowsOf(reading, scope, held['name'], held['args'], aliasOf(held['alias']), held['with_ordinality'] === true),
  ],
  UNNEST: (reading, scope, held) => unnested(reading, scope, held),
  NestedJoin: (reading, scope, held) => {
    const { name } = aliasOf(held['alias']);
    if (name === undefined) {
      joinedIn(reading, scope, held['table_with_joins']);
      return [];
    }
    const inner = scopeOf([], undefined, scope.named);
    joinedIn(reading, inner, held['table_with_joins']);
    return [relation([name], everything(reading, inner), false)];
  },
  JsonTable: (reading, scope, held) => {
    const text = () => textOfCall(reading.tokens, held['json_expr'], 'json_table');
    return [elements(columnOf(reading, scope, [held['json_expr']], text), aliasOf(held['alias']), undefined)];
  },
  Pivot: unreadable,
  Unpivot: unreadable,
  MatchRecognize: unreadable,
};

const factorIn = (reading: Reading, scope: Scope, node: unknown, apply: boolean): readonly Relation[] => {
  const { choice, held } = choiceOf(node);
  const factor = Object.hasOwn(FACTORS, choice) ? FACTORS[choice] : undefined;
  return factor && isNode(held) ? factor(reading, scope, held, apply) : [relation([], [unclear('unsupported')], false)];
};

/** The column that a join makes of two of one name: that of the side whose rows are all kept. */
const joinedColumn = (reading: Reading, left: Column, right: Column, kind: string, name: Identifier): Column => {
  reading.spend(1);
  if (/Full/.test(kind)) return united([left, right], name);
  if (/Right/.test(kind)) return renamed(right, name);
  const inner = /^(Join|Inner|StraightJoin)$/.test(kind);
  return renamed(inner && left.unresolved.length > 0 ? right : left, name);
};

const joinUsing = (
  reading: Reading,
  scope: Scope,
  added: Relation,
  names: readonly Identifier[],
  kind: string,
): void => {
  const before: Scope = { ...scope, outer: undefined, aliases: [] };
  const made = names.map((name) => {
    const left = lookUp(reading, before, [name]);
    return joinedColumn(reading, left, columnIn(reading, added.parts, name, name.text), kind, name);
  });
  const others = scope.joined.filter(
    (column) => !column.name || named(names, column.name, (name) => name, reading.dialect).length === 0,
  );
  scope.joined.splice(0, scope.joined.length, ...others, ...made);
};

const commonNames = (reading: Reading, scope: Scope, added: Relation): readonly Identifier[] => {
  if ([...scope.relations, added].some(({ parts }) => restsOf(parts).length > 0)) scope.natural.unclear = true;
  const names = columnsOf(added.parts).flatMap(({ name }) => (name ? [name] : []));
  const before = scope.relations.flatMap(({ parts }) => columnsOf(parts));
  return names.filter((name) => named(before, name, (column) => column.name, reading.dialect).length > 0);
};

const joinIn = (reading: Reading, scope: Scope, join: Node): void => {
  const { choice: kind, held } = choiceOf(join['join_operator']);
  if (/ArrayJoin/.test(kind)) {
    arrayJoined(reading, scope, join['relation']);
    return;
  }
  const added = factorIn(reading, scope, join['relation'], /Apply/.test(kind));
  const constraint = choiceOf(nodeAt(held)?.['constraint'] ?? held);
  const [only] = added;
  if (only && added.length === 1) {
    if (constraint.choice === 'Natural') joinUsing(reading, scope, only, commonNames(reading, scope, only), kind);
    const names = constraint.choice === 'Using' && Array.isArray(constraint.held) ? constraint.held : [];
    const columns = names.map((name: unknown) => partsOf(name)?.at(-1)).filter((name) => name !== undefined);
    if (columns.length > 0) joinUsing(reading, scope, only, columns, kind);
  }
  // A semi join only filters: one of its sides has no columns behind it.
  if (/RightSemi|RightAnti/.test(kind)) scope.relations.splice(0);
  if (!/^(Left)?(Semi|Anti)$/.test(kind)) scope.relations.push(...added);
};

/** ClickHouse: the elements of a column take its place, or the name of an alias. */
const arrayJoined = (reading: Reading, scope: Scope, factor: unknown): void => {
  const table = nodeAt(factor, 'Table');
  const [alias, name] = [aliasOf(table?.['alias']), partsOf(table?.['name'])];
  if (alias.name === undefined || name === undefined) return;
  const source = combined([lookUp(reading, scope, name)], `ARRAY JOIN ${written(name)}`);
  scope.relations.push(relation([], [renamed(source, alias.name)], true));
};

const joinedIn = (reading: Reading, scope: Scope, node: unknown): void => {
  if (!isNode(node)) return;
  scope.relations.push(...factorIn(reading, scope, node['relation'], false));
  for (const join of listAt(node, 'joins')) if (isNode(join)) joinIn(reading, scope, join);
};

const viewedIn = (reading: Reading, scope: Scope, view: unknown): void => {
  const call = nodeAt(view, 'lateral_view', 'Function');
  const columns = listAt(view, 'lateral_col_alias')
    .map(identifierOf)
    .filter((name) => name !== undefined);
  const alias: Alias = { name: partsOf(nodeAt(view)?.['lateral_view_name'])?.at(-1), columns };
  scope.relations.push(rowsOf(reading, scope, call?.['name'], listAt(call, 'args', 'List', 'args'), alias, false));
};

/** Reads tables with their joins into a scope; those that stand first are known to what stands behind them. */
export const readFrom = (reading: Reading, scope: Scope, from: readonly unknown[], views: readonly unknown[]): void => {
  for (const tables of from) joinedIn(reading, scope, tables);
  for (const view of views) viewedIn(reading, scope, view);
};
