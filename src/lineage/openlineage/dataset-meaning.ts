import { fqnPart, normaliseFqn, splitFqn } from '../../model/name.ts';
import { type DatasetHomes, type NamespaceHome, type ServiceHome, serviceOf } from './dataset-homes.ts';
import { listDatasetPaths, type NamedDataset, parseDatasetName, placeRelationOf } from './dataset-naming.ts';
import type { NamePath } from './dataset-paths.ts';
import type { PlaceRelation } from './dataset-place.ts';
import type { OpenLineageDataset, OpenLineageName } from './event.ts';

/** Says which records a dataset may be, and where it is to be created if it is none of them. */

/** Why a dataset is taken for a record. */
export const MATCH_REASONS = [
  'connection',
  'namespaceMap',
  'symlink',
  'serviceName',
  'fullName',
  'earlierEvent',
] as const;

export type MatchReason = (typeof MATCH_REASONS)[number];

export type DatasetCandidate = { readonly fqn: string; readonly by: MatchReason };

/** Where a dataset belongs: its names below a known service. */
export type Placement = {
  readonly service: ServiceHome;
  readonly entityType: string;
  readonly path: NamePath;
  readonly by: MatchReason;
};

export type DatasetMeaning = {
  readonly candidates: readonly DatasetCandidate[];
  readonly placement: Placement | undefined;
};

/** The maximum number of names that are looked up for one dataset. */
const MAX_CANDIDATES = 200;

/** Normalises texts that may be full names, and drops those that are none. */
export const validFullNames = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => {
    try {
      return [normaliseFqn(text)];
    } catch {
      // A text that is no valid full name matches no record.
      return [];
    }
  });

const fqnBelow = (above: string, path: NamePath): string => [above, ...path.map(fqnPart)].join('.');

/** Systems write names that are not quoted in one letter case, and clients write them in another. */
const spellings = (path: NamePath): readonly NamePath[] => [
  path,
  path.map((part) => part.toLowerCase()),
  path.map((part) => part.toUpperCase()),
];

/** An object is no more than what contains it: a bucket alone stands for no object in it. */
const isSpecific = (path: NamePath, [first = []]: readonly NamePath[]): boolean =>
  path.length > 1 || first.length === 1;

type Found = { readonly fqns: readonly string[]; readonly placement: Omit<Placement, 'by'> | undefined };

const NOTHING: Found = { fqns: [], placement: undefined };

/** Services that may have a dataset: those that state its place come before those that only exclude none. */
type Places = { readonly stating: readonly ServiceHome[]; readonly reaching: readonly ServiceHome[] };

const belowPlaces = ({ stating, reaching }: Places, named: NamedDataset): Found => {
  const [only, ...others] = stating.length > 0 ? stating : reaching;
  const pathsIn = ({ config }: ServiceHome) => {
    const paths = listDatasetPaths(named, config);
    return paths.filter((path) => isSpecific(path, paths));
  };
  const fqns = [...stating, ...reaching].flatMap((place) =>
    pathsIn(place).flatMap((path) => spellings(path).map((spelled) => fqnBelow(place.fqn, spelled))),
  );
  const [path] = only ? pathsIn(only) : [];
  // Of several services that may be meant, none is chosen for a record that is in none of them.
  const isClear = only !== undefined && others.length === 0 && path !== undefined;
  return { fqns, placement: isClear ? { service: only, entityType: named.entityType, path } : undefined };
};

const byConnection = ({ services }: DatasetHomes, named: NamedDataset | undefined): Found => {
  if (named === undefined) return NOTHING;
  const related = (wanted: PlaceRelation): readonly ServiceHome[] =>
    services.filter(
      ({ entityType, serviceType, config }) =>
        entityType === named.serviceKind && placeRelationOf(named, serviceType, config) === wanted,
    );
  return belowPlaces({ stating: related('states'), reaching: related('reaches') }, named);
};

const TABLE_LEVELS = 3;

const dottedPath = (name: string): NamePath => name.split('.').map((part) => part.replace(/^"(.*)"$/, '$1'));

/** The paths that a name may have below a service when its namespace tells nothing of the system. */
const plainPaths = (name: string): readonly NamePath[] => [dottedPath(name), [name]];

/**
 * The names below a record that a namespace stands for. A database or schema is a part of the path already, so what the
 * name says of it is left out.
 */
const belowMapped = (
  homes: DatasetHomes,
  home: NamespaceHome,
  { name }: OpenLineageName,
  named?: NamedDataset,
): Found => {
  const service = serviceOf(homes, home);
  const parts = splitFqn(home.fqn);
  const namedPaths = named && service ? listDatasetPaths(named, service.config) : [];
  // Names of tables in a warehouse of files, such as Spark's symlinks, look like names of files in it.
  const isTableName = named?.serviceKind !== service?.entityType && !name.includes('/');
  const paths = isTableName ? [...plainPaths(name), ...namedPaths] : [...namedPaths, ...plainPaths(name)];
  const tails = paths.flatMap((path) => {
    const whole = parts.length - 1 + path.length;
    const tail = parts.length > 1 && whole > TABLE_LEVELS ? path.slice(whole - TABLE_LEVELS) : path;
    return tail.length === 0 ? [] : [tail];
  });
  const fqns = tails.flatMap((path) => spellings(path).map((spelled) => fqnBelow(home.fqn, spelled)));
  const whole = tails.map((tail) => [...parts.slice(1), ...tail]).find((path) => path.length === TABLE_LEVELS);
  if (service?.entityType === 'databaseService') {
    return { fqns, placement: whole && { service, entityType: 'table', path: whole } };
  }
  const [path] = paths;
  const fits = service !== undefined && named?.serviceKind === service.entityType && parts.length === 1;
  return { fqns, placement: fits && path ? { service, entityType: named.entityType, path } : undefined };
};

/** A namespace may be the name of a service, below which the name says where the dataset lies. */
const byServiceName = (homes: DatasetHomes, { namespace, name }: OpenLineageName): Found => {
  const fqns = validFullNames([`${fqnPart(namespace)}.${name}`]);
  const service = homes.services.find(
    ({ entityType, fqn }) => entityType === 'databaseService' && fqn === fqnPart(namespace),
  );
  const path = dottedPath(name);
  const isWhole = service !== undefined && path.length === TABLE_LEVELS && path.every((part) => part !== '');
  return { fqns, placement: isWhole ? { service, entityType: 'table', path } : undefined };
};

type Step = { readonly by: MatchReason; readonly found: Found };

const stepsOf = (homes: DatasetHomes, one: OpenLineageName): readonly Step[] => {
  const named = parseDatasetName(one);
  const home = homes.namespaces.get(one.namespace);
  return [
    { by: 'connection', found: byConnection(homes, named) },
    { by: 'namespaceMap', found: home === undefined ? NOTHING : belowMapped(homes, home, one, named) },
  ];
};

/** Says what a dataset means, the likeliest record first. */
export const meaningOf = (homes: DatasetHomes, dataset: OpenLineageDataset): DatasetMeaning => {
  const { symlinks = [] } = dataset;
  const linked = symlinks.flatMap((one) => [
    ...stepsOf(homes, one).map(({ found }) => found),
    byServiceName(homes, one),
  ]);
  const steps: readonly Step[] = [
    ...stepsOf(homes, dataset),
    ...linked.map((found) => ({ by: 'symlink' as const, found })),
    { by: 'serviceName', found: byServiceName(homes, dataset) },
    { by: 'fullName', found: { fqns: validFullNames([dataset.name]), placement: undefined } },
  ];
  const placed = steps.find(({ found }) => found.placement !== undefined);
  return {
    candidates: steps.flatMap(({ by, found }) => found.fqns.map((fqn) => ({ fqn, by }))).slice(0, MAX_CANDIDATES),
    placement: placed?.found.placement && { ...placed.found.placement, by: placed.by },
  };
};
