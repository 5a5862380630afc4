import type { LabelNode } from '../../catalog/queries.ts';
import { statement } from '../../graph/statement.ts';

/** The texts are null for members that the kind of the record does not have. */
export type StoredTexts = {
  readonly id: string;
  readonly entityType: string;
  readonly description: string | null;
  readonly texts: readonly (string | null)[];
};

export const listStoredTexts = statement<{ ids: readonly string[]; names: readonly string[] }, StoredTexts>(
  'insight/properties/list_texts',
  { params: ['ids', 'names'], row: ['id', 'entityType', 'description', 'texts'] },
);

export const listRecordLabels = statement<{ ids: readonly string[]; scope: string }, { id: string; label: LabelNode }>(
  'insight/properties/list_labels',
  { params: ['ids', 'scope'], row: ['id', 'label'] },
);
