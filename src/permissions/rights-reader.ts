import type { PolicyRuleData, RightsData } from '../access/rights.ts';
import { ACCESS_REVISION } from '../catalog/queries.ts';
import type { Graph } from '../graph/client.ts';
import { listPolicyRights, listRoleRights, listTeamRights, readRightsRevision } from './queries.ts';

/** Creates the reader that loads rights for the authorizer. */
export const createRightsReader = (graph: Graph) => ({
  readRevision: async (): Promise<number> => {
    const [row] = await graph.read(readRightsRevision, { name: ACCESS_REVISION });
    return row?.revision ?? 0;
  },
  readRights: async (): Promise<RightsData> => {
    const [policies, roles, teams] = await Promise.all([
      graph.read(listPolicyRights, {}),
      graph.read(listRoleRights, {}),
      graph.read(listTeamRights, {}),
    ]);
    const withRules = policies.map(({ rulesJson, ...policy }) => ({
      ...policy,
      rules: JSON.parse(rulesJson ?? '[]') as readonly PolicyRuleData[],
    }));
    return { policies: withRules, roles, teams };
  },
});
