import type { RightsData, StoredRule } from '../access/rights.ts';
import { RIGHTS } from '../catalog/queries.ts';
import type { Graph } from '../graph/client.ts';
import { listPolicies, listRoles, listTeams, readRevision } from './queries.ts';

/** Where the judge has its rights from. */
export const createRightsReader = (graph: Graph) => ({
  readRevision: async (): Promise<number> => {
    const [row] = await graph.read(readRevision, { name: RIGHTS });
    return row?.revision ?? 0;
  },
  readRights: async (): Promise<RightsData> => {
    const [policies, roles, teams] = await Promise.all([
      graph.read(listPolicies, {}),
      graph.read(listRoles, {}),
      graph.read(listTeams, {}),
    ]);
    const withRules = policies.map(({ rulesJson, ...policy }) => ({
      ...policy,
      rules: JSON.parse(rulesJson ?? '[]') as readonly StoredRule[],
    }));
    return { policies: withRules, roles, teams };
  },
});
