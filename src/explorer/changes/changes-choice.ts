import type { Schemas } from '../api/types.ts';

/** Which changes are shown. All of it stands in the address. */

export type CatalogChange = Schemas['CatalogChange'];
export type ChangeKind = CatalogChange['kind'];

export type ChangesChoice = {
  readonly scope: string | undefined;
  readonly kind: ChangeKind | undefined;
  readonly days: number;
  readonly onlyBreaking: boolean;
};

export const CHANGE_DAYS = [1, 7, 30, 90, 365] as const;
const DEFAULT_DAYS = 7;

/** The kinds of change, and what they are called. */
export const CHANGE_KIND_TITLES: Readonly<Record<ChangeKind, string>> = {
  schema: 'Columns',
  lineage: 'Lineage',
  owners: 'Owners',
  tags: 'Tags',
  domains: 'Domains',
  contracts: 'Contracts',
  tests: 'Tests',
  description: 'Descriptions',
  lifecycle: 'Created and deleted',
};

const isChangeKind = (text: string | null): text is ChangeKind =>
  text !== null && Object.hasOwn(CHANGE_KIND_TITLES, text);

export const readChangesChoice = (params: URLSearchParams): ChangesChoice => {
  const kind = params.get('kind');
  return {
    scope: params.get('scope') || undefined,
    kind: isChangeKind(kind) ? kind : undefined,
    days: CHANGE_DAYS.find((days) => String(days) === params.get('days')) ?? DEFAULT_DAYS,
    onlyBreaking: params.get('breaking') === 'true',
  };
};

export const writeChangesChoice = ({ scope, kind, days, onlyBreaking }: ChangesChoice): URLSearchParams => {
  const params = new URLSearchParams();
  if (scope !== undefined) params.set('scope', scope);
  if (kind !== undefined) params.set('kind', kind);
  if (days !== DEFAULT_DAYS) params.set('days', String(days));
  if (onlyBreaking) params.set('breaking', 'true');
  return params;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The beginning of the days, cut to the hour, so that the answer may be kept for a while. */
export const changedSince = (days: number, now: number): number => {
  const since = now - days * DAY_MS;
  return since - (since % HOUR_MS);
};
