import { isRest, type Relation, unclear, type Yield } from './column.ts';
import { columnOf } from './expression.ts';
import { aliasOf, readFrom } from './from.ts';
import { type Identifier, partsOf, written } from './name.ts';
import { readQuery, withQueries } from './query.ts';
import { type Named, type Reading, relationNamed, type Scope, scopeOf } from './scope.ts';
import { projected } from './select.ts';
import { byPlace, type Context, columnNames, spelled, type Target, targetOf, topColumns } from './target.ts';
import { someText, textAssigned, textsInBrackets } from './text.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';

/** Assignments `c = expression`, in an UPDATE or a MERGE. */
export const assigned = (
  { reading, said }: Context,
  target: Target,
  scope: Scope,
  assignments: readonly unknown[],
  into: Relation,
): void => {
  for (const assignment of assignments) {
    const { choice, held } = choiceOf(nodeAt(assignment)?.['target']);
    const value = nodeAt(assignment)?.['value'];
    if (choice === 'Tuple') {
      assignedTogether({ reading, said }, target, scope, columnNames(held), value);
      continue;
    }
    const parts = partsOf(held) ?? [];
    const name = parts.at(-1);
    if (name === undefined) continue;
    if (parts.length > 1 && !isTarget(reading, scope, parts.slice(0, -1), into)) {
      said.unresolved.push({ text: written(parts), reason: 'unsupported' });
      continue;
    }
    const [first] = Array.isArray(held) ? held : [];
    const place = nodeAt(first)?.['Identifier'] ?? first;
    const column = columnOf(reading, scope, value, () => textAssigned(reading.tokens, place));
    said.writes.push({ target, name: spelled(reading, target, name), column });
  }
};

const isTarget = (reading: Reading, scope: Scope, name: readonly Identifier[], into: Relation): boolean => {
  const found = relationNamed(reading, scope, name);
  return found.length === 1 && (found[0] === into || (found[0]?.parts === into.parts && !into.written));
};

const assignedTogether = (
  { reading, said }: Pick<Context, 'reading' | 'said'>,
  target: Target,
  scope: Scope,
  names: readonly Identifier[],
  value: unknown,
): void => {
  const { choice, held } = choiceOf(value);
  const columns = names.map((name) => spelled(reading, target, name));
  if (choice === 'Subquery' && isNode(held))
    byPlace(said, target, readQuery(reading, held, scope, scope.named), columns, false);
  else if (choice === 'Tuple' && Array.isArray(held)) {
    byPlace(
      said,
      target,
      held.map((one: unknown) => columnOf(reading, scope, one, () => someText(0))),
      columns,
      false,
    );
  } else said.unresolved.push({ text: written(names), reason: 'unsupported' });
};

export const update = (context: Context, held: Node, names: Named | undefined): Yield => {
  const { reading, said } = context;
  const known = withQueries(reading, held, names);
  const scope = scopeOf([], undefined, known);
  const factor = nodeAt(held['table'], 'relation', 'Table');
  const name = partsOf(factor?.['name']);
  const from = choiceOf(held['from']);
  const behind = Array.isArray(from.held) ? from.held : [];
  if (name === undefined) {
    said.unresolved.push({ text: 'UPDATE', reason: 'unsupported' });
    return [];
  }
  // `UPDATE t SET … FROM dbo.target t` calls its target by the alias that FROM gives it.
  readFrom(reading, scope, behind, []);
  const aliased = reading.dialect.brackets ? relationNamed(reading, scope, name) : [];
  if (aliased.length !== 1) {
    scope.relations.splice(0);
    readFrom(reading, scope, [held['table'], ...behind], []);
  }
  const assignments = listAt(held, 'assignments');
  for (const assignment of assignments) {
    const parts = partsOf(choiceOf(nodeAt(assignment)?.['target']).held) ?? [];
    const own = parts.length > 1 ? relationNamed(reading, scope, parts.slice(0, -1))[0] : undefined;
    const into = own ?? aliased[0] ?? scope.relations[0];
    const table = into && tableOf(into, aliased.length === 1 ? behind : [held['table'], ...behind]);
    if (into === undefined || table === undefined) said.unresolved.push({ text: written(name), reason: 'unsupported' });
    else assigned(context, table, scope, [assignment], into);
  }
  return projected(reading, scope, listAt(held, 'returning'), someText);
};

/** The table behind a relation that a statement writes to. */
const tableOf = (relation: Relation, from: readonly unknown[]): Target | undefined => {
  const factors = from.flatMap((tables) => [
    nodeAt(tables)?.['relation'],
    ...listAt(tables, 'joins').map((join) => nodeAt(join)?.['relation']),
  ]);
  for (const factor of factors) {
    const table = nodeAt(factor, 'Table');
    const name = partsOf(table?.['name']);
    const alias = aliasOf(table?.['alias']).name;
    const own = alias ? [alias] : name;
    const same =
      own?.length === relation.name.length && own.every((part, index) => relation.name[index]?.text === part.text);
    if (same && name && !(relation.written && name.length === 1)) return targetOf(name);
  }
  return undefined;
};

export const remove = (context: Context, held: Node, names: Named | undefined): Yield => {
  const scope = scopeOf([], undefined, names);
  const from = choiceOf(held['from']);
  const tables = Array.isArray(from.held) ? from.held : [];
  const returning = listAt(held, 'returning');
  if (returning.length === 0) return [];
  readFrom(context.reading, scope, [...tables, ...listAt(held, 'using')], []);
  return projected(context.reading, scope, returning, someText);
};

/** `*` in a MERGE: every column of the source is written to the column of its name. */
export const EVERY = '*';

const everyColumn = ({ reading, said }: Context, target: Target, source: Relation): void => {
  for (const part of source.parts) {
    if (isRest(part)) said.unresolved.push({ text: '*', reason: 'unknown columns' });
    else if (part.name) said.writes.push({ target, name: spelled(reading, target, part.name), column: part });
  }
};

const isEvery = (node: unknown): boolean => {
  const name = partsOf(node)?.at(-1);
  return name?.text === EVERY && name.style === 'quoted';
};

const mergeClause = (
  context: Context,
  target: Target,
  into: Relation,
  sources: readonly Relation[],
  clause: unknown,
): void => {
  const { reading, said } = context;
  const { choice, held } = choiceOf(nodeAt(clause)?.['action']);
  const [source] = sources;
  if (choice === 'Update') {
    const assignments = listAt(held, 'assignments');
    const every = isEvery(choiceOf(nodeAt(assignments[0])?.['target']).held);
    if (every && source) everyColumn(context, target, source);
    else assigned(context, target, scopeOf([into, ...sources], undefined, undefined), assignments, into);
  }
  if (choice !== 'Insert') return;
  const columns = listAt(held, 'columns');
  const { choice: kind, held: values } = choiceOf(nodeAt(held)?.['kind']);
  if (kind === 'Row' || isEvery(columns[0])) {
    if (source) everyColumn(context, target, source);
    return;
  }
  const [row] = listAt(values, 'rows');
  const cells = Array.isArray(row) ? row : listAt(row, 'content');
  const textOf = textsInBrackets(reading.tokens, nodeAt(row)?.['opening_token']);
  const scope = scopeOf([...sources], undefined, undefined);
  const parts = cells.map((cell: unknown, index) => columnOf(reading, scope, cell, () => textOf(index)));
  const names =
    columns.length > 0
      ? columnNames(columns).map((name) => spelled(reading, target, name))
      : topColumns(reading, target);
  if (names) byPlace(said, target, parts, names, false);
  else said.unresolved.push({ text: written(target.name), reason: 'unknown columns' });
};

export const merge = (context: Context, held: Node, names: Named | undefined): Yield => {
  const { reading, said } = context;
  const table = nodeAt(held['table'], 'Table');
  const target = targetOf(partsOf(table?.['name']));
  const scope = scopeOf([], undefined, withQueries(reading, held, names));
  readFrom(reading, scope, [{ relation: held['table'] }, { relation: held['source'] }], []);
  const [into, ...sources] = scope.relations;
  if (target === undefined || into === undefined) said.unresolved.push({ text: 'MERGE', reason: 'unsupported' });
  else for (const clause of listAt(held, 'clauses')) mergeClause(context, target, into, sources, clause);
  return [unclear('unsupported')];
};
