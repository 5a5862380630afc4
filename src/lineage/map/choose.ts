import type { JsonObject } from '../../model/json.ts';
import { decodeDetails } from '../edge.ts';
import type { EdgeTuple } from '../queries.ts';
import type { Direction } from '../subgraph.ts';
import type { CountAsked, Page, Wanted } from './asked.ts';
import type { Ground } from './ground.ts';
import { pageLayers, pageReach, type Reach, type Walking, walkLayers, waysTo, without } from './layers.ts';

/** What each record is found by. */
export type Documents = ReadonlyMap<string, JsonObject>;

/** Of what lies around a record, that which a request wants. */
export type Choice = {
  readonly wanted: Wanted;
  readonly preservePaths: boolean;
};

const walkingOf = ({ root, nodes }: Ground, depth: number): Walking => ({
  root: root.id,
  depth,
  nameOf: (id) => nodes.get(id)?.fullyQualifiedName ?? '',
});

/** Everything in one direction. */
export const walkGround = (ground: Ground, direction: Direction, depth: number): Reach =>
  walkLayers(ground.paths[direction], walkingOf(ground, depth));

/** A column is meant by its own name, by its name below its record, and by its full name. */
const namesColumn = (columns: ReadonlySet<string>, name: string, record: string): boolean => {
  const path = name.toLowerCase();
  return (
    columns.has(path) ||
    columns.has(path.slice(path.lastIndexOf('.') + 1)) ||
    columns.has(`${record.toLowerCase()}.${path}`)
  );
};

const tellsOf = ({ nodes }: Ground, columns: ReadonlySet<string>) => {
  const nameOf = (id: string): string => nodes.get(id)?.fullyQualifiedName ?? '';
  return ([fromId, toId, pipelineId, text]: EdgeTuple): boolean =>
    decodeDetails(text, pipelineId).mappings.some(
      ({ from, to }) =>
        namesColumn(columns, to, nameOf(toId)) || from.some((name) => namesColumn(columns, name, nameOf(fromId))),
    );
};

type Chosen = { readonly isChosen: (id: string) => boolean; readonly isTold: (edge: EdgeTuple) => boolean };

const YES = () => true;

/** Which of the records that were reached are wanted, and by which edges. */
const choose = (ground: Ground, { edges }: Reach, { document, columns }: Wanted, documents: Documents): Chosen => {
  const isTold = columns ? tellsOf(ground, columns) : YES;
  const told = columns ? new Set(edges.filter(isTold).flatMap((edge) => [edge[0], edge[1]])) : undefined;
  const isFound = (id: string): boolean => {
    const found = document && documents.get(id);
    return !document || (found !== undefined && document(found));
  };
  return { isChosen: (id) => (told?.has(id) ?? true) && isFound(id), isTold };
};

const isChoosy = ({ document, columns }: Wanted): boolean => document !== undefined || columns !== undefined;

const chosenOf = (reach: Reach, root: string, { isChosen }: Chosen): ReadonlySet<string> =>
  new Set([...reach.depths.keys()].filter((id) => id === root || isChosen(id)));

const keeping = (reach: Reach, kept: ReadonlySet<string>, isTold: Chosen['isTold'] = YES): Reach => {
  const { depths, edges } = without(reach, (id) => kept.has(id));
  return { depths, edges: edges.filter(isTold) };
};

/** One direction of what a request wants, of each layer a page. */
export const chooseLayers = (
  ground: Ground,
  direction: Direction,
  depth: number,
  { wanted, preservePaths }: Choice,
  page: Page,
  documents: Documents,
): Reach => {
  const paths = ground.paths[direction];
  const walking = walkingOf(ground, depth);
  if (!isChoosy(wanted)) return walkLayers(paths, walking, page);
  const whole = walkLayers(paths, walking);
  const chosen = choose(ground, whole, wanted, documents);
  const ends = chosenOf(whole, walking.root, chosen);
  if (!preservePaths) return pageLayers(keeping(whole, ends, chosen.isTold), page);
  const kept = waysTo(paths, whole, ends);
  return walkLayers(paths, walking, page, (id) => kept.has(id));
};

/** One page of all records in one direction that a request wants. */
export const choosePage = (
  ground: Ground,
  { direction, depth, nodeDepth }: CountAsked,
  { wanted, preservePaths }: Choice,
  page: Page,
  documents: Documents,
): Reach => {
  const whole = walkGround(ground, direction, depth);
  const chosen = choose(ground, whole, wanted, documents);
  const root = ground.root.id;
  const isAt = (id: string): boolean => nodeDepth === undefined || id === root || whole.depths.get(id) === nodeDepth;
  const all = without(whole, (id) => isAt(id) && (id === root || chosen.isChosen(id)));
  const some = pageReach(all, page);
  if (!preservePaths) return keeping(whole, some, chosen.isTold);
  return keeping(whole, waysTo(ground.paths[direction], whole, some));
};

/** How many records there are at each distance. */
export const countLayers = (
  ground: Ground,
  direction: Direction,
  depth: number,
  wanted: Wanted,
  documents: Documents,
) => {
  const whole = walkGround(ground, direction, depth);
  const chosen = choose(ground, whole, wanted, documents);
  const counts = new Map<number, number>();
  for (const [id, step] of whole.depths) {
    if (step > 0 && chosen.isChosen(id)) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].map(([at, entityCount]) => ({ depth: at, entityCount }));
};
