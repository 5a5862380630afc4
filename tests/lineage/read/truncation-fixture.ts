import { openSecondProcessWith } from '../../support/second-process.ts';
import type { Client, Reply } from '../../support/service.ts';
import type { World } from '../fixture.ts';

/** Helpers for tests of truncated lineage. */

/** The limits of lineage in one response. */
type Room = { readonly nodes?: number; readonly edges?: number };

/** Opens a client of a process with these limits. */
export const within = async ({ service }: World, { nodes, edges }: Room): Promise<Client> => {
  const env = {
    ...(nodes === undefined ? {} : { MAX_LINEAGE_NODES: String(nodes) }),
    ...(edges === undefined ? {} : { MAX_LINEAGE_EDGES: String(edges) }),
  };
  return (await openSecondProcessWith(service, {}, { env })).client;
};

/** What an answer says that there was too much of; nothing when it is whole. */
export const cutOf = ({ headers }: Reply): string | null => headers.get('x-lineage-truncated');
