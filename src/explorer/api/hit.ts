import { lastName } from './full-name.ts';
import { plainPassage, shareFound } from './highlight.ts';

/** A hit of a search, and how it is read from the search document. */

/** A passage of a hit that has words of the search, and the field it stands in. */
export type HitPassage = { readonly field: string; readonly text: string };

/** The part of a search document that the explorer shows. */
export type Hit = {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  /** The name with what was found in it, as the search marks it. */
  readonly markedName: string | undefined;
  readonly fqn: string;
  /** The names of what it is in, from the outermost. */
  readonly within: readonly string[];
  readonly description: string;
  readonly owners: readonly string[];
  readonly domains: readonly string[];
  readonly tags: readonly string[];
  readonly tier: string;
  readonly isDeleted: boolean;
  readonly updatedAt: number | undefined;
  readonly updatedBy: string | undefined;
  readonly usesOfWeek: number;
  readonly passages: readonly HitPassage[];
  /** The columns or fields of the asset, as their full names go on after that of the asset. */
  readonly columns: readonly string[];
};

type Named = { readonly name?: string; readonly displayName?: string; readonly tagFQN?: string };

type Source = {
  readonly id: string;
  readonly entityType: string;
  readonly name?: string;
  readonly displayName?: string;
  readonly fullyQualifiedName?: string;
  readonly fqnParts?: readonly string[];
  readonly description?: string;
  readonly owners?: readonly Named[];
  readonly domains?: readonly Named[];
  readonly tags?: readonly Named[];
  readonly tier?: Named | null;
  readonly deleted?: boolean;
  readonly updatedAt?: number;
  readonly updatedBy?: string;
  readonly columnNames?: readonly string[];
  readonly fieldNames?: readonly string[];
  readonly usageSummary?: { readonly weeklyStats?: { readonly count?: number } };
};

export type SearchHit = {
  readonly _source: Source;
  readonly highlight?: Readonly<Record<string, readonly string[]>>;
};

const nameOf = ({ displayName, name, tagFQN }: Named): string => displayName || name || tagFQN || '';

/** The name of the record itself is no part of where it is. */
const readPlace = ({ fqnParts = [] }: Source): readonly string[] =>
  fqnParts.slice(0, -1).map((part) => part.replaceAll('"', ''));

const NAME_FIELDS = ['name', 'displayName'];

export const readHit = ({ _source: source, highlight = {} }: SearchHit): Hit => ({
  id: source.id,
  type: source.entityType,
  name: source.displayName || source.name || source.id,
  markedName: highlight[source.displayName ? 'displayName' : 'name']?.[0],
  fqn: source.fullyQualifiedName ?? source.name ?? source.id,
  within: readPlace(source),
  description: source.description ?? '',
  owners: (source.owners ?? []).map(nameOf),
  domains: (source.domains ?? []).map(nameOf),
  tags: (source.tags ?? []).map(({ tagFQN = '' }) => tagFQN).filter((tag) => !tag.startsWith('Tier.')),
  tier: source.tier?.tagFQN ?? '',
  isDeleted: source.deleted ?? false,
  updatedAt: source.updatedAt,
  updatedBy: source.updatedBy,
  usesOfWeek: source.usageSummary?.weeklyStats?.count ?? 0,
  passages: Object.entries(highlight)
    .filter(([field]) => !NAME_FIELDS.includes(field))
    .flatMap(([field, texts]) => texts.map((text) => ({ field, text }))),
  columns: source.columnNames ?? source.fieldNames ?? [],
});

/** What a passage is of, where it is not of the description. */
const PARTS: Readonly<Record<string, string>> = {
  columns: 'Column',
  charts: 'Chart',
  tasks: 'Task',
  messageSchema: 'Field',
  dataModels: 'Data model',
  fields: 'Field',
  mlFeatures: 'Feature',
  synonyms: 'Synonym',
};

export const partOf = ({ field }: HitPassage): string => PARTS[field.split('.')[0] ?? ''] ?? '';

/** The passage that tells best why the asset is a hit, unless its name tells as much already. */
export const reasonOf = ({ markedName = '', passages }: Hit): HitPassage | undefined => {
  const [best] = passages
    .map((passage) => ({ passage, share: shareFound(passage.text) }))
    .sort((one, other) => other.share - one.share);
  return best && best.share > shareFound(markedName) ? best.passage : undefined;
};

/** The full name of the column that a passage is the name of. */
export const columnOf = ({ fqn, columns }: Hit, { field, text }: HitPassage): string | undefined => {
  if (!field.endsWith('.name')) return undefined;
  const name = plainPassage(text);
  const path = columns.find((column) => lastName(column) === name);
  return path === undefined ? undefined : `${fqn}.${path}`;
};
