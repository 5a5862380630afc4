import { normaliseName } from '../../model/name.ts';

/** Reads the names of OpenLineage datasets as paths of names below a service. */

/** The names from the service down to the dataset, without quotes: database, schema and table. */
export type NamePath = readonly string[];

/** The name that connectors give to the database of systems without databases above schemas. */
export const DEFAULT_DATABASE = 'default';

/** The number of folders of a storage path that may be containers of their own. */
const MAX_FOLDERS = 16;

/** One part of a dotted name. A quoted part may contain dots; a quote without its counterpart belongs to the name. */
const DOTTED_PART = /(?:"([^"]+)"|`([^`]+)`|\[([^[\]]+)\]|([^.]+))(\.|$)/gy;

const splitDotted = (name: string): NamePath => {
  const matches = [...name.matchAll(DOTTED_PART)];
  const last = matches.at(-1);
  // An empty part ends the sticky matches early, and a dot at the end leaves one open.
  if (last === undefined || last.index + last[0].length !== name.length || last[5] !== '') return [];
  return matches.map(([, double, back, square, plain]) => double ?? back ?? square ?? plain ?? '');
};

const splitSlashes = (name: string): NamePath => name.split('/').filter((part) => part !== '');

/** Splits a dotted name into at most `count` names; the first of them takes the dots that are too many. */
const splitFromEnd = (name: string, count: number): NamePath => {
  const parts = splitDotted(name);
  const surplus = parts.length - count;
  return surplus <= 0 ? parts : [parts.slice(0, surplus + 1).join('.'), ...parts.slice(surplus + 1)];
};

/** Splits a dotted name into at most `count` names; the last of them takes the dots that are too many. */
const splitFromStart = (name: string, count: number): NamePath => {
  const parts = splitDotted(name);
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join('.')];
};

/**
 * Reads a dataset name as paths, most likely first. `outer` is what the namespace says above the name: a bucket, an
 * account, or the database, which some producers name there.
 */
export type PathReader = (name: string, outer: string | undefined) => readonly NamePath[];

const addOuter = (parts: NamePath, count: number, outer: string | undefined): NamePath =>
  outer === undefined || parts.length === 0 || parts.length >= count ? parts : [outer, ...parts];

const listSchemaPaths = (parts: NamePath, schema: string | undefined): readonly NamePath[] => {
  if (parts.length === 2) return [[DEFAULT_DATABASE, ...parts]];
  return parts.length === 1 && schema !== undefined ? [[DEFAULT_DATABASE, schema, ...parts]] : [];
};

/** Reads `schema.table`, and `table` where there is a usual schema. */
export const schemaTable =
  (schema?: string): PathReader =>
  (name, outer) =>
    listSchemaPaths(addOuter(splitFromStart(name, 2), 2, outer), schema);

/** Reads `schema/table`. */
export const schemaSlashTable: PathReader = (name, outer) => {
  const parts = addOuter(splitSlashes(name), 2, outer);
  return parts.length === 2 ? listSchemaPaths(parts, undefined) : [];
};

/**
 * Reads `database.schema.table`. Of two names, the first is the schema or, when a producer left out the usual schema,
 * the database; `usual.first` says which is likelier.
 */
export const databaseSchemaTable =
  (usual?: { readonly schema: string; readonly first: 'database' | 'schema' }): PathReader =>
  (name, outer) => {
    const parts = addOuter(splitFromStart(name, 3), 3, outer);
    if (parts.length === 3) return [parts];
    const [first, second] = parts;
    if (first === undefined || second === undefined) return [];
    const below = [DEFAULT_DATABASE, first, second];
    if (usual === undefined) return [below];
    const within = [first, usual.schema, second];
    return usual.first === 'database' ? [within, below] : [below, within];
  };

/** Reads `database.schema.table` of systems whose databases connectors call by another name. */
export const renamedDatabaseSchemaTable: PathReader = (name, outer) => {
  const parts = addOuter(splitFromEnd(name, 3), 3, outer);
  return parts.length === 3 ? [[DEFAULT_DATABASE, ...parts.slice(1)], parts] : listSchemaPaths(parts, undefined);
};

/** Reads the three names of a BigQuery table. Project IDs of a domain contain dots: `example.com:project`. */
export const projectDatasetTable: PathReader = (name) => {
  const parts = splitFromEnd(name, 3);
  return parts.length === 3 ? [parts] : [];
};

/** Reads `table/database/table` or `database.table` of a Glue catalog, which connectors call by its account. */
export const glueTable: PathReader = (name, account = DEFAULT_DATABASE) => {
  const [word, ...rest] = splitSlashes(name);
  const parts = word === 'table' ? rest.map((part) => part.replaceAll('`', '')) : splitDotted(name);
  if (parts.length !== 2) return [];
  return [
    [account, ...parts],
    [DEFAULT_DATABASE, ...parts],
  ];
};

/** Reads `colls/collection` of a Cosmos database. */
export const cosmosCollection: PathReader = (name, outer) => {
  const [word, collection, ...rest] = splitSlashes(name);
  if (word !== 'colls' || collection === undefined || outer === undefined || rest.length > 0) return [];
  return [[DEFAULT_DATABASE, outer, collection]];
};

/** Reads a name that is one name as a whole, such as that of a topic. */
export const singleName: PathReader = (name) => [[name]];

/** Reads the path of a file below its folders. */
export const folderPath: PathReader = (name) => [splitSlashes(name)];

/**
 * Reads the path of an object in a bucket: the object itself, then each folder around it, then the bucket. Connectors
 * name a container by its whole path in the bucket or nest it in a container for each folder.
 */
export const objectPath: PathReader = (name, bucket) => {
  const root = bucket === undefined ? [] : [bucket];
  const parts = splitSlashes(name);
  const folders = Array.from({ length: Math.min(parts.length, MAX_FOLDERS) }, (_, index) =>
    parts.slice(0, index + 1),
  ).reverse();
  return [parts, ...folders]
    .flatMap((folder) => [
      [...root, folder.join('/')],
      [...root, ...folder],
    ])
    .concat([root]);
};

const normalisePath = (path: NamePath): NamePath | undefined => {
  try {
    return path.length === 0 ? undefined : path.map(normaliseName);
  } catch {
    // No record can have such a name.
    return undefined;
  }
};

/** Drops paths that no record can have, and repeated ones. */
export const normalisePaths = (paths: readonly NamePath[]): readonly NamePath[] => {
  const unique = new Map<string, NamePath>();
  for (const path of paths.flatMap((one) => [normalisePath(one) ?? []])) {
    if (path.length > 0) unique.set(path.join('\u0001'), path);
  }
  return [...unique.values()];
};
