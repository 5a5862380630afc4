import type { StoredAttribute } from '../../model/attribute.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { carryItems, hasNamedItems } from '../../model/named-items.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { plainView } from '../read/kept.ts';
import { renderNested } from '../read/render.ts';
import { type Snapshot, storedMembers } from '../read/snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { Actor, Desk, Mode } from './desk.ts';

const itemMembers = perKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) =>
    hasNamedItems(attribute as StoredAttribute) ? [[name, attribute as StoredAttribute] as const] : [],
  ),
);

/** The values of a request, their named items with the texts and labels that a PUT does not take away. */
export const desireItems = (
  desk: Desk,
  kind: Kind,
  given: Candidate['values'],
  former: Pick<Snapshot, 'values' | 'mentioned' | 'fullyQualifiedName'>,
  actor: Actor,
  mode: Mode,
): Candidate['values'] => {
  if (mode.by !== 'put') return given;
  const keepStored = actor.principal.isBot && !mode.overrideMetadata;
  const carried: Record<string, Json> = {};
  for (const [name, attribute] of itemMembers(kind)) {
    const value = given[name];
    if (value === undefined) continue;
    const stored = renderNested(former, name, attribute, plainView(desk, NO_FIELDS));
    if (stored !== undefined) carried[name] = carryItems(attribute, stored, value, { keepStored });
  }
  return { ...given, ...carried };
};
