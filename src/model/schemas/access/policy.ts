import * as v from 'valibot';
import { CatalogError } from '../../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { NameBearingTexts } from '../../kind/record-rules.ts';
import { listRecordTypes, parseRecordType } from '../../kind/record-type.ts';
import {
  checkCondition,
  listNamedRecords,
  NAMEABLE_KINDS,
  parseCondition,
  renameInCondition,
} from '../../language/condition.ts';
import { normaliseName } from '../../name.ts';
import { Fqn, listOf, Markdown, must, NameInput, oneOf, shape } from '../../values.ts';

/** The schema of policy rules, and the operations and resources that they can name. */

/** The operations that a rule can allow or deny (identity.md 5). */
export const POLICY_OPERATIONS = [
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

/** The operations that change a record as it stands. */
export const EDIT_OPERATIONS: readonly string[] = POLICY_OPERATIONS.filter((operation) => operation.startsWith('Edit'));

/** Reading secrets requires exactly this operation; the right to view everything is not enough. */
const VIEW_SECRETS_OPERATION = 'ViewSecrets';

const BY_NAME_PREFIX = '=';

/** Marks an operation that a rule must list by its own name or as `All`: `EditAll` and `ViewAll` are not enough. */
export const byNameOnly = (operation: string): string => `${BY_NAME_PREFIX}${operation}`;

/**
 * Marks an operation that gives rights to others. Besides being listed by its name, it has to be granted on a type of record
 * that the rule names, and not for being an owner.
 */
const GIVING_PREFIX = '+';

export const toGive = (operation: string): string => `${GIVING_PREFIX}${operation}`;

/** Whether an operation is one that gives rights to others. */
export const isGiving = (operation: string): boolean => operation.startsWith(GIVING_PREFIX);

const NAME_PREFIXES = [BY_NAME_PREFIX, GIVING_PREFIX];

const plainName = (operation: string): string =>
  NAME_PREFIXES.some((prefix) => operation.startsWith(prefix)) ? operation.slice(1) : operation;

const coversSingleOperation = (listed: ReadonlySet<string>, operation: string): boolean =>
  listed.has('All') ||
  listed.has(plainName(operation)) ||
  (listed.has('ViewAll') && operation.startsWith('View') && operation !== VIEW_SECRETS_OPERATION) ||
  (listed.has('EditAll') && operation.startsWith('Edit'));

const OPERATION_SEPARATOR = '|';

/** An operation on records of a type. */
export type AccessNeed = { readonly operation: string; readonly resource: string };

/** Joins several names for one operation. A rule that allows or denies any of them applies. */
export const anyOfOperations = (operation: string, ...others: readonly string[]): string =>
  [operation, ...others].join(OPERATION_SEPARATOR);

/** Names all operations of which a caller needs one, for hints. */
export const operationNames = (operation: string): string =>
  operation.split(OPERATION_SEPARATOR).map(plainName).join(OPERATION_SEPARATOR);

/** Answers the name of an operation for messages to callers. */
export const operationName = (operation: string): string =>
  plainName(operation.split(OPERATION_SEPARATOR, 1)[0] ?? operation);

/**
 * Whether a rule that lists some operations covers this one. Some operations include all others with the same prefix.
 */
export const coversOperation = (listed: ReadonlySet<string>, operation: string): boolean =>
  coversSingleOperation(listed, operation) ||
  (operation.includes(OPERATION_SEPARATOR) &&
    operation.split(OPERATION_SEPARATOR).some((one) => coversSingleOperation(listed, one)));

/** Former spellings that are accepted but not stored. */
const RENAMED_OPERATIONS: Readonly<Record<string, string>> = { EditOwner: 'EditOwners' };

/** Stands for every resource. Allowed only as the first of a list. */
export const ALL_RESOURCE_NAME = 'all';

/**
 * Jobs and their results hold what their creators could see, so only a rule that names this resource allows other users
 * to read them.
 */
export const JOB_RESOURCE = 'job';

/** The resources that a rule can name although they are no records. */
const OTHER_RESOURCES = ['lineage', 'search', 'events', JOB_RESOURCE];

/** Lists the resources that a rule can name: every type of record, and the resources that are no records. */
export const listPolicyResources = (): readonly string[] => [
  ALL_RESOURCE_NAME,
  ...listRecordTypes(),
  ...OTHER_RESOURCES,
];

/** Finds a resource by name in any letter case and answers the contract's spelling; undefined when there is none. */
export const findPolicyResource = (name: string): string | undefined =>
  [ALL_RESOURCE_NAME, ...OTHER_RESOURCES].find((resource) => resource === name.toLowerCase()) ?? parseRecordType(name);

const OperationName = v.pipe(
  v.picklist([...POLICY_OPERATIONS, ...Object.keys(RENAMED_OPERATIONS)], 'must be a known operation'),
  v.transform((name) => RENAMED_OPERATIONS[name] ?? name),
);

const RuleResource = v.pipe(
  v.string('must be a string'),
  v.check((name) => findPolicyResource(name) !== undefined, 'must be a known resource'),
  v.transform((name) => findPolicyResource(name) ?? name),
);

const uniqueNames = (names: string[]): string[] => [...new Set(names)];

const AT_LEAST_ONE = 'must have at least one item';

const RuleResources = v.pipe(
  listOf(RuleResource),
  v.minLength(1, AT_LEAST_ONE),
  v.check(
    (names) => names.lastIndexOf(ALL_RESOURCE_NAME) <= 0,
    `must not name ${ALL_RESOURCE_NAME} anywhere but first`,
  ),
  v.transform(uniqueNames),
);

const problemMessage = (work: () => unknown): string | undefined => {
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
    const problem = dataset.typed ? problemMessage(() => checkCondition(dataset.value)) : undefined;
    if (problem !== undefined) addIssue({ message: `is not a condition: ${problem}` });
  }),
);

const RuleName = v.pipe(
  NameInput,
  v.check((name) => problemMessage(() => normaliseName(name)) === undefined, 'must be a name'),
  v.transform(normaliseName),
);

/** One rule of a policy. Its fully qualified name is derived from the policy's, so the one in a request is ignored. */
export const PolicyRuleSchema = shape('Rule', {
  name: must(RuleName),
  fullyQualifiedName: Fqn,
  description: Markdown,
  effect: must(oneOf(['allow', 'deny'])),
  operations: must(v.pipe(listOf(OperationName), v.minLength(1, AT_LEAST_ONE), v.transform(uniqueNames))),
  resources: must(RuleResources),
  condition: ConditionText,
});

const MAX_RULES = 500;

const ruleName = (rule: unknown): unknown => (rule as { readonly name: string }).name;

export const PolicyRulesSchema = v.pipe(
  listOf(PolicyRuleSchema, MAX_RULES),
  v.minLength(1, AT_LEAST_ONE),
  v.check((rules) => new Set(rules.map(ruleName)).size === rules.length, 'must not have two items of one name'),
);

type PolicyRuleValue = { readonly [member: string]: Json; readonly condition?: string };

const rulesOfPolicy = (values: JsonObject): readonly PolicyRuleValue[] =>
  (values['rules'] ?? []) as readonly PolicyRuleValue[];

/** The tags, terms, teams and roles that the conditions of a policy name. */
export const conditionNames: NameBearingTexts = {
  kinds: NAMEABLE_KINDS,
  list: (values) =>
    rulesOfPolicy(values).flatMap(({ condition }) =>
      condition === undefined ? [] : listNamedRecords(parseCondition(condition)),
    ),
  rename: (values, nameOf) => ({
    ...values,
    rules: rulesOfPolicy(values).map((rule) =>
      rule.condition === undefined ? rule : { ...rule, condition: renameInCondition(rule.condition, nameOf) },
    ),
  }),
};
