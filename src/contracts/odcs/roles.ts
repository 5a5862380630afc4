import { equalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { threeWayMerge } from './overlay.ts';
import { jsonItems, jsonObject, jsonTexts, nonBlankText, omitEmpty, pairByKeys } from './parts.ts';
import { joinPath } from './problem.ts';
import { jsonObjects } from './walk.ts';

/** Converts between roles of a document and the security of a contract (odcs.md 3). */

const CLASSIFICATION = 'classification-';

/** The role of a policy that names none. */
const DEFAULT_ROLE = 'data-consumer';

const classificationOf = (role: Json): string | undefined => {
  const name = nonBlankText(jsonObject(role)['role']);
  return name?.startsWith(CLASSIFICATION) ? nonBlankText(name.slice(CLASSIFICATION.length)) : undefined;
};

const isPolicyRole = (role: Json): role is JsonObject =>
  nonBlankText(jsonObject(role)['role']) !== undefined && classificationOf(role) === undefined;

const approversOf = (approvers: Json | undefined): readonly string[] =>
  typeof approvers === 'string'
    ? approvers.split(',').flatMap((name) => nonBlankText(name)?.trim() ?? [])
    : jsonTexts(approvers).map((name) => name.trim());

const toPolicy = (role: JsonObject): JsonObject =>
  omitEmpty({ accessPolicy: nonBlankText(role['role']), identities: approversOf(role['firstLevelApprovers']) });

/** Reads the security of a contract from roles: one policy per role, and the first classification. */
export const readSecurityRoles = (document: JsonObject, issues: IssueCollector): JsonObject => {
  const roles = jsonItems(document['roles']);
  const classifications = roles.flatMap((role, index) => {
    const word = classificationOf(role);
    return word === undefined ? [] : [{ word, path: joinPath('roles', index) }];
  });
  for (const { path } of classifications.slice(1)) {
    const message = 'A contract has one classification of its data: this one is kept with the document only';
    issues.add({ severity: 'warning', category: 'roles', field: 'role', path, message });
  }
  const security = omitEmpty({
    dataClassification: classifications[0]?.word,
    policies: roles.filter(isPolicyRole).map(toPolicy),
  });
  return omitEmpty({ security });
};

/** The name of the role for a policy. */
export const policyRoleName = (policy: JsonObject): string => nonBlankText(policy['accessPolicy']) ?? DEFAULT_ROLE;

const toRole = (policy: JsonObject): JsonObject =>
  omitEmpty({
    role: policyRoleName(policy),
    firstLevelApprovers: jsonTexts(policy['identities']).join(', ') || undefined,
  });

const createRole = (policy: JsonObject): JsonObject => {
  const { role = DEFAULT_ROLE, ...approvers } = toRole(policy);
  return { role, access: 'read', ...approvers };
};

const updatePolicies = (roles: readonly Json[], made: readonly JsonObject[], wanted: readonly JsonObject[]) => {
  const partners = pairByKeys(wanted, made, policyRoleName);
  const kept = new Map(
    partners.flatMap((place, index) => (place === undefined ? [] : [[place, wanted[index]] as const])),
  );
  let place = -1;
  const items = roles.flatMap((role): readonly Json[] => {
    if (!isPolicyRole(role)) return [role];
    place += 1;
    const [before, after] = [made[place], kept.get(place)];
    if (before === undefined) return [role];
    return after === undefined ? [] : [threeWayMerge(role, toRole(before), toRole(after))];
  });
  return [...items, ...wanted.filter((_, index) => partners[index] === undefined).map(createRole)];
};

const updateClassification = (roles: readonly Json[], before: Json | undefined, after: Json | undefined) => {
  if (before === after) return roles;
  const place = roles.findIndex((role) => before !== undefined && classificationOf(role) === before);
  const role = after === undefined ? undefined : `${CLASSIFICATION}${after}`;
  if (place === -1) return role === undefined ? roles : [...roles, { role, access: 'read' }];
  return roles.flatMap((item, index) => {
    if (index !== place) return [item];
    return role === undefined || !isObject(item) ? [] : [{ ...item, role }];
  });
};

/** Writes the roles of a document for the contract. */
export const writeSecurityRoles = (
  roles: Json | undefined,
  made: JsonObject,
  contract: JsonObject,
): Json | undefined => {
  const [before, after] = [jsonObject(made['security']), jsonObject(contract['security'])];
  const policies = updatePolicies(jsonItems(roles), jsonObjects(before['policies']), jsonObjects(after['policies']));
  const items = updateClassification(
    policies,
    nonBlankText(before['dataClassification']),
    nonBlankText(after['dataClassification']),
  );
  if (equalJson(items, jsonItems(roles))) return roles;
  return items.length === 0 ? undefined : items;
};
