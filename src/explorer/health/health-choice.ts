/** Which part of the catalog is checked, and from when on an edge counts as not confirmed. All of it stands in the address. */
export type HealthChoice = {
  readonly scope: string | undefined;
  readonly staleDays: number;
  /** How many findings of each sort are listed at most. */
  readonly limit: number;
};

export const STALE_DAYS = [7, 30, 90, 365] as const;
const DEFAULT_STALE_DAYS = 30;

const FEW_FINDINGS = 100;
export const MANY_FINDINGS = 1000;

export const readHealthChoice = (params: URLSearchParams): HealthChoice => ({
  scope: params.get('scope') || undefined,
  staleDays: STALE_DAYS.find((days) => String(days) === params.get('stale')) ?? DEFAULT_STALE_DAYS,
  limit: params.get('all') === 'true' ? MANY_FINDINGS : FEW_FINDINGS,
});

export const writeHealthChoice = ({ scope, staleDays, limit }: HealthChoice): URLSearchParams => {
  const params = new URLSearchParams();
  if (scope !== undefined) params.set('scope', scope);
  if (staleDays !== DEFAULT_STALE_DAYS) params.set('stale', String(staleDays));
  if (limit > FEW_FINDINGS) params.set('all', 'true');
  return params;
};

const DAY_MS = 86_400_000;

/** Times are cut to the hour, so that the answer may be kept for a while. */
export const staleSince = (staleDays: number, now: number): number => {
  const since = now - staleDays * DAY_MS;
  return since - (since % 3_600_000);
};

/** Text of a query in which a name stands as it is. */
const quote = (name: string): string => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The beginning of names in a query; what the grammar of queries gives a meaning to is escaped. */
const beginning = (name: string): string => `${name.replace(/[^\p{L}\p{N}_.]/gu, '\\$&')}.*`;

/** Everything at or below the scope, as a query; a domain has what belongs to it. */
export const scopeQuery = (scope: string | undefined): string => {
  if (scope === undefined) return '*';
  const fields = ['fullyQualifiedName', 'domains.fullyQualifiedName'];
  return `(${fields.flatMap((field) => [`${field}:${quote(scope)}`, `${field}:${beginning(scope)}`]).join(' OR ')})`;
};

/** What the assets of a catalog should have, and the query for those that do not. */
export const GAPS = [
  { title: 'have an owner', missing: 'without an owner', query: 'NOT owners.name:*' },
  { title: 'are described', missing: 'without a description', query: 'descriptionStatus:INCOMPLETE' },
  { title: 'belong to a domain', missing: 'without a domain', query: 'NOT domains.name:*' },
  { title: 'have a tier', missing: 'without a tier', query: 'NOT tier.tagFQN:*' },
] as const;
export type Gap = (typeof GAPS)[number];

/** The kinds that somebody should answer for and describe. */
export const COVERED_KINDS = ['table', 'dashboard', 'topic', 'pipeline', 'mlmodel', 'container'] as const;

export const gapQuery = ({ query }: Gap, scope: string | undefined): string =>
  scope === undefined ? query : `${query} AND ${scopeQuery(scope)}`;
