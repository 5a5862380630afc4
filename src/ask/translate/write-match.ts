import type { Clause, EdgePattern, LabelChoice, MapEntry, Named, NodePattern, Pattern } from '../language/syntax.ts';
import { COLUMN_LABEL, type EdgeEnd } from '../view.ts';
import { writeProperty } from './graph-values.ts';
import { faultAt, newName, type QueryScope, unknownName, type Variable, type Writing, withVariable } from './scope.ts';
import { listOfType, PATH } from './value-type.ts';
import { hasOneOf } from './visible-nodes.ts';

/**
 * Writes MATCH. Every node of a pattern, named or not, is bound to what the caller may see by conditions of its own, also
 * the nodes that a row of edges passes.
 */

type Match = Extract<Clause, { is: 'match' }>;

/** A MATCH with its conditions, and the variables behind it. */
type WrittenMatch = {
  readonly text: string;
  readonly scope: QueryScope;
  readonly isSafe: boolean;
  /** Whether a subquery cannot end with it. */
  readonly needsEnd: boolean;
};

/** What is known of the patterns of one MATCH while they are written. */
type Draft = {
  scope: QueryScope;
  readonly patterns: string[];
  /** Conditions that never fail, and those that wait for the guards. */
  readonly safe: string[];
  readonly unsafe: string[];
  readonly guards: string[];
};

const expandLabel = (writing: Writing, label: Named): readonly string[] => {
  const { view } = writing;
  const group = view.groups.get(label.name);
  if (group) return group;
  if (view.labels.has(label.name)) return [label.name];
  throw unknownName(writing, label, 'label', [...view.labels.keys(), ...view.groups.keys()]);
};

/** The labels that a choice leaves; null where it leaves all. */
export const chooseLabels = (writing: Writing, choice: LabelChoice): readonly string[] | null => {
  const lists = choice.map((some) => some.flatMap((label) => expandLabel(writing, label)));
  const [first, ...others] = lists;
  if (first === undefined) return null;
  return [...new Set(first)].filter((label) => others.every((list) => list.includes(label)));
};

const labelsOfEnd = (writing: Writing, end: EdgeEnd): readonly string[] | null =>
  end === 'any' ? null : end === 'column' ? [COLUMN_LABEL] : writing.view.recordLabels;

const intersect = (some: readonly string[] | null, others: readonly string[] | null): readonly string[] | null => {
  if (some === null) return others;
  return others === null ? some : some.filter((label) => others.includes(label));
};

const typesOf = (writing: Writing, edge: EdgePattern): readonly string[] => {
  const { edges } = writing.view;
  for (const type of edge.types) if (!edges.has(type.name)) throw unknownName(writing, type, 'edge', edges.keys());
  return edge.types.length === 0 ? [...edges.keys()] : edge.types.map(({ name }) => name);
};

/** The labels that a node at one end of an edge can have. */
const labelsAt = (writing: Writing, edge: EdgePattern, side: 'left' | 'right'): readonly string[] | null => {
  const ends = new Set(
    typesOf(writing, edge).flatMap((name) => {
      const found = writing.view.edges.get(name);
      if (!found) return [];
      if (edge.direction === 'both') return [found.source, found.target];
      return (edge.direction === 'out') === (side === 'left') ? [found.source] : [found.target];
    }),
  );
  const [only] = ends;
  return ends.size === 1 && only !== undefined ? labelsOfEnd(writing, only) : null;
};

/** Nodes of all patterns of a query: the database plans each for up to a second, and nothing ends that meanwhile. */
const MAX_NODES = 24;

const countNode = (writing: Writing, place: number): void => {
  writing.nodes += 1;
  if (writing.nodes > MAX_NODES) throw faultAt(writing, place, `a query looks for at most ${MAX_NODES} nodes`);
};

const noteLabels = ({ use }: Writing, labels: readonly string[] | null): void => {
  for (const label of labels ?? ['*']) use.labels.add(label);
};

/** Writes `{key: value}` as conditions. */
const addProperties = (
  writing: Writing,
  draft: Draft,
  { text, type }: Variable,
  entries: readonly MapEntry[],
): void => {
  for (const { key, value } of entries) {
    const written = writing.translate.expression(writing, draft.scope, value);
    const condition = `${writeProperty(writing, text, type, key)} = ${written.text}`;
    (written.isSafe ? draft.safe : draft.unsafe).push(condition);
  }
};

const addCondition = (writing: Writing, draft: Draft, condition: Match['where']): void => {
  if (condition === undefined) return;
  if (condition.is === 'binary' && condition.sign === 'AND') {
    for (const one of [condition.left, condition.right]) addCondition(writing, draft, one);
    return;
  }
  const written = writing.translate.expression(writing, draft.scope, condition);
  const isSafe = written.isSafe && written.type.is === 'truth';
  (isSafe ? draft.safe : draft.unsafe).push(written.text);
};

const findNode = (writing: Writing, scope: QueryScope, named: Named | undefined): Variable | undefined => {
  const found = named && scope.variables.get(named.name);
  if (found === undefined || named === undefined) return undefined;
  if (found.type.is !== 'node')
    throw faultAt(writing, named.place, `${named.name} is not a node but a ${found.type.is}`);
  return found;
};

/** A node or edge as the statement finds it, and the variable that it is known by. */
type Bound = { readonly text: string; readonly variable: Variable };

const bindNode = (writing: Writing, draft: Draft, node: NodePattern, near: readonly string[] | null): Bound => {
  const chosen = chooseLabels(writing, node.labels);
  const known = findNode(writing, draft.scope, node.variable);
  if (known !== undefined) {
    if (chosen !== null) draft.safe.push(chosen.length === 0 ? 'false' : `(${hasOneOf(known.text, chosen)})`);
    return { text: `(${known.text})`, variable: known };
  }
  countNode(writing, node.place);
  const labels = intersect(chosen, near);
  const variable: Variable = { text: newName(writing), type: { is: 'node', labels }, size: 1 };
  if (node.variable) draft.scope = withVariable(draft.scope, node.variable.name, variable);
  noteLabels(writing, labels);
  const { labels: text, where } = writing.visible.bind(variable.text, labels);
  draft.guards.push(...where);
  return { text: `(${variable.text}:${text})`, variable };
};

const ARROWS = { out: ['-', '->'], in: ['<-', '-'], both: ['-', '-'] } as const;

/** Writes a row of edges, whose nodes are bound like all others. */
const writeRow = (
  writing: Writing,
  draft: Draft,
  edge: EdgePattern,
  name: string,
  types: readonly string[],
): string => {
  const { length, direction } = edge;
  const [left, right] = ARROWS[direction];
  const inner = newName(writing);
  countNode(writing, edge.place);
  const near = labelsAt(writing, edge, 'right');
  noteLabels(writing, near);
  const { labels, where } = writing.visible.bind(inner, near);
  const conditions = edge.properties.map(({ key, value }) => {
    const written = writing.translate.expression(writing, draft.scope, value);
    if (!written.isSafe) throw faultAt(writing, key.place, 'a row of edges takes values and parameters only');
    return `${writeProperty(writing, name, { is: 'edge', types }, key)} = ${written.text}`;
  });
  const filter = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const bound = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
  const step = `${left}[${name}:${types.join('|')}${filter}]${right}`;
  return `(()${step}(${inner}:${labels}${bound})){${length?.least},${length?.most}}`;
};

const bindEdge = (writing: Writing, draft: Draft, edge: EdgePattern): Bound => {
  const { variable: named, length, direction } = edge;
  const types = typesOf(writing, edge);
  for (const name of types)
    for (const one of writing.view.edges.get(name)?.operations ?? []) writing.use.operations.add(one);
  const known = named && draft.scope.variables.get(named.name);
  const [left, right] = ARROWS[direction];
  if (known) {
    if (known.type.is !== 'edge' || length)
      throw faultAt(writing, edge.place, `${named.name} cannot be found once more`);
    return { text: `${left}[${known.text}]${right}`, variable: known };
  }
  const type = { is: 'edge', types } as const;
  const variable: Variable = { text: newName(writing), type: length ? listOfType(type) : type, size: 1 };
  if (named) draft.scope = withVariable(draft.scope, named.name, variable);
  if (length) return { text: writeRow(writing, draft, edge, variable.text, types), variable };
  return { text: `${left}[${variable.text}:${types.join('|')}]${right}`, variable };
};

/** What the edges on both sides of a node leave of its labels. A row that may have no edges says nothing. */
const labelsNear = (writing: Writing, { steps }: Pattern, at: number): readonly string[] | null => {
  const [before, after] = [steps[at - 1]?.edge, steps[at]?.edge];
  const labelsBy = (edge: EdgePattern | undefined, side: 'left' | 'right') =>
    edge === undefined || edge.length?.least === 0 ? null : labelsAt(writing, edge, side);
  return intersect(labelsBy(before, 'right'), labelsBy(after, 'left'));
};

const namePath = (writing: Writing, draft: Draft, path: Named): string => {
  if (draft.scope.variables.has(path.name)) throw faultAt(writing, path.place, `${path.name} has a meaning already`);
  const name = newName(writing);
  draft.scope = withVariable(draft.scope, path.name, { text: name, type: PATH, size: 1 });
  return `${name} = `;
};

/** Writes a pattern, and answers what adds the conditions in it once all of its variables are known. */
const writePattern = (writing: Writing, draft: Draft, pattern: Pattern): (() => void)[] => {
  const later: (() => void)[] = [];
  const add = ({ text, variable }: Bound, { properties, where }: Pick<NodePattern, 'properties' | 'where'>): string => {
    later.push(() => {
      addProperties(writing, draft, variable, properties);
      addCondition(writing, draft, where);
    });
    return text;
  };
  const addNode = (node: NodePattern, at: number): string =>
    add(bindNode(writing, draft, node, labelsNear(writing, pattern, at)), node);
  const parts = [addNode(pattern.start, 0)];
  pattern.steps.forEach(({ edge, node }, at) => {
    const bound = bindEdge(writing, draft, edge);
    parts.push(edge.length ? bound.text : add(bound, edge), addNode(node, at + 1));
  });
  const name = pattern.path ? namePath(writing, draft, pattern.path) : '';
  draft.patterns.push(`${name}${parts.join('')}`);
  return later;
};

/** Lets a condition that can fail wait for the guards: a failure would tell of nodes that are hidden. */
export const waitForGuards = (guards: readonly string[], condition: string): string =>
  guards.length === 0 ? condition : `CASE WHEN ${guards.join(' AND ')} THEN ${condition} ELSE false END`;

const writePatterns = ({ patterns }: Draft, conditions: readonly string[]): string =>
  `MATCH ${patterns.join(', ')}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;

/** The variables that a MATCH adds to those before it. */
const addedVariables = (before: QueryScope, behind: QueryScope): readonly string[] =>
  [...behind.variables].flatMap(([name, { text }]) => (before.variables.has(name) ? [] : [text]));

/**
 * Writes a MATCH with conditions that can fail. They stand behind a WITH that names the answer of the guards: as conditions of
 * the pattern, the planner would weigh them for each part of it, guards with subqueries and all, for many seconds.
 */
const writeUnsafeMatch = (writing: Writing, before: QueryScope, draft: Draft, match: Match): WrittenMatch => {
  const [isSeen, guards] = [newName(writing), [...before.guards, ...draft.guards]];
  const found = writePatterns(draft, [...draft.guards, ...draft.safe]);
  const condition = waitForGuards([isSeen], draft.unsafe.join(' AND '));
  const text = `${found} WITH *, ${guards.join(' AND ')} AS ${isSeen} WHERE ${condition}`;
  if (!match.isOptional) return { text, scope: { ...draft.scope, guards: [isSeen] }, isSafe: false, needsEnd: true };
  const added = addedVariables(before, draft.scope);
  const answers = added.length > 0 ? added.join(', ') : `1 AS ${newName(writing)}`;
  return {
    text: `OPTIONAL CALL (*) { ${text} RETURN ${answers} }`,
    // What an optional pattern did not find has no conditions that could hold.
    scope: { ...draft.scope, guards: before.guards },
    isSafe: false,
    needsEnd: true,
  };
};

export const writeMatch = (writing: Writing, scope: QueryScope, clause: Match): WrittenMatch => {
  const draft: Draft = { scope, patterns: [], safe: [], unsafe: [], guards: [] };
  const later = clause.patterns.flatMap((pattern) => writePattern(writing, draft, pattern));
  for (const add of later) add();
  addCondition(writing, draft, clause.where);
  const guards = [...scope.guards, ...draft.guards];
  const isSafe = draft.unsafe.length === 0;
  if (!isSafe && guards.length > 0 && writing.visible.isRestricted) {
    return writeUnsafeMatch(writing, scope, draft, clause);
  }
  const text = writePatterns(draft, [...draft.guards, ...draft.safe, ...draft.unsafe]);
  return {
    text: clause.isOptional ? `OPTIONAL ${text}` : text,
    scope: { ...draft.scope, guards: clause.isOptional ? scope.guards : guards },
    isSafe,
    needsEnd: false,
  };
};
