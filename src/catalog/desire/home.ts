import { badRequest, recordNotFound } from '../../errors.ts';
import { type Kind, twinKey, withDerived } from '../../model/kind.ts';
import { joinFqn, joinRaw, parentFqn } from '../../model/name.ts';
import type { Parent } from '../../model/parent.ts';
import type { Engine } from '../engine.ts';
import type { AncestorNode, InheritedNode, RefNode } from '../queries.ts';
import { refOf, type Snapshot } from '../read/snapshot.ts';
import type { Candidate, Pointer } from './candidate.ts';
import { resolvePointer } from './resolve.ts';

/** Below which records a new one hangs. */
export type Placement = { readonly edge: 'CONTAINS' | 'PARENT_OF'; readonly parent: RefNode };

const INHERITED_FIELDS: ReadonlySet<string> = new Set(['owners', 'domains']);

/** Where a record hangs, and what that place passes down to it. */
export type Home = {
  readonly placements: readonly Placement[];
  readonly fqn: string;
  readonly ancestors: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
  /** The parent, where it comes into being together with the record. */
  readonly founded?: Snapshot;
};

const readParent = async (engine: Engine, type: string, pointer: Pointer): Promise<Snapshot> => {
  const kind = engine.registry.byType.get(type);
  const address = pointer.id === undefined ? { fqn: pointer.fqn ?? '' } : { id: pointer.id };
  const parent = kind ? await engine.store.record(kind, address, INHERITED_FIELDS) : undefined;
  if (!parent || parent.deleted) throw recordNotFound(type, pointer.id ?? pointer.fqn ?? '');
  return parent;
};

/** Of parents that no request names, and that no record needs to have, there is one: it is no question which. */
const isOneOfMany = ({ unoffered, required }: Parent): boolean => unoffered === true && !required;

/** A parent that the request leaves out is the one the given parent hangs below: a nested tag's classification. */
const impliedPlacements = (kind: Kind, given: readonly string[], nearest: Snapshot): Placement[] =>
  kind.parents
    .filter(
      (parent) => !isOneOfMany(parent) && !given.includes(parent.field) && parent.kind !== nearest.kind.entityType,
    )
    .flatMap((parent) => {
      const found = nearest.ancestors.find((node) => node.entityType === parent.kind);
      return found ? [{ edge: parent.edge, parent: found }] : [];
    });

/** The chain that `CONTAINS` makes above the new record; a parent by another edge stands beside it. */
const chainAbove = (nearest: Snapshot, contains: boolean): readonly AncestorNode[] =>
  contains ? [refOf(nearest), ...nearest.ancestors] : nearest.ancestors;

/** What stands beside a record hands it nothing of its own: both inherit from what holds them. */
const passOn = (nodes: readonly InheritedNode[] | null, contains: boolean): InheritedNode[] =>
  contains
    ? (nodes ?? []).map((node) => ({ ...node, distance: node.distance + 1 }))
    : (nodes ?? []).filter(({ distance }) => distance > 0);

const refuseStrangers = (parents: readonly Snapshot[]) => {
  const [nearest, ...others] = parents;
  const stranger = others.find((other) => !nearest?.ancestors.some((node) => node.id === other.id));
  if (stranger) throw badRequest(`${nearest?.fullyQualifiedName} does not lie below ${stranger.fullyQualifiedName}`);
};

/** What a record's own name follows: the name of its parent, and what the declaration puts between them. */
const nameAbove = (parent: Parent | undefined, fqn: string | undefined): string | undefined => {
  if (parent?.apart) return undefined;
  return fqn !== undefined && parent?.infix ? `${fqn}.${parent.infix}` : fqn;
};

/** The fully qualified name of a record below its nearest parent, or below what its kind says that it is named after. */
const nameBelow = (
  kind: Kind,
  { name, values }: Pick<Candidate, 'name' | 'values'>,
  parent: Parent | undefined,
  fqn: string | undefined,
): string => {
  const above = kind.namedBelow?.(values) ?? nameAbove(parent, fqn);
  if (kind.namePrefix !== undefined && above !== undefined) return joinRaw(above, `${kind.namePrefix}${name}`);
  return joinFqn(above, parent?.leaf ?? name);
};

/**
 * Finds where a new record will hang. The first parent in the declaration that is given is the one it is named below.
 * `founded` is the parent that is not there yet.
 */
export const findHome = async (engine: Engine, kind: Kind, candidate: Candidate, founded?: Snapshot): Promise<Home> => {
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
    const fqn = nameBelow(kind, candidate, undefined, undefined);
    return { placements: [], fqn, ancestors: [], owners: [], domains: [] };
  }
  const contains = given[0]?.edge === 'CONTAINS';
  refuseStrangers(parents);
  const named = given.map((parent, index) => ({ edge: parent.edge, parent: refOf(parents[index] ?? nearest) }));
  return {
    placements: [
      ...named.filter((placement, index) => index === 0 || placement.edge !== named[0]?.edge),
      ...impliedPlacements(
        kind,
        given.map((parent) => parent.field),
        nearest,
      ),
    ],
    fqn: nameBelow(kind, candidate, given[0], nearest.fullyQualifiedName),
    ancestors: chainAbove(nearest, contains),
    owners: passOn(nearest.owners, contains),
    domains: passOn(nearest.domains, contains),
    ...(founded ? { founded } : {}),
  };
};

/** Parents that a kind keeps as a relation too (a tag's parent tag) show up in the answer at once. */
export const placedRelations = (kind: Kind, placements: readonly Placement[]): Record<string, readonly RefNode[]> =>
  Object.fromEntries(
    kind.parents.flatMap((parent) => {
      const attribute = kind.attributes[parent.field];
      if (attribute?.store !== 'relation') return [];
      return [
        [
          parent.field,
          placements.filter(({ parent: node }) => node.entityType === parent.kind).map(({ parent: node }) => node),
        ],
      ];
    }),
  );

/** The name a new record will have, as far as the request alone tells: the parent's own record has the last word. */
export const expectedFqn = (kind: Kind, candidate: Candidate): string => {
  const nearest = kind.parents.find((parent) => candidate.parents[parent.field]);
  return nameBelow(kind, candidate, nearest, nearest && candidate.parents[nearest.field]?.fqn);
};

/** The id of the record that a candidate means although it may go by another name. */
export const findTwin = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<string | undefined> => {
  if (!kind.twin) return undefined;
  const above = parentFqn(expectedFqn(kind, candidate));
  const key = twinKey(kind, above, withDerived(kind, candidate.values));
  return key === undefined ? undefined : engine.store.twin(kind.twin.statement, key);
};

/** Where there is one record at most, whatever it is called, throws bad_request for a candidate that is called otherwise. */
export const refuseAnother = async (
  engine: Engine,
  kind: Kind,
  { name }: Candidate,
  twin: string | undefined,
): Promise<void> => {
  const known = kind.twin?.alone && twin !== undefined ? await engine.store.referenceById(twin) : undefined;
  if (known && known.name !== name) {
    throw badRequest(`There is another ${kind.entityType} already: ${known.fullyQualifiedName}`);
  }
};

/** Parents that a request names by id get their names, which decide what the record will be called. */
export const locate = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<Candidate> => {
  const nameless = kind.parents.filter((parent) => candidate.parents[parent.field]?.id !== undefined);
  if (nameless.length === 0) return candidate;
  const found = await Promise.all(
    nameless.map(async (parent): Promise<[string, Pointer]> => {
      const node = await resolvePointer(engine, candidate.parents[parent.field] ?? {}, [parent.kind]);
      return [parent.field, { type: parent.kind, fqn: node.fullyQualifiedName }];
    }),
  );
  return { ...candidate, parents: { ...candidate.parents, ...Object.fromEntries(found) } };
};
