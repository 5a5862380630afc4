import { equalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { overlay } from './overlay.ts';
import { compact, itemsOf, objectOf, paired, spoken, textsIn } from './parts.ts';
import { at } from './problem.ts';
import { objectsOf } from './walk.ts';

/** Roles of a document and the security of a contract (odcs.md 3). */

const CLASSIFICATION = 'classification-';

/** The role of a policy that names none. */
const NAMELESS = 'data-consumer';

const classificationOf = (role: Json): string | undefined => {
  const name = spoken(objectOf(role)['role']);
  return name?.startsWith(CLASSIFICATION) ? spoken(name.slice(CLASSIFICATION.length)) : undefined;
};

const isPolicy = (role: Json): role is JsonObject =>
  spoken(objectOf(role)['role']) !== undefined && classificationOf(role) === undefined;

const approversOf = (approvers: Json | undefined): readonly string[] =>
  typeof approvers === 'string'
    ? approvers.split(',').flatMap((name) => spoken(name)?.trim() ?? [])
    : textsIn(approvers).map((name) => name.trim());

const policyOf = (role: JsonObject): JsonObject =>
  compact({ accessPolicy: spoken(role['role']), identities: approversOf(role['firstLevelApprovers']) });

/** The security a document's roles speak of: a policy for each, and the first classification. */
export const readRoles = (document: JsonObject, issues: IssueCollector): JsonObject => {
  const roles = itemsOf(document['roles']);
  const classifications = roles.flatMap((role, index) => {
    const word = classificationOf(role);
    return word === undefined ? [] : [{ word, path: at('roles', index) }];
  });
  for (const { path } of classifications.slice(1)) {
    const message = 'A contract has one classification of its data: this one is kept with the document only';
    issues.add({ severity: 'warning', category: 'roles', field: 'role', path, message });
  }
  const security = compact({
    dataClassification: classifications[0]?.word,
    policies: roles.filter(isPolicy).map(policyOf),
  });
  return compact({ security });
};

/** The name of the role that a policy is told by. */
export const roleName = (policy: JsonObject): string => spoken(policy['accessPolicy']) ?? NAMELESS;

const roleOf = (policy: JsonObject): JsonObject =>
  compact({
    role: roleName(policy),
    firstLevelApprovers: textsIn(policy['identities']).join(', ') || undefined,
  });

const newRole = (policy: JsonObject): JsonObject => {
  const { role = NAMELESS, ...approvers } = roleOf(policy);
  return { role, access: 'read', ...approvers };
};

const changedPolicies = (roles: readonly Json[], made: readonly JsonObject[], wanted: readonly JsonObject[]) => {
  const partners = paired(wanted, made, roleName);
  const kept = new Map(
    partners.flatMap((place, index) => (place === undefined ? [] : [[place, wanted[index]] as const])),
  );
  let place = -1;
  const items = roles.flatMap((role): readonly Json[] => {
    if (!isPolicy(role)) return [role];
    place += 1;
    const [before, after] = [made[place], kept.get(place)];
    if (before === undefined) return [role];
    return after === undefined ? [] : [overlay(role, roleOf(before), roleOf(after))];
  });
  return [...items, ...wanted.filter((_, index) => partners[index] === undefined).map(newRole)];
};

const changedClassification = (roles: readonly Json[], before: Json | undefined, after: Json | undefined) => {
  if (before === after) return roles;
  const place = roles.findIndex((role) => before !== undefined && classificationOf(role) === before);
  const role = after === undefined ? undefined : `${CLASSIFICATION}${after}`;
  if (place === -1) return role === undefined ? roles : [...roles, { role, access: 'read' }];
  return roles.flatMap((item, index) => {
    if (index !== place) return [item];
    return role === undefined || !isObject(item) ? [] : [{ ...item, role }];
  });
};

/** The roles of a document as the contract has them. */
export const writeRoles = (roles: Json | undefined, made: JsonObject, contract: JsonObject): Json | undefined => {
  const [before, after] = [objectOf(made['security']), objectOf(contract['security'])];
  const policies = changedPolicies(itemsOf(roles), objectsOf(before['policies']), objectsOf(after['policies']));
  const items = changedClassification(
    policies,
    spoken(before['dataClassification']),
    spoken(after['dataClassification']),
  );
  if (equalJson(items, itemsOf(roles))) return roles;
  return items.length === 0 ? undefined : items;
};
