import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { memberText } from './artifacts.ts';
import type { DbtRelation } from './relations.ts';

/** What the catalog keeps of how dbt makes a table. */

/** The classification of the tags of dbt projects, as OpenMetadata's connector calls it. */
export const DBT_CLASSIFICATION = 'dbtTags';

/** The full name of a tag of a dbt project. */
export const dbtTagName = (tag: string): string => joinFqn(DBT_CLASSIFICATION, tag);

const label = (tagFQN: string): JsonObject => ({
  tagFQN,
  source: 'Classification',
  labelType: 'Automated',
  state: 'Confirmed',
});

/** The labels that a project gives: nobody has set them by hand. */
export const labelsOf = (tags: readonly string[]): readonly JsonObject[] => tags.map((tag) => label(dbtTagName(tag)));

/** The body of `PUT …/dataModel`. */
export const buildDataModel = (
  relation: DbtRelation & { readonly node: JsonObject },
  upstream: readonly string[],
  owners: readonly JsonObject[],
): JsonObject => {
  const { node, columns, tags, tier, description } = relation;
  const texts = {
    resourceType: memberText(node, 'resource_type'),
    dbtSourceProject: memberText(node, 'package_name'),
    path: memberText(node, 'original_file_path'),
    rawSql: memberText(node, 'raw_code') ?? memberText(node, 'raw_sql'),
    sql: memberText(node, 'compiled_code') ?? memberText(node, 'compiled_sql'),
    description,
  };
  return {
    modelType: 'DBT',
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    upstream: [...upstream],
    ...(owners.length > 0 ? { owners: [...owners] } : {}),
    tags: [...labelsOf(tags), ...(tier === undefined ? [] : [label(tier)])],
    columns: columns.map(({ name, type, description: said, tags: own }) => ({
      name,
      ...type,
      ...(said === undefined ? {} : { description: said }),
      tags: [...labelsOf(own)],
    })),
  };
};
