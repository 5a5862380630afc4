import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode, TargetNode } from '../../catalog/queries.ts';
import { permitted, VIEW } from '../../catalog/read/facts.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { kindNamed } from '../../catalog/registry.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { lookupFqn } from '../../model/kind.ts';
import type { Named } from '../odcs/import.ts';
import type { Lookup, Person } from '../odcs/people.ts';
import type { Target } from '../odcs/target.ts';
import { findPeople } from '../queries.ts';
import { columnsOf, isShaped } from '../subject.ts';

/** What documents of the standard have to be told of the catalog. */

/** What documents tell of a record beside what its contract does. */
export const TARGET_FIELDS: ReadonlySet<string> = new Set(['domains', 'dataProducts']);

const namesOf = (nodes: readonly RefNode[] | null): readonly string[] =>
  (nodes ?? []).filter(({ deleted }) => deleted !== true).map(({ name }) => name);

/** The record that a document is about; it must have been read with `TARGET_FIELDS`. */
export const targetOf = (subject: Snapshot): Target => {
  const { kind, name, fullyQualifiedName, values } = subject;
  const hasSchema = isShaped(kind.entityType);
  const { displayName, description } = values as Readonly<Record<string, string | undefined>>;
  const [parent] = subject.ancestors;
  return {
    entityType: kind.entityType,
    name,
    fullyQualifiedName,
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
    ...(parent ? { parentName: parent.name } : {}),
    columns: hasSchema ? columnsOf(subject) : [],
    hasSchema,
    domains: namesOf(subject.domains),
    dataProducts: namesOf(subject.dataProducts),
  };
};

const findOne = async (engine: Engine, type: string, text: string): Promise<TargetNode | undefined> => {
  const kind = kindNamed(engine.registry, type);
  try {
    const node = await engine.store.reference(kind, lookupFqn(kind, text));
    return node?.deleted === true ? undefined : node;
  } catch (failure) {
    // What cannot be a name names nobody.
    if (failure instanceof CatalogError && failure.code === 'bad_request') return undefined;
    throw failure;
  }
};

/** A living record of one of some kinds, by its full name; the first kind that has one counts. */
const findNamed = async (engine: Engine, types: readonly string[], text: string): Promise<TargetNode | undefined> =>
  (await Promise.all(types.map((type) => findOne(engine, type, text)))).find((node) => node !== undefined);

const asPerson = ({ id, name }: Pick<RefNode, 'id' | 'name'>, type: Person['type']): Person => ({ id, type, name });

const findPerson = async (
  engine: Engine,
  text: string,
  byMail: ReadonlyMap<string, Person>,
): Promise<Person | undefined> => {
  const user = await findNamed(engine, ['user'], text);
  if (user) return asPerson(user, 'user');
  const person = byMail.get(text);
  if (person) return person;
  const team = await findNamed(engine, ['team'], text);
  // Other teams only hold teams, and own nothing.
  return team && (team.teamType ?? 'Group') === 'Group' ? asPerson(team, 'team') : undefined;
};

const MOST_NAMED = 5000;

type Seen = { readonly id: string; readonly entityType: string };

/** Those of some records that a reader may know of; without a reader, all. */
const seenIds = async (
  engine: Engine,
  reader: Principal | undefined,
  records: readonly Seen[],
): Promise<ReadonlySet<string>> => {
  const found = records.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const areSeen = reader ? await permitted(engine, reader, VIEW, found) : undefined;
  return new Set(records.filter((_, at) => areSeen?.[at] ?? true).map(({ id }) => id));
};

/**
 * Everybody and everything that a document names, looked up at once. To a reader the document names only what the reader
 * may see: what is told of it would tell who there is.
 */
export const lookUp = async (engine: Engine, { people, tags }: Named, reader?: Principal): Promise<Lookup> => {
  if (people.length + tags.length > MOST_NAMED) {
    throw badRequest(`[the document must name at most ${MOST_NAMED} people and tags]`);
  }
  const rows = people.length > 0 ? await engine.graph.read(findPeople, { texts: people }) : [];
  const byMail = new Map(rows.map((row) => [row.text, asPerson(row, 'user')]));
  const [found, labels] = await Promise.all([
    Promise.all(people.map(async (text) => [text, await findPerson(engine, text, byMail)] as const)),
    Promise.all(tags.map(async (tag) => [tag, await findNamed(engine, ['tag', 'glossaryTerm'], tag)] as const)),
  ]);
  const asSeen = found.flatMap(([, person]) => (person ? { id: person.id, entityType: person.type } : []));
  const seen = await seenIds(engine, reader, [...asSeen, ...labels.flatMap(([, label]) => label ?? [])]);
  const persons = new Map(found.filter(([, person]) => person && seen.has(person.id)));
  const nodes = new Map(labels.filter(([, label]) => label && seen.has(label.id)));
  return {
    person: (text) => persons.get(text),
    tag: (fqn) => {
      const type = nodes.get(fqn)?.entityType;
      if (type === undefined) return undefined;
      return type === 'tag' ? 'Classification' : 'Glossary';
    },
  };
};
