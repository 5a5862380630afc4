import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { findUsersByEmail, type RefNode, type TargetNode } from '../../catalog/queries.ts';
import { checkPermissions, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { requireKind } from '../../catalog/registry.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { resolveFqnText } from '../../model/kind/kind.ts';
import type { DocumentReferences } from '../odcs/import.ts';
import type { DocumentLookup, DocumentPerson } from '../odcs/people.ts';
import type { ImportTarget } from '../odcs/schema/read-schema.ts';
import { hasContractSchema, subjectColumns } from '../subject.ts';

/**
 * Reads from the catalog what ODCS documents are imported against: the target record and the people and tags they
 * name.
 */

/** The fields of the target record that documents contain in addition to its contract. */
export const TARGET_FIELDS: ReadonlySet<string> = new Set(['domains', 'dataProducts']);

const liveNames = (nodes: readonly RefNode[] | null): readonly string[] =>
  (nodes ?? []).filter(({ deleted }) => deleted !== true).map(({ name }) => name);

/** Builds the import target of a document from a record that was read with `TARGET_FIELDS`. */
export const toImportTarget = (subject: Snapshot): ImportTarget => {
  const { kind, name, fullyQualifiedName, values } = subject;
  const hasSchema = hasContractSchema(kind);
  const { displayName, description } = values as Readonly<Record<string, string | undefined>>;
  const [parent] = subject.ancestors;
  return {
    entityType: kind.entityType,
    name,
    fullyQualifiedName,
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
    ...(parent ? { parentName: parent.name } : {}),
    columns: hasSchema ? subjectColumns(subject) : [],
    hasSchema,
    domains: liveNames(subject.domains),
    dataProducts: liveNames(subject.dataProducts),
  };
};

const findLiveReference = async (engine: Engine, type: string, text: string): Promise<TargetNode | undefined> => {
  const kind = requireKind(engine.registry, type);
  try {
    const node = await engine.store.reference(kind, resolveFqnText(kind, text));
    return node?.deleted === true ? undefined : node;
  } catch (failure) {
    // A text that cannot be a name matches no record.
    if (failure instanceof CatalogError && failure.code === 'bad_request') return undefined;
    throw failure;
  }
};

/** Finds a live record by its fully qualified name; the first of the kinds that has one wins. */
const findFirstReference = async (
  engine: Engine,
  types: readonly string[],
  text: string,
): Promise<TargetNode | undefined> =>
  (await Promise.all(types.map((type) => findLiveReference(engine, type, text)))).find((node) => node !== undefined);

const toPerson = ({ id, name }: Pick<RefNode, 'id' | 'name'>, type: DocumentPerson['type']): DocumentPerson => ({
  id,
  type,
  name,
});

const findPerson = async (
  engine: Engine,
  text: string,
  byEmail: ReadonlyMap<string, DocumentPerson>,
): Promise<DocumentPerson | undefined> => {
  const user = await findFirstReference(engine, ['user'], text);
  if (user) return toPerson(user, 'user');
  const person = byEmail.get(text);
  if (person) return person;
  const team = await findFirstReference(engine, ['team'], text);
  // Only teams of the type Group can own records; the other types only contain teams.
  return team && (team.teamType ?? 'Group') === 'Group' ? toPerson(team, 'team') : undefined;
};

const MAX_REFERENCES = 5000;

type ReferencedRecord = { readonly id: string; readonly entityType: string };

/** Filters record IDs to those that the reader may see; without a reader, returns all. */
const filterVisibleIds = async (
  engine: Engine,
  reader: Principal | undefined,
  records: readonly ReferencedRecord[],
): Promise<ReadonlySet<string>> => {
  const found = records.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const areSeen = reader ? await checkPermissions(engine, reader, VIEW_OPERATIONS, found) : undefined;
  return new Set(records.filter((_, at) => areSeen?.[at] ?? true).map(({ id }) => id));
};

/**
 * Resolves every person and tag that a document names, in one batch. Names that the reader may not see stay
 * unresolved, because resolving them would reveal that they exist.
 */
export const resolveDocumentReferences = async (
  engine: Engine,
  { people, tags }: DocumentReferences,
  reader?: Principal,
): Promise<DocumentLookup> => {
  if (people.length + tags.length > MAX_REFERENCES) {
    throw badRequest(`[the document must name at most ${MAX_REFERENCES} people and tags]`);
  }
  const rows = people.length > 0 ? await engine.graph.read(findUsersByEmail, { texts: people }) : [];
  const byEmail = new Map(rows.map((row) => [row.text, toPerson(row, 'user')]));
  const [found, labels] = await Promise.all([
    Promise.all(people.map(async (text) => [text, await findPerson(engine, text, byEmail)] as const)),
    Promise.all(
      tags.map(async (tag) => [tag, await findFirstReference(engine, ['tag', 'glossaryTerm'], tag)] as const),
    ),
  ]);
  const asSeen = found.flatMap(([, person]) => (person ? { id: person.id, entityType: person.type } : []));
  const seen = await filterVisibleIds(engine, reader, [...asSeen, ...labels.flatMap(([, label]) => label ?? [])]);
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
