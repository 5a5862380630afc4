import type { JsonObject } from '../model/json.ts';
import { type DbtArtifacts, memberEntries, memberObject, memberText, memberTexts } from './artifacts.ts';
import type { DbtRelation } from './relations.ts';

/** Reads from which relations each relation, exposure and metric of a dbt project is made. */

export type DbtEdge = { readonly from: DbtRelation; readonly to: DbtRelation; readonly sql: string | undefined };

const compiledSql = (node: JsonObject): string | undefined =>
  memberText(node, 'compiled_code') ?? memberText(node, 'compiled_sql');

/** What stands between relations and their readers in the manifest. */
const MEMBERS = ['nodes', 'metrics', 'semantic_models', 'saved_queries'] as const;

/**
 * Creates the finder of the relations that a node reads, by their full names. What is no relation itself, such as
 * ephemeral models, which dbt writes into their readers, and metrics of metrics, is seen through.
 */
export const createRelationFinder = ({ manifest }: DbtArtifacts, relations: readonly DbtRelation[]) => {
  const stored = new Map(relations.map((relation) => [relation.uniqueId, relation]));
  const nodes = new Map(MEMBERS.flatMap((member) => memberEntries(manifest, member)));
  return (node: JsonObject): readonly DbtRelation[] => {
    const found = new Set<DbtRelation>();
    const seen = new Set<string>();
    const waiting = [...memberTexts(memberObject(node, 'depends_on'), 'nodes')];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const relation = stored.get(next);
      if (relation) found.add(relation);
      else waiting.push(...memberTexts(memberObject(nodes.get(next) ?? {}, 'depends_on'), 'nodes'));
    }
    return [...found].sort((one, other) => one.fqn.localeCompare(other.fqn));
  };
};

/** One edge for each relation that another one reads. */
export const readDbtEdges = (artifacts: DbtArtifacts, relations: readonly DbtRelation[]): readonly DbtEdge[] => {
  const findRead = createRelationFinder(artifacts, relations);
  return relations.flatMap((to) => {
    const { node } = to;
    if (node === undefined) return [];
    return findRead(node)
      .filter((from) => from !== to)
      .map((from) => ({ from, to, sql: compiledSql(node) }));
  });
};
