import type { GenericSchema } from 'valibot';
import type { ColumnsAttribute } from './attribute.ts';
import { memoisePerKind } from './derived-values.ts';
import { schemaOfMember, unwrapSchema, type ValueSchema } from './links.ts';

/**
 * The members of a kind that hold columns: its column trees whose items lineage joins one by one. The tasks of a pipeline
 * are such a tree and no columns.
 */
export const columnSections = memoisePerKind((kind) =>
  kind.columnTrees.filter(([, { hasColumnLineage }]) => hasColumnLineage),
);

/** Answers the schema of the items at the top of a column tree. */
export const columnItemSchema = ({ schema, container }: ColumnsAttribute): GenericSchema => {
  const list = container ? schemaOfMember(schema, container.member) : schema;
  const item = list && unwrapSchema(list as ValueSchema).item;
  if (!item) throw new Error('a column tree is no list');
  return item;
};
