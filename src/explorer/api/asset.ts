import { askFully } from './ask.ts';
import { ApiFailure } from './failure.ts';
import { type KindRow, kindOf } from './kinds.ts';
import type { Schemas } from './types.ts';

/** A record of any kind, with what every kind has. Other members are read by `members.ts`. */
export type Asset = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly version: number;
  readonly updatedAt?: number;
  readonly updatedBy?: string;
  readonly deleted?: boolean;
  readonly owners?: readonly Schemas['EntityReference'][];
  readonly domains?: readonly Schemas['EntityReference'][];
  readonly followers?: readonly Schemas['EntityReference'][];
  readonly votes?: Schemas['Votes'];
  readonly tags?: readonly Schemas['TagLabel'][];
};

export type ReadAsset = {
  readonly asset: Asset;
  readonly etag: string | undefined;
  /** Whether members are missing because the caller may not see them. */
  readonly isPartial: boolean;
};

/** What anybody may see who may see the record at all. */
const BASIC_FIELDS = [
  'owners',
  'followers',
  'votes',
  'tags',
  'extension',
  'domains',
  'dataProducts',
  'experts',
  'reviewers',
  'children',
  'parents',
];

/** Members that are large, or that their own part of the page reads when it is opened. */
const READ_ELSEWHERE = new Set([
  'assets',
  'changeDescription',
  'databaseSchemas',
  'descendantTeams',
  'follows',
  'href',
  'incrementalChangeDescription',
  'joins',
  'owns',
  'personaPreferences',
  'pipelineStatuses',
  'queries',
  'sampleData',
  'tables',
  'usageSummary',
]);

/** Tables have their profiles in a part of their own; `profile` of people is about themselves. */
const isShown = ({ type }: KindRow, field: string): boolean =>
  !READ_ELSEWHERE.has(field) && !(type === 'table' && field === 'profile');

const readFields = async (kind: KindRow, fqn: string, fields: readonly string[], signal?: AbortSignal) => {
  const { value, headers } = await askFully<Asset>(`/v1/${kind.path}/name/${encodeURIComponent(fqn)}`, {
    query: { fields: fields.join(','), include: kind.fields.includes('deleted') ? 'all' : undefined },
    signal,
  });
  return { asset: value, etag: headers.get('etag') ?? undefined };
};

/** Reads a record, deleted or not, with all that the page shows; or with less when the caller may not see all. */
export const readAsset = async (type: string, fqn: string, signal?: AbortSignal): Promise<ReadAsset> => {
  const kind = kindOf(type);
  if (kind === undefined) throw new ApiFailure(404, `There is no kind of record called ${type}`);
  const shown = kind.fields.filter((field) => isShown(kind, field));
  try {
    return { ...(await readFields(kind, fqn, shown, signal)), isPartial: false };
  } catch (failure) {
    if (!(failure instanceof ApiFailure) || failure.status !== 403) throw failure;
    const basic = shown.filter((field) => BASIC_FIELDS.includes(field));
    return { ...(await readFields(kind, fqn, basic, signal)), isPartial: true };
  }
};

/** The address of one record of a kind in the API. */
export const recordPath = (type: string, id: string): string => `/v1/${kindOf(type)?.path ?? type}/${id}`;
