import type { RefNode } from '../../catalog/queries.ts';
import { nearest } from '../../catalog/read/snapshot.ts';
import type { Graph } from '../../graph/client.ts';
import type { TestStatus } from '../../model/test-values.ts';
import { describeNodes } from './queries.ts';

/** What is told of a record beside its names. */
export type Description = {
  readonly service: RefNode | undefined;
  readonly owners: readonly { readonly node: RefNode; readonly inherited: boolean }[];
  readonly domains: readonly { readonly node: RefNode; readonly inherited: boolean }[];
  readonly tags: readonly string[];
  readonly tier: string | undefined;
  /** How the tests of it went last, as the worst of them, whoever may see them. */
  readonly testStatus: TestStatus | undefined;
};

/** How many records are described by one statement. */
export const DESCRIBED_AT_ONCE = 1000;

const TIER = 'Tier.';

type Inherited = RefNode & { readonly distance: number };

const heldBy = (nodes: readonly Inherited[]) =>
  [...nearest(nodes)]
    .sort((a, b) => (a.fullyQualifiedName < b.fullyQualifiedName ? -1 : 1))
    .map((node) => ({ node, inherited: node.distance > 0 }));

/** Describes records, without those that are gone. */
export const describe = async (graph: Graph, ids: readonly string[]): Promise<ReadonlyMap<string, Description>> => {
  const all = new Map<string, Description>();
  for (let start = 0; start < ids.length; start += DESCRIBED_AT_ONCE) {
    const rows = await graph.read(describeNodes, { ids: ids.slice(start, start + DESCRIBED_AT_ONCE) });
    for (const { nodes, roots, owners, domains } of rows) {
      const service = roots.find((root) => root.serviceType !== null);
      for (const own of nodes) {
        all.set(own.id, {
          service,
          owners: heldBy([...own.owners, ...owners]),
          domains: heldBy([...own.domains, ...domains]),
          tags: own.tags,
          tier: own.tags.find((tag) => tag.startsWith(TIER)),
          testStatus: own.testStatus ?? undefined,
        });
      }
    }
  }
  return all;
};
