import * as v from 'valibot';
import { CatalogError } from '../errors.ts';
import { checkCondition, NAMEABLE_KINDS, namedRecords, parseCondition, renameInCondition } from './condition.ts';
import type { Json, JsonObject } from './json.ts';
import { checkName } from './name.ts';
import type { NamingTexts } from './record-rules.ts';
import { RECORD_TYPES } from './record-type.ts';
import { Fqn, listOf, Markdown, must, oneOf, shape, WrittenName } from './values.ts';

/** What a rule can allow or deny (identity.md 5). */
export const OPERATIONS = [
  'All',
  'Create',
  'BulkCreate',
  'BulkUpdate',
  'Delete',
  'ViewAll',
  'ViewBasic',
  'ViewUsage',
  'ViewTests',
  'ViewQueries',
  'ViewDataProfile',
  'ViewProfilerGlobalConfiguration',
  'ViewSampleData',
  'ViewTestCaseFailedRowsSample',
  'DeleteTestCaseFailedRowsSample',
  'ViewCustomFields',
  'EditAll',
  'EditCustomFields',
  'EditDataProfile',
  'EditDescription',
  'EditDisplayName',
  'EditDomains',
  'EditLineage',
  'EditEntityRelationship',
  'EditPolicy',
  'EditOwners',
  'EditQueries',
  'EditReviewers',
  'EditRole',
  'EditSampleData',
  'EditStatus',
  'EditTags',
  'EditGlossaryTerms',
  'EditTeams',
  'EditTier',
  'EditCertification',
  'EditTests',
  'EditUsage',
  'EditUsers',
  'EditLifeCycle',
  'EditKnowledgePanel',
  'EditPage',
  'EditIngestionPipelineStatus',
  'EditUserNotificationTemplate',
  'CreateTests',
  'CreateIngestionPipelineAutomator',
  'CreateTask',
  'EditTask',
  'ResolveTask',
  'CloseTask',
  'ReassignTask',
  'Deploy',
  'Trigger',
  'Kill',
  'GenerateToken',
  'Impersonate',
  'AuditLogs',
  'EditScim',
  'CreateScim',
  'DeleteScim',
  'ViewScim',
  'ViewSecrets',
  'ViewTestDefinitionLibrary',
  'EditTestDefinitionLibrary',
] as const;

/** Secrets are shown to whoever was given just that right; to see everything of a record is not enough. */
const VIEW_SECRETS = 'ViewSecrets';

const BY_NAME = '=';

/** An operation that only rules allow which list it by its own name, or everything: `EditAll` and `ViewAll` are not enough. */
export const byName = (operation: string): string => `${BY_NAME}${operation}`;

const coversOne = (listed: ReadonlySet<string>, operation: string): boolean =>
  listed.has(operation) ||
  listed.has('All') ||
  (operation.startsWith(BY_NAME) && listed.has(operation.slice(BY_NAME.length))) ||
  (listed.has('ViewAll') && operation.startsWith('View') && operation !== VIEW_SECRETS) ||
  (listed.has('EditAll') && operation.startsWith('Edit'));

const OR = '|';

/** One thing to be done that rules know by several names: an allowance of any of them is enough, as a denial is. */
export const either = (operation: string, ...others: readonly string[]): string => [operation, ...others].join(OR);

/** What an operation is called when callers are told of it. */
export const nameOfOperation = (operation: string): string => operation.split(OR, 1)[0] ?? operation;

/** Whether a rule that lists some operations is about one: some stand for all others whose names begin alike. */
export const covers = (listed: ReadonlySet<string>, operation: string): boolean =>
  coversOne(listed, operation) || (operation.includes(OR) && operation.split(OR).some((one) => coversOne(listed, one)));

/** Spellings of the past that are understood and not kept. */
const FORMER: Readonly<Record<string, string>> = { EditOwner: 'EditOwners' };

/** Every resource; only as the first of a list. */
export const EVERYTHING = 'all';

/** Jobs and their results, which hold what their creators saw: only a rule that names them allows them to others. */
export const JOB = 'job';

/** What a rule can be about: every type of record, whether or not this program serves it, and the subjects that are no records. */
export const RESOURCES = [EVERYTHING, ...RECORD_TYPES, 'lineage', 'search', 'events', JOB];

const canonical: ReadonlyMap<string, string> = new Map(RESOURCES.map((name) => [name.toLowerCase(), name]));

/** A resource as the contract spells it, found in any case; undefined when there is none of that name. */
export const resourceNamed = (name: string): string | undefined => canonical.get(name.toLowerCase());

const OperationName = v.pipe(
  v.picklist([...OPERATIONS, ...Object.keys(FORMER)], 'must be a known operation'),
  v.transform((name) => FORMER[name] ?? name),
);

const Resource = v.pipe(
  v.string('must be a string'),
  v.check((name) => canonical.has(name.toLowerCase()), 'must be a known resource'),
  v.transform((name) => canonical.get(name.toLowerCase()) ?? name),
);

const distinct = (names: string[]): string[] => [...new Set(names)];

const atLeastOne = 'must have at least one item';

const Resources = v.pipe(
  listOf(Resource),
  v.minLength(1, atLeastOne),
  v.check((names) => names.lastIndexOf(EVERYTHING) <= 0, `must not name ${EVERYTHING} anywhere but first`),
  v.transform(distinct),
);

const problemOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (failure) {
    if (failure instanceof CatalogError) return failure.message;
    throw failure;
  }
};

const ConditionText = v.pipe(
  v.string('must be a string'),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? problemOf(() => checkCondition(dataset.value)) : undefined;
    if (problem !== undefined) addIssue({ message: `is not a condition: ${problem}` });
  }),
);

const RuleName = v.pipe(
  WrittenName,
  v.check((name) => problemOf(() => checkName(name)) === undefined, 'must be a name'),
  v.transform(checkName),
);

/** One rule of a policy. Its fully qualified name follows from the policy's, so what a request says of it is ignored. */
export const Rule = shape('Rule', {
  name: must(RuleName),
  fullyQualifiedName: Fqn,
  description: Markdown,
  effect: must(oneOf(['allow', 'deny'])),
  operations: must(v.pipe(listOf(OperationName), v.minLength(1, atLeastOne), v.transform(distinct))),
  resources: must(Resources),
  condition: ConditionText,
});

const MAX_RULES = 500;

const nameOf = (rule: unknown): unknown => (rule as { readonly name: string }).name;

export const Rules = v.pipe(
  listOf(Rule, MAX_RULES),
  v.minLength(1, atLeastOne),
  v.check((rules) => new Set(rules.map(nameOf)).size === rules.length, 'must not have two items of one name'),
);

type StoredRule = { readonly [member: string]: Json; readonly condition?: string };

const rulesIn = (values: JsonObject): readonly StoredRule[] => (values['rules'] ?? []) as readonly StoredRule[];

/** The tags, terms, teams and roles that the conditions of a policy name. */
export const namesInConditions: NamingTexts = {
  kinds: NAMEABLE_KINDS,
  list: (values) =>
    rulesIn(values).flatMap(({ condition }) =>
      condition === undefined ? [] : namedRecords(parseCondition(condition)),
    ),
  rename: (values, nameOf) => ({
    ...values,
    rules: rulesIn(values).map((rule) =>
      rule.condition === undefined ? rule : { ...rule, condition: renameInCondition(rule.condition, nameOf) },
    ),
  }),
};
