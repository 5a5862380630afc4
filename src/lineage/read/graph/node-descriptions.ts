import type { RefNode } from '../../../catalog/queries.ts';
import { filterNearest } from '../../../catalog/read/snapshot.ts';
import type { Graph } from '../../../graph/client.ts';
import type { TestStatus } from '../../../model/schemas/quality/test-case.ts';
import { describeNodes } from './queries.ts';

/** What a graph shows of a record besides its names. */
export type NodeDescription = {
  readonly service: RefNode | undefined;
  readonly owners: readonly { readonly node: RefNode; readonly inherited: boolean }[];
  readonly domains: readonly { readonly node: RefNode; readonly inherited: boolean }[];
  readonly tags: readonly string[];
  readonly tier: string | undefined;
  /** The worst latest status among its tests, before visibility is applied. */
  readonly testStatus: TestStatus | undefined;
};

/** The number of records described by one statement. */
export const DESCRIPTION_BATCH = 1000;

const TIER_PREFIX = 'Tier.';

type DistantNode = RefNode & { readonly distance: number };

const nearestByName = (nodes: readonly DistantNode[]) =>
  [...filterNearest(nodes)]
    .sort((a, b) => (a.fullyQualifiedName < b.fullyQualifiedName ? -1 : 1))
    .map((node) => ({ node, inherited: node.distance > 0 }));

/** Reads the descriptions of records; missing records are left out. */
export const readNodeDescriptions = async (
  graph: Graph,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NodeDescription>> => {
  const all = new Map<string, NodeDescription>();
  for (let start = 0; start < ids.length; start += DESCRIPTION_BATCH) {
    const rows = await graph.read(describeNodes, { ids: ids.slice(start, start + DESCRIPTION_BATCH) });
    for (const { nodes, roots, owners, domains } of rows) {
      const service = roots.find((root) => root.serviceType !== null);
      for (const own of nodes) {
        all.set(own.id, {
          service,
          owners: nearestByName([...own.owners, ...owners]),
          domains: nearestByName([...own.domains, ...domains]),
          tags: own.tags,
          tier: own.tags.find((tag) => tag.startsWith(TIER_PREFIX)),
          testStatus: own.testStatus ?? undefined,
        });
      }
    }
  }
  return all;
};
