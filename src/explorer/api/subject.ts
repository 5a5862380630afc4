import { ask } from './ask.ts';
import { ApiFailure } from './failure.ts';
import { kindOf } from './kinds.ts';
import type { Schemas } from './types.ts';

/** The asset that a contract or a CSV file is about, with no more than those need of it. */

type FieldColumn = Schemas['Column'];
type WithFields = { readonly schemaFields?: readonly FieldColumn[] };

type SubjectRecord = {
  readonly id: string;
  readonly name: string;
  readonly displayName?: string;
  readonly fullyQualifiedName: string;
  readonly deleted?: boolean;
  readonly columns?: readonly FieldColumn[];
  readonly dataModel?: { readonly columns?: readonly FieldColumn[] };
  readonly messageSchema?: WithFields;
  readonly requestSchema?: WithFields;
  readonly responseSchema?: WithFields;
};

export type SubjectAsset = {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly fqn: string;
  readonly isDeleted: boolean;
  /** Its columns or fields, wherever its kind has them. */
  readonly columns: readonly FieldColumn[];
};

const COLUMN_FIELDS = ['columns', 'dataModel', 'messageSchema', 'requestSchema', 'responseSchema'];

/** An API endpoint has the fields of its requests and of its responses; a name in both is one field. */
const unionOf = (lists: readonly (readonly FieldColumn[] | undefined)[]): readonly FieldColumn[] => {
  const byName = new Map<string, FieldColumn>();
  for (const column of lists.flatMap((list) => list ?? []))
    if (!byName.has(column.name)) byName.set(column.name, column);
  return [...byName.values()];
};

export const fetchSubject = async (type: string, fqn: string, signal?: AbortSignal): Promise<SubjectAsset> => {
  const kind = kindOf(type);
  if (kind === undefined) throw new ApiFailure(404, `There is no kind of asset called ${type}`);
  const record = await ask<SubjectRecord>(`/v1/${kind.path}/name/${encodeURIComponent(fqn)}`, {
    query: { fields: COLUMN_FIELDS.filter((field) => kind.fields.includes(field)).join(',') },
    signal,
  });
  const { columns, dataModel, messageSchema, requestSchema, responseSchema } = record;
  return {
    type,
    id: record.id,
    name: record.name,
    title: record.displayName || record.name,
    fqn: record.fullyQualifiedName,
    isDeleted: record.deleted ?? false,
    columns: unionOf([
      columns,
      dataModel?.columns,
      messageSchema?.schemaFields,
      requestSchema?.schemaFields,
      responseSchema?.schemaFields,
    ]),
  };
};
