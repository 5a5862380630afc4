/** Findings about a document that do not prevent its import (odcs.md 1, odcsImportReport). */

export type IssueCategory =
  | 'document'
  | 'schema'
  | 'quality'
  | 'sla'
  | 'team'
  | 'roles'
  | 'servers'
  | 'support'
  | 'other';

export type Issue = {
  severity: 'blocking' | 'warning' | 'info';
  category: IssueCategory;
  field?: string;
  path?: string;
  occurrences: number;
  message: string;
};

export type IssueCollector = {
  /** Adds a finding; a repeated finding on the same field is only counted. */
  add(issue: Omit<Issue, 'occurrences'>): void;
  found(): readonly Issue[];
};

/** The maximum number of different findings, so that a hostile document cannot produce a larger answer. */
const MAX_ISSUES = 1_000;

/** The maximum length of a text from the document in a finding. */
const MAX_SHOWN = 300;

const truncateIssue = ({ field, path }: Pick<Issue, 'field' | 'path'>): Pick<Issue, 'field' | 'path'> => ({
  ...(field === undefined ? {} : { field: field.slice(0, MAX_SHOWN) }),
  ...(path === undefined ? {} : { path: path.slice(0, MAX_SHOWN) }),
});

/** Creates a collector of findings. The path is that of the first occurrence. */
export const createIssueCollector = (): IssueCollector => {
  const byKey = new Map<string, Issue>();
  return {
    add: (found) => {
      const issue = { ...found, ...truncateIssue(found) };
      const key = JSON.stringify([issue.severity, issue.category, issue.field, issue.message]);
      const known = byKey.get(key);
      if (known) known.occurrences += 1;
      else if (byKey.size < MAX_ISSUES) byKey.set(key, { ...issue, occurrences: 1 });
    },
    found: () => [...byKey.values()],
  };
};

const CATEGORY_BY_ROOT: Readonly<Record<string, IssueCategory>> = {
  schema: 'schema',
  dataset: 'schema',
  quality: 'quality',
  slaProperties: 'sla',
  slaDefaultElement: 'sla',
  slaDefaultColumn: 'sla',
  team: 'team',
  stakeholders: 'team',
  roles: 'roles',
  servers: 'servers',
  server: 'servers',
  username: 'servers',
  password: 'servers',
  support: 'support',
  productSlackChannel: 'support',
  productFeedbackUrl: 'support',
  productDl: 'support',
};

/** The category of a path such as `schema[0].quality[2].metric`. */
export const issueCategoryOf = (path: string): IssueCategory => {
  if (/\.quality\b/.test(path)) return 'quality';
  const root = /^[^.[]*/.exec(path)?.[0] ?? '';
  return Object.hasOwn(CATEGORY_BY_ROOT, root)
    ? (CATEGORY_BY_ROOT[root] ?? 'document')
    : root === ''
      ? 'document'
      : 'other';
};
