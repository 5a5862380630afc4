import { isArray, isObject, type Json, type JsonObject, member } from '../json.ts';
import {
  applyPatch,
  type Patch,
  parsePointer,
  pathsReadByPatch,
  pathsWrittenByPatch,
  valueAtPointer,
} from '../language/patch.ts';
import { splitFqn } from '../name.ts';
import { type Kind, memoisePerKind } from './kind.ts';

/** Which operations a request needs on the record it is about (identity.md 5). */

const VIEW_BASIC = 'ViewBasic';
const VIEW_ONLY: readonly string[] = [VIEW_BASIC];
/** What looking at a gated member needs that has no operation of its own. */
const VIEW_ALL = 'ViewAll';

/** What looking at a gated member needs. */
const VIEW_OPERATIONS: Readonly<Record<string, string>> = {
  owners: VIEW_BASIC,
  followers: VIEW_BASIC,
  votes: VIEW_BASIC,
  tags: VIEW_BASIC,
  extension: VIEW_BASIC,
  domains: VIEW_BASIC,
  dataProducts: VIEW_BASIC,
  experts: VIEW_BASIC,
  reviewers: VIEW_BASIC,
  children: VIEW_BASIC,
  parents: VIEW_BASIC,
  usageSummary: 'ViewUsage',
  customMetrics: 'ViewTests',
  testSuite: 'ViewTests',
  tests: 'ViewTests',
  sampleData: 'ViewSampleData',
  profile: 'ViewDataProfile',
  tableProfilerConfig: 'ViewDataProfile',
  queries: 'ViewQueries',
};

const viewOperationOf = (name: string): string | undefined =>
  Object.hasOwn(VIEW_OPERATIONS, name) ? VIEW_OPERATIONS[name] : undefined;

const viewOperationsOf = (kind: Kind, fields: ReadonlySet<string>): readonly string[] => {
  const gated = [...fields].filter((name) => kind.gatedNames.has(name));
  return [...new Set([VIEW_BASIC, ...gated.map((name) => viewOperationOf(name) ?? VIEW_ALL)])];
};

/** Everything at once, however little of it a kind has. */
const allViewOperations = memoisePerKind((kind) => [
  ...new Set([...viewOperationsOf(kind, kind.gatedNames), VIEW_ALL]),
]);

/**
 * What reading a record with these members needs: what each of them needs, also when all are asked for at once, so that
 * a denial of one is not lost among the others. Members that are always answered need nothing of their own.
 */
export const operationsToReadFields = (kind: Kind, fields: ReadonlySet<string>): readonly string[] => {
  if (fields === kind.gatedNames) return allViewOperations(kind);
  return fields.size === 0 ? VIEW_ONLY : viewOperationsOf(kind, fields);
};

const EDIT_ALL: readonly string[] = ['EditAll'];

/** Labels are judged one by one, by what they say. */
const LABELS_MEMBER = 'tags';

/** What writing to a member needs, at any depth. */
const EDIT_OPERATIONS: Readonly<Record<string, string>> = {
  description: 'EditDescription',
  displayName: 'EditDisplayName',
  owners: 'EditOwners',
  [LABELS_MEMBER]: 'EditTags',
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

/**
 * The classification that a label's name begins with, however the name is spelled: what is judged must be what will be
 * written. A name that cannot be read is refused later, whatever the caller may do.
 */
const classificationOf = (name: Json | undefined): string | undefined => {
  try {
    const parts = typeof name === 'string' ? splitFqn(name) : [];
    return parts.length > 1 ? parts[0] : undefined;
  } catch {
    return undefined;
  }
};

const editOperationsOfLabel = (label: Json): readonly string[] => {
  if (!isObject(label)) return ['EditTags'];
  const source = member(label, 'source');
  if (source === 'Glossary') return ['EditGlossaryTerms'];
  const classification = classificationOf(member(label, 'tagFQN'));
  if (classification === 'Tier') return ['EditTier'];
  if (classification === 'Certification') return ['EditCertification'];
  // Without a source the name may turn out to be that of a term.
  return source === 'Classification' ? ['EditTags'] : ['EditTags', 'EditGlossaryTerms'];
};

const labelsAt = (document: JsonObject | undefined, path: readonly string[]): readonly Json[] => {
  const found = document === undefined ? undefined : valueAtPointer(document, path);
  return isArray(found) ? found : [];
};

/** What a request says of a label; the rest is what the tag says of itself, which a client may send back or leave out. */
const labelContent = (label: Json): string => {
  if (!isObject(label)) return JSON.stringify(label);
  const [name, source, reason, metadata] = ['tagFQN', 'source', 'reason', 'metadata'].map((one) => member(label, one));
  const kept = [member(label, 'labelType') ?? 'Manual', member(label, 'state') ?? 'Confirmed'];
  return JSON.stringify([name, source, ...kept, reason, metadata]);
};

/** The labels of one list that a patch adds, takes away or alters; all of them when it cannot be told. */
const touchedLabels = (before: readonly Json[], after: readonly Json[] | undefined): readonly Json[] => {
  if (after === undefined) return before;
  const contents = (labels: readonly Json[]) => new Set(labels.map(labelContent));
  const [old, fresh] = [contents(before), contents(after)];
  const differs = (others: ReadonlySet<string>) => (label: Json) => !others.has(labelContent(label));
  return [...before.filter(differs(fresh)), ...after.filter(differs(old))];
};

type PatchedDocuments = { readonly before: JsonObject; readonly after: JsonObject | undefined };

/** The path of the list of labels that a path leads into. */
const listOfLabels = (path: readonly string[]): readonly string[] | undefined => {
  const at = path.findIndex((part) => Object.hasOwn(EDIT_OPERATIONS, part));
  return path[at] === LABELS_MEMBER ? path.slice(0, at + 1) : undefined;
};

/** What writing to one path needs; undefined when only the right to edit everything will do. */
const editOperationsOfPath = (
  path: readonly string[],
  { before, after }: PatchedDocuments,
): readonly string[] | undefined => {
  const name = path.find((part) => Object.hasOwn(EDIT_OPERATIONS, part));
  if (name === undefined) return undefined;
  const list = listOfLabels(path);
  if (list === undefined) return [EDIT_OPERATIONS[name] ?? ''];
  const labels = touchedLabels(labelsAt(before, list), after && labelsAt(after, list));
  return labels.length === 0 ? ['EditTags'] : labels.flatMap(editOperationsOfLabel);
};

/** The document as it would be; a patch that does not apply is told so later, to those who may patch at all. */
const tryApplyPatch = (before: JsonObject, patch: Patch): JsonObject | undefined => {
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
export const operationsToPatch = (before: JsonObject, patch: Patch): readonly string[] => {
  const documents = { before, after: tryApplyPatch(before, patch) };
  const needed = new Set<string>();
  const judged = new Set<string>();
  for (const pointer of pathsWrittenByPatch(before, patch)) {
    const path = parsePointer(pointer);
    // A list of labels is judged as a whole, so once is enough however many operations reach into it.
    const list = listOfLabels(path)?.join('/');
    if (list !== undefined && judged.has(list)) continue;
    if (list !== undefined) judged.add(list);
    const edits = editOperationsOfPath(path, documents);
    if (edits === undefined) return EDIT_ALL;
    for (const edit of edits) needed.add(edit);
  }
  return needed.size === 0 ? VIEW_ONLY : [...needed];
};

/**
 * What a patch reveals to whoever sends it: a test or a copy of a member tells what it holds, so it needs sight of it.
 * Members that everybody who sees the record sees anyway need nothing.
 */
export const operationsToReadPatched = (kind: Kind, patch: Patch): readonly string[] => {
  const members = pathsReadByPatch(patch).map((pointer) => parsePointer(pointer)[0]);
  if (members.includes(undefined)) return allViewOperations(kind);
  const gated = new Set(members.filter((name) => name !== undefined && kind.gatedNames.has(name)));
  return gated.size === 0 ? [] : operationsToReadFields(kind, gated as ReadonlySet<string>);
};
