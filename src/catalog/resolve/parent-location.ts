import { badRequest, recordNotFound } from '../../errors.ts';
import { type Kind, naturalKeyOf, withDerivedValues } from '../../model/kind/kind.ts';
import type { ParentDeclaration } from '../../model/kind/parent.ts';
import { joinFqn, joinFqnUnquoted, parentFqn } from '../../model/name.ts';
import type { Engine } from '../engine.ts';
import type { AncestorNode, InheritedNode, RefNode } from '../queries.ts';
import { type Snapshot, toRefNode } from '../read/snapshot.ts';
import type { Candidate, RecordPointer } from './candidate.ts';
import { resolvePointer } from './references.ts';

/** Below which records a new one hangs. */
export type ParentEdge = { readonly edge: 'CONTAINS' | 'PARENT_OF'; readonly parent: RefNode };

const INHERITED_FIELDS: ReadonlySet<string> = new Set(['owners', 'domains']);

/** Where a record hangs, and what that place passes down to it. */
export type ParentLocation = {
  readonly placements: readonly ParentEdge[];
  readonly fqn: string;
  readonly ancestors: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
  /** The parent, where it comes into being together with the record. */
  readonly founded?: Snapshot;
};

const readParent = async (engine: Engine, type: string, pointer: RecordPointer): Promise<Snapshot> => {
  const kind = engine.registry.byType.get(type);
  const address = pointer.id === undefined ? { fqn: pointer.fqn ?? '' } : { id: pointer.id };
  const parent = kind ? await engine.store.record(kind, address, INHERITED_FIELDS) : undefined;
  if (!parent || parent.deleted) throw recordNotFound(type, pointer.id ?? pointer.fqn ?? '');
  return parent;
};

/** Of parents that no request names, and that no record needs to have, there is one: it is no question which. */
const isImplicitParent = ({ setByOperation, required }: ParentDeclaration): boolean =>
  setByOperation === true && !required;

/** A parent that the request leaves out is the one the given parent hangs below: a nested tag's classification. */
const impliedParentEdges = (kind: Kind, given: readonly string[], nearest: Snapshot): ParentEdge[] =>
  kind.parents
    .filter(
      (parent) => !isImplicitParent(parent) && !given.includes(parent.field) && parent.kind !== nearest.kind.entityType,
    )
    .flatMap((parent) => {
      const found = nearest.ancestors.find((node) => node.entityType === parent.kind);
      return found ? [{ edge: parent.edge, parent: found }] : [];
    });

/** The chain that `CONTAINS` makes above the new record; a parent by another edge stands beside it. */
const buildAncestors = (nearest: Snapshot, contains: boolean): readonly AncestorNode[] =>
  contains ? [toRefNode(nearest), ...nearest.ancestors] : nearest.ancestors;

/** What stands beside a record hands it nothing of its own: both inherit from what holds them. */
const inheritNodes = (nodes: readonly InheritedNode[] | null, contains: boolean): InheritedNode[] =>
  contains
    ? (nodes ?? []).map((node) => ({ ...node, distance: node.distance + 1 }))
    : (nodes ?? []).filter(({ distance }) => distance > 0);

const refuseUnrelatedParents = (parents: readonly Snapshot[]) => {
  const [nearest, ...others] = parents;
  const stranger = others.find((other) => !nearest?.ancestors.some((node) => node.id === other.id));
  if (stranger) throw badRequest(`${nearest?.fullyQualifiedName} does not lie below ${stranger.fullyQualifiedName}`);
};

/** What a record's own name follows: the name of its parent, and what the declaration puts between them. */
const parentNameFor = (parent: ParentDeclaration | undefined, fqn: string | undefined): string | undefined => {
  if (parent?.isFqnRoot) return undefined;
  return fqn !== undefined && parent?.infix ? `${fqn}.${parent.infix}` : fqn;
};

/** The fully qualified name of a record below its nearest parent, or below what its kind says that it is named after. */
const buildFqn = (
  kind: Kind,
  { name, values }: Pick<Candidate, 'name' | 'values'>,
  parent: ParentDeclaration | undefined,
  fqn: string | undefined,
): string => {
  const above = kind.namedBelow?.(values) ?? parentNameFor(parent, fqn);
  if (kind.namePrefix !== undefined && above !== undefined) return joinFqnUnquoted(above, `${kind.namePrefix}${name}`);
  return joinFqn(above, parent?.leaf ?? name);
};

/**
 * Finds where a new record will hang. The first parent in the declaration that is given is the one it is named below.
 * `founded` is the parent that is not there yet.
 */
export const locateParent = async (
  engine: Engine,
  kind: Kind,
  candidate: Candidate,
  founded?: Snapshot,
): Promise<ParentLocation> => {
  const given = kind.parents.filter((parent) => candidate.parents[parent.field]);
  const parents = await Promise.all(
    given.map((parent) =>
      founded?.kind.entityType === parent.kind
        ? founded
        : readParent(engine, parent.kind, candidate.parents[parent.field] ?? {}),
    ),
  );
  const [nearest] = parents;
  if (!nearest) {
    const fqn = buildFqn(kind, candidate, undefined, undefined);
    return { placements: [], fqn, ancestors: [], owners: [], domains: [] };
  }
  const contains = given[0]?.edge === 'CONTAINS';
  refuseUnrelatedParents(parents);
  const named = given.map((parent, index) => ({ edge: parent.edge, parent: toRefNode(parents[index] ?? nearest) }));
  return {
    placements: [
      ...named.filter((placement, index) => index === 0 || placement.edge !== named[0]?.edge),
      ...impliedParentEdges(
        kind,
        given.map((parent) => parent.field),
        nearest,
      ),
    ],
    fqn: buildFqn(kind, candidate, given[0], nearest.fullyQualifiedName),
    ancestors: buildAncestors(nearest, contains),
    owners: inheritNodes(nearest.owners, contains),
    domains: inheritNodes(nearest.domains, contains),
    ...(founded ? { founded } : {}),
  };
};

/** Parents that a kind keeps as a relation too (a tag's parent tag) show up in the answer at once. */
export const parentRelations = (kind: Kind, parentEdges: readonly ParentEdge[]): Record<string, readonly RefNode[]> =>
  Object.fromEntries(
    kind.parents.flatMap((parent) => {
      const attribute = kind.attributes[parent.field];
      if (attribute?.store !== 'relation') return [];
      return [
        [
          parent.field,
          parentEdges.filter(({ parent: node }) => node.entityType === parent.kind).map(({ parent: node }) => node),
        ],
      ];
    }),
  );

/** The name a new record will have, as far as the request alone tells: the parent's own record has the last word. */
export const expectedFqn = (kind: Kind, candidate: Candidate): string => {
  const nearest = kind.parents.find((parent) => candidate.parents[parent.field]);
  return buildFqn(kind, candidate, nearest, nearest && candidate.parents[nearest.field]?.fqn);
};

/** The id of the record that a candidate means although it may go by another name. */
export const findByNaturalKey = async (
  engine: Engine,
  kind: Kind,
  candidate: Candidate,
): Promise<string | undefined> => {
  if (!kind.naturalKey) return undefined;
  const above = parentFqn(expectedFqn(kind, candidate));
  const key = naturalKeyOf(kind, above, withDerivedValues(kind, candidate.values));
  return key === undefined ? undefined : engine.store.findByNaturalKey(kind.naturalKey.statement, key);
};

/** Where there is one record at most, whatever it is called, throws bad_request for a candidate that is called otherwise. */
export const refuseSecondRecord = async (
  engine: Engine,
  kind: Kind,
  { name }: Candidate,
  existingId: string | undefined,
): Promise<void> => {
  const known =
    kind.naturalKey?.alone && existingId !== undefined ? await engine.store.referenceById(existingId) : undefined;
  if (known && known.name !== name) {
    throw badRequest(`There is another ${kind.entityType} already: ${known.fullyQualifiedName}`);
  }
};

/** Parents that a request names by id get their names, which decide what the record will be called. */
export const resolveParentNames = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<Candidate> => {
  const nameless = kind.parents.filter((parent) => candidate.parents[parent.field]?.id !== undefined);
  if (nameless.length === 0) return candidate;
  const found = await Promise.all(
    nameless.map(async (parent): Promise<[string, RecordPointer]> => {
      const node = await resolvePointer(engine, candidate.parents[parent.field] ?? {}, [parent.kind]);
      return [parent.field, { type: parent.kind, fqn: node.fullyQualifiedName }];
    }),
  );
  return { ...candidate, parents: { ...candidate.parents, ...Object.fromEntries(found) } };
};
