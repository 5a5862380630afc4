import {
  type Column,
  columnsOf,
  isRest,
  type Part,
  type Reason,
  type Rest,
  renamed,
  unclear,
  unresolvedColumn,
  type Yield,
} from './column.ts';
import { columnOf, ownName } from './expression.ts';
import { type Identifier, identifierOf, named, partsOf, sameName, written } from './name.ts';
import { type Reading, relationNamed, type Scope } from './scope.ts';
import { type TextOf, textBeforeName, textsOfItems } from './text.ts';
import { choiceOf, isNode, listAt, type Node, nodeAt } from './tree.ts';

/** What a `*` leaves out, works out anew or calls otherwise. */
type Star = {
  readonly without: readonly Identifier[];
  readonly replaced: readonly { readonly name: Identifier; readonly column: () => Column }[];
  readonly renamed: readonly { readonly from: Identifier; readonly to: Identifier }[];
  readonly unsupported: boolean;
};

const identifiersIn = (node: unknown): readonly Identifier[] => {
  const own = identifierOf(node);
  if (own) return [own];
  if (Array.isArray(node)) return node.flatMap(identifiersIn);
  if (!isNode(node)) return [];
  return Object.entries(node).flatMap(([member, held]) => (member === 'span' ? [] : identifiersIn(held)));
};

const starOf = (reading: Reading, scope: Scope, options: unknown): Star => {
  const node = nodeAt(options);
  const renames = choiceOf(node?.['opt_rename']).held;
  return {
    without: [...identifiersIn(node?.['opt_exclude']), ...identifiersIn(node?.['opt_except'])],
    replaced: listAt(node?.['opt_replace'], 'items').flatMap((item) => {
      const [place, expression] = [nodeAt(item)?.['column_name'], nodeAt(item)?.['expr']];
      const name = identifierOf(place);
      const text = () => textBeforeName(reading.tokens, place);
      return name ? [{ name, column: () => renamed(columnOf(reading, scope, expression, text), name) }] : [];
    }),
    renamed: (Array.isArray(renames) ? renames : [renames]).flatMap((item: unknown) => {
      const [from, to] = [identifierOf(nodeAt(item)?.['ident']), identifierOf(nodeAt(item)?.['alias'])];
      return from && to ? [{ from, to }] : [];
    }),
    unsupported: node?.['opt_ilike'] != null,
  };
};

/** The columns behind `*`, as EXCEPT, REPLACE and RENAME leave them. */
const starred = (reading: Reading, parts: Yield, star: Star): Yield => {
  if (star.unsupported) return [unclear('unsupported')];
  const changed = [...star.renamed.map(({ from }) => from), ...star.replaced.map(({ name }) => name)];
  const same = (one: Identifier, other: Identifier): boolean => sameName(one, other, reading.dialect);
  return parts.flatMap((part): Yield => {
    reading.spend(1);
    if (isRest(part)) {
      const rest = { ...part, without: [...part.without, ...star.without, ...changed] };
      // A column of a table nobody knows is there for certain when the statement changes it.
      const given = star.renamed.map(({ from, to }) => renamed(part.rest(from), to));
      return [rest, ...given, ...star.replaced.map(({ column }) => column())];
    }
    const { name } = part;
    if (name === undefined) return [part];
    if (star.without.some((other) => same(other, name))) return [];
    const replaced = star.replaced.find((one) => same(one.name, name));
    const rename = star.renamed.find(({ from }) => same(from, name));
    return [replaced ? replaced.column() : rename ? renamed(part, rename.to) : part];
  });
};

/** Stands for columns that `text` would have brought. */
export const missing = (text: string, reason: Reason): Rest => ({
  rest: (name) => renamed(unresolvedColumn(text, reason), name),
  without: [],
});

/** All columns that `*` stands for: those a join made one of two come first, and once. */
export const everything = (reading: Reading, scope: Scope): Yield => {
  if (scope.natural.unclear) return [missing('*', 'unknown columns')];
  const once = scope.joined.flatMap(({ name }) => (name ? [name] : []));
  const others = scope.relations.flatMap((relation) =>
    relation.parts.flatMap((part): Yield => {
      reading.spend(1);
      if (isRest(part)) return [{ ...part, without: [...part.without, ...once] }];
      return part.name && named(once, part.name, (name) => name, reading.dialect).length > 0 ? [] : [part];
    }),
  );
  return [...scope.joined, ...others];
};

const qualifiedStar = (reading: Reading, scope: Scope, kind: unknown): Yield => {
  const { choice, held } = choiceOf(kind);
  const name = choice === 'ObjectName' ? partsOf(held) : undefined;
  if (name === undefined) return [unclear('unsupported')];
  const [relation, ...others] = relationNamed(reading, scope, name);
  if (relation && others.length === 0) return relation.parts;
  return [missing(`${written(name)}.*`, relation ? 'ambiguous' : 'unknown table')];
};

const starIn = (reading: Reading, scope: Scope, item: unknown): Yield | undefined => {
  const { choice, held } = choiceOf(item);
  if (choice === 'Wildcard') return starred(reading, everything(reading, scope), starOf(reading, scope, held));
  if (choice !== 'QualifiedWildcard' || !Array.isArray(held)) return undefined;
  return starred(reading, qualifiedStar(reading, scope, held[0]), starOf(reading, scope, held[1]));
};

const itemOf = (reading: Reading, scope: Scope, item: unknown, textOf: () => string): Column => {
  const { choice, held } = choiceOf(item);
  const aliased = choice === 'ExprWithAlias' && isNode(held);
  if (!aliased && choice !== 'UnnamedExpr') return unresolvedColumn(textOf(), 'unsupported');
  const expression = aliased ? held['expr'] : held;
  const column = columnOf(reading, scope, expression, textOf);
  if (!aliased) return renamed(column, ownName(expression, reading.dialect));
  const result = renamed(column, identifierOf(held['alias']));
  scope.aliases.push(result);
  return result;
};

/** What a list of select items yields. */
export const projected = (reading: Reading, scope: Scope, items: readonly unknown[], textOf: TextOf): Yield =>
  items.flatMap((item, index): Yield => {
    reading.spend(1);
    return starIn(reading, scope, item) ?? [itemOf(reading, scope, item, () => textOf(index))];
  });

/** What the items of a SELECT yield. */
export const selected = (reading: Reading, scope: Scope, select: Node): Yield => {
  if (choiceOf(select['flavor']).choice === 'FromFirstNoSelect') return everything(reading, scope);
  if (select['value_table_mode'] === 'AsValue') return [unclear('unsupported')];
  const items = listAt(select, 'projection');
  const parts: Part[] = [...projected(reading, scope, items, textsOfItems(reading.tokens, select, items))];
  const without = identifiersIn(select['exclude']);
  return without.length === 0
    ? parts
    : starred(reading, parts, { without, replaced: [], renamed: [], unsupported: false });
};

/** The same columns under the names of an alias such as `AS t (a, b)`; those it does not name keep theirs. */
export const withNames = (parts: Yield, names: readonly Identifier[]): Yield => {
  if (names.length === 0) return parts;
  const firstRest = parts.findIndex(isRest);
  const given = names.map((name, index) => {
    const part = parts[index];
    const clear = part && !isRest(part) && (firstRest === -1 || index < firstRest);
    if (clear) return renamed(part, name);
    return renamed(unresolvedColumn(name.text, firstRest === -1 ? 'column count' : 'unknown columns'), name);
  });
  return firstRest === -1 ? [...given, ...columnsOf(parts.slice(names.length))] : given;
};
