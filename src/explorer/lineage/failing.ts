import type { LineageNode, Schemas } from '../api/types.ts';
import { edgeKeyOf } from './edge-key.ts';
import type { Highlight } from './highlight.ts';

/** The records upstream whose tests fail, and how their data comes here. */

export type FailingAnswer = Schemas['DataQualityLineage'];

/** The part of a search document that is shown. */
type Document = {
  readonly id?: string;
  readonly entityType?: string;
  readonly name?: string;
  readonly displayName?: string;
  readonly fullyQualifiedName?: string;
};

const readNode = (found: Document): LineageNode | undefined =>
  found.id === undefined
    ? undefined
    : {
        id: found.id,
        type: found.entityType ?? '',
        testStatus: 'Failed',
        ...(found.name === undefined ? {} : { name: found.name }),
        ...(found.displayName === undefined ? {} : { displayName: found.displayName }),
        ...(found.fullyQualifiedName === undefined ? {} : { fullyQualifiedName: found.fullyQualifiedName }),
      };

export type Failing = {
  /** The records with failing tests, those that are nearest first. */
  readonly records: readonly (LineageNode & { readonly steps: number })[];
  readonly highlight: Highlight;
};

/** How many steps each record is away from the one that the data comes to. */
const countSteps = (edges: Highlight['edges'], root: string): ReadonlyMap<string, number> => {
  const steps = new Map([[root, 0]]);
  const waiting = [root];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    for (const { fromEntity, toEntity } of edges.values()) {
      if (toEntity !== at || steps.has(fromEntity)) continue;
      steps.set(fromEntity, (steps.get(at) ?? 0) + 1);
      waiting.push(fromEntity);
    }
  }
  return steps;
};

/** The edges of the shortest ways from the failing records: detours over cycles would hide where failures come from. */
const shortestEdges = (
  edges: Highlight['edges'],
  failing: readonly LineageNode[],
  steps: ReadonlyMap<string, number>,
): Highlight['edges'] => {
  const reached = new Set(failing.map(({ id }) => id));
  const byDistance = [...edges]
    .filter(([, { fromEntity, toEntity }]) => steps.get(fromEntity) === (steps.get(toEntity) ?? Number.NaN) + 1)
    .sort(([, one], [, other]) => (steps.get(other.fromEntity) ?? 0) - (steps.get(one.fromEntity) ?? 0));
  const found = byDistance.filter(([, { fromEntity, toEntity }]) => {
    if (!reached.has(fromEntity)) return false;
    reached.add(toEntity);
    return true;
  });
  return new Map(found);
};

/** Reads the answer: records with failing tests, and the edges on the paths from them. */
export const readFailing = ({ nodes, edges }: FailingAnswer, root: LineageNode): Failing => {
  const failing = nodes.flatMap((found) => readNode(found) ?? []);
  const onPath = new Map(
    edges.map(({ fromEntity, toEntity }) => [
      edgeKeyOf(fromEntity.id, toEntity.id),
      { fromEntity: fromEntity.id, toEntity: toEntity.id },
    ]),
  );
  const known = new Map<string, LineageNode>([[root.id, root]]);
  for (const { id, type, fullyQualifiedName } of edges.flatMap(({ fromEntity, toEntity }) => [fromEntity, toEntity]))
    if (!known.has(id))
      known.set(id, {
        id,
        type,
        ...(fullyQualifiedName === undefined
          ? {}
          : { fullyQualifiedName, name: fullyQualifiedName.split('.').at(-1) ?? '' }),
      });
  for (const record of failing) known.set(record.id, record);
  const steps = countSteps(onPath, root.id);
  const shortest = shortestEdges(onPath, failing, steps);
  const ends = new Set([root.id, ...failing.map(({ id }) => id)]);
  for (const { fromEntity, toEntity } of shortest.values()) ends.add(fromEntity).add(toEntity);
  return {
    records: failing
      .map((record) => ({ ...record, steps: steps.get(record.id) ?? 0 }))
      .sort((one, other) => one.steps - other.steps),
    highlight: { nodes: new Map([...known].filter(([id]) => ends.has(id))), edges: shortest },
  };
};

type Result = Pick<Schemas['TestCaseResult'], 'timestamp' | 'testCaseStatus'>;

/** Since when a test has not passed, by its results with the newest first; undefined when the newest passed. */
export const findFailingSince = (results: readonly Result[]): number | undefined => {
  const passed = results.findIndex(({ testCaseStatus }) => testCaseStatus === 'Success');
  return results[(passed < 0 ? results.length : passed) - 1]?.timestamp;
};
