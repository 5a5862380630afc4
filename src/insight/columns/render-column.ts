import { renderRef, type View } from '../../catalog/read/render.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TracedColumn } from './column-graph.ts';

/** Renders a column with the asset that it belongs to. */
export const renderTracedColumn = (
  { fullyQualifiedName, name, owner }: Pick<TracedColumn, 'fullyQualifiedName' | 'name' | 'owner'>,
  view: View,
): JsonObject => ({ fullyQualifiedName, name, entity: renderRef(owner, view) });
