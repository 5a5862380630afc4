import { badRequest, recordNotFound } from '../../errors.ts';
import { withDerivedValues } from '../../model/kind/derived-values.ts';
import { type Kind, naturalKeyOf } from '../../model/kind/kind.ts';
import type { ParentDeclaration } from '../../model/kind/parent.ts';
import { joinFqn, joinFqnUnquoted, parentFqn } from '../../model/name.ts';
import type { Engine } from '../engine.ts';
import type { AncestorNode, InheritedNode, RefNode } from '../queries.ts';
import { type Snapshot, toRefNode } from '../read/snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { RecordPointer } from './record-pointers.ts';
import { resolvePointer } from './references.ts';

/** An edge from a parent to a new record. */
export type ParentEdge = { readonly edge: 'CONTAINS' | 'PARENT_OF'; readonly parent: RefNode };

const INHERITED_FIELDS: ReadonlySet<string> = new Set(['owners', 'domains']);

/** The place of a new record, with what it inherits there. */
export type ParentLocation = {
  readonly placements: readonly ParentEdge[];
  readonly fqn: string;
  readonly ancestors: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
  /** The parent, if it is created together with the record. */
  readonly founded?: Snapshot;
};

const readParent = async (engine: Engine, type: string, pointer: RecordPointer): Promise<Snapshot> => {
  const kind = engine.registry.byType.get(type);
  const address = pointer.id === undefined ? { fqn: pointer.fqn ?? '' } : { id: pointer.id };
  const parent = kind ? await engine.store.record(kind, address, INHERITED_FIELDS) : undefined;
  if (!parent || parent.deleted) throw recordNotFound(type, pointer.id ?? pointer.fqn ?? '');
  return parent;
};

/**
 * The declared parents that the request gives. Where several kinds of parents share a member, the type of its reference
 * chooses one.
 */
const givenParents = (kind: Kind, { parents }: Pick<Candidate, 'parents'>): readonly ParentDeclaration[] =>
  kind.parents.filter((parent) => {
    const pointer = parents[parent.field];
    if (pointer === undefined || pointer.type === parent.kind) return pointer !== undefined;
    return !kind.parents.some((other) => other !== parent && other.field === parent.field);
  });

/** Whether a parent is implicit: no request names it and no record requires it, so there is only one. */
const isImplicitParent = ({ setByOperation, required }: ParentDeclaration): boolean =>
  setByOperation === true && !required;

/** Adds a parent that the request omits and the given parent implies, such as the classification of a nested tag. */
const impliedParentEdges = (kind: Kind, given: readonly string[], nearest: Snapshot): ParentEdge[] =>
  kind.parents
    .filter(
      (parent) => !isImplicitParent(parent) && !given.includes(parent.field) && parent.kind !== nearest.kind.entityType,
    )
    .flatMap((parent) => {
      const found = nearest.ancestors.find((node) => node.entityType === parent.kind);
      return found ? [{ edge: parent.edge, parent: found }] : [];
    });

/** The ancestors of the new record along `CONTAINS`; a parent by another edge type is not one of them. */
const buildAncestors = (nearest: Snapshot, contains: boolean): readonly AncestorNode[] =>
  contains ? [toRefNode(nearest), ...nearest.ancestors] : nearest.ancestors;

/** A parent that does not contain the record passes on only what it inherits itself, not its own values. */
const inheritNodes = (nodes: readonly InheritedNode[] | null, contains: boolean): InheritedNode[] =>
  contains
    ? (nodes ?? []).map((node) => ({ ...node, distance: node.distance + 1 }))
    : (nodes ?? []).filter(({ distance }) => distance > 0);

const refuseUnrelatedParents = (parents: readonly Snapshot[]) => {
  const [nearest, ...others] = parents;
  const outsider = others.find((other) => !nearest?.ancestors.some((node) => node.id === other.id));
  if (outsider)
    throw badRequest(`${nearest?.fullyQualifiedName} is not a descendant of ${outsider.fullyQualifiedName}`);
};

/** The name prefix of a record: the name of its parent, and the infix that the declaration adds. */
const parentNameFor = (parent: ParentDeclaration | undefined, fqn: string | undefined): string | undefined => {
  if (parent?.isFqnRoot) return undefined;
  return fqn !== undefined && parent?.infix ? `${fqn}.${parent.infix}` : fqn;
};

/**
 * Builds the fully qualified name of a record below its nearest parent, or below the record that its kind declares as
 * the name's prefix.
 */
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
 * Finds the place of a new record. The first declared parent that the request gives determines its name. `founded` is a
 * parent that does not exist yet.
 */
export const locateParent = async (
  engine: Engine,
  kind: Kind,
  candidate: Candidate,
  founded?: Snapshot,
): Promise<ParentLocation> => {
  const given = givenParents(kind, candidate);
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

/**
 * Parents that the kind also stores as a relation (such as a tag's parent tag), so that the answer shows them at once.
 */
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

/** The expected name of a new record, as far as the request alone determines it: the parent's stored name decides. */
export const expectedFqn = (kind: Kind, candidate: Candidate): string => {
  const [nearest] = givenParents(kind, candidate);
  return buildFqn(kind, candidate, nearest, nearest && candidate.parents[nearest.field]?.fqn);
};

/** Finds the record that a candidate means by its natural key, although its name may differ. */
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

/** Throws bad_request when a kind allows only one record per natural key and the candidate has a different name. */
export const refuseSecondRecord = async (
  engine: Engine,
  kind: Kind,
  { name }: Candidate,
  existingId: string | undefined,
): Promise<void> => {
  const known =
    kind.naturalKey?.alone && existingId !== undefined ? await engine.store.referenceById(existingId) : undefined;
  if (known && known.name !== name) {
    throw badRequest(`Another ${kind.entityType} already exists: ${known.fullyQualifiedName}`);
  }
};

/** Replaces parents given by id with their names, which determine the name of the record. */
export const resolveParentNames = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<Candidate> => {
  const nameless = givenParents(kind, candidate).filter(({ field }) => candidate.parents[field]?.id !== undefined);
  if (nameless.length === 0) return candidate;
  const found = await Promise.all(
    nameless.map(async (parent): Promise<[string, RecordPointer]> => {
      const node = await resolvePointer(engine, candidate.parents[parent.field] ?? {}, [parent.kind]);
      return [parent.field, { type: parent.kind, fqn: node.fullyQualifiedName }];
    }),
  );
  return { ...candidate, parents: { ...candidate.parents, ...Object.fromEntries(found) } };
};
