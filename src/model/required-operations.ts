import { isArray, isObject, type Json, type JsonObject, member } from './json.ts';
import type { Kind } from './kind.ts';
import { applyPatch, type Patch, pointerParts, touchedPaths, valueAtPath } from './patch.ts';

/** Which operations a request needs on the record it is about (identity.md 5). */

const VIEW = 'ViewBasic';
const VIEW_ONLY: readonly string[] = [VIEW];
const EVERY_VIEW: readonly string[] = ['ViewAll'];

/** What looking at a gated member needs. Whoever asks for another one, or for all, must be allowed to see all. */
const VIEWS: Readonly<Record<string, string>> = {
  owners: VIEW,
  followers: VIEW,
  votes: VIEW,
  tags: VIEW,
  extension: VIEW,
  domains: VIEW,
  dataProducts: VIEW,
  experts: VIEW,
  reviewers: VIEW,
  children: VIEW,
  parents: VIEW,
  usageSummary: 'ViewUsage',
  customMetrics: 'ViewTests',
  testSuite: 'ViewTests',
  tests: 'ViewTests',
  sampleData: 'ViewSampleData',
  profile: 'ViewDataProfile',
  tableProfilerConfig: 'ViewDataProfile',
  queries: 'ViewQueries',
};

const viewOf = (name: string): string | undefined => (Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined);

/** What reading a record with these members needs. Members that are always answered need nothing of their own. */
export const operationsOfFields = (kind: Kind, fields: ReadonlySet<string>): readonly string[] => {
  if (fields.size === 0) return VIEW_ONLY;
  if (fields === kind.gatedNames) return EVERY_VIEW;
  const needed = new Set<string>(VIEW_ONLY);
  for (const name of fields) {
    if (!kind.gatedNames.has(name)) continue;
    const view = viewOf(name);
    if (view === undefined) return EVERY_VIEW;
    needed.add(view);
  }
  return [...needed];
};

const EDIT_ALL: readonly string[] = ['EditAll'];

/** Labels are judged one by one, by what they say. */
const LABELS = 'tags';

/** What writing to a member needs, at any depth. */
const EDITS: Readonly<Record<string, string>> = {
  description: 'EditDescription',
  displayName: 'EditDisplayName',
  owners: 'EditOwners',
  [LABELS]: 'EditTags',
  reviewers: 'EditReviewers',
  extension: 'EditCustomFields',
  certification: 'EditCertification',
  domains: 'EditDomains',
  users: 'EditUsers',
  roles: 'EditRole',
  defaultRoles: 'EditRole',
  policies: 'EditPolicy',
  teams: 'EditTeams',
};

const editsOfLabel = (label: Json): readonly string[] => {
  if (!isObject(label)) return ['EditTags'];
  const name = member(label, 'tagFQN');
  const source = member(label, 'source');
  if (source === 'Glossary') return ['EditGlossaryTerms'];
  if (typeof name === 'string' && name.startsWith('Tier.')) return ['EditTier'];
  if (typeof name === 'string' && name.startsWith('Certification.')) return ['EditCertification'];
  // Without a source the name may turn out to be that of a term.
  return source === 'Classification' ? ['EditTags'] : ['EditTags', 'EditGlossaryTerms'];
};

const labelsAt = (document: JsonObject | undefined, path: readonly string[]): readonly Json[] => {
  const found = document === undefined ? undefined : valueAtPath(document, path);
  return isArray(found) ? found : [];
};

/** The labels of one list that a patch adds, takes away or alters; all of them when it cannot be told. */
const touchedLabels = (before: readonly Json[], after: readonly Json[] | undefined): readonly Json[] => {
  if (after === undefined) return before;
  const texts = (labels: readonly Json[]) => new Set(labels.map((label) => JSON.stringify(label)));
  const [old, fresh] = [texts(before), texts(after)];
  const differs = (others: ReadonlySet<string>) => (label: Json) => !others.has(JSON.stringify(label));
  return [...before.filter(differs(fresh)), ...after.filter(differs(old))];
};

type Documents = { readonly before: JsonObject; readonly after: JsonObject | undefined };

/** What writing to one path needs; undefined when only the right to edit everything will do. */
const editsOfPath = (path: readonly string[], { before, after }: Documents): readonly string[] | undefined => {
  const at = path.findIndex((part) => Object.hasOwn(EDITS, part));
  const name = path[at];
  if (name === undefined) return undefined;
  if (name !== LABELS) return [EDITS[name] ?? ''];
  const list = path.slice(0, at + 1);
  const labels = touchedLabels(labelsAt(before, list), after && labelsAt(after, list));
  return labels.length === 0 ? ['EditTags'] : labels.flatMap(editsOfLabel);
};

/** The document as it would be; a patch that does not apply is told so later, to those who may patch at all. */
const afterwards = (before: JsonObject, patch: Patch): JsonObject | undefined => {
  try {
    return applyPatch(before, patch);
  } catch {
    return undefined;
  }
};

/**
 * What a patch of this document needs: one operation for each path it touches, or the right to edit everything when one
 * of them has none of its own. A patch that touches nothing needs no more than sight of the record.
 */
export const operationsOfPatch = (before: JsonObject, patch: Patch): readonly string[] => {
  const documents = { before, after: afterwards(before, patch) };
  const needed = new Set<string>();
  for (const pointer of touchedPaths(before, patch)) {
    const edits = editsOfPath(pointerParts(pointer), documents);
    if (edits === undefined) return EDIT_ALL;
    for (const edit of edits) needed.add(edit);
  }
  return needed.size === 0 ? VIEW_ONLY : [...needed];
};
