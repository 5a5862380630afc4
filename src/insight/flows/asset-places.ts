import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { badRequest } from '../../errors.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import {
  DESCRIPTION_BATCH,
  type NodeDescription,
  readNodeDescriptions,
} from '../../lineage/read/graph/node-descriptions.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import { readExtensions } from './queries.ts';

/** Where assets belong: their owners, their domains, and what a custom property says of them, as far as the caller sees. */

/** The full names, or the values, that an asset has; own ones, or those of the nearest that contains it. */
export type PlacesOf = (id: string) => readonly string[];

const NONE: readonly string[] = [];

/** Reads the owners or the domains of assets. */
export const readNamedPlaces = async (
  engine: Engine,
  principal: Principal,
  member: 'owners' | 'domains',
  ids: readonly string[],
): Promise<PlacesOf> => {
  const described = await readNodeDescriptions(engine.graph, ids);
  const nodesOf = (one: NodeDescription | undefined): readonly RefNode[] =>
    (one?.[member] ?? []).map(({ node }) => node);
  const sees = await readNodeVisibility(engine, principal, [...described.values()].flatMap(nodesOf));
  return (id) => nodesOf(described.get(id)).flatMap((node) => (sees(node.id) ? [node.fullyQualifiedName] : []));
};

/** Values of custom properties are compared as they are written. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));

/** Reads what a custom property says of assets, or of the nearest that contains them and has it. */
const readPropertyPlaces = async (
  engine: Engine,
  principal: Principal,
  property: string,
  ids: readonly string[],
): Promise<PlacesOf> => {
  const places = new Map<string, readonly string[]>();
  for (const some of chunk(ids, DESCRIPTION_BATCH)) {
    const rows = await engine.graph.read(readExtensions, { ids: some });
    const sees = await readNodeVisibility(
      engine,
      principal,
      rows.flatMap(({ holders }) => holders),
    );
    for (const { id, holders } of rows) {
      for (const holder of holders.filter((one) => sees(one.id))) {
        const values = JSON.parse(holder.extensionJson) as JsonObject;
        if (!Object.hasOwn(values, property)) continue;
        places.set(id, textsOf(values[property]));
        break;
      }
    }
  }
  return (id) => places.get(id) ?? NONE;
};

/** What a way can leave: a domain, or a place that a custom property names. */
export type Boundary = { readonly property: string | undefined };

const PROPERTY = /^extension\.(.{1,256})$/s;

export const readBoundary = (text: string | null): Boundary | undefined => {
  if (!text) return undefined;
  if (text === 'domain') return { property: undefined };
  const [, property] = PROPERTY.exec(text) ?? [];
  if (property === undefined)
    throw badRequest('[leaves must be domain, or extension. and the name of a custom property]');
  return { property };
};

export const readPlacesWithin = (
  engine: Engine,
  principal: Principal,
  { property }: Boundary,
  ids: readonly string[],
): Promise<PlacesOf> =>
  property === undefined
    ? readNamedPlaces(engine, principal, 'domains', ids)
    : readPropertyPlaces(engine, principal, property, ids);
