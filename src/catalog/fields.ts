import { badRequest } from '../errors.ts';
import type { Kind } from '../model/kind.ts';
import type { Include } from './render.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * The names in a `fields` parameter. `*` alone stands for all of them; an unknown name is refused. Names of base
 * members are legal and change nothing.
 */
export const parseFields = (kind: Kind, text: string | null | undefined): ReadonlySet<string> => {
  if (!text) return NONE;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return NONE;
  if (names.length === 1 && names[0] === '*') return kind.gatedNames;
  const unknown = names.find((name) => !kind.fieldNames.has(name));
  if (unknown !== undefined) throw badRequest(`Invalid field name ${unknown}`);
  return new Set(names);
};

/** The members of a write's answer: everything a request could set, and who follows and votes (conventions 3). */
export const writeFields = (kind: Kind): ReadonlySet<string> => {
  const known = written.get(kind);
  if (known) return known;
  const own = Object.entries(kind.members)
    .filter(([, attribute]) => attribute.gated && isSettable(attribute))
    .map(([name]) => name);
  const common = kind.gated.filter((name) => name !== 'usageSummary' && name !== 'dataContract');
  const names: ReadonlySet<string> = new Set([...own, ...common]);
  written.set(kind, names);
  return names;
};

const written = new WeakMap<Kind, ReadonlySet<string>>();

const isSettable = (attribute: Kind['members'][string]): boolean => {
  if (attribute.store === 'relation') return attribute.request !== undefined || attribute.patchable;
  return attribute.store !== 'walked' && attribute.store !== 'ancestor' && attribute.store !== 'empty';
};

const INCLUDES: readonly Include[] = ['non-deleted', 'deleted', 'all'];

/** Which records a read or a list looks at, by deletion. */
export const parseInclude = (text: string | null): Include => {
  if (!text) return 'non-deleted';
  const include = INCLUDES.find((known) => known === text);
  if (!include) throw badRequest(`[include must be one of ${INCLUDES.join(', ')}]`);
  return include;
};

/** `owners:non-deleted,followers:all`: which references a relation shows; the others follow `include`. */
export const parseRelationIncludes = (text: string | null, include: Include): ((field: string) => Include) => {
  // A deleted record read on purpose still shows its living relations.
  const fallback: Include = include === 'deleted' ? 'all' : include;
  if (!text) return () => fallback;
  const pairs = new Map(
    text.split(',').map((pair) => {
      const [field = '', value = ''] = pair.split(':').map((part) => part.trim());
      return [field, parseInclude(value)] as const;
    }),
  );
  return (field) => pairs.get(field) ?? fallback;
};
