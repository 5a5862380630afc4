/** Descriptions of the path and query parameters of the catalog's routes, for the API documentation. */
import {
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
  countingParameter,
  flagParameter,
  limitParameter,
  textParameter,
} from '../../http/query-parameters.ts';
import type { QueryParameter } from '../../http/route.ts';
import { CHANGE_SOURCES } from '../../model/change-description.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { kindWords } from '../../model/kind/kind-words.ts';
import { MAX_HISTORY_LIMIT } from '../read/history-page.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../read/list.ts';

/** The two ways in which paths address a record, and how summaries say so. */
export const RECORD_ADDRESSES = [
  { place: '{id}', how: 'ID' },
  { place: 'name/{fqn}', how: 'name' },
] as const;

const fields = textParameter('fields', 'Comma-separated names of the optional fields to return; `*` for all');
export const includeParameter: QueryParameter = {
  name: 'include',
  description: 'Deletion state of the assets to return',
  schema: { type: 'string', enum: ['non-deleted', 'deleted', 'all'], default: 'non-deleted' },
};

const includeRelations = textParameter(
  'includeRelations',
  'Deletion state of the references to return, per relation: `owners:non-deleted,followers:all`',
);

export const readParameters: readonly QueryParameter[] = [fields, includeParameter, includeRelations];

const FILTER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  scope: 'Fully qualified name of the ancestor of the assets to return',
  domain: 'Fully qualified name of the domain of the assets to return, direct or inherited',
  edge: 'Fully qualified name of the related asset',
  target: 'ID of the asset that the assets to return refer to',
  value: 'Value of this member in the assets to return',
  item: 'Value that this list contains in the assets to return',
  name: 'Fully qualified name of the asset that the assets to return describe',
  pattern: 'Regular expression for the beginning of names, in any letter case',
  ignored: 'Accepted without effect',
};

const filterParameters = (kind: Kind): QueryParameter[] => {
  const { many } = kindWords(kind);
  return Object.entries(kind.filters).map(([name, filter]) => {
    if (filter.by === 'flag') return flagParameter(name, `Value of ${filter.property} in the ${many} to return`, false);
    if (filter.by === 'scope' && filter.flag) return flagParameter(name, filter.flag, false);
    if (filter.by === 'ignored' && filter.text) return textParameter(name, filter.text);
    if (filter.by === 'patternOption')
      return {
        name,
        description: filter.text,
        schema: { type: 'string', enum: filter.words, default: filter.words[0] },
      };
    if (filter.by === 'root') return flagParameter(name, `Whether to return only ${many} without a parent`, false);
    if (filter.by === 'filled') return flagParameter(name, `Whether to include ${many} without tests`, true);
    const words = filter.by === 'value' ? filter.values : filter.by === 'word' ? Object.keys(filter.words) : undefined;
    if (words)
      return {
        name,
        description: `Value of ${name} in the ${many} to return`,
        schema: { type: 'string', enum: words },
      };
    return textParameter(name, FILTER_DESCRIPTIONS[filter.by] ?? name);
  });
};

export const listParameters = (kind: Kind): readonly QueryParameter[] => [
  fields,
  limitParameter(kindWords(kind).many, 0, MAX_LIMIT, kind.defaultLimit ?? DEFAULT_LIMIT),
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
  includeParameter,
  includeRelations,
  ...filterParameters(kind),
];

export const historyParameters: readonly QueryParameter[] = [
  countingParameter('startTs', 'Start of the time range, in milliseconds since 1970; unlimited by default'),
  countingParameter('endTs', 'End of the time range, in milliseconds since 1970; now by default'),
  limitParameter('versions', 1, MAX_HISTORY_LIMIT, DEFAULT_LIMIT),
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
];

export const patchParameters: readonly QueryParameter[] = [
  {
    name: 'changeSource',
    description: 'Source of the change, stored in the change description',
    schema: { type: 'string', enum: CHANGE_SOURCES },
  },
  flagParameter('dryRun', 'Whether to check everything and change nothing', false),
];

export const deleteParameters: readonly QueryParameter[] = [
  flagParameter('hardDelete', 'Whether to delete permanently instead of marking as deleted', false),
  flagParameter('recursive', 'Whether to delete all descendants too', false),
];

const later = flagParameter('async', 'Whether to run the operation as a job and answer at once', false);

export const putParameters: readonly QueryParameter[] = [
  flagParameter('overrideMetadata', 'Whether a bot may overwrite metadata that users entered', false),
];

export const bulkParameters: readonly QueryParameter[] = [...putParameters, later];

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
