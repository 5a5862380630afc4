import { type GivenRights, notAllowedMessage } from '../../access/authorization.ts';
import type { PolicyRuleData } from '../../access/rights.ts';
import { CatalogError } from '../../errors.ts';
import { equalJson, type Json } from '../../model/json.ts';
import { toGive } from '../../model/schemas/access/policy.ts';
import type { Engine, Writer } from '../engine.ts';
import { authorizeRecord } from '../read/facts.ts';
import type { Snapshot } from '../read/snapshot.ts';

/**
 * Decides about changes by which somebody gets rights: nobody passes on more than they have, whoever owns the record, and
 * built-in roles and policies are for administrators.
 */

const relatedIds = (record: Snapshot | undefined, name: string): readonly string[] =>
  (record?.related[name] ?? []).map(({ id }) => id);

const rulesIn = (record: Snapshot | undefined): readonly Json[] => (record?.values['rules'] ?? []) as readonly Json[];

/** Finds the members that give rights and that a change touches. What a new record says of itself counts from a value on. */
const findTouched = (before: Snapshot | undefined, after: Snapshot): readonly string[] =>
  Object.keys(after.kind.givesRights ?? {}).filter((name) => {
    if (after.kind.members[name]?.store === 'relation')
      return !equalJson([...relatedIds(before, name)].sort(), [...relatedIds(after, name)].sort());
    const value = after.values[name];
    return before ? !equalJson(before.values[name], value) : Array.isArray(value) && value.length > 0;
  });

const isSwitchedOn = ({ values }: Snapshot, touched: readonly string[]): boolean =>
  (touched.includes('enabled') && values['enabled'] === true) ||
  (touched.includes('disabled') && values['disabled'] !== true);

/** What is received by a change. When a record is switched on, that is all that it gives. */
const givenBy = (before: Snapshot | undefined, after: Snapshot, touched: readonly string[]): GivenRights => {
  const from = isSwitchedOn(after, touched) ? undefined : before;
  const added = (name: string): readonly string[] => {
    const known = new Set(relatedIds(from, name));
    return after.kind.givesRights?.[name] ? relatedIds(after, name).filter((id) => !known.has(id)) : [];
  };
  const known = rulesIn(from);
  const rules = rulesIn(after).filter((rule) => !known.some((one) => equalJson(one, rule)));
  return {
    roleIds: [...added('roles'), ...added('defaultRoles')],
    policyIds: added('policies'),
    rules: after.kind.givesRights?.['rules'] ? (rules as unknown as readonly PolicyRuleData[]) : [],
  };
};

const refuseBuiltIn = ({ principal }: Writer, before: Snapshot | undefined): void => {
  if (before?.values['provider'] !== 'system') return;
  throw new CatalogError('forbidden', notAllowedMessage(principal, ['EditAll']), {
    hint: `Only administrators change the built-in ${before.kind.entityType} ${before.name}`,
  });
};

/** Throws forbidden unless the caller may give the rights that a new record or a change gives. */
export const permitGiving = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot | undefined,
  after: Snapshot,
): Promise<void> => {
  const { kind } = after;
  const { principal } = writer;
  if (!kind.givesRights || principal.isAdmin) return;
  refuseBuiltIn(writer, before);
  const touched = findTouched(before, after);
  if (touched.length === 0) return;
  const operations = [...new Set(touched.map((name) => toGive(kind.givesRights?.[name] ?? 'EditAll')))];
  if (before) await authorizeRecord(engine, principal, operations, before);
  else engine.authorize(principal, operations, { resource: kind.entityType });
  const unheld = engine.authorizer.findUnheld(principal, givenBy(before, after, touched));
  if (!unheld) return;
  throw new CatalogError('forbidden', notAllowedMessage(principal, [unheld.operation]), {
    hint: `Nobody gives rights that they do not have: ${unheld.operation} on ${unheld.resource}`,
  });
};
