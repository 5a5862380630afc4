/** Descriptions of the path and query parameters of the catalog's routes, for the API documentation. */
import { AFTER_PARAMETER, BEFORE_PARAMETER, limitParameter, textParameter } from '../../http/query-parameters.ts';
import type { QueryParameter } from '../../http/route.ts';
import { CHANGE_SOURCES } from '../../model/change-description.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { MAX_HISTORY_LIMIT } from '../read/history-page.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../read/list.ts';

const flagParameter = (name: string, description: string, fallback = false): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', default: fallback },
});

const fields = textParameter('fields', 'Comma-separated names of further members to answer; * for all');
const include: QueryParameter = {
  name: 'include',
  description: 'Which records to look at, by deletion',
  schema: { type: 'string', enum: ['non-deleted', 'deleted', 'all'], default: 'non-deleted' },
};

const includeRelations = textParameter(
  'includeRelations',
  'Per relation, which references to show: owners:non-deleted,followers:all',
);

export const readParameters: readonly QueryParameter[] = [fields, include, includeRelations];

const FILTER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  scope: 'Only records below this fully qualified name',
  domain: 'Only records of this domain, their own or inherited',
  edge: 'Only records joined to the record of this name',
  target: 'Only records that point at the record of this id',
  value: 'Only records that say this',
  item: 'Only records that name this among others',
  name: 'Only records of what has this fully qualified name',
  ignored: 'Accepted',
};

const filterParameters = (kind: Kind): QueryParameter[] =>
  Object.entries(kind.filters).map(([name, filter]) => {
    if (filter.by === 'flag') return flagParameter(name, `Only records with this ${filter.property}`);
    if (filter.by === 'scope' && filter.flag) return flagParameter(name, filter.flag);
    if (filter.by === 'ignored' && filter.text) return textParameter(name, filter.text);
    if (filter.by === 'root') return flagParameter(name, 'Only records without a parent');
    if (filter.by === 'filled') return flagParameter(name, 'Also records that hold no tests', true);
    const words = filter.by === 'value' ? filter.values : filter.by === 'word' ? Object.keys(filter.words) : undefined;
    if (words) return { name, description: `Only records of this ${name}`, schema: { type: 'string', enum: words } };
    return textParameter(name, FILTER_DESCRIPTIONS[filter.by] ?? name);
  });

export const listParameters = (kind: Kind): readonly QueryParameter[] => [
  fields,
  limitParameter('records', 0, MAX_LIMIT, kind.defaultLimit ?? DEFAULT_LIMIT),
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
  include,
  includeRelations,
  ...filterParameters(kind),
];

const timeParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

export const historyParameters: readonly QueryParameter[] = [
  timeParameter('startTs', 'The first moment to look at, in milliseconds since 1970; the beginning unless given'),
  timeParameter('endTs', 'The last moment to look at, in milliseconds since 1970; now unless given'),
  limitParameter('states', 1, MAX_HISTORY_LIMIT, DEFAULT_LIMIT),
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
];

export const patchParameters: readonly QueryParameter[] = [
  {
    name: 'changeSource',
    description: 'Where the change comes from; kept in the change description',
    schema: { type: 'string', enum: CHANGE_SOURCES },
  },
];

export const deleteParameters: readonly QueryParameter[] = [
  flagParameter('hardDelete', 'Remove for good instead of hiding'),
  flagParameter('recursive', 'Also everything that hangs below'),
];

const later = flagParameter('async', 'Answer before the work is done');

export const bulkParameters: readonly QueryParameter[] = [
  flagParameter('overrideMetadata', 'Let a bot replace texts that people wrote'),
  later,
];

export const restoreParameters: readonly QueryParameter[] = [later];

export const versionParameters: readonly QueryParameter[] = [
  {
    name: 'limit',
    description: 'Number of versions to return; all by default',
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'offset',
    description: 'Number of newest versions to skip',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
];
