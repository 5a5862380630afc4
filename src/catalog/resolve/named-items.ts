import type { Json } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { carryOverNamedItems, hasNamedItems } from '../../model/kind/named-items.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { renderNested } from '../read/render.ts';
import { type Snapshot, storedMembers } from '../read/snapshot.ts';
import { storageView } from '../read/stored-snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { WriteActor, WriteContext, WriteMode } from './write-context.ts';

const namedItemMembers = memoisePerKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) =>
    hasNamedItems(attribute as StoredAttribute) ? [[name, attribute as StoredAttribute] as const] : [],
  ),
);

/** Carries the texts and labels of named items over from the stored record where a PUT must not remove them. */
export const carryOverItems = (
  context: WriteContext,
  kind: Kind,
  given: Candidate['values'],
  former: Pick<Snapshot, 'values' | 'mentioned' | 'fullyQualifiedName'>,
  actor: WriteActor,
  mode: WriteMode,
): Candidate['values'] => {
  if (mode.by !== 'put') return given;
  const keepStored = actor.principal.isBot && !mode.overrideMetadata;
  const carried: Record<string, Json> = {};
  for (const [name, attribute] of namedItemMembers(kind)) {
    const value = given[name];
    if (value === undefined) continue;
    const stored = renderNested(former, name, attribute, storageView(context, NO_FIELDS));
    if (stored !== undefined) carried[name] = carryOverNamedItems(attribute, stored, value, { keepStored });
  }
  return { ...given, ...carried };
};
