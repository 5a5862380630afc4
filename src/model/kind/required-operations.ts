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
import { memoisePerKind } from './derived-values.ts';
import type { Kind } from './kind.ts';
import { isDeclaredPath } from './schema-path.ts';

/** Derives the operations that a request requires on its record (identity.md 5). */

const VIEW_BASIC = 'ViewBasic';
const VIEW_ONLY: readonly string[] = [VIEW_BASIC];
/** The operation required to read a gated member that has none of its own. */
const VIEW_ALL = 'ViewAll';

/** The operations required to read gated members. */
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

/** The operations required to read all members, however few a kind has. */
const allViewOperations = memoisePerKind((kind) => [
  ...new Set([...viewOperationsOf(kind, kind.gatedNames), VIEW_ALL]),
]);

/**
 * Answers the operations required to read these members. When all members are requested, each one's operation is still
 * listed, so that a rule that denies one of them applies. Members that are always returned require nothing extra.
 */
export const operationsToReadFields = (kind: Kind, fields: ReadonlySet<string>): readonly string[] => {
  if (fields === kind.gatedNames) return allViewOperations(kind);
  return fields.size === 0 ? VIEW_ONLY : viewOperationsOf(kind, fields);
};

const EDIT_ALL: readonly string[] = ['EditAll'];

/** The member whose labels are authorised one by one. */
const LABELS_MEMBER = 'tags';

/** The operations required to write to a member, at any depth along declared members. */
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
 * Answers the classification that a label's name begins with, in any spelling, so that the authorised name is the one
 * that is written. An unreadable name is refused later, whatever the caller may do.
 */
const classificationOf = (name: Json | undefined): string | undefined => {
  try {
    const parts = typeof name === 'string' ? splitFqn(name) : [];
    return parts.length > 1 ? parts[0] : undefined;
  } catch {
    return undefined;
  }
};

/** Answers the operations required to give a label, to change it or to take it away. */
export const editOperationsOfLabel = (label: Json): readonly string[] => {
  if (!isObject(label)) return ['EditTags'];
  const source = member(label, 'source');
  if (source === 'Glossary') return ['EditGlossaryTerms'];
  const classification = classificationOf(member(label, 'tagFQN'));
  if (classification === 'Tier') return ['EditTier'];
  if (classification === 'Certification') return ['EditCertification'];
  // Without a source, the name may turn out to be that of a glossary term.
  return source === 'Classification' ? ['EditTags'] : ['EditTags', 'EditGlossaryTerms'];
};

const labelsAt = (document: JsonObject | undefined, path: readonly string[]): readonly Json[] => {
  const found = document === undefined ? undefined : valueAtPointer(document, path);
  return isArray(found) ? found : [];
};

/**
 * The members of a label that a request decides. The others describe the tag, and a client may send them back or omit
 * them.
 */
const labelContent = (label: Json): string => {
  if (!isObject(label)) return JSON.stringify(label);
  const [name, source, reason, metadata] = ['tagFQN', 'source', 'reason', 'metadata'].map((one) => member(label, one));
  const kept = [member(label, 'labelType') ?? 'Manual', member(label, 'state') ?? 'Confirmed'];
  return JSON.stringify([name, source, ...kept, reason, metadata]);
};

/** The labels of one list that a patch adds, removes or changes; all of them when that cannot be determined. */
const touchedLabels = (before: readonly Json[], after: readonly Json[] | undefined): readonly Json[] => {
  if (after === undefined) return before;
  const contents = (labels: readonly Json[]) => new Set(labels.map(labelContent));
  const [old, fresh] = [contents(before), contents(after)];
  const differs = (others: ReadonlySet<string>) => (label: Json) => !others.has(labelContent(label));
  return [...before.filter(differs(fresh)), ...after.filter(differs(old))];
};

type PatchedDocuments = { readonly before: JsonObject; readonly after: JsonObject | undefined };

const hasEditOperation = (name: string): boolean => Object.hasOwn(EDIT_OPERATIONS, name);

/** Whether a path inside a member of the kind leads along declared members. What a secret holds is for no single right. */
const isDeclaredInside = (kind: Kind, [name = '', ...rest]: readonly string[]): boolean => {
  const attribute = Object.hasOwn(kind.members, name) ? kind.members[name] : undefined;
  return attribute !== undefined && attribute.store !== 'secret' && 'schema' in attribute
    ? isDeclaredPath(attribute.schema, rest)
    : false;
};

/** Answers the path to the member with an operation of its own that a path leads to or into. */
const pathToEditable = (kind: Kind, path: readonly string[]): readonly string[] | undefined => {
  const at = path.findIndex(hasEditOperation);
  const found = path.slice(0, at + 1);
  if (at < 0) return undefined;
  return at === 0 || isDeclaredInside(kind, found) ? found : undefined;
};

/** Answers the operations required to write into a member with an operation of its own. */
const editOperationsAt = (editable: readonly string[], { before, after }: PatchedDocuments): readonly string[] => {
  const name = editable.at(-1) ?? '';
  if (name !== LABELS_MEMBER) return [EDIT_OPERATIONS[name] ?? ''];
  const labels = touchedLabels(labelsAt(before, editable), after && labelsAt(after, editable));
  return labels.length === 0 ? ['EditTags'] : labels.flatMap(editOperationsOfLabel);
};

/**
 * Applies the patch, if possible. A patch that does not apply is refused later, and only callers who may patch learn
 * why.
 */
const tryApplyPatch = (before: JsonObject, patch: Patch): JsonObject | undefined => {
  try {
    return applyPatch(before, patch);
  } catch {
    return undefined;
  }
};

/**
 * Answers the operations required to patch this document: one for each path that the patch writes, or the right to edit
 * everything when a path has none of its own. A patch that writes nothing only requires that the record is visible.
 */
export const operationsToPatch = (kind: Kind, before: JsonObject, patch: Patch): readonly string[] => {
  const documents = { before, after: tryApplyPatch(before, patch) };
  const needed = new Set<string>();
  const judged = new Set<string>();
  for (const pointer of pathsWrittenByPatch(before, patch)) {
    const editable = pathToEditable(kind, parsePointer(pointer));
    if (editable === undefined) return EDIT_ALL;
    // A list of labels is checked as a whole, so once is enough however many patch operations write into it.
    const key = editable.join('/');
    if (judged.has(key)) continue;
    judged.add(key);
    for (const edit of editOperationsAt(editable, documents)) needed.add(edit);
  }
  return needed.size === 0 ? VIEW_ONLY : [...needed];
};

/**
 * Answers the operations required because a patch reveals values: testing or copying a member tells what it holds.
 * Members that everybody who sees the record sees require nothing.
 */
export const operationsToReadPatched = (kind: Kind, patch: Patch): readonly string[] => {
  const members = pathsReadByPatch(patch).map((pointer) => parsePointer(pointer)[0]);
  if (members.includes(undefined)) return allViewOperations(kind);
  const gated = new Set(members.filter((name) => name !== undefined && kind.gatedNames.has(name)));
  return gated.size === 0 ? [] : operationsToReadFields(kind, gated as ReadonlySet<string>);
};
