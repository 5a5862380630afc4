import type { LineageEdge, LineageNode } from '../api/types.ts';
import { GROUPINGS, type Grouping, type LineageChoice } from './choice.ts';
import type { Direction, ShownGraph } from './graph-model.ts';

/** Puts the records of a large graph into groups, and its edges into bundles between them. */

/** Nobody can look at more boxes than these at once; beyond, records are grouped unless somebody decides otherwise. */
export const MOST_BOXES = 150;

/** Graphs of more records than these are always grouped. */
export const MOST_UNGROUPED = 2500;

/** A group unfolds by so many members. */
export const MEMBERS_AT_ONCE = 50;

export type Group = {
  /** Where the group is: its names from the coarsest grouping on. */
  readonly path: string;
  readonly grouping: Grouping;
  readonly name: string;
  /** Those that do not stand alone, nearest first. */
  readonly members: readonly LineageNode[];
  /** How many of its members stand beside it. */
  readonly unfolded: number;
  /** Whether it unfolds to finer groups. */
  readonly hasGroups: boolean;
  readonly kinds: readonly (readonly [type: string, count: number])[];
  readonly failing: number;
  /** How many neighbours its members have that are not shown; one that several have counts for each. */
  readonly further: Readonly<Record<Direction, number>>;
  /** Whether an answer was cut at one of its members. */
  readonly isCut: boolean;
};

/** Edges between two boxes. */
export type Bundle = {
  readonly from: string;
  readonly to: string;
  readonly edges: readonly (readonly [key: string, edge: LineageEdge])[];
};

export type GroupedGraph = {
  readonly grouping: Grouping | undefined;
  /** Records that stand alone. */
  readonly alone: readonly LineageNode[];
  readonly groups: ReadonlyMap<string, Group>;
  /** Groups of which all members, or parts, stand in their place. */
  readonly unfolded: readonly Pick<Group, 'path' | 'grouping' | 'name'>[];
  /** The box in which a record is found: its own, or that of its group. */
  readonly boxOf: ReadonlyMap<string, string>;
  readonly bundles: ReadonlyMap<string, Bundle>;
};

/** Coarse groups unfold to finer ones. */
const LEVELS: Readonly<Record<Grouping, readonly Grouping[]>> = {
  domain: ['domain', 'service', 'schema'],
  service: ['service', 'schema'],
  schema: ['schema'],
};

/** The part of a full name before its last dot outside of quotes. */
const nameAbove = (fqn: string): string => {
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < fqn.length; at += 1) {
    if (fqn[at] === '"') isQuoted = !isQuoted;
    else if (fqn[at] === '.' && !isQuoted) end = at;
  }
  return fqn.slice(0, end);
};

type Key = { readonly key: string; readonly name: string };

const UNSEEN: Key = { key: '', name: 'Assets that you may not see' };

/** Without a service a record is named by those above it. */
const READ_KEY: Readonly<Record<Grouping, (node: LineageNode) => Key>> = {
  schema: ({ fullyQualifiedName = '' }) => {
    const key = nameAbove(fullyQualifiedName);
    return { key, name: key.slice(nameAbove(key).length).replace(/^\./, '') || fullyQualifiedName };
  },
  service: ({ service, type }) => {
    const name = service?.displayName || service?.name;
    return { key: service?.fullyQualifiedName ?? service?.name ?? type, name: name ?? 'Without a service' };
  },
  domain: ({ domains }) => {
    const [domain] = domains ?? [];
    return {
      key: domain?.fullyQualifiedName ?? '-',
      name: domain?.displayName || domain?.name || 'Without a domain',
    };
  },
};

const keyOf = (node: LineageNode, grouping: Grouping): Key => (node.hidden ? UNSEEN : READ_KEY[grouping](node));

const countKeys = (nodes: Iterable<LineageNode>, grouping: Grouping): number =>
  new Set([...nodes].map((node) => keyOf(node, grouping).key)).size;

/** The finest grouping whose groups can be looked at together, or else the coarsest that tells records apart. */
const chooseGrouping = (nodes: ReadonlyMap<string, LineageNode>): Grouping => {
  const counts = GROUPINGS.map((grouping) => [grouping, countKeys(nodes.values(), grouping)] as const);
  const fitting = counts.find(([, count]) => count <= MOST_BOXES / 2);
  return fitting?.[0] ?? counts.filter(([, count]) => count > 1).sort(([, a], [, b]) => a - b)[0]?.[0] ?? 'schema';
};

export const groupingOf = (
  { nodes }: Pick<ShownGraph, 'nodes'>,
  asked: LineageChoice['group'],
): Grouping | undefined => {
  if (asked === 'none' && nodes.size <= MOST_UNGROUPED) return undefined;
  if (asked !== undefined && asked !== 'none') return asked;
  return nodes.size <= MOST_BOXES ? undefined : chooseGrouping(nodes);
};

/** How many members of a group are shown: `50:<path>`. */
const readUnfolded = (unfold: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    unfold.flatMap((text) => {
      const [count = '', ...path] = text.split(':');
      return Number.isInteger(Number(count)) && Number(count) > 0 ? [[path.join(':'), Number(count)]] : [];
    }),
  );

export const unfoldGroup = (unfold: readonly string[], path: string): readonly string[] => {
  const counts = new Map(readUnfolded(unfold));
  counts.set(path, (counts.get(path) ?? 0) + MEMBERS_AT_ONCE);
  return [...counts].map(([other, count]) => `${count}:${other}`);
};

/** Folds a group with everything that was unfolded in it. */
export const foldGroup = (unfold: readonly string[], path: string): readonly string[] =>
  unfold.filter((text) => {
    const other = text.slice(text.indexOf(':') + 1);
    return other !== path && !other.startsWith(`${path}/`);
  });

const countKinds = (members: readonly LineageNode[]): Group['kinds'] => {
  const counts = new Map<string, number>();
  for (const { type } of members) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
};

const hasFailed = ({ testStatus, contractStatus }: LineageNode): boolean =>
  testStatus === 'Failed' || contractStatus === 'Failed';

/** The members that have neighbours in a direction which are not shown. */
export const listFurther = (
  members: readonly LineageNode[],
  hidden: ShownGraph['hidden'],
  direction: Direction,
): readonly LineageNode[] => members.filter(({ id }) => (hidden.get(id)?.[direction] ?? 0) > 0);

const sumFurther = (members: readonly LineageNode[], hidden: ShownGraph['hidden'], direction: Direction): number =>
  members.reduce((sum, { id }) => sum + (hidden.get(id)?.[direction] ?? 0), 0);

type Standing = {
  readonly alone: LineageNode[];
  readonly groups: Map<string, Group>;
  readonly unfolded: Pick<Group, 'path' | 'grouping' | 'name'>[];
};

const splitMembers = (members: readonly LineageNode[], grouping: Grouping) => {
  const parts = new Map<string, { readonly name: string; readonly members: LineageNode[] }>();
  for (const node of members) {
    const { key, name } = keyOf(node, grouping);
    const part = parts.get(key);
    if (part) part.members.push(node);
    else parts.set(key, { name, members: [node] });
  }
  return parts;
};

const standMembers = (
  to: Standing,
  members: readonly LineageNode[],
  [grouping, ...finer]: readonly Grouping[],
  above: string,
  asked: { readonly counts: ReadonlyMap<string, number> } & Pick<ShownGraph, 'hidden' | 'cutAt'>,
): void => {
  if (grouping === undefined) return;
  for (const [key, part] of splitMembers(members, grouping)) {
    const path = `${above}${grouping}=${encodeURIComponent(key)}`;
    const count = asked.counts.get(path) ?? 0;
    if (part.members.length === 1) to.alone.push(...part.members);
    else {
      if (count > 0) to.unfolded.push({ path, grouping, name: part.name });
      const parting =
        part.members.length > MEMBERS_AT_ONCE ? finer.findIndex((one) => countKeys(part.members, one) > 1) : -1;
      if (count > 0 && parting >= 0) standMembers(to, part.members, finer.slice(parting), `${path}/`, asked);
      else {
        const rest = part.members.slice(count);
        to.alone.push(...part.members.slice(0, count));
        if (rest.length > 0)
          to.groups.set(path, {
            path,
            grouping,
            name: part.name,
            members: rest,
            unfolded: part.members.length - rest.length,
            hasGroups: parting >= 0,
            kinds: countKinds(rest),
            failing: rest.filter(hasFailed).length,
            further: {
              upstream: sumFurther(rest, asked.hidden, 'upstream'),
              downstream: sumFurther(rest, asked.hidden, 'downstream'),
            },
            isCut: rest.some(({ id }) => asked.cutAt.has(id)),
          });
      }
    }
  }
};

const bundleEdges = (
  edges: ReadonlyMap<string, LineageEdge>,
  boxOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, Bundle> => {
  const bundles = new Map<string, { from: string; to: string; edges: [string, LineageEdge][] }>();
  for (const [key, edge] of edges) {
    const [from, to] = [boxOf.get(edge.fromEntity), boxOf.get(edge.toEntity)];
    if (from === undefined || to === undefined || from === to) continue;
    const bundle = bundles.get(`${from} ${to}`);
    if (bundle) bundle.edges.push([key, edge]);
    else bundles.set(`${from} ${to}`, { from, to, edges: [[key, edge]] });
  }
  return bundles;
};

/** The record that the page is about, unfolded ones and those that somebody picked stand alone. */
export const groupGraph = (
  graph: ShownGraph,
  choice: Pick<LineageChoice, 'group' | 'unfold' | 'alone' | 'open'>,
): GroupedGraph => {
  const grouping = groupingOf(graph, choice.group);
  const standing: Standing = { alone: [], groups: new Map(), unfolded: [] };
  if (grouping === undefined) standing.alone.push(...graph.nodes.values());
  else {
    const picked = new Set([graph.rootId, ...choice.alone, ...choice.open]);
    const members: LineageNode[] = [];
    for (const node of graph.nodes.values()) (picked.has(node.id) ? standing.alone : members).push(node);
    const asked = { counts: readUnfolded(choice.unfold), hidden: graph.hidden, cutAt: graph.cutAt };
    standMembers(standing, members, LEVELS[grouping], '', asked);
  }
  const boxOf = new Map(standing.alone.map(({ id }) => [id, id]));
  for (const { path, members } of standing.groups.values()) for (const { id } of members) boxOf.set(id, path);
  return { grouping, ...standing, boxOf, bundles: bundleEdges(graph.edges, boxOf) };
};
