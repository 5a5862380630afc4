import { assigned, merge, remove, update } from './change.ts';
import { columnsOf, isRest, NOTHING, type Relation, renamed, unclear, type Yield } from './column.ts';
import { tableNamed } from './from.ts';
import { type Identifier, identifierOf, named, partsOf, stored, written } from './name.ts';
import { readQuery, withQueries } from './query.ts';
import { type Named, type Reading, scopeOf } from './scope.ts';
import { projected } from './select.ts';
import { byName, byPlace, type Context, columnNames, spelled, type Target, targetOf, topColumns } from './target.ts';
import { someText } from './text.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';

const createdBy = (
  context: Context,
  name: readonly Identifier[],
  parts: Yield,
  names: readonly Identifier[],
  temporary: boolean,
): void => {
  const { reading, said } = context;
  const target = targetOf(name);
  const columns: Yield =
    names.length === 0
      ? parts
      : columnsOf(parts)
          .slice(0, names.length)
          .map((column, index) => renamed(column, names[index]));
  said.made.push({
    name,
    parts: parts.some(isRest) && names.length > 0 ? [unclear('unknown columns')] : columns,
    temporary,
  });
  // What a temporary table is made of counts where it is read.
  if (temporary) return;
  if (names.length === 0) byName(reading, said, target, parts, topColumns(reading, target) ?? undefined);
  else
    byPlace(
      said,
      target,
      parts,
      names.map((one) => spelled(reading, target, one)),
      false,
    );
};

const isTemporary = (name: readonly Identifier[], held: Node): boolean =>
  held['temporary'] === true || held['volatile'] === true || name.at(-1)?.text.startsWith('#') === true;

const createTable = (context: Context, held: Node): void => {
  const name = partsOf(held['name']);
  const names = columnNames(held['columns']);
  const query = nodeAt(held['query']);
  const clone = partsOf(held['clone']);
  if (name === undefined) return;
  const { reading } = context;
  if (query) createdBy(context, name, readQuery(reading, query, undefined, undefined), names, isTemporary(name, held));
  else if (clone) createdBy(context, name, tableNamed(reading, undefined, clone).parts, [], isTemporary(name, held));
  else if (names.length > 0) {
    const parts = names.map((column) => renamed(NOTHING, column));
    context.said.made.push({ name, parts, temporary: false });
  }
};

const createView = (context: Context, held: Node): void => {
  const query = nodeAt(held['query']);
  // A view of ClickHouse that writes to a table feeds that table.
  const name = partsOf(held['to']) ?? partsOf(held['name']);
  if (query === undefined || name === undefined) return;
  const parts = readQuery(context.reading, query, undefined, undefined);
  createdBy(context, name, parts, columnNames(held['columns']), isTemporary(name, held));
};

/** The names of the columns that an INSERT without a list of them fills. */
const insertedNames = (reading: Reading, target: Target, held: Node): readonly string[] | undefined => {
  const own = columnNames([...listAt(held, 'columns'), ...listAt(held, 'after_columns')]);
  if (own.length > 0) return own.map((name) => spelled(reading, target, name));
  const known = topColumns(reading, target);
  const partitions = listAt(held, 'partitioned');
  const fixed = partitions.flatMap((one) => {
    const name = identifierOf(nodeAt(one, 'BinaryOp', 'left')?.['Identifier']);
    return name ? [name] : [];
  });
  const open = partitions.flatMap((one) => {
    const name = identifierOf(nodeAt(one)?.['Identifier']);
    return name ? [name] : [];
  });
  const without = (known ?? []).filter(
    (name) => named([...fixed, ...open], stored(name), (one) => one, reading.dialect).length === 0,
  );
  return known && [...without, ...open.map((name) => spelled(reading, target, name))];
};

/** `ON CONFLICT DO UPDATE SET c = excluded.c`: what would have been inserted goes by a name of its own. */
const onConflict = (
  context: Context,
  target: Target,
  held: Node,
  names: readonly string[],
  parts: Yield,
  relation: Relation,
): void => {
  const { choice, held: action } = choiceOf(held['on']);
  const inserted = columnsOf(parts).map((column, index) => renamed(column, stored(names[index] ?? '')));
  const excluded: Relation = { name: [{ text: 'excluded', style: 'plain' }], parts: inserted, written: true };
  const scope = scopeOf([relation], undefined, undefined);
  if (choice === 'OnConflict') {
    const assignments = listAt(nodeAt(nodeAt(action)?.['action'])?.['DoUpdate'], 'assignments');
    assigned(
      context,
      target,
      scopeOf([relation], scopeOf([excluded], undefined, undefined), undefined),
      assignments,
      relation,
    );
  }
  if (choice !== 'DuplicateKeyUpdate' || !Array.isArray(action)) return;
  for (const assignment of action) {
    const value = nodeAt(nodeAt(assignment)?.['value'], 'Function');
    const same = value && written(partsOf(value['name']) ?? []).toUpperCase() === 'VALUES';
    // What VALUES(c) stands for is written to the column already.
    if (!same) assigned(context, target, scope, [assignment], relation);
  }
};

const insert = (context: Context, held: Node, names: Named | undefined): Yield => {
  const { reading, said } = context;
  const name = partsOf(nodeAt(held['table'])?.['TableName']);
  const source = nodeAt(held['source']);
  const target = targetOf(name);
  if (name === undefined || target === undefined) {
    said.unresolved.push({ text: 'INSERT', reason: 'unsupported' });
    return [unclear('unsupported')];
  }
  const known = withQueries(reading, held, names);
  const found = tableNamed(reading, undefined, name);
  const alias = identifierOf(nodeAt(held['table_alias'])?.['alias']);
  const relation: Relation = { ...found, name: alias ? [alias] : found.name };
  const scope = scopeOf([relation], undefined, known);
  assigned(context, target, scope, listAt(held, 'assignments'), relation);
  if (source) {
    const parts = readQuery(reading, source, undefined, known);
    const columns = insertedNames(reading, target, held);
    const literal = parts.every((part) => !isRest(part) && part.derivations.length + part.unresolved.length === 0);
    // Postgres alone fills the first columns when there are fewer values.
    const fewer = listAt(held, 'columns').length === 0 && reading.dialect.name === 'postgres';
    if (columns) {
      if (!literal) byPlace(said, target, parts, columns, fewer);
      onConflict(context, target, held, columns, parts, relation);
    } else if (!literal) said.unresolved.push({ text: written(name), reason: 'unknown columns' });
  }
  return projected(reading, scope, listAt(held, 'returning'), someText);
};

const query = (context: Context, held: Node): void => {
  const { reading, said, wanted } = context;
  const body = choiceOf(held['body']);
  const into = body.choice === 'Select' ? nodeAt(nodeAt(body.held)?.['into']) : undefined;
  const name = partsOf(into?.['name']);
  if (/^(Insert|Update|Delete|Merge)$/.test(body.choice)) {
    readQuery(reading, held, undefined, undefined);
    return;
  }
  const parts = readQuery(reading, held, undefined, undefined);
  if (into && name) createdBy(context, name, parts, [], isTemporary(name, into));
  else byName(reading, said, undefined, parts, wanted);
};

/** A statement inside another one: what it writes, and what its RETURNING yields. */
export const writing = (context: Context, statement: unknown, names: Named | undefined): Yield | undefined => {
  let { choice, held } = choiceOf(statement);
  // A statement that is the body of a query is held twice.
  while (isNode(held) && isNode(held[choice])) held = held[choice];
  if (!isNode(held)) return undefined;
  if (choice === 'Insert') return insert(context, held, names);
  if (choice === 'Update') return update(context, held, names);
  if (choice === 'Delete') return remove(context, held, names);
  return choice === 'Merge' ? merge(context, held, names) : undefined;
};

/** Statements that move data in ways that are not read; all others that are not handled move none. */
const OPAQUE = /^(Call|Execute|Copy|LoadData|CreateProcedure|CreateTrigger|If|Case|While)/;

/** Reads one statement. */
export const readStatement = (context: Context, statement: unknown): void => {
  const { choice, held } = choiceOf(statement);
  if (!isNode(held) && choice !== '') return;
  if (choice === 'Query' && isNode(held)) query(context, held);
  else if (choice === 'CreateTable' && isNode(held)) createTable(context, held);
  else if (choice === 'CreateView' && isNode(held)) createView(context, held);
  else if (choice === 'Declare') {
    const names = listAt(held, 'stmts').flatMap((one) => columnNames(listAt(one, 'names')));
    context.said.variables.push(...names.map((name) => name.text.toLowerCase()));
  } else if (writing(context, statement, undefined) === undefined && OPAQUE.test(choice)) {
    context.said.unresolved.push({ text: choice, reason: 'unsupported' });
  }
};
