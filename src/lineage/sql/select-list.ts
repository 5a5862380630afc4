import { defaultNameOf, readExpression } from './expression.ts';
import { filterByName, formatName, type Identifier, identifierOf, isSameName, readNameParts } from './identifier.ts';
import { findRelations, type NameScope, type SqlReadContext } from './name-scope.ts';
import { createItemTexts, readTextBeforeName, type TextLookup } from './source-text.ts';
import {
  isUnknownColumns,
  knownColumnsOf,
  renameColumn,
  type SqlColumn,
  type UnknownColumns,
  type UnresolvedReason,
  unclearColumns,
  unresolvedColumn,
  type YieldedColumns,
  type YieldPart,
} from './sql-column.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt, type SyntaxNode } from './syntax-tree.ts';

/** The columns that a `*` excludes, replaces or renames. */
type StarOptions = {
  readonly without: readonly Identifier[];
  readonly replaced: readonly { readonly name: Identifier; readonly column: () => SqlColumn }[];
  readonly renamed: readonly { readonly from: Identifier; readonly to: Identifier }[];
  readonly unsupported: boolean;
};

const identifiersIn = (node: unknown): readonly Identifier[] => {
  const own = identifierOf(node);
  if (own) return [own];
  if (Array.isArray(node)) return node.flatMap(identifiersIn);
  if (!isSyntaxNode(node)) return [];
  return Object.entries(node).flatMap(([member, held]) => (member === 'span' ? [] : identifiersIn(held)));
};

const readStarOptions = (reading: SqlReadContext, scope: NameScope, options: unknown): StarOptions => {
  const node = nodeAt(options);
  const renames = choiceOf(node?.['opt_rename']).held;
  return {
    without: [...identifiersIn(node?.['opt_exclude']), ...identifiersIn(node?.['opt_except'])],
    replaced: nodeListAt(node?.['opt_replace'], 'items').flatMap((item) => {
      const [place, expression] = [nodeAt(item)?.['column_name'], nodeAt(item)?.['expr']];
      const name = identifierOf(place);
      const text = () => readTextBeforeName(reading.tokens, place);
      return name ? [{ name, column: () => renameColumn(readExpression(reading, scope, expression, text), name) }] : [];
    }),
    renamed: (Array.isArray(renames) ? renames : [renames]).flatMap((item: unknown) => {
      const [from, to] = [identifierOf(nodeAt(item)?.['ident']), identifierOf(nodeAt(item)?.['alias'])];
      return from && to ? [{ from, to }] : [];
    }),
    unsupported: node?.['opt_ilike'] != null,
  };
};

/** Applies EXCEPT, REPLACE and RENAME to the columns of `*`. */
const applyStarOptions = (reading: SqlReadContext, parts: YieldedColumns, star: StarOptions): YieldedColumns => {
  if (star.unsupported) return [unclearColumns('unsupported')];
  const changed = [...star.renamed.map(({ from }) => from), ...star.replaced.map(({ name }) => name)];
  const same = (one: Identifier, other: Identifier): boolean => isSameName(one, other, reading.dialect);
  return parts.flatMap((part): YieldedColumns => {
    reading.spend(1);
    if (isUnknownColumns(part)) {
      const rest = { ...part, without: [...part.without, ...star.without, ...changed] };
      // A changed column of an unknown table certainly exists, because the statement names it.
      const given = star.renamed.map(({ from, to }) => renameColumn(part.rest(from), to));
      return [rest, ...given, ...star.replaced.map(({ column }) => column())];
    }
    const { name } = part;
    if (name === undefined) return [part];
    if (star.without.some((other) => same(other, name))) return [];
    const replaced = star.replaced.find((one) => same(one.name, name));
    const rename = star.renamed.find(({ from }) => same(from, name));
    return [replaced ? replaced.column() : rename ? renameColumn(part, rename.to) : part];
  });
};

/** Represents columns that `text` would have yielded. */
export const missingColumns = (text: string, reason: UnresolvedReason): UnknownColumns => ({
  rest: (name) => renameColumn(unresolvedColumn(text, reason), name),
  without: [],
});

/** Expands `*` to all columns; columns merged by a join come first and only once. */
export const expandStar = (reading: SqlReadContext, scope: NameScope): YieldedColumns => {
  if (scope.natural.unclear) return [missingColumns('*', 'unknown columns')];
  const once = scope.joined.flatMap(({ name }) => (name ? [name] : []));
  const others = scope.relations.flatMap((relation) =>
    relation.parts.flatMap((part): YieldedColumns => {
      reading.spend(1);
      if (isUnknownColumns(part)) return [{ ...part, without: [...part.without, ...once] }];
      return part.name && filterByName(once, part.name, (name) => name, reading.dialect).length > 0 ? [] : [part];
    }),
  );
  return [...scope.joined, ...others];
};

const expandQualifiedStar = (reading: SqlReadContext, scope: NameScope, kind: unknown): YieldedColumns => {
  const { choice, held } = choiceOf(kind);
  const name = choice === 'ObjectName' ? readNameParts(held) : undefined;
  if (name === undefined) return [unclearColumns('unsupported')];
  const [relation, ...others] = findRelations(reading, scope, name);
  if (relation && others.length === 0) return relation.parts;
  return [missingColumns(`${formatName(name)}.*`, relation ? 'ambiguous' : 'unknown table')];
};

const readStarItem = (reading: SqlReadContext, scope: NameScope, item: unknown): YieldedColumns | undefined => {
  const { choice, held } = choiceOf(item);
  if (choice === 'Wildcard')
    return applyStarOptions(reading, expandStar(reading, scope), readStarOptions(reading, scope, held));
  if (choice !== 'QualifiedWildcard' || !Array.isArray(held)) return undefined;
  return applyStarOptions(
    reading,
    expandQualifiedStar(reading, scope, held[0]),
    readStarOptions(reading, scope, held[1]),
  );
};

const readSelectItem = (reading: SqlReadContext, scope: NameScope, item: unknown, textOf: () => string): SqlColumn => {
  const { choice, held } = choiceOf(item);
  const aliased = choice === 'ExprWithAlias' && isSyntaxNode(held);
  if (!aliased && choice !== 'UnnamedExpr') return unresolvedColumn(textOf(), 'unsupported');
  const expression = aliased ? held['expr'] : held;
  const column = readExpression(reading, scope, expression, textOf);
  if (!aliased) return renameColumn(column, defaultNameOf(expression, reading.dialect));
  const result = renameColumn(column, identifierOf(held['alias']));
  scope.aliases.push(result);
  return result;
};

/** Returns the columns that select items yield. */
export const readSelectItems = (
  reading: SqlReadContext,
  scope: NameScope,
  items: readonly unknown[],
  textOf: TextLookup,
): YieldedColumns =>
  items.flatMap((item, index): YieldedColumns => {
    reading.spend(1);
    return readStarItem(reading, scope, item) ?? [readSelectItem(reading, scope, item, () => textOf(index))];
  });

/** Returns the columns that the items of a SELECT yield. */
export const readSelectList = (reading: SqlReadContext, scope: NameScope, select: SyntaxNode): YieldedColumns => {
  if (choiceOf(select['flavor']).choice === 'FromFirstNoSelect') return expandStar(reading, scope);
  if (select['value_table_mode'] === 'AsValue') return [unclearColumns('unsupported')];
  const items = nodeListAt(select, 'projection');
  const parts: YieldPart[] = [
    ...readSelectItems(reading, scope, items, createItemTexts(reading.tokens, select, items)),
  ];
  const without = identifiersIn(select['exclude']);
  return without.length === 0
    ? parts
    : applyStarOptions(reading, parts, { without, replaced: [], renamed: [], unsupported: false });
};

/** Renames columns by an alias such as `AS t (a, b)`; columns it does not name keep their names. */
export const renameColumns = (parts: YieldedColumns, names: readonly Identifier[]): YieldedColumns => {
  if (names.length === 0) return parts;
  const firstRest = parts.findIndex(isUnknownColumns);
  const given = names.map((name, index) => {
    const part = parts[index];
    const clear = part && !isUnknownColumns(part) && (firstRest === -1 || index < firstRest);
    if (clear) return renameColumn(part, name);
    return renameColumn(unresolvedColumn(name.text, firstRest === -1 ? 'column count' : 'unknown columns'), name);
  });
  return firstRest === -1 ? [...given, ...knownColumnsOf(parts.slice(names.length))] : given;
};
